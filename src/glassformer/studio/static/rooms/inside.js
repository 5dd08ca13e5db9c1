// The room Inside: a model, a text, and why it answers so; one click deeper, the view of every number in between. What
// is changed there (a head switched off, a number, a stage taken from another text) is sent along, and the answer is
// shown before and after.

import { changeInWords, sides } from "../panels/changes.js";
import { flow } from "../flow.js";
import { TYPED, WORKING, isOlder, older } from "../panels/older.js";
import { PipelineStrip } from "../panels/pipeline.js";
import { Latest, ask } from "../talk.js";
import { SamplingPanel } from "../panels/sampling.js";
import { WhyPanel } from "../panels/why.js";
import { el } from "../page/dom.js";
import { hashFromState, mount, stateFromHash } from "../page/view.js";

const LONGEST_OPTION = 48; // signs of a text to try
const NUMBERS = "numbers"; // the deeper of two tabs
const WHY_KEPT = ["rival", "rival_id", "token", "instead"]; // of an address, what is asked of a why
const KEPT = ["at", "head", "row", "cell", "view", "zoom"];

export class Inside {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.latest = new Latest();
    this.weighing = new Latest();
    this.changes = [];
    this.node = el("div", { class: "inside" }, el("p", { class: "quiet note" }, "Taking the models from the shelf …"));
  }

  get address() {
    return this.model
      ? {
          model: this.model,
          text: this.text,
          target: this.target,
          changes: this.changes.length ? JSON.stringify(this.changes) : "",
          ...(this.tab === NUMBERS ? { tab: NUMBERS, ...this.seen } : this.reason),
        }
      : {};
  }

  async show(state) {
    const { models } = await ask("inside/start", { model: state.model ?? "" });
    this.models = models.filter((each) => !each.error);
    this.broken = models.filter((each) => each.error);
    if (!this.models.length) return this.empty();
    this.frame();
    const model =
      this.models.find((each) => each.name === state.model) ??
      this.models.find((each) => each.name === this.model) ??
      this.models[0];
    const text = state.text ?? (model.name === this.model ? this.text : null) ?? model.first;
    const changes = parsed(state.changes);
    const place = stateFromHash(
      new URLSearchParams(Object.entries(state).filter(([name]) => KEPT.includes(name))).toString(),
    );
    const tab = state.tab || state.at || changes.length || model.why === false ? NUMBERS : "why";
    const reason = Object.fromEntries(WHY_KEPT.map((name) => [name, state[name] ?? ""]));
    const same =
      (tab === NUMBERS ? this.view : this.why.drawn && JSON.stringify(reason) === JSON.stringify(this.reason)) &&
      tab === this.tab &&
      model.name === this.model &&
      text === this.text &&
      (state.target ?? "") === (this.target ?? "") &&
      JSON.stringify(changes) === JSON.stringify(this.changes);
    if (same) {
      if (tab === NUMBERS && Object.keys(place).length) {
        await this.view.show(place);
        this.moved(this.view.state, true); // what can be done is said of the head that is open now
      }
      this.point();
      return;
    }
    Object.assign(this, { model: model.name, text, target: state.target ?? "", changes, tab, reason });
    this.fill();
    await this.answer(place);
    this.point();
  }

  /** In a lesson, what it speaks of is brought into sight: a stage, or the head that is to be switched off. */
  point() {
    const { lesson, step } = this.studio.lesson;
    if (!lesson || this.tab !== NUMBERS) return;
    if (step.deed?.kind === "head off") this.numbers.scrollIntoView({ block: "start" });
    else this.place.querySelector(".seeing")?.scrollIntoView({ block: innerWidth < 1200 ? "start" : "nearest" });
  }

  theme(name) {
    if (!this.view || this.tab !== NUMBERS) return;
    this.view.root.dataset.theme = name;
    this.view.recolour();
  }

  empty() {
    this.bar = null;
    this.node.replaceChildren(
      el(
        "div",
        { class: "nothing" },
        el("h1", {}, "No model yet"),
        el(
          "p",
          {},
          "A small one trains in about a minute, on sentences that are made up on the spot. ",
          "Then you can look inside it here.",
        ),
        el("button", { type: "button", class: "tool strong", onclick: () => this.studio.go("train") }, "Train one"),
        this.broken.map((each) => el("p", { class: "wrong" }, `${each.name}: ${each.error}`)),
      ),
    );
  }

  // --- the frame ---

  frame() {
    if (this.bar) return this.fillModels();
    this.picker = el("select", { "aria-label": "model", onchange: () => this.choose(this.picker.value) });
    this.words = el("textarea", {
      class: "words",
      rows: 1,
      "aria-label": "your text",
      title: "Enter looks; Shift and Enter begin a new line",
      "data-first": true,
      autocomplete: "off",
      spellcheck: "false",
      onkeydown: (event) => this.enter(event),
      oninput: () => this.mark(),
    });
    this.lead = el("input", {
      type: "text",
      class: "words lead",
      "aria-label": "a translation to lead it along",
      placeholder: "lead it along your translation",
      oninput: () => this.mark(),
      autocomplete: "off",
      spellcheck: "false",
    });
    this.about = el("span", { class: "quiet about-model" });
    this.examples = el("select", {
      class: "examples",
      "aria-label": "texts to try",
      onchange: () => this.attempt(this.examples.value),
    });
    this.strip = new PipelineStrip(() => ({ model: this.model, text: this.text }));
    this.on = el(
      "button",
      {
        type: "button",
        class: "tool",
        title: "The model continues your text, by sampling",
        onclick: () => this.write(),
      },
      "Write on ▸",
    );
    this.bar = el(
      "form",
      {
        class: "bar ask",
        onsubmit: (event) => {
          event.preventDefault();
          this.type();
        },
      },
      el("label", {}, el("span", { class: "spoken" }, "model"), this.picker),
      this.words,
      el("button", { class: "tool strong" }, "Look ⏎"),
      this.on,
      this.examples,
      this.lead,
    );
    this.wrong = el("p", { class: "wrong note", role: "alert", hidden: true });
    this.waiting = el("p", { class: "quiet note waiting", role: "status", hidden: true });
    this.changed = el("section", { class: "changes", "aria-label": "What you changed" });
    this.place = el("div", { class: "inside-view" });
    this.numbers = el("div", { class: "depth" }, this.changed, this.waiting, this.place);
    this.why = new WhyPanel({
      asked: () => ({ model: this.model, text: this.text, target: this.target }),
      said: ({ rival = "", rival_id = null, at = "", instead = "" }) => {
        this.reason = { rival, rival_id: String(rival_id ?? ""), token: String(at || ""), instead };
        this.say();
      },
      open: (place) => this.turn(NUMBERS, place),
      changes: () => this.changes.map((each) => changeInWords(each, this.view?.data.parts ?? [])),
      drew: () => this.mark(),
    });
    this.sampling = new SamplingPanel({
      model: () => this.model,
      text: () => this.text,
      take: (text) => this.took(text),
      drew: () => this.mark(),
    });
    const tab = (name, title, about) =>
      el("button", { type: "button", "data-tab": name, title: about, onclick: () => this.turn(name) }, title);
    this.tabs = el(
      "div",
      { class: "depths", role: "group", "aria-label": "How deep" },
      tab("why", "Why this answer", "The answer, and what each word gave to it"),
      tab(NUMBERS, "Every number", "Every matrix of every head, and the arithmetic of each number"),
      this.about,
    );
    this.node.replaceChildren(this.bar, this.wrong, this.tabs, this.sampling.node, this.why.node, this.numbers);
    this.fillModels();
  }

  // --- two depths ---

  /** To the other depth: to a place that is named, where we were, or at first to the head that matters most. */
  turn(name, place) {
    this.tab = name;
    this.say();
    const seen = this.seen?.at ? stateFromHash(new URLSearchParams(this.seen).toString()) : this.why.strongest;
    return this.answer(name === NUMBERS ? (place ?? seen) : undefined);
  }

  /** What is on screen: why, or every number; the other one is asked for when it is opened. */
  async answer(place) {
    const deep = this.tab === NUMBERS;
    this.sampling.node.hidden = deep || !this.card.goes_on;
    if (!this.sampling.node.hidden) this.sampling.show();
    this.why.node.hidden = deep;
    this.numbers.hidden = !deep;
    for (const each of this.tabs.querySelectorAll("button"))
      each.setAttribute("aria-pressed", String(each.dataset.tab === this.tab));
    if (deep) {
      await this.look({ fresh: true, place });
      if (!this.view) return;
      return this.theme(this.studio.root.dataset.theme);
    }
    this.fail(null);
    const { rival, rival_id, token, instead } = this.reason;
    const chosen = rival_id ? Number(rival_id) : null;
    const plain = !rival && !rival_id && !token && !instead && !this.target && this.text === this.card.first;
    const choice = { rival, rival_id: chosen, at: Number(token) || null, instead };
    return this.why.show(choice, plain ? this.card.look : null);
  }

  fillModels() {
    this.picker.replaceChildren(
      ...this.models.map((each) => el("option", { value: each.name, selected: each.name === this.model }, each.name)),
    );
  }

  fill() {
    const model = this.card;
    this.picker.value = this.model;
    this.words.value = this.text;
    this.lead.value = this.target;
    this.lead.hidden = !model.can_be_led;
    this.on.hidden = !model.goes_on;
    this.examples.hidden = model.examples.length < 2;
    this.examples.replaceChildren(
      el("option", { value: "" }, "Try a text …"),
      ...model.examples.map((each) => el("option", { value: each }, short(each))),
    );
    const size = `${model.model}, ${model.parameters.toLocaleString("en")} parameters`;
    const said = [`${size}, ${model.origin}`, model.scored, model.caution];
    this.about.textContent = said.filter(Boolean).join(" · ");
  }

  get card() {
    return this.models.find((each) => each.name === this.model);
  }

  choose(name) {
    Object.assign(this, {
      model: name,
      text: this.models.find((each) => each.name === name).first,
      target: "",
      changes: [],
      seen: {},
      reason: {},
    });
    if (this.card.why === false) this.tab = NUMBERS;
    this.fill();
    return this.answer().then(() => this.say());
  }

  /** One of the texts to try. */
  attempt(text) {
    this.examples.value = "";
    if (!text) return;
    this.words.value = text;
    return this.type();
  }

  /** A new text: numbers and patches of the old one are let go, heads stay off. */
  type() {
    Object.assign(this, { text: this.words.value, target: this.lead.hidden ? "" : this.lead.value });
    this.changes = this.changes.filter((each) => each.kind === "head off" || (each.kind === "take" && each.frozen));
    this.reason = {};
    if (this.tab !== NUMBERS) this.seen = {}; // of the text before
    return this.answer(this.view?.state).then(() => this.say());
  }

  /** What is typed and not yet asked about: all that stands below is of the text before. */
  mark() {
    const typed = this.words.value !== this.text || (!this.lead.hidden && this.lead.value !== (this.target ?? ""));
    for (const node of [this.sampling.node, this.why.node, this.numbers])
      if (typed) older(node, TYPED);
      else if (isOlder(node) === TYPED) older(node, "");
  }

  enter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.bar.requestSubmit();
  }

  /** A text that grew by a token: its bars at once; why it says so once it rests. */
  async took(text) {
    Object.assign(this, { text, reason: {} });
    this.words.value = text;
    this.say({ replace: true });
    older(this.why.node, WORKING);
    clearTimeout(this.resting);
    await this.sampling.show();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.tab !== NUMBERS && !this.sampling.timer && this.why.show({ at: 1 }), 700);
  }

  /** The model goes on with the text, and is looked at while it reads all of it. */
  async write() {
    try {
      const { text } = await ask("inside/write", { model: this.model, text: this.words.value });
      this.words.value = text;
      await this.type();
      this.words.scrollTop = this.words.scrollHeight; // what is new stands at the end
    } catch (error) {
      this.fail(error);
    }
  }

  say(options) {
    this.put(this.address, options);
  }

  fail(error) {
    this.wrong.textContent = error?.message ?? "";
    this.wrong.hidden = !error;
  }

  // --- looking ---

  get asked() {
    const changes = this.changes.map(({ frozen, ...each }) => each);
    return { model: this.model, text: this.text, target: this.target, changes };
  }

  async look({ fresh = false, place } = {}) {
    const ticket = {};
    this.ticket = ticket;
    this.node.dataset.busy = "";
    this.waits(`Running ${this.model} on your text, and keeping every number …`);
    if (fresh && this.view) older(this.numbers, WORKING);
    try {
      const found = await this.latest.ask("inside/look", { ...this.asked, at: place?.at ?? this.view?.state.at ?? "" });
      if (!found) return;
      this.fail(null);
      this.before = found.before;
      this.after = found.data.answer;
      if (fresh) this.weights = null; // they were of another text
      if (fresh) await this.remount(found, place);
      else await this.view.update(found.data);
      this.drawChanges();
      if (fresh) this.weigh();
      if (fresh) this.strip.read();
    } catch (error) {
      this.fail(error);
    } finally {
      if (ticket === this.ticket) {
        delete this.node.dataset.busy;
        this.waits("");
        older(this.numbers, "");
        this.mark();
      }
    }
  }

  /** What the page waits for, in words. */
  waits(words) {
    this.waiting.textContent = words;
    this.waiting.hidden = !words;
  }

  async remount(found, state) {
    this.view?.destroy();
    const element = el("div");
    this.place.replaceChildren(element);
    const first = found.before ? { ...found.data, answer: found.before, off: [] } : found.data;
    const asked = this.asked;
    this.view = await mount(element, first, {
      alone: true,
      state,
      theme: this.studio.root.dataset.theme,
      opens: () => !this.studio.lesson.step?.ask, // it may be what is asked for
      fetchHead: (address, head) => ask("inside/head", { ...asked, address, head }),
      onEdit: (address, index, value) => this.change({ kind: "number", address, index, value }),
      onHead: (scope, head, on) => this.switchHead(scope, head, on),
      onState: (seen, replace) => this.moved(seen, replace),
    });
    if (found.before) await this.view.update(found.data);
    flow([...element.querySelectorAll(".strip .step")]);
    this.moved(this.view.state, true);
  }

  moved(seen, replace) {
    this.seen = Object.fromEntries(new URLSearchParams(hashFromState(seen).slice(1)));
    this.say({ replace });
    this.drawBadge();
  }

  // --- changing ---

  async change(change) {
    const same = (each) =>
      each.kind === change.kind &&
      each.address === change.address &&
      each.head === change.head &&
      String(each.index) === String(change.index);
    const old = this.changes;
    this.changes = [...this.changes.filter((each) => !same(each)), change];
    await this.look();
    if (!this.wrong.hidden) this.changes = old;
    this.drawChanges();
    this.say();
  }

  async drop(gone) {
    this.changes = gone ? this.changes.filter((each) => each !== gone) : [];
    await this.look();
    this.say();
  }

  switchHead(scope, head, on) {
    const address = scope && this.view.store.stages.has(`${scope}.mixed`) ? `${scope}.mixed` : "mixed";
    if (!on) return this.change({ kind: "head off", address, head });
    return this.drop(
      this.changes.find((each) => each.kind === "head off" && each.address === address && each.head === head),
    );
  }

  /** Where we are in the view: the part, its head, its pattern. */
  get spot() {
    const stage = this.view.store.stage(this.view.state.at);
    const part = this.view.store.parts.get(stage.part);
    return { stage, part, head: this.view.state.head, heads: part.heads };
  }

  freeze() {
    const { part, head } = this.spot;
    return this.change({ kind: "take", address: part.pattern, head, text: this.text, frozen: true });
  }

  patch(event) {
    event.preventDefault();
    const { stage, head } = this.spot;
    const text = new FormData(event.target).get("text");
    return this.change({ kind: "take", address: stage.address, head: stage.axes.includes("H") ? head : null, text });
  }

  drawChanges() {
    const name = (each) => changeInWords(each, this.view?.data.parts ?? []);
    const chips = this.changes.map((each) =>
      el(
        "li",
        {},
        name(each),
        " ",
        el(
          "button",
          { type: "button", class: "undo", "aria-label": `undo: ${name(each)}`, onclick: () => this.drop(each) },
          "×",
        ),
      ),
    );
    this.badge = el("span", { class: "matters" });
    this.tools = el("span", { class: "try" });
    this.changed.replaceChildren(
      ...[
        el("div", { class: "line" }, this.badge, this.tools, this.strip.node),
        chips.length
          ? el(
              "div",
              { class: "line" },
              el("span", { class: "quiet" }, "changed by you "),
              el("ul", { class: "chips" }, chips),
              el("button", { type: "button", class: "tool", onclick: () => this.drop(null) }, "Undo all"),
            )
          : null,
        chips.length ? sides(this.before, this.after) : null,
      ].filter(Boolean),
    );
    this.drawBadge();
  }

  // --- does this head matter ---

  async weigh() {
    const found = await this.weighing.ask("inside/matters", { ...this.asked, changes: [] }).catch(() => null);
    if (!found) return;
    this.weights = found.matters;
    this.view?.weigh({ weights: this.weights, names: this.card.heads });
    this.drawBadge();
  }

  drawBadge() {
    if (!this.badge || !this.view) return;
    const { stage, part, head, heads } = this.spot;
    if (!heads) {
      this.badge.replaceChildren(
        el("span", { class: "quiet" }, "Open a head to switch it off, or click a number to change it."),
      );
      this.tools.replaceChildren();
      return;
    }
    const share = this.weights?.[`${part.id.replace(/#.*/, "")}/${head}`];
    const most = this.weights ? Math.max(...Object.values(this.weights), 1e-9) : 1;
    const meter = el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "fill" }));
    meter.firstChild.style.width = share === undefined ? "0" : `${Math.max(100 * share, 0.6)}%`;
    const says =
      share === undefined
        ? "weighing every head …"
        : share < 0.005
          ? "hardly matters here"
          : share === most
            ? "matters most here"
            : "matters here";
    this.badge.title =
      "How much of the answer's probability moves elsewhere when this head is switched off, for this text.";
    this.badge.replaceChildren(
      `${part.title} · head ${head + 1} `,
      el("b", {}, says),
      " ",
      meter,
      " ",
      el("output", {}, share === undefined ? "" : share.toFixed(3)),
    );
    const off = this.changes.some(
      (each) =>
        each.kind === "head off" &&
        each.head === head &&
        each.address.replace(/\.?mixed$/, "") === part.id.replace(/#.*/, ""),
    );
    const tool = (text, title, action) => el("button", { type: "button", class: "tool", title, onclick: action }, text);
    this.tools.replaceChildren(
      tool(off ? "Switch it on" : "Switch it off", "Ablate this head: what it adds becomes zeros", () =>
        this.switchHead(part.id.replace(/#.*/, ""), head, off),
      ),
      part.pattern
        ? tool("Freeze its pattern", "Its weights stay as they are now, whatever else changes", () => this.freeze())
        : null,
      el(
        "details",
        { class: "patch" },
        el("summary", { class: "tool" }, "Patch from another text"),
        el(
          "form",
          { onsubmit: (event) => this.patch(event) },
          el(
            "label",
            {},
            `${stage.symbol} of `,
            el("input", {
              name: "text",
              class: "words",
              placeholder: "a text of as many tokens",
              required: true,
              autocomplete: "off",
            }),
          ),
          el("button", { class: "tool" }, "Take it"),
        ),
      ),
    );
  }
}

const short = (text) => (text.length > LONGEST_OPTION ? `${text.slice(0, LONGEST_OPTION)}…` : text);

function parsed(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
