// One number: what it is, how it came about term by term, what it was made from and what was made of it. It draws an
// explanation, wherever that comes from; one made by Python may bring its own words and figures.
// What it asks of a store: stage, origin, name and uses; of numbers that were changed also its parts and values.

import { el, formula, tool, word } from "../dom.js";
import { maximisable } from "../maximise.js";
import { counted, full, short } from "../store.js";

const SHOWN_TERMS = 64; // more are a click away
const SHARES = 0.0005; // a row of shares that misses 1 by more does not sum to 1
const FOLLOWS = "what follows is worked from it.";

const ROUNDED =
  "Shown rounded, worked from all digits: a calculator with the numbers printed here may differ in the last ones.";

/** Whether a number is not the one that is printed for it. */
function rounded(one) {
  const printed = Number(figured(one).replace("−", "-"));
  return Number.isFinite(printed) && Number.isFinite(one.value) && printed !== one.value;
}

export class NumberPanel {
  /** `shut`, where a number can be closed: it may lie over what it is about. */
  constructor({ go, onEdit, shut }) {
    this.go = go;
    this.onEdit = onEdit;
    this.node = el("aside", { class: "number", "aria-label": "This number", "aria-live": "polite" });
    const whole = maximisable(this.node, "this number");
    this.shut = shut ? tool("×", "close this number", shut, { class: "tool shut", hidden: true }) : null;
    this.corner = el("span", { class: "corner" }, this.shut, whole);
  }

  empty(text) {
    if (this.shut) this.shut.hidden = true;
    this.node.replaceChildren(this.corner, el("h2", {}, "This number"), el("p", { class: "quiet" }, text));
  }

  draw(store, explanation) {
    this.store = store;
    if (this.shut) this.shut.hidden = false;
    const { address, index, number } = explanation;
    const stage = store.stage(address);
    const exact = full(number, store.origin(address).numbers?.kind ?? "f4");
    const place = this.place(stage, index);
    const written = stage.truth ? (number ? "may look" : "may not look") : figured(explanation, number);
    this.summary = `${stage.symbol} ${place.textContent} = ${stage.truth ? (number ? "✓" : "·") : written}`;
    this.node.replaceChildren(
      ...[
        this.corner,
        el("h2", {}, "This number"),
        explanation.where
          ? el("p", { class: "where" }, explanation.where)
          : el("p", { class: "where" }, symbol(stage), " ", place),
        el("p", { class: `figure ${stage.role}`, title: exact }, written),
        stage.truth || exact === written ? null : el("p", { class: "exact quiet" }, exact),
        el(
          "div",
          { class: "formula" },
          formula(stage.tree, (operand) => this.go({ at: stage.operands[operand] })),
        ),
        ...this.arithmetic(explanation, stage),
        this.uses(address, index),
        this.edit(address, index, number),
      ].filter(Boolean),
    );
  }

  /** `not → good`, or rows and columns by number. */
  place(stage, index) {
    const parts = stage.axes.flatMap((axis, i) => {
      if (axis === "B" || (stage.shape[i] === 1 && (axis === "H" || axis === "G"))) return [];
      if (axis === "H" || axis === "G") return [["head", index[i] + 1]];
      return [["", this.store.name(stage, i, index[i]) ?? counted(stage, i, index[i])]];
    });
    const heads = parts.filter(([kind]) => kind).map(([kind, i]) => `${kind} ${i}`);
    const names = parts.filter(([kind]) => !kind).map(([, name]) => word(name));
    const arrow = stage.axes.at(-1) === "Tk" ? " → " : ", ";
    const joined = names.flatMap((name, i) => (i ? [arrow, name] : [name]));
    return el("span", {}, joined, heads.length ? el("span", { class: "quiet" }, `  ${heads.join(", ")}`) : null);
  }

  arithmetic(explanation, stage) {
    const { operation, terms, missing } = explanation;
    const written = operation === "written" ? this.writtenNotes(explanation, stage) : this.notes(explanation);
    const notes = written.map((text) => el("p", { class: "quiet" }, text));
    if (missing) notes.push(el("p", { class: "quiet" }, this.whyMissing(explanation)));
    if (!terms.length || operation === "given" || operation === "written") return notes;
    const shown = terms.flatMap((term) => [term, ...term.cells]);
    const hint = shown.some(rounded) ? el("p", { class: "quiet" }, ROUNDED) : null;
    return [...notes, ...this.spelled(explanation), this.table(explanation, stage), hint];
  }

  /** What there is to say beside the arithmetic. */
  notes({ operation, pattern, reason, same_as: same }) {
    const copied = same ? [`The same number as ${same}.`] : [];
    if (reason) return [...copied, `${reason[0].toUpperCase()}${reason.slice(1)}.`];
    if (operation === "given") return ["Given: it was not worked out from other numbers here."];
    if (pattern === "hidden") return ["−∞, since it may not look there."];
    const since = pattern.match(/^(?:\{0\}|0), since (.*)$/)?.[1];
    return since ? [`As it was, since ${since.replace("{0}", "it")}.`] : copied;
  }

  /** Of a number that was put here: what follows from it, and what its row now sums to, where rows were shares. */
  writtenNotes({ address, index }, stage) {
    const part = this.store.parts.get(stage.part);
    const axis = stage.axes.indexOf("H");
    const isOff = this.store.data.off?.includes(`${part.id.replace(/#.*/, "")}/${index[axis]}`);
    const last = part.stages.findLast((each) => this.store.stage(each).axes.includes("H")); // what a head hands on
    const leads = isOff && address !== last ? "this head is switched off, so nothing follows from it." : FOLLOWS;
    const row = stage.shares ? this.rowSum(address, index, stage.shape.at(-1)) : 1;
    const sum = `Its row now sums to ${short(row)}; nothing else in it was changed to make up for that.`;
    return [`Written by you: ${leads}`, ...(Math.abs(row - 1) > SHARES ? [sum] : [])];
  }

  rowSum(address, index, columns) {
    let sum = 0;
    for (let column = 0; column < columns; column++) sum += this.store.value(address, [...index.slice(0, -1), column]);
    return sum;
  }

  whyMissing({ terms, gone }) {
    const cell = terms.flatMap((term) => term.cells).find((each) => each.value === undefined);
    const { symbol } = this.store.stage(gone ?? cell.address);
    const why = `${symbol}, from which it was worked, was left out of this file to keep it small`;
    return gone ? `${why}: the number is as it was recorded.` : `${why}; its numbers are shown as “?”.`;
  }

  /** The whole sum as on paper, and what it gives; long ones begin and end. */
  spelled(explanation) {
    const { terms, pattern, number, operation } = explanation;
    const copied = operation === "same" || (terms.length === 1 && !pattern && terms[0].pattern === "{}");
    if (copied || pattern === "hidden" || pattern.includes(", since ")) return [];
    const text = (term) =>
      fill(
        term.pattern,
        term.cells.map((cell) => bracketed(figured(cell))),
      );
    const list = terms.length <= 6 ? terms.map(text) : [...terms.slice(0, 3).map(text), "…", text(terms.at(-1))];
    const whole = pattern
      ? pattern
          .replace("{sum}", list.join(" + "))
          .replace("{list}", list.join(", "))
          .replace(/\{(\d+)\}/g, (_, n) => text(terms[Number(n)]))
      : list.join(" + ");
    return [
      el("p", { class: "sum" }, `= ${whole}`),
      el("p", { class: "sum" }, el("b", {}, `= ${figured(explanation, number)}`)),
    ];
  }

  table(explanation, stage) {
    const { terms, pattern, number } = explanation;
    const added = !pattern || pattern.includes("{sum}");
    const column = pattern.match(/^\{(\d+)\} \//)?.[1];
    const rows = terms.slice(0, SHOWN_TERMS).map((term, i) => this.row(term, stage, column === String(i)));
    const body = el("tbody", {}, rows);
    const more =
      terms.length > SHOWN_TERMS
        ? el(
            "button",
            {
              type: "button",
              class: "tool",
              onclick: (event) => {
                body.append(...terms.slice(SHOWN_TERMS).map((term) => this.row(term, stage, false)));
                event.target.remove();
              },
            },
            `${terms.length - SHOWN_TERMS} more terms`,
          )
        : null;
    const total = terms.reduce((sum, term) => sum + term.value, 0);
    const sums =
      added && terms.length > 1
        ? [
            el(
              "tr",
              { class: "total" },
              el("th", { scope: "row" }, "sum"),
              el("td", {}, explanation.total ?? short(total)),
            ),
          ]
        : [];
    const result = el(
      "tr",
      { class: "total" },
      el("th", { scope: "row" }, pattern ? "gives" : "number"),
      el("td", { class: "result" }, figured(explanation, number)),
    );
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "from"), el("th", { scope: "col" }, "value")));
    return el(
      "div",
      { class: "terms" },
      el("table", {}, head, body, el("tfoot", {}, sums, pattern || terms.length > 1 ? result : [])),
      more,
    );
  }

  row(term, stage, chosen) {
    const pieces = term.pattern.split("{}");
    const spelled = pieces.flatMap((piece, i) => (i < term.cells.length ? [piece, this.link(term.cells[i])] : [piece]));
    const names = term.cells.length ? this.termName(term.cells[0], stage) : null;
    return el("tr", { class: chosen ? "chosen" : "" }, el("td", {}, spelled, names), el("td", {}, figured(term)));
  }

  /** What a term is about: the token of the running axis. */
  termName(cell) {
    const stage = this.store.stage(cell.address);
    const last = stage.axes.length - 1;
    const label = last >= 0 && stage.axes[last] === "Tk" ? this.store.name(stage, last, cell.index[last]) : null;
    return label === null ? null : word(label, { class: "of" });
  }

  link(cell) {
    const stage = this.store.stage(cell.address);
    return el(
      "button",
      {
        type: "button",
        class: `cell ${stage.role}`,
        title: `${stage.symbol}[${cell.index.join(",")}] = ${full(cell.value, "f4")}`,
        "aria-label": `${stage.name.replace(/_/g, " ")} ${figured(cell)}: go there`,
        onclick: () => this.go({ at: cell.address, cell: cell.index }),
      },
      figured(cell),
    );
  }

  uses(address, index) {
    const found = (this.store.uses.get(address) ?? []).map((to) => this.store.stage(to));
    if (!found.length) return null;
    const links = found.slice(0, 6).map((stage) => {
      const same = stage.shape.length === index.length && index.every((i, axis) => i < stage.shape[axis]);
      return el(
        "button",
        {
          type: "button",
          class: `cell ${stage.role}`,
          onclick: () => this.go({ at: stage.address, cell: same ? index : null }),
        },
        `${stage.symbol} ${stage.name.replace(/_/g, " ")}`,
      );
    });
    return el(
      "p",
      { class: "uses" },
      el("span", { class: "quiet" }, "goes into "),
      links.flatMap((link, i) => (i ? [" ", link] : [link])),
    );
  }

  edit(address, index, number) {
    const stage = this.store.stage(address);
    if (!this.onEdit || stage.truth) return null;
    const input = el("input", {
      type: "number",
      step: "any",
      value: Number.isFinite(number) ? String(number) : "",
      "aria-label": "new value",
    });
    return el(
      "form",
      {
        class: "edit",
        onsubmit: (event) => {
          event.preventDefault();
          if (input.value !== "" && Number.isFinite(Number(input.value)))
            this.onEdit(address, index, Number(input.value));
        },
      },
      el("label", {}, "change it ", input),
      el("button", { type: "submit" }, "Try"),
    );
  }
}

const symbol = (stage) => formula(["math", {}, ["mrow", { class: stage.role }, ...stage.sign.slice(2)]]);

/** A number as its page writes it: with the figure that came along, or three digits. */
const figured = (each, value = each.value) => each.figure ?? short(value);

const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);

const fill = (pattern, values) => values.reduce((text, value) => text.replace("{}", value), pattern);
