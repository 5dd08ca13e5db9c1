// A text on its way into a model: standardised, tokens, ids, padded batch, embedding rows. It cuts nothing itself.

import { el, word } from "../../page/dom.js";
import { visible } from "../../page/store.js";
import { Latest } from "../../talk.js";

/** Folded until somebody looks; `asked` says which model and text are meant. */
export class PipelineStrip {
  constructor(asked) {
    this.asked = asked;
    this.latest = new Latest();
    this.way = el("div", { class: "way" });
    this.node = el(
      "details",
      { class: "pipeline", ontoggle: () => this.read() },
      el("summary", {}, "how the text came in"),
      this.way,
    );
  }

  async read() {
    if (!this.node.open) return;
    const { model, text } = this.asked();
    try {
      const found = await this.latest.ask("inside/tokens", { model, text });
      if (found) this.way.replaceChildren(steps(found, text));
    } catch (error) {
      this.way.replaceChildren(el("p", { class: "wrong" }, error.message));
    }
  }
}

function steps(found, text) {
  const left = found.count - found.tokens.length;
  const shown = [
    ["text", word(text)],
    [
      "standardised",
      found.standardised === null ? quiet("as it stands: this tokenizer changes nothing") : found.standardised,
    ],
    [
      `${found.count} tokens, ids`,
      el(
        "div",
        { class: "flow" },
        found.tokens.map((each, i) => token(each, found.ids[i], found)),
        more(left),
      ),
    ],
    [`padded batch ${found.shape.join(" × ")}`, batch(found)],
    ["embedding rows", rows(found)],
  ];
  return el("dl", {}, ...shown.flatMap(([name, content]) => [el("dt", {}, name), el("dd", {}, content)]));
}

const quiet = (text) => el("span", { class: "quiet" }, text);

const more = (count) => (count > 0 ? quiet(`… ${count} more`) : null);

function token(name, id, found) {
  const unknown = id === found.unknown;
  const why = unknown ? `not in the vocabulary of ${found.vocabulary.toLocaleString("en")}: <unk>` : null;
  return el(
    "span",
    { class: unknown ? "token unknown" : "token", title: why },
    word(visible(name)),
    el("span", { class: "id" }, String(id)),
  );
}

/** The text and another one, the shorter filled up: alone it would need no padding. */
function batch(found) {
  const line = (ids, i) =>
    el(
      "div",
      { class: "flow" },
      ids.map((id, place) => el("span", { class: found.real[i][place] ? "batched" : "batched padding" }, String(id))),
      more(found.shape[1] - ids.length),
    );
  const beside = `with “${found.company}” beside it; 0 is <pad>, which nobody looks at`;
  const cut = found.lost ? quiet(`${found.lost.toLocaleString("en")} tokens behind these are not read. `) : null;
  return [...found.batch.map(line), cut, quiet(beside)];
}

const figure = (number) =>
  number
    .toFixed(2)
    .replace(/^-0\.00$/, "0.00")
    .replace("-", "−");

function rows(found) {
  if (!found.rows) return quiet("none: this model counts n-grams, and has no row of numbers for a token");
  const line = (row, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, word(visible(found.tokens[i]))),
      row.map((each) => el("td", {}, figure(each))),
      el("td", { class: "quiet" }, "…"),
    );
  const all = `${found.count} rows of ${found.width} numbers, one for each token; here the first`;
  return [el("table", {}, el("tbody", {}, found.rows.slice(0, found.count).map(line))), quiet(all)];
}
