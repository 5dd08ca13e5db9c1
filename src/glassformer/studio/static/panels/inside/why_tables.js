// The tables of a why: every word asked in two ways, what blocks and heads add, where a twin turns it, what each block
// would write. They draw the figures they are given.

import { el, svgEl } from "../../page/dom.js";

const BAR = 120; // the width of a bar's frame, in pixels

export const PARTED = "≠"; // behind two measures that disagree
const MOST_ROWS = 24; // words of a table that are shown at once
const [SMALL, WEAK] = [0.1, 0.25]; // of the largest: a part that adds less, and moves less when off, can wait

export const plainly = (value) => (Math.abs(value) >= 0.995 ? Math.abs(value).toFixed(1) : Math.abs(value).toFixed(2));
export function signed(value) {
  const said = plainly(value);
  return said === "0.00" ? said : `${value < 0 ? "−" : "+"}${said}`;
}

/** By how much a margin is less without a thing, in words that need no sign. */
export const moved = (less) => (Math.abs(less) < 0.005 ? "the same" : `${plainly(less)} ${less < 0 ? "more" : "less"}`);

/** A class by its name, a token in quotation marks. */
export const named = (found, name) => (found.family === "classifier" ? name : `“${name}”`);

const cell = (each, i) => el(i ? "td" : "th", i ? { class: "num" } : { scope: "row" }, each);

/** All rows at once; a last column with nothing in it is left out. `less` are rows that wait behind one with their sum,
 * so that what is visible adds up. */
function table(head, rows, name, { less = [], sum = null, total = null } = {}) {
  const columns = [...rows, ...less].some((row) => row.at(-1) !== "") ? head.length : head.length - 1;
  const line = (row, options = {}) => el("tr", options, row.slice(0, columns).map(cell));
  const hidden = less.map((row) => line(row, { hidden: true }));
  const rest = less.length ? line(sum()) : null;
  const opens = rest?.querySelector("button");
  opens?.addEventListener("click", () => {
    for (const each of hidden) each.hidden = false;
    rest.remove();
    frame.focus();
  });
  const frame = el(
    "div",
    { class: "frame", tabindex: "0", role: "region", "aria-label": name },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.slice(0, columns).map((each) => el("th", { scope: "col" }, each)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) => line(row)),
        hidden,
        rest,
      ),
      total ? el("tfoot", {}, line(total)) : null,
    ),
  );
  return frame;
}

/** Behind a number: its two measures disagree. */
export const doubt = (why) => el("span", { class: "parted", title: why }, ` ${PARTED}`);

const more = (count) => el("button", { type: "button", class: "more" }, `and ${count} more`);
const together = (parts) => parts.reduce((sum, each) => sum + each, 0);

/** Shared out and left out, side by side: where they part, trust neither alone. */
export function wordTable(found) {
  const size = (each) => Math.max(Math.abs(each.share), Math.abs(each.without));
  const largest = Math.max(...found.words.map(size), 1e-9); // one scale for both measures
  const parted = new Set(found.parted ?? []);
  const row = (each) => {
    const { share, without } = each;
    const doubted = `share ${signed(share)}, without it ${moved(without)}: the two disagree.`;
    return [
      each.written ? `${each.text} (written)` : each.text,
      bar(share, largest),
      shareOf(each),
      bar(without, largest),
      parted.has(found.words.indexOf(each)) ? [moved(without), doubt(doubted)] : moved(without),
      each.turns ? el("span", { class: "turned" }, named(found, each.says)) : "",
    ];
  };
  const large = new Set([...found.words].sort((a, b) => size(b) - size(a)).slice(0, MOST_ROWS));
  const small = found.words.filter((each) => !large.has(each));
  const blank = found.blank.undecided ? [] : [[`(${found.blank.name})`, "", signed(found.blank.margin), "", "", ""]];
  const sum = () => [more(small.length), "together", signed(together(small.map((each) => each.share))), "", "", ""];
  return [
    el(
      "p",
      { class: "quiet" },
      `Share: what the word gave on the way from a blank, ${blankOf(found)}, to this text. `,
      "Without it: what becomes of the margin when the text really lacks the word; behind it, what the model would ",
      "say if that is something else. Two measures, which need not agree; their bars have one scale.",
      parted.size ? ` ${PARTED}: here they do not. ${found.parted_because}` : "",
    ),
    table(
      ["word", "", "share", "", "without it", "would say"],
      [...blank, ...found.words.filter((each) => large.has(each)).map(row)],
      "every word",
      { less: small.map(row), sum, total: ["together", "", signed(found.margin), "", "", ""] },
    ),
  ];
}

const blankOf = ({ blank }) =>
  blank.undecided ? "on which the model is undecided" : `a text of nothing but ${blank.name}`;

/** The share in figures; what the blank is made of has none. */
export const shareOf = (each) => (each.is_blank ? "–" : signed(each.share));

function bar(value, largest) {
  const wide = ((BAR / 2) * Math.abs(value)) / largest;
  return svgEl(
    "svg",
    {
      class: "direct",
      width: BAR,
      height: 12,
      viewBox: `0 0 ${BAR} 12`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    svgEl("rect", {
      class: value < 0 ? "against" : "for",
      x: value < 0 ? BAR / 2 - wide : BAR / 2,
      y: 1,
      width: wide,
      height: 10,
    }),
    svgEl("path", { d: `M${BAR / 2} 0V12` }),
  );
}

/** The parts that add up to the margin, the largest first; the name of a head or a network opens it. */
export function directTable(found, open) {
  const off = new Map(found.switched_off.map((each) => [`${each.address}/${each.head}`, each.less]));
  const parted = new Set((found.parted_parts ?? []).map(([address, head]) => `${address}/${head}`));
  const key = (each) => `${each.address}/${each.head}`;
  const turned = new Map(found.switched_off.filter((each) => each.turns).map((each) => [key(each), each.says]));
  const most = (values) => Math.max(...values.map(Math.abs), 1e-9);
  const largest = most(found.direct.map((each) => each.value));
  const farthest = most([...off.values()]);
  const sorted = [...found.direct].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const isSmall = (each) =>
    Math.abs(each.value) < SMALL * largest &&
    Math.abs(off.get(key(each)) ?? 0) < WEAK * farthest &&
    !parted.has(key(each)) &&
    !turned.has(key(each));
  const small = sorted.filter(isSmall);
  const row = (each) => {
    const less = off.get(key(each));
    const doubted = `directly ${signed(each.value)}, off ${moved(less ?? 0)}: the two disagree.`;
    return [
      off.has(key(each)) ? opener(each, open) : each.title,
      bar(each.value, largest),
      signed(each.value),
      less === undefined ? "" : parted.has(key(each)) ? [moved(less), doubt(doubted)] : moved(less),
      turned.has(key(each)) ? el("span", { class: "turned" }, named(found, turned.get(key(each)))) : "",
    ];
  };
  const sum = () => [more(small.length), "together", signed(together(small.map((each) => each.value))), "", ""];
  const hides = small.length > 1;
  return [
    el(
      "p",
      { class: "quiet" },
      "Directly: what each adds to the margin itself, while every norm divides as in this pass; the largest first. ",
      "Off: what becomes of the margin when the head or network gives zeros, later blocks and all; behind it, what ",
      "the model would then say if that is something else.",
      parted.size ? ` ${PARTED}: the two disagree by a lot, as with words.` : "",
    ),
    table(
      ["part", "", "directly", "off", "would say"],
      sorted.filter((each) => !(hides && isSmall(each))).map(row),
      "blocks and heads",
      { less: hides ? small.map(row) : [], sum, total: ["together", "", signed(found.margin), "", ""] },
    ),
  ];
}

const opener = ({ address, head, title }, open) =>
  el(
    "button",
    {
      type: "button",
      class: "opens",
      title: "open it in Every number, where it can be switched off",
      onclick: () => open({ at: address.replace(/mixed$/, "weights"), head: head ?? 0 }),
    },
    title,
  );

export function twinTables(found) {
  const groups = new Map();
  for (const stage of found.twin.stages) {
    const names = stage.margins.map(([name]) => name);
    const key = JSON.stringify(names);
    groups.set(key, { names, rows: [...(groups.get(key)?.rows ?? []), stage] });
  }
  const cell = (stage, [, value], i) =>
    stage.turns[i]
      ? el("span", { class: "turned", title: `it would say ${named(found, stage.says[i])}` }, signed(value))
      : signed(value);
  return [
    el(
      "p",
      { class: "quiet" },
      `The margin of ${named(found, found.answer)} over ${named(found, found.rival)} when the row of one word is `,
      "taken from the twin; where the model would then say something else it is framed.",
    ),
    [...groups.values()].map(({ names, rows }) =>
      table(
        ["stage", ...names],
        rows.map((stage) => [stage.title, ...stage.margins.map((each, i) => cell(stage, each, i))]),
        "stage by stage",
      ),
    ),
  ].flat();
}

export const lensTable = (found) => [
  el("p", { class: "quiet" }, found.lens_warning),
  table(
    ["stage", "would write", "probability", "margin"],
    found.lens.map((each) => [each.title, each.token, each.share.toFixed(2), signed(each.margin)]),
    "after each block",
  ),
];
