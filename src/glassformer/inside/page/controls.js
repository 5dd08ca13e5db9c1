// What one steers with: the top of the page, the controls of a step. They only tell the view where to go. What is being
// dragged or has the focus stays in place while everything around it is drawn anew.

import { answerLine } from "./panels/answer.js";
import { el, redrawn, reduced, tool, word } from "./dom.js";
import { Sheet, visible } from "./store.js";
import { Strip } from "./panels/strip.js";

const MOST_TOKENS = 400; // of a long text the top shows its beginning
export const NEARER = 1.5;
const BEAT = 1100; // milliseconds a step stays while playing

/** The text and the answer, always on screen; a token chooses its row. */
export function drawTop(view, node) {
  const { texts, title, about, answer } = view.data;
  const line =
    view.options.chrome === false
      ? []
      : [
          el("span", { class: "title" }, title || "A look inside"),
          el("span", { class: "quiet about", title: about }, about),
        ];
  const tools = el(
    "span",
    { class: "tools" },
    tool("☾", "light or dark", () => view.toggleTheme()),
    tool("?", "which keys do what", () => view.help.showModal()),
  );
  const bar = el("div", { class: "bar-line" }, view.drawer, line, tabs(view), tools);
  if (view.options.chrome === false) return redrawn(node, [bar]);
  const two = texts.context.length > 0;
  const name = answer?.target ? "forced" : two ? "writes" : "text";
  const open = (item) => view.go({ at: view.logits(), cell: item.index });
  return redrawn(node, [
    bar,
    textLine(texts.context, two ? "source" : "", (token) => word(visible(token), { class: "token" })),
    textLine(texts.own, two ? name : "", (token, i) => tokenButton(view, token, i)),
    answerLine(answer, { row: view.state.row, open, before: view.before }),
  ]);
}

function textLine(tokens, name, draw) {
  if (!tokens.length) return null;
  const more =
    tokens.length > MOST_TOKENS ? el("span", { class: "quiet" }, ` … ${tokens.length - MOST_TOKENS} more`) : null;
  const said = name ? el("span", { class: "quiet said" }, name) : null;
  return el("p", { class: "text", "aria-label": name || "text" }, said, tokens.slice(0, MOST_TOKENS).map(draw), more);
}

function tokenButton(view, token, i) {
  const chosen = i === view.state.row;
  const written = i >= view.data.answer?.read; // by the model itself
  const state = {
    class: `token${chosen ? " chosen" : ""}${written ? " written" : ""}`,
    title: written ? "written by the model" : null,
    "aria-pressed": String(chosen),
    onclick: () => view.choose(i),
  };
  return el("button", { type: "button", ...state }, word(visible(token)));
}

function tabs(view) {
  const tab = (name, text) => {
    const pressed = String(view.state.view === name);
    return el(
      "button",
      { type: "button", class: "tab", "aria-pressed": pressed, onclick: () => view.move({ view: name }) },
      text,
    );
  };
  const heads = view.data.parts.some((part) => part.heads > 1);
  return el(
    "div",
    { class: "tabs" },
    tab("stage", "Step by step"),
    heads ? tab("heads", "All heads") : null,
    view.data.answer ? tab("answer", "Answer") : null,
  );
}

/** Step by step, query by query, nearer and farther. */
export class Controls {
  constructor(view) {
    this.view = view;
    this.before = tool("◂", "the step before", () => view.step(-1));
    this.playing = tool("▶", "play", () => view.play(), { class: "tool play" });
    this.after = tool("▸", "the step after", () => view.step(1));
    this.slider = el("input", { type: "range", min: 0, "aria-label": "step", oninput: () => this.slide() });
    this.rows = el("select", { "aria-label": "query row", onchange: () => this.pickRow() });
    this.stages = el("select", {
      "aria-label": "any stage of this part",
      onchange: () => view.go({ at: this.stages.value }),
    });
    this.farther = tool("−", "farther", () => view.zoom(1 / NEARER));
    const saving = ["svg", "png"].map((kind) =>
      tool(kind.toUpperCase(), `save this panel as ${kind.toUpperCase()}`, () => view.save(kind)),
    );
    this.tools = el(
      "span",
      { class: "tools" },
      this.farther,
      tool("+", "nearer", () => view.zoom(NEARER)),
      saving,
    );
    this.node = el(
      "div",
      { class: "controls" },
      this.before,
      this.playing,
      this.after,
      this.slider,
      this.rows,
      this.stages,
      this.tools,
    );
  }

  slide() {
    this.view.move({ at: this.steps[Number(this.slider.value)] }, { replace: true });
  }

  pickRow() {
    this.view.move({ row: this.rows.value === "" ? null : Number(this.rows.value) });
  }

  draw(stage, part) {
    const { store, state, player } = this.view;
    if (this.part !== part) this.fill(store, part);
    const at = this.steps.indexOf(this.steps.includes(stage.address) ? stage.address : stage.same_as);
    this.before.disabled = at === 0;
    this.after.disabled = at === this.steps.length - 1;
    this.slider.hidden = this.steps.length < 2;
    this.slider.max = this.steps.length - 1;
    this.slider.value = Math.max(at, 0);
    this.slider.setAttribute("aria-valuetext", stage.name);
    this.playing.textContent = player.timer ? "❚❚" : "▶";
    this.playing.setAttribute("aria-label", player.timer ? "pause" : "play");
    this.rows.value = state.row === null ? "" : String(state.row);
    this.stages.value = stage.address;
    this.farther.disabled = state.zoom <= 1;
  }

  /** The choices of another part. */
  fill(store, part) {
    this.part = part;
    this.steps = Strip.steps(part, store);
    const within = (address) => (address.startsWith(`${part.id}.`) ? address.slice(part.id.length + 1) : address);
    const name = (address) => `${store.stage(address).symbol}  ${within(address).replace(/_/g, " ")}`;
    this.stages.replaceChildren(...part.stages.map((address) => el("option", { value: address }, name(address))));
    this.rows.hidden = !part.pattern;
    if (!part.pattern) return;
    const sheet = new Sheet(store, store.stage(part.pattern), 0);
    const option = (_, row) => el("option", { value: row }, sheet.rowName(row));
    this.rows.replaceChildren(
      el("option", { value: "" }, "all queries"),
      ...Array.from({ length: sheet.rows }, option),
    );
  }
}

/** Where we are, as a path. */
export function drawPath({ state, path }, part, stage) {
  const steps = part.title.split(" · ");
  const head =
    part.heads > 1 && (stage.axes.includes("H") || stage.axes.includes("G") || stage.slices)
      ? [`head ${state.head + 1}`]
      : [];
  const names =
    state.view === "stage"
      ? [...steps, ...head, stage.name.replace(/_/g, " ")]
      : [{ heads: "all heads", answer: "the answer" }[state.view]];
  path.replaceChildren(
    ...names
      .flatMap((name, i) => [
        i ? el("span", { class: "dot", "aria-hidden": "true" }, " · ") : null,
        el("span", { class: i === names.length - 1 ? "last" : "" }, name),
      ])
      .filter(Boolean),
  );
}

/** Plays a part of a pass: stage by stage, then the same for the next query. */
export class Player {
  constructor(view) {
    this.view = view;
    this.timer = null;
  }

  /** Begins, or stops. */
  turn() {
    if (this.timer) return this.view.pause();
    const { view } = this;
    const { part, store } = view;
    const rows = part.pattern ? new Sheet(store, store.stage(part.pattern), 0).rows : 0;
    if (rows && view.state.row === null) view.state.row = 0;
    const beat = () => {
      if (view.step(1)) return;
      const row = view.state.row === null ? null : (view.state.row + 1) % rows;
      view.move({ at: part.lanes?.main[0] ?? Strip.steps(part, view.store)[0], row });
    };
    this.timer = setInterval(beat, reduced() ? BEAT * 2 : BEAT);
    return view.move({}, { replace: true });
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }
}
