// The room By hand: givens on the left, the working on the right like a good solution on paper. Every given can be
// changed in place; the server's core works what follows, and what became different flashes.

import { CheckMine } from "../panels/check_mine.js";
import { Laboratory } from "../panels/laboratory.js";
import { figure, largestOf, shade, sheetsOf, sign, table, typed } from "../panels/tables.js";
import { Latest, ask } from "../talk.js";
import { el, formula, reduced } from "../page/dom.js";
import { numbered } from "../page/operations.js";
import { maximisable } from "../page/maximise.js";
import { NumberPanel } from "../page/panels/number_panel.js";

const TABS = [
  ["", "The working"],
  ["check", "Check mine"],
  ["masks", "Mask laboratory"],
];
const plural = (name) => name.replace(/_/g, " ");

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
    const known = this.offer.examples.some((each) => each.name === state.example);
    const wanted = state.sheet
      ? { sheet: parsed(state.sheet) }
      : { name: known ? state.example : (this.name ?? "i-love-ai") };
    const tokensIn = state.tokens === "columns" ? "columns" : "rows";
    const same =
      this.found &&
      tokensIn === this.tokensIn &&
      (wanted.name ? wanted.name === this.name && !this.changed : JSON.stringify(this.sheet) === state.sheet);
    this.tokensIn = tokensIn;
    if (!same) {
      this.name = wanted.name ?? null;
      this.changed = !wanted.name;
      await this.take(wanted.name ? "by-hand/example" : "by-hand/work", wanted);
    }
    this.openTab(TABS.some(([tab]) => tab === state.tab) ? state.tab : "");
    if (state.cell && !this.tab) await this.explain(...split(state.cell));
    else if (!state.cell) {
      this.cell = null;
      this.mark([]);
      this.noNumber();
    }
    this.point(state.stage);
  }

  /** Leads to a stage of the working. */
  point(stage) {
    this.stage = stage;
    for (const each of this.working.children) each.classList.toggle("shown", each.dataset.stage === stage);
    if (stage) this.working.querySelector(`[data-stage="${CSS.escape(stage)}"]`)?.scrollIntoView({ block: "center" });
    const { given } = this.studio.lesson.step?.deed ?? {}; // in a lesson, what is to be changed is in sight as well
    if (given) this.givens.querySelector(`[data-given="${CSS.escape(given)}"]`)?.scrollIntoView({ block: "nearest" });
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
    this.givens = el("section", { class: "givens", "aria-label": "Given" });
    this.working = el("section", { class: "working", "aria-label": "The working", "aria-live": "off" });
    this.whole = maximisable(this.working, "the working");
    this.number = new NumberPanel({ go: (to) => this.go(to) });
    this.paper = el("div", { class: "paper" }, this.givens, this.working, this.number.node);
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

  async sentence() {
    this.changed = true;
    this.cell = null;
    await this.take("by-hand/sentence", { sentence: this.own.value, width: 4, heads: 2 });
    this.say();
  }

  /** A new worksheet, from wherever it comes. */
  async take(name, content) {
    try {
      const found = await this.latest.ask(name, { ...content, tokens_in: this.tokensIn });
      if (!found) return;
      this.fail(null);
      this.draw(found);
    } catch (error) {
      if (!this.found) await this.example("i-love-ai");
      this.fail(error);
    }
  }

  /** The same worksheet, worked anew after a change. */
  async rework() {
    if (this.kept) this.past.push(this.kept);
    this.kept = JSON.stringify(this.sheet);
    this.undoing.hidden = !this.past.length;
    this.changed = true;
    this.picker.value = "";
    try {
      const found = await this.latest.ask("by-hand/work", { sheet: this.sheet, tokens_in: this.tokensIn });
      if (!found) return;
      this.fail(null);
      this.found = found;
      this.drawWorking();
      this.drawMask();
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
    this.undoing.hidden = !past.length;
  }

  draw(found) {
    this.found = found;
    this.sheet = found.sheet;
    this.past = [];
    this.kept = JSON.stringify(found.sheet);
    this.picker.value = this.changed ? "" : this.name;
    this.title.replaceChildren(el("h1", {}, this.sheet.title), el("p", { class: "quiet" }, this.sheet.about ?? ""));
    this.cells.clear();
    this.drawGivens();
    this.working.replaceChildren();
    this.drawWorking();
    if (!this.cell) this.noNumber();
    if (this.tab === "masks") this.laboratory.show(this.sheet);
  }

  // --- what is given ---

  drawGivens() {
    const given = this.found.stages.filter((stage) => stage.given && stage.name !== "mask" && stage.name in this.sheet);
    this.undoing = el(
      "button",
      { type: "button", class: "tool undo-given", hidden: true, onclick: () => this.undo() },
      "Undo",
    );
    this.givens.replaceChildren(
      el("h2", {}, "Given"),
      this.undoing,
      ...given.map((stage) => this.given(stage)),
      this.settings(),
    );
    this.drawMask();
  }

  given(stage) {
    const values = this.sheet[stage.name];
    const shape = [];
    for (let here = values; Array.isArray(here); here = here[0]) shape.push(here.length);
    const upright = this.found.in_columns && stage.shape.length >= 2;
    const tables = sheetsOf(values, shape).map((sheet) => {
      const part = upright ? turnedOver(sheet, shape.length) : sheet;
      const labels = stage.rows.length === part.rows.length ? stage.rows : [];
      const columns = stage.columns.length === part.rows[0].length ? stage.columns : [];
      const named = { at: part.at, labels, columns, role: stage.role, caption: plural(stage.name) };
      return table(part, named, (td, place, value) => {
        const index = part.given?.(place) ?? place;
        const input = el("input", {
          type: "text",
          inputmode: "decimal",
          value: String(value).replace("-", "−"),
          "aria-label": `${plural(stage.name)} ${place.map((i) => i + 1).join(", ")}`,
          oninput: () => this.edit(stage.name, index, input),
          onfocus: () => input.select(),
          onkeydown: (event) => hop(event, input),
        });
        td.append(input);
        this.cells.set(`${stage.name}:${place.join(",")}`, td);
      });
    });
    return el(
      "div",
      { class: "given", "data-given": stage.name },
      el(
        "p",
        { class: "what" },
        sign(stage.symbol, stage.role),
        " ",
        el("span", { class: "quiet" }, plural(stage.name)),
      ),
      el("div", { class: "scroll" }, tables),
    );
  }

  edit(name, index, input) {
    const value = typed(input.value);
    input.setAttribute("aria-invalid", String(value === null));
    input.title = value === null ? "not a number" : "";
    if (value === null) return;
    let row = this.sheet[name];
    for (const place of index.slice(0, -1)) row = row[place];
    row[index.at(-1)] = value;
    this.rework();
  }

  settings() {
    const { sheet, offer, found } = this;
    const choose = (name, values, value, change) =>
      el(
        "label",
        {},
        el("span", { class: "quiet" }, name),
        el(
          "select",
          { "data-setting": name, onchange: (event) => change(event.target.value) },
          values.map((each) => el("option", { value: each, selected: String(each) === String(value) }, String(each))),
        ),
      );
    const set = (name, value) => {
      sheet[name] = value;
      this.rework();
    };
    const scale = el("input", {
      type: "text",
      inputmode: "decimal",
      class: "short",
      value: sheet.scale ?? "",
      placeholder: found.scale === null ? "1" : found.scale.toFixed(4),
      "aria-label": "β, the scale",
      oninput: () => {
        const value = typed(scale.value);
        scale.setAttribute("aria-invalid", String(value === null && scale.value.trim() !== ""));
        if (scale.value.trim() === "") delete sheet.scale;
        else if (value === null) return;
        else {
          sheet.scale = value;
          delete sheet.key_width;
        }
        this.rework();
      },
    });
    const tokens = found.has_columns
      ? choose("tokens in", ["rows", "columns"], this.tokensIn, (value) => this.turn(value))
      : null;
    if (!found.mask)
      return el(
        "div",
        { class: "settings" },
        Object.entries(found.choices).map(([name, values]) =>
          choose(name, values, sheet[name], (value) => set(name, value)),
        ),
        tokens,
      );
    const mask = Array.isArray(sheet.mask) ? "own" : sheet.mask;
    return el(
      "div",
      { class: "settings" },
      found.heads.length > 1 ? choose("heads", found.heads, sheet.heads, (value) => set("heads", Number(value))) : null,
      choose("weigher", offer.weighers, sheet.weigher, (value) => set("weigher", value)),
      "inputs" in sheet && "value_weight" in sheet
        ? choose("scorer", offer.scorers, sheet.scorer, (value) => this.refit(value))
        : null,
      found.can_stack
        ? choose("projections", offer.projections, sheet.projections, (value) => set("projections", value))
        : null,
      sheet.scorer === "dot product" ? el("label", {}, el("span", { class: "quiet" }, "scale β"), scale) : null,
      choose("mask", ["none", "causal", ...(mask === "own" ? ["own"] : [])], mask, (value) => set("mask", value)),
      tokens,
    );
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

  /** Who may look at whom; a click changes it. */
  drawMask() {
    const { mask, rows, columns } = this.found;
    if (!mask) return;
    const box = el(
      "div",
      { class: "given mask" },
      el("p", { class: "what" }, el("span", { class: "quiet" }, "mask: who may look at whom")),
      el(
        "div",
        { class: "scroll" },
        table(
          { name: "", rows: mask },
          { at: (r, c) => [r, c], labels: rows, columns, role: "score", caption: "mask" },
          (td, [r, c], may) => {
            td.classList.toggle("hid", !may);
            td.append(
              el(
                "button",
                {
                  type: "button",
                  "aria-pressed": String(may),
                  "aria-label": `${rows[r] ?? r + 1} ${may ? "may" : "may not"} look at ${columns[c] ?? c + 1}`,
                  onclick: () => this.flip(r, c),
                },
                may ? "✓" : "",
              ),
            );
          },
        ),
      ),
    );
    const old = this.givens.querySelector(".mask");
    if (old) old.replaceWith(box);
    else this.givens.append(box);
  }

  flip(r, c) {
    this.sheet.mask = this.found.mask.map((row, i) => row.map((may, j) => Number(i === r && j === c ? !may : may)));
    const focus = () => this.givens.querySelectorAll(".mask tbody tr")[r]?.querySelectorAll("button")[c]?.focus();
    this.rework().then(() => {
      const select = this.givens.querySelector("[data-setting=mask]");
      if (select && ![...select.options].some((each) => each.value === "own"))
        select.append(el("option", { value: "own" }, "own"));
      if (select) select.value = "own";
      focus();
    });
  }

  // --- the working ---

  drawWorking() {
    const made = this.found.stages.filter((stage) => !stage.given && stage.shape.length && stage.name !== "mask");
    const key = made.map((stage) => `${stage.name} ${stage.shape} ${stage.repeats}`).join("; ");
    if (this.working.dataset.key !== key || !this.working.children.length) {
      this.working.dataset.key = key;
      for (const name of [...this.cells.keys()])
        if (made.some((stage) => name.startsWith(`${stage.name}:`))) this.cells.delete(name);
      this.working.replaceChildren(this.whole, el("h2", {}, "The working"), ...made.map((stage) => this.step(stage)));
    } else for (const stage of made) this.refresh(stage);
  }

  step(stage) {
    const heading = el(
      "div",
      { class: "says" },
      stage.part ? el("p", { class: "quiet" }, stage.part) : null,
      el("p", { class: "meaning" }, stage.meaning),
      el("div", { class: "formula" }, formula(stage.formula)),
    );
    const facts = el("p", { class: "facts quiet", hidden: !stage.facts.length }, stage.facts.join(" · "));
    if (stage.repeats)
      return el(
        "div",
        { class: "step-by-hand idle", "data-stage": stage.name },
        heading,
        el("p", { class: "quiet" }, `The same numbers as ${stage.repeats}: ${stage.idle}.`),
      );
    const tables = sheetsOf(stage.values, stage.shape).map((part) =>
      table(
        part,
        { at: part.at, labels: stage.rows, columns: stage.columns, role: stage.role, caption: plural(stage.name) },
        (td, index) => {
          const button = el("button", {
            type: "button",
            class: "figure-cell",
            onclick: () => this.pick(stage.name, index),
          });
          td.append(button);
          this.cells.set(`${stage.name}:${index.join(",")}`, td);
        },
      ),
    );
    const box = el(
      "div",
      { class: "step-by-hand", "data-stage": stage.name },
      heading,
      facts,
      el("div", { class: "scroll tables" }, tables),
    );
    this.refresh(stage, box);
    return box;
  }

  /** New numbers in the same cells; those that changed flash softly. */
  refresh(stage, box = this.working.querySelector(`[data-stage="${stage.name}"]`)) {
    if (stage.repeats) return;
    const facts = box.querySelector(".facts");
    facts.textContent = stage.facts.join(" · ");
    facts.hidden = !stage.facts.length;
    box.querySelector(".formula").replaceChildren(formula(stage.formula));
    box.querySelector(".meaning").textContent = stage.meaning;
    const largest = stage.shares ? 1 : largestOf(stage.values);
    for (const part of sheetsOf(stage.values, stage.shape)) {
      for (const [r, row] of part.rows.entries()) {
        for (const [c, value] of row.entries()) {
          const index = part.at(r, c);
          const td = this.cells.get(`${stage.name}:${index.join(",")}`);
          const text = figure(value, stage.decimals);
          const button = td.firstChild;
          const hidden = stage.hidden !== null && isHidden(stage.hidden, index.slice(-depth(stage.hidden)));
          if (button.textContent && button.textContent !== text && !reduced()) flash(td);
          button.textContent = text;
          button.title = String(value);
          td.classList.toggle("hid", hidden || value === "-Infinity");
          shade(td, value, largest);
        }
      }
    }
  }

  // --- a number ---

  noNumber() {
    this.paper.append(this.number.node);
    this.number.empty("Click a number of the working to read its arithmetic. Change a given one to see what follows.");
  }

  async pick(stage, index) {
    this.cell = [stage, ...index];
    await this.explain(stage, ...index);
    this.say();
    if (!matchMedia("(max-width: 1099px)").matches) return;
    const sight = this.studio.lesson.lesson ? this.at(stage, index).closest(".tables") : this.number.node;
    const block = this.studio.lesson.lesson ? "start" : "nearest";
    sight.scrollIntoView({ block, behavior: reduced() ? "auto" : "smooth" });
  }

  /** Where there is no side and the lesson stands below, arithmetic follows the step whose number was clicked. */
  place(stage) {
    const narrow = matchMedia("(max-width: 1099px)").matches && this.studio.lesson.lesson;
    const step = narrow && this.working.querySelector(`[data-stage="${CSS.escape(stage)}"]`);
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

/** What the panel of a number asks about the stages of a worksheet. */
class Facts {
  constructor({ stages, rows, columns }) {
    this.tokens = { T: rows, Tq: rows, Tk: columns };
    this.stages = new Map(stages.map((each) => [each.name, factsOf(each)]));
    this.uses = new Map();
    for (const [name, { operands }] of this.stages)
      for (const operand of operands.filter(Boolean)) this.uses.set(operand, [...(this.uses.get(operand) ?? []), name]);
  }

  stage(address) {
    return this.stages.get(address);
  }

  origin() {
    return { numbers: { kind: "f8" } };
  }

  name(stage, axis, i) {
    return this.tokens[stage.axes[axis]]?.[i] ?? null;
  }
}

const factsOf = ({ name, letter, symbol, formula: tree, role, axes, whole_shape: shape, operands }) => ({
  ...{ address: name, name, symbol: letter, sign: symbol, tree, role, axes, shape, operands },
  truth: name === "mask",
});

/** A given with its tokens in columns: `at` is its place on the paper, `given` the same in the worksheet. */
function turnedOver({ name, rows, at }, depth) {
  const given = (place) => (depth === 1 ? at(0, place[0]) : at(place.at(-1), place.at(-2)));
  const head = depth > 2 ? at(0, 0).slice(0, 1) : [];
  return { name, rows: rows[0].map((_, c) => rows.map((row) => row[c])), at: (r, c) => [...head, r, c], given };
}

/** Whether a cell is hidden; that may be told once for all heads. */
function isHidden(hidden, index) {
  let here = hidden;
  for (const place of index) if (Array.isArray(here)) here = here[place];
  return here === true;
}

function depth(values) {
  return Array.isArray(values) ? 1 + depth(values[0]) : 0;
}

function flash(td) {
  td.classList.remove("flash");
  requestAnimationFrame(() => td.classList.add("flash"));
}

/** Arrow keys and Enter go from number to number. */
function hop(event, input) {
  const by = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  if (!by) return;
  const td = input.closest("td");
  const row = td.parentElement[by < 0 ? "previousElementSibling" : "nextElementSibling"];
  const next = row?.children[[...td.parentElement.children].indexOf(td)]?.querySelector("input");
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

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
