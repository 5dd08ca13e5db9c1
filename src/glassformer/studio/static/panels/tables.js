// Matrices as tables: numbers that can be read, picked and, where they are given, changed in place.

import { el, formula } from "../page/dom.js";
import { fixed } from "../page/store.js";

const MANY = 8; // columns of a table that is set closer, so that a sentence fits

/** A number with so many decimals, and a real minus sign. */
export function figure(value, decimals) {
  if (value === "-Infinity" || value === -Infinity) return "−∞";
  if (typeof value === "boolean") return value ? "✓" : "·";
  return fixed(Number(value), decimals)
    .replace(/^-(?=0(\.0*)?$)/, "")
    .replace("-", "−");
}

/** One matrix per head; a vector is a matrix of one row. Each comes with the first places of its index. */
export function sheetsOf(values, shape) {
  if (shape.length === 0) return [{ name: "", rows: [[values]], at: (_r, _c) => [] }];
  if (shape.length === 1) return [{ name: "", rows: [values], at: (_r, c) => [c] }];
  if (shape.length === 2) return [{ name: "", rows: values, at: (r, c) => [r, c] }];
  return values.map((rows, head) => ({ name: `head ${head + 1}`, rows, at: (r, c) => [head, r, c] }));
}

/** A table of numbers. `cell(td, index, value)` fills one of them in. What can be reached in it is one stop of Tab, and
 * arrows lead from number to number. */
export function table({ name, rows }, { at, labels = [], columns = [], role, caption }, cell) {
  const head = columns.length
    ? el(
        "thead",
        {},
        el(
          "tr",
          {},
          labels.length ? el("td") : null,
          columns.map((text) => el("th", { scope: "col" }, el("bdi", {}, text))),
        ),
      )
    : null;
  const body = rows.map((row, r) =>
    el(
      "tr",
      {},
      labels.length ? el("th", { scope: "row" }, el("bdi", {}, labels[r] ?? "")) : null,
      row.map((value, c) => {
        const td = el("td");
        cell(td, at(r, c), value);
        return td;
      }),
    ),
  );
  const drawn = el(
    "table",
    { class: `numbers ${role}${rows[0]?.length >= MANY ? " many" : ""}` },
    el("caption", { class: name ? "" : "spoken" }, name || caption),
    head,
    el("tbody", {}, body),
  );
  return oneStop(drawn);
}

/** Tab stops once in a table, where one was last; arrows go on from there. */
function oneStop(drawn) {
  const stops = [...drawn.querySelectorAll("td > :is(button, input)")];
  for (const [i, stop] of stops.entries()) stop.tabIndex = i ? -1 : 0;
  if (!stops.length) return drawn;
  drawn.addEventListener("focusin", ({ target }) => {
    for (const stop of stops) stop.tabIndex = stop === target ? 0 : -1;
  });
  drawn.addEventListener("keydown", (event) => {
    const next = neighbour(event);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return drawn;
}

/** What stands where a key leads to. In a field that is being written in, left and right move among its signs first. */
function neighbour({ key, target, ctrlKey, metaKey, altKey, shiftKey }) {
  const field = target.tagName === "INPUT";
  const [down, right] = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    Enter: [field ? 1 : 0, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
  }[key] ?? [0, 0];
  if (!(down || right) || ctrlKey || metaKey || altKey || shiftKey) return null;
  if (field && right) {
    const { selectionStart: from, selectionEnd: to, value } = target;
    const all = from === 0 && to === value.length;
    if (!all && (right < 0 ? to > 0 : from < value.length)) return null;
  }
  const td = target.closest("td");
  const row = td.parentElement;
  const line = down < 0 ? row.previousElementSibling : down > 0 ? row.nextElementSibling : row;
  return line?.children[[...row.children].indexOf(td) + right]?.querySelector("button, input") ?? null;
}

/** How full a cell is, as a share of the largest number beside it; what is below zero has a colour of its own. */
export function shade(td, value, largest) {
  const number = Number(value);
  const share = Number.isFinite(number) && largest ? Math.min(Math.abs(number) / largest, 1) : 0;
  td.style.setProperty("--full", `${Math.round(46 * share ** 0.75)}%`);
  td.classList.toggle("less", number < 0 && Number.isFinite(number));
}

export function largestOf(values) {
  return [values]
    .flat(4)
    .reduce((most, value) => (Number.isFinite(Number(value)) ? Math.max(most, Math.abs(Number(value))) : most), 0);
}

export const sign = (tree, role) => formula(["math", {}, ["mrow", { class: role }, ...tree.slice(2)]]);

/** Markup in nested lists, built node by node; what is not known is shown as text. */
const KNOWN = new Set([
  ..."div section h2 h3 h4 h5 h6 p span pre code ins s b i em strong sub ul li".split(" "),
  ..."math mrow mi mn mo mtext msub msup mfrac msqrt mover mspace mtable mtr mtd".split(" "),
]);
const KEPT = new Set(["class", "data-mark", "tabindex", "stretchy", "width", "display"]);
const MATH = /^m/;

export function built(tree) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [tag, attributes, ...inside] = tree;
  const known = KNOWN.has(tag) ? tag : "span";
  const node = MATH.test(known)
    ? document.createElementNS("http://www.w3.org/1998/Math/MathML", known)
    : document.createElement(known);
  for (const [name, value] of Object.entries(attributes)) if (KEPT.has(name)) node.setAttribute(name, value);
  node.append(...inside.map(built));
  return node;
}
