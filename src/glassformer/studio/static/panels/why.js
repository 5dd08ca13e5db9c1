// Why this answer: the sentences, a strip of words coloured by their shares, a twin, and bars of blocks and heads. It
// draws what the studio worked out; which model and which text it is told.

import { Latest } from "../talk.js";
import { el, svgEl, word } from "../page/dom.js";

const BAR = 200; // the width of a bar's frame, in pixels

const plainly = (value) => (Math.abs(value) >= 0.995 ? Math.abs(value).toFixed(1) : Math.abs(value).toFixed(2));
export const signed = (value) => `${value < 0 ? "−" : "+"}${plainly(value)}`;

/** A sentence whose words in *…* stand in italics; all of it is text. */
export function emphasised(sentence) {
  const pieces = sentence.split("*");
  return pieces.length % 2 ? pieces.map((each, i) => (i % 2 ? el("em", {}, each) : each)) : [sentence];
}

export class WhyPanel {
  constructor(asked, said) {
    this.asked = asked; // what is asked about
    this.said = said; // tells where we are
    this.latest = new Latest();
    this.choice = {};
    this.node = el("section", { class: "why", "aria-label": "Why this answer", "aria-live": "polite" });
  }

  /** The answer and its words; a rival, a token and a twin belong to the text that they were chosen for. */
  async show(choice = {}) {
    this.choice = choice;
    if (!this.drawn) this.node.replaceChildren(el("p", { class: "quiet note" }, "Sharing the answer out over words …"));
    this.node.dataset.busy = "";
    try {
      const found = await this.latest.ask("inside/why", { ...this.asked(), ...choice });
      if (found) this.draw(found);
    } catch (error) {
      this.drawn = false;
      this.node.replaceChildren(el("p", { class: "wrong note", role: "alert" }, error.message));
    } finally {
      delete this.node.dataset.busy;
    }
  }

  again(change) {
    this.said({ ...this.choice, ...change });
    return this.show({ ...this.choice, ...change });
  }

  draw(found) {
    this.drawn = true;
    const [first, ...rest] = found.sentences;
    this.node.replaceChildren(
      ...[
        el("h1", { class: "first" }, emphasised(first)),
        likely(found),
        written(found, (at) => this.again({ at, rival: "" })),
        strip(found),
        this.choices(found),
        el(
          "ul",
          { class: "remarks" },
          rest.map((each) => el("li", {}, emphasised(each))),
        ),
        el(
          "div",
          { class: "deeper" },
          opened("Every word, shared out and left out", wordTable(found)),
          found.direct ? opened("Blocks and heads, which add up to the margin", directTable(found)) : null,
          found.twin?.stages.length
            ? opened("Where the twin turns it, stage by stage", el("div", { class: "turns" }, twinTables(found)), true)
            : null,
          found.lens.length ? opened("What it would write after each block", lensTable(found)) : null,
        ),
      ].filter(Boolean),
    );
  }

  choices(found) {
    const others = found.candidates.map((each) => each.name).filter((each) => each !== found.answer);
    const rival = el(
      "select",
      { "aria-label": "rival", onchange: (event) => this.again({ rival: event.target.value }) },
      [...new Set([found.rival, ...others])].map((each) =>
        el("option", { value: each, selected: each === found.rival }, each),
      ),
    );
    const twin = el("input", {
      name: "instead",
      class: "words",
      "aria-label": "instead of this text",
      placeholder: "Instead of this text …",
      title: "Another text: does the answer turn, and where?",
      autocomplete: "off",
      spellcheck: "false",
      value: found.twin?.text ?? found.text,
    });
    return el(
      "form",
      {
        class: "choices",
        onsubmit: (event) => {
          event.preventDefault();
          this.again({ instead: twin.value === found.text ? "" : twin.value });
        },
      },
      el("label", {}, "over ", rival),
      el("label", { class: "twin" }, "instead ", twin),
      el("button", { class: "tool" }, "Does it turn?"),
    );
  }
}

/** The likeliest answers. */
const likely = (found) =>
  el(
    "p",
    { class: "likely quiet" },
    found.candidates.slice(0, 4).flatMap((each) => [word(each.name), ` ${each.share.toFixed(3)}  `]),
  );

/** What a model wrote: any of its tokens can be asked about. */
function written(found, choose) {
  if (found.written.length < 2) return null;
  return el(
    "p",
    { class: "tokens", role: "group", "aria-label": "written tokens" },
    el("span", { class: "quiet" }, "why this token? "),
    found.written.map((each, i) =>
      el(
        "button",
        { type: "button", class: "token", "aria-pressed": String(i + 1 === found.at), onclick: () => choose(i + 1) },
        word(each),
      ),
    ),
  );
}

/** Blue for the answer, orange for its rival, paper for nothing; the number says the same. */
function strip(found) {
  const largest = Math.max(...found.words.map((each) => Math.abs(each.share)), 1e-9);
  const chip = (each) => {
    const node = el(
      "span",
      {
        class: `chip ${each.share < 0 ? "against" : "for"}${each.written ? " written" : ""}`,
        title: `${each.text}: share ${signed(each.share)}; without it the margin is ${signed(each.without)} less`,
      },
      word(each.text),
      el("span", { class: "portion" }, signed(each.share)),
    );
    node.style.setProperty("--depth", `${Math.round((100 * Math.abs(each.share)) / largest)}%`);
    return node;
  };
  const blank = found.blank.undecided
    ? null
    : el(
        "span",
        { class: "chip blank", title: `a blank of ${found.blank.name}` },
        "blank",
        el("span", { class: "portion" }, signed(found.blank.margin)),
      );
  return el(
    "div",
    { class: "shares" },
    el("p", { class: "strip" }, blank, found.words.map(chip)),
    el(
      "p",
      { class: "legend quiet" },
      el("span", { class: "swatch against", "aria-hidden": "true" }),
      `for ${found.rival}, to −${plainly(largest)} `,
      el("span", { class: "swatch for", "aria-hidden": "true" }),
      `for ${found.answer}, to +${plainly(largest)} · in logits`,
    ),
  );
}

const opened = (title, body, open = false) => el("details", { open }, el("summary", {}, title), body);

function table(head, rows) {
  const cell = (each, i) => el(i ? "td" : "th", i ? { class: "number" } : { scope: "row" }, each);
  return el(
    "div",
    { class: "frame" },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((each) => el("th", { scope: "col" }, each)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, row.map(cell))),
      ),
    ),
  );
}

const wordTable = (found) =>
  table(
    ["word", "share", "without it, less by"],
    found.words.map((each) => [
      each.written ? `${each.text} (written)` : each.text,
      signed(each.share),
      signed(each.without),
    ]),
  );

function bar(value, largest) {
  const wide = ((BAR / 2) * Math.abs(value)) / largest;
  return svgEl(
    "svg",
    { class: "direct", width: BAR, height: 12, "aria-hidden": "true" },
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

function directTable(found) {
  const largest = Math.max(...found.direct.map((each) => Math.abs(each.value)), 1e-9);
  const off = new Map(found.head_off.map((each) => [`${each.address}/${each.head}`, each.less]));
  const rows = found.direct.map((each) => {
    const less = off.get(`${each.address}/${each.head}`);
    return [each.title, bar(each.value, largest), signed(each.value), less === undefined ? "" : signed(less)];
  });
  return [
    el(
      "p",
      { class: "quiet" },
      "What each adds to the margin directly, with the scales of the norms held. ",
      "Off: how much less the margin is when the head gives zeros.",
    ),
    table(["part", "", "directly", "off"], rows),
  ];
}

function twinTables(found) {
  const groups = new Map();
  for (const stage of found.twin.stages) {
    const names = stage.margins.map(([name]) => name);
    const key = JSON.stringify(names);
    groups.set(key, { names, rows: [...(groups.get(key)?.rows ?? []), stage] });
  }
  const mark = (value) =>
    el(
      "span",
      { class: value < 0 === found.margin < 0 ? "" : "turned" },
      value < 0 ? `−${plainly(value)}` : signed(value),
    );
  return [
    el(
      "p",
      { class: "quiet" },
      "The margin with the twin's row put in place of one word's; where it turns it is framed.",
    ),
    [...groups.values()].map(({ names, rows }) =>
      table(
        ["stage", ...names],
        rows.map((stage) => [stage.title, ...stage.margins.map(([, value]) => mark(value))]),
      ),
    ),
  ].flat();
}

const lensTable = (found) => [
  el("p", { class: "quiet" }, found.lens_warning),
  table(
    ["stage", "would write", "probability", "margin"],
    found.lens.map((each) => [each.title, each.token, each.share.toFixed(2), signed(each.margin)]),
  ),
];
