// The keys of the view: what each is for, what it does, and the list that tells of them. Arrows belong to the matrix.

import { NEARER } from "./controls.js";
import { el } from "./dom.js";

// How it is written, what it is for, and which keys do what; the first ones are done by the matrix.
const KEYS = [
  ["← ↑ → ↓", "move from number to number", {}],
  ["Enter", "read how the number came about", { Enter: (view) => view.number.node.focus() }],
  ["[  ]", "the step before, the step after", { "[": (view) => view.step(-1), "]": (view) => view.step(1) }],
  [",  .", "the head before, the head after", { ",": (view) => view.turnHead(-1), ".": (view) => view.turnHead(1) }],
  ["Space", "play or pause", { " ": (view) => view.play() }],
  [
    "+  −",
    "nearer, farther",
    {
      "+": (view) => view.zoom(NEARER),
      "=": (view) => view.zoom(NEARER),
      "-": (view) => view.zoom(1 / NEARER),
    },
  ],
  ["h", "all heads", { h: (view) => view.move({ view: "heads" }) }],
  ["a", "the answer", { a: (view) => view.data.answer && view.move({ view: "answer" }) }],
  ["s", "one step", { s: (view) => view.move({ view: "stage" }) }],
  ["Esc", "let go of the chosen row", { Escape: (view) => view.move({ row: null }) }],
  ["?", "this list", { "?": (view) => view.help.showModal() }],
];
const ACTIONS = Object.assign({}, ...KEYS.map(([, , actions]) => actions));

export function keysDialog() {
  const rows = KEYS.map(([key, what]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, what)));
  const close = el("form", { method: "dialog" }, el("button", { class: "tool" }, "Close"));
  return el(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    el("h2", {}, "Keys"),
    el("table", {}, el("tbody", {}, rows)),
    close,
  );
}

/** A key that was pressed anywhere; it is ours only while the focus is within the view. */
export function pressed(view, event) {
  if (!view.root.isConnected) return;
  const target = event.composedPath()[0];
  const here = view.root.contains(target) || (view.options.alone && target === document.body);
  if (!here || event.ctrlKey || event.metaKey || event.altKey || view.help.open) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && event.key !== "Escape") return;
  // A browser moves the focus away from what is no longer shown a moment late.
  const shown = target.checkVisibility();
  const onButton = target.tagName === "BUTTON" && shown && (event.key === "Enter" || event.key === " ");
  const action = onButton ? null : ACTIONS[event.key];
  if (view.state.view === "stage" && !onButton && view.matrix.key(event.key)) event.preventDefault();
  else if (action) {
    event.preventDefault();
    action(view);
  }
}
