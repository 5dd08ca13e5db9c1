// The river: every word's share as a band that runs to the answer or to its rival, as wide as the share is large.
// Between them stand the model's blocks, which can be seen through and opened. It draws the figures it is given.

import { el, svgEl, word } from "../../page/dom.js";
import { named, signed } from "./why_tables.js";

const MOST = 9; // words with a band of their own; all others share two
const [ROW, WIDE] = [27, 1000]; // of a word's line in pixels, and the width of the drawing in its own units
const [THICK, FULL] = [1.5, 0.96]; // the widest band, in lines; how much of the room between two lines bands may take
const APART = 24; // pixels between the two sides
const SHORE = 30; // units between the last block and the answers

/** What gives something: the blank, the largest words in their own order, and the rest by its two signs. */
function sources(found) {
  const { blank } = found;
  const own = found.words.filter((each) => !each.is_blank && each.share);
  const large = new Set([...own].sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, MOST));
  const rest = own.filter((each) => !large.has(each));
  const together = (side) => {
    const some = rest.filter((each) => Math.sign(each.share) === side);
    const share = some.reduce((sum, each) => sum + each.share, 0);
    return some.length ? [{ name: `${some.length} more`, share, kind: "rest" }] : [];
  };
  return [
    ...(blank.undecided ? [] : [{ name: `(${blank.name})`, share: blank.margin, kind: "rest" }]),
    ...own
      .filter((each) => large.has(each))
      .map((each) => ({ name: each.text, share: each.share, kind: each.written ? "own written" : "own" })),
    ...together(1),
    ...together(-1),
  ];
}

/** The blocks that attend, each with the head without which the margin moves most. */
function blocks(found) {
  const seen = new Map();
  for (const each of found.switched_off.filter(({ head }) => head !== null)) {
    const title = each.title.split(" · ").slice(0, -2).join(" · ");
    if (!seen.has(title) || Math.abs(seen.get(title).less) < Math.abs(each.less)) seen.set(title, each);
  }
  return [...seen];
}

/** A band between two heights, which leaves and arrives level. */
function band(from, to, thick, begin) {
  const [half, middle] = [thick / 2, (begin + WIDE) / 2];
  const edge = (y0, y1, x) => `C${middle} ${y0} ${middle} ${y1} ${x} ${y1}`;
  const there = `M${begin} ${from - half}${edge(from - half, to - half, WIDE)}`;
  return `${there}V${to + half}${edge(to + half, from + half, begin)}Z`;
}

/** Where a pane stands, of so many. */
const paneAt = (i, count) => ((i + 1) * (WIDE - SHORE)) / (count + 1);

/** What a translator wrote enters at its decoder: its bands begin before the first pane of it. */
function entries(list) {
  const first = list.findIndex(([title]) => title.startsWith("decoder"));
  return first > 0 ? (paneAt(first - 1, list.length) + paneAt(first, list.length)) / 2 : 0;
}

/** Pixels for a logit: no two bands meet where they begin, and all of them fit where they arrive. */
function scaleOf(list, height) {
  const sizes = list.map((each) => Math.abs(each.share));
  const sum = sizes.reduce((all, each) => all + each, 0);
  const pairs = sizes.slice(1).map((each, i) => (2 * FULL * ROW) / (each + sizes[i]));
  return Math.min((THICK * ROW) / Math.max(...sizes), (height - APART) / sum, ...pairs);
}

/** Where each side arrives: its bands one below the other, in the order of their words. */
function arrivals(list, scale, height) {
  const total = (side) => list.filter((each) => each.share * side > 0).reduce((sum, each) => sum + each.share, 0);
  const [gains, losses] = [total(1) * scale, -total(-1) * scale];
  const top = Math.max(0, (height - gains - losses - APART) / 2);
  const next = { 1: top, [-1]: top + gains + APART };
  const places = list.map((each) => {
    const side = each.share > 0 ? 1 : -1;
    const thick = Math.abs(each.share) * scale;
    next[side] += thick;
    return next[side] - thick / 2;
  });
  return { places, ends: [top + gains / 2, top + gains + APART + losses / 2], totals: [total(1), total(-1)] };
}

/** A word's band; one of a word that was written has a dotted lead to where it begins. */
function flow(each, from, to, scale, enters) {
  const begin = each.kind.endsWith("written") ? enters : 0;
  const shape = {
    class: each.share > 0 ? "for" : "against",
    d: band(from, to, Math.max(Math.abs(each.share) * scale, 0.6), begin),
  };
  return [
    begin ? svgEl("path", { class: "lead", d: `M0 ${from}H${begin}` }) : null,
    svgEl("path", shape, svgEl("title", {}, `${each.name} ${signed(each.share)}`)),
  ];
}

export function river(found, open) {
  const list = sources(found);
  if (!list.length || found.shares_mislead) return null;
  const height = (Math.max(list.length, 4) + THICK - 1) * ROW; // the widest band has room at either edge
  const offset = (height - list.length * ROW) / 2;
  const scale = scaleOf(list, height);
  const { places, ends, totals } = arrivals(list, scale, height);
  const rooms = blocks(found);
  const enters = entries(rooms);
  const level = (i) => offset + (i + 0.5) * ROW;
  const bands = list.flatMap((each, i) => flow(each, level(i), places[i], scale, enters));
  const water = svgEl(
    "svg",
    { class: "water", viewBox: `0 0 ${WIDE} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bands,
  );
  const end = (i, answer, kind) => {
    const node = el(
      "div",
      { class: `end ${kind}` },
      word(named(found, answer)),
      el("span", { class: "portion" }, signed(totals[i])),
    );
    node.style.top = `${ends[i]}px`;
    return node;
  };
  const banks = el("div", { class: "banks" }, water, panes(rooms, open));
  const words = el(
    "div",
    { class: "springs" },
    list.map((each) =>
      el(
        "div",
        { class: `spring ${each.kind}` },
        word(each.name),
        el("span", { class: "portion" }, signed(each.share)),
      ),
    ),
  );
  words.style.paddingTop = `${offset}px`;
  const drawing = el(
    "div",
    { class: "flows" },
    words,
    banks,
    el("div", { class: "ends" }, end(0, found.answer, "for"), end(1, found.rival, "against")),
  );
  drawing.style.height = `${height}px`;
  return el(
    "figure",
    { class: "river" },
    drawing,
    el(
      "figcaption",
      { class: "quiet" },
      `A band is as wide as its word's share: ${signed(totals[0])} for ${named(found, found.answer)}, `,
      `${signed(totals[1])} for ${named(found, found.rival)}, together ${signed(found.margin)}. `,
      rooms.length
        ? "It has one width all the way: what a block does to it is not drawn. The panes only open the blocks"
        : "",
      rooms.length ? el("span", { class: "invites" }, ": click one for every number in it") : "",
      rooms.length ? "." : "",
      enters ? " What was written comes in where the decoder begins." : "",
    ),
  );
}

/** A pane of glass for each block; pressed, it opens at the head that counts most in it. */
function panes(list, open) {
  const kinds = list.some(([title]) => title.startsWith("decoder")); // an encoder stands before it
  return list.map(([title, head], i) => {
    const name = kinds ? title[0] + title.match(/\d+/)[0] : String(i + 1);
    const node = el(
      "button",
      {
        type: "button",
        class: "pane",
        "aria-label": `${name}, ${title}: every number`,
        title: `${title}: every number of its head ${head.head + 1}, without which the margin moves most in it`,
        onclick: () => open({ at: head.address.replace(/mixed$/, "weights"), head: head.head }),
      },
      el("span", {}, name),
    );
    node.style.left = `${(100 * paneAt(i, list.length)) / WIDE}%`;
    return node;
  });
}
