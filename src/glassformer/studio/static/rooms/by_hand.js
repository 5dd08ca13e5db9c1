// The room By hand: givens on the left, the working on the right like a good solution on paper. Every given can be
// changed in place; the server's core works what follows, and what became different flashes.

import { CheckMine } from "../panels/by_hand/check_mine.js";
import { Facts } from "../panels/by_hand/facts.js";
import { Givens } from "../panels/by_hand/givens.js";
import { Laboratory } from "../panels/by_hand/laboratory.js";
import { Working } from "../panels/by_hand/working.js";
import { Latest, ask } from "../talk.js";
import { notThere } from "../asked_for.js";
import { el, reduced } from "../page/dom.js";
import { numbered } from "../page/operations.js";
import { NumberPanel } from "../page/panels/number_panel.js";

const TABS = [
  ["", "The working"],
  ["check", "Check mine"],
  ["masks", "Mask laboratory"],
];

export class ByHand {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.latest = new Latest();
    this.asked = new Latest();
    this.cells = new Map();
    this.check = new CheckMine();
    this.laboratory = new Laboratory();
    this.node = el("div", { class: "by-hand" }, el("p", { class: "quiet note" }, "Opening the worksheets …"));
  }

  get address() {
    const tokens = this.tokensIn === "columns" ? "columns" : null;
    const tab = { tab: this.tab, stage: this.stage, cell: this.cell?.join(","), tokens };
    return this.changed ? { sheet: JSON.stringify(this.sheet), ...tab } : { example: this.name, ...tab };
  }

  async show(state) {
    this.offer ??= await ask("by-hand/start");
    this.frame();
    if (state.sentence) {
      this.own.value = state.sentence;
      await this.sentence({ replace: true }); // a worksheet from here on
      return this.openTab("");
    }
    const unknown = state.example && !this.offer.examples.some((each) => each.name === state.example);
    const wanted = state.sheet
      ? { sheet: parsed(state.sheet) }
      : { name: (!unknown && state.example) || this.name || "i-love-ai" };
    const tokensIn = state.tokens === "columns" ? "columns" : "rows";
    const same =
      this.found &&
      tokensIn === this.tokensIn &&
      (wanted.name ? wanted.name === this.name && !this.changed : JSON.stringify(this.sheet) === state.sheet);
    this.tokensIn = tokensIn;
    if (!same) {
      this.name = wanted.name ?? null;
      this.changed = !wanted.name;
      await this.take(wanted.name ? "by-hand/example" : "by-hand/work", wanted, { opens: false });
    }
    this.openTab(TABS.some(([tab]) => tab === state.tab) ? state.tab : "");
    if (state.cell && !this.tab) {
      await this.explain(...split(state.cell));
      this.fail(this.cell ? null : new Error(`There is no number at ${state.cell} in this working.`));
      this.bringInSight();
    } else if (!state.cell) {
      this.cell = null;
      this.mark([]);
      this.noNumber();
      await this.openOne();
    }
    this.point(state.stage);
    if (unknown) throw new Error(`There is no example called '${state.example}'; choose one of the list.`);
    const stage = this.found?.stages.some(({ name }) => name === state.stage) ? state.stage : "";
    const shown = { tab: this.tab, tokens: this.tokensIn, stage };
    const missing = notThere(state, shown, ["tab", "tokens", "stage"]);
    if (missing) throw new Error(missing);
  }

  /** Leads to a stage of the working, or to what is given. */
  point(stage) {
    this.stage = stage;
    const place = stage ? (this.working.step(stage) ?? this.givens.of(stage)) : null;
    for (const each of this.paper.querySelectorAll(".shown")) each.classList.remove("shown");
    place?.classList.add("shown");
    place?.scrollIntoView({ block: "center" });
    const { given } = this.studio.lesson.step?.deed ?? {}; // in a lesson, what is to be changed is in sight as well
    if (given) this.givens.of(given)?.scrollIntoView({ block: "nearest" });
  }

  // --- the frame ---

  frame() {
    if (this.bar) return;
    const options = ["Attention", "Other layers"].map((label, other) =>
      el(
        "optgroup",
        { label },
        this.offer.examples
          .filter(({ layer }) => (layer !== "attention") === Boolean(other))
          .map(({ name, title }) => el("option", { value: name }, title)),
      ),
    );
    this.picker = el(
      "select",
      { "aria-label": "example", onchange: () => this.example(this.picker.value) },
      options,
      el("option", { value: "", hidden: true }, "your own"),
    );
    this.own = el("input", {
      type: "text",
      class: "sentence",
      placeholder: "or a sentence of your own",
      maxlength: 400,
      "aria-label": "a sentence of your own",
      "data-first": true,
    });
    this.tabs = TABS.map(([tab, title]) =>
      el(
        "button",
        {
          type: "button",
          class: "tab",
          "data-tab": tab,
          onclick: () => {
            this.openTab(tab);
            this.say();
          },
        },
        title,
      ),
    );
    this.bar = el(
      "div",
      { class: "bar" },
      el("label", {}, el("span", { class: "quiet" }, "example "), this.picker),
      el(
        "form",
        {
          class: "own",
          onsubmit: (event) => {
            event.preventDefault();
            this.sentence();
          },
        },
        this.own,
        el("button", { class: "tool" }, "Work it"),
      ),
      el("span", { class: "tabs" }, this.tabs),
    );
    this.title = el("div", { class: "sheet-title" });
    this.wrong = el("p", { class: "wrong note", role: "alert", hidden: true });
    const { cells } = this;
    this.givens = new Givens({
      cells,
      changed: () => this.rework(),
      undo: () => this.undo(),
      turn: (tokensIn) => this.turn(tokensIn),
      refit: (scorer) => this.refit(scorer),
    });
    this.working = new Working({ cells, pick: (stage, index) => this.pick(stage, index) });
    this.number = new NumberPanel({ go: (to) => this.go(to), shut: () => this.shut() });
    this.paper = el("div", { class: "paper" }, this.givens.node, this.working.node, this.number.node);
    this.node.replaceChildren(this.bar, this.title, this.wrong, this.paper, this.check.node, this.laboratory.node);
    this.noNumber();
  }

  openTab(tab) {
    this.tab = tab;
    for (const each of this.tabs) each.setAttribute("aria-pressed", String(each.dataset.tab === tab));
    this.title.hidden = tab === "check";
    this.paper.hidden = tab !== "";
    this.check.node.hidden = tab !== "check";
    this.laboratory.node.hidden = tab !== "masks";
    if (tab === "check") this.check.open(this.offer.variants);
    if (tab === "masks" && this.sheet) this.laboratory.show(this.sheet);
  }

  say(options) {
    this.put(this.address, options);
  }

  fail(error) {
    this.wrong.textContent = error?.message ?? "";
    this.wrong.hidden = !error;
  }

  // --- worksheets ---

  async example(name) {
    this.name = name;
    this.changed = false;
    this.cell = null;
    this.stage = null;
    await this.take("by-hand/example", { name });
    this.say();
  }

  async sentence(options) {
    this.changed = true;
    this.cell = null;
    await this.take("by-hand/sentence", { sentence: this.own.value, width: 4, heads: 2 });
    this.say(options);
  }

  /** A new worksheet, from wherever it comes; one of its numbers is open if none is asked for. */
  async take(name, content, { opens = true } = {}) {
    try {
      const found = await this.latest.ask(name, { ...content, tokens_in: this.tokensIn });
      if (!found) return;
      this.fail(null);
      this.draw(found);
      if (opens && !this.cell) await this.openOne();
    } catch (error) {
      if (!this.found) await this.example("i-love-ai");
      this.fail(error);
    }
  }

  /** The same worksheet, worked anew after a change. */
  async rework() {
    if (this.kept) this.past.push(this.kept);
    this.kept = JSON.stringify(this.sheet);
    this.givens.undoing.hidden = !this.past.length;
    this.changed = true;
    this.picker.value = "";
    try {
      const found = await this.latest.ask("by-hand/work", { sheet: this.sheet, tokens_in: this.tokensIn });
      if (!found) return;
      this.fail(null);
      this.found = found;
      this.working.draw(found);
      this.givens.drawMask(found);
      this.say({ replace: true });
      if (this.cell) await this.explain(...this.cell);
      this.node.dataset.worked = String(Number(this.node.dataset.worked ?? 0) + 1);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The worksheet as it was before the last change. */
  async undo() {
    const before = this.past.pop();
    if (!before) return;
    const { past } = this;
    if (past.length || !this.name) {
      await this.take("by-hand/work", { sheet: JSON.parse(before) });
      this.say({ replace: true });
    } else await this.example(this.name); // as it came
    this.past = past;
    this.givens.undoing.hidden = !past.length;
  }

  /** The same numbers, with tokens in rows or in columns. */
  async turn(tokensIn) {
    this.tokensIn = tokensIn;
    this.cell = null;
    await this.take("by-hand/work", { sheet: this.sheet });
    this.say();
  }

  async refit(scorer) {
    this.changed = true;
    await this.take("by-hand/refit", { sheet: this.sheet, scorer });
    this.say();
  }

  draw(found) {
    this.found = found;
    this.sheet = found.sheet;
    this.past = [];
    this.kept = JSON.stringify(found.sheet);
    this.picker.value = this.changed ? "" : this.name;
    this.title.replaceChildren(el("h1", {}, this.sheet.title), el("p", { class: "quiet" }, this.sheet.about ?? ""));
    this.cells.clear();
    this.givens.draw(found, this.offer, this.tokensIn);
    this.working.clear();
    this.working.draw(found);
    if (!this.cell) this.noNumber();
    if (this.tab === "masks") this.laboratory.show(this.sheet);
  }

  // --- a number ---

  noNumber() {
    this.paper.append(this.number.node);
    this.number.empty("Click a number of the working to read its arithmetic. Change a given one to see what follows.");
  }

  /** Where arithmetic has a side of its own, that side is not empty: the last score is open, or the last number of the
   * first step. In a lesson it may be what is asked for, or what is to be clicked. */
  async openOne() {
    if (!this.found || this.tab || narrow() || this.studio.lesson.lesson) return;
    const made = this.working.of(this.found).filter(({ repeats }) => !repeats);
    const stage = made.find(({ role }) => role === "score") ?? made[0];
    if (!stage) return;
    await this.explain(stage.name, ...stage.shape.map((length) => length - 1));
  }

  /** No number is open any more; one goes on where it stands. */
  shut() {
    const [stage, ...index] = this.cell;
    this.cell = null;
    this.mark([]);
    this.noNumber();
    this.say();
    this.at(stage, index)?.querySelector("button, input")?.focus({ preventScroll: true });
  }

  async pick(stage, index) {
    this.cell = [stage, ...index];
    await this.explain(stage, ...index);
    this.say();
    this.bringInSight();
  }

  /** Where arithmetic has no side of its own, the number it is about stays in sight above it. */
  bringInSight() {
    if (!this.cell || !narrow()) return;
    const [stage, ...index] = this.cell;
    const cell = this.at(stage, index);
    const sight = this.studio.lesson.lesson ? cell?.closest(".tables") : cell;
    const block = this.studio.lesson.lesson ? "start" : "nearest";
    sight?.scrollIntoView({ block, behavior: reduced() ? "auto" : "smooth" });
  }

  /** Where there is no side and the lesson stands below, arithmetic follows the step whose number was clicked. */
  place(stage) {
    const step = narrow() && this.studio.lesson.lesson && this.working.step(stage);
    if (step) step.after(this.number.node);
    else this.paper.append(this.number.node);
  }

  async explain(stage, ...index) {
    this.cell = [stage, ...index];
    this.mark([]);
    let found;
    try {
      found = await this.asked.ask("by-hand/number", { sheet: this.sheet, stage, index, tokens_in: this.tokensIn });
    } catch {
      this.cell = null;
      this.noNumber();
    }
    if (!found) return;
    const explanation = numbered(found);
    this.mark(explanation.terms.flatMap((term) => term.cells).filter((cell) => cell.address !== stage));
    this.at(stage, index)?.classList.add("chosen");
    this.place(stage);
    this.number.draw(new Facts(this.found), explanation);
  }

  /** To a number of the paper, or to a stage. */
  go({ at, cell }) {
    const box = (cell && this.at(at, cell)) ?? this.node.querySelector(`[data-stage="${at}"]`);
    box?.scrollIntoView({ block: "nearest", behavior: reduced() ? "auto" : "smooth" });
    if (cell) this.pick(at, cell);
  }

  /** Where a number stands on the paper, which leaves out the axes of one batch and one head. */
  at(stage, index) {
    for (let skip = 0; skip <= index.length; skip++) {
      const td = this.cells.get(`${stage}:${index.slice(skip).join(",")}`);
      if (td) return td;
    }
    return null;
  }

  /** The cells it was made of, wherever they stand. */
  mark(cells) {
    for (const td of this.cells.values()) td.classList.remove("used", "chosen");
    for (const { address, index } of cells) this.at(address, index)?.classList.add("used");
  }
}

const narrow = () => matchMedia("(max-width: 1099px)").matches;

function split(cell) {
  const [stage, ...index] = cell.split(",");
  return [stage, ...index.map(Number)];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
