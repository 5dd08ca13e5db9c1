// How an answer is told above its words: the verdict, the likeliest answers, what a translator wrote, and what is left
// out of it. It draws the figures and sentences that it is given.

import { el, word } from "../../page/dom.js";

/** A sentence whose words in *…* stand in italics, also if the word is a star; stars within a label or a token are no
 * marks, and all of it is text. */
export const emphasised = (sentence) =>
  sentence.split(/(?<![^\s(])\*(\*|[^*]+)\*(?=[\s.,;:)]|$)/).map((each, i) => (i % 2 ? el("em", {}, each) : each));

/** Why asks the model as it was trained: what was changed among its numbers is not in it. */
export const leftOut = (changes) =>
  changes.length
    ? el(
        "p",
        { class: "note left-out" },
        `You changed among the numbers: ${changes.join("; ")}. `,
        "That is left out here: this is the model as it was trained.",
      )
    : null;

/** The answer first and large; what carries it behind. */
export function headline({ sentences: [first], verdict }) {
  const rest = first.slice(verdict.length);
  return el(
    "h1",
    { class: "first" },
    el("span", { class: "verdict" }, verdict, rest[0] === "," ? el("span", { class: "spoken" }, ",") : rest[0]),
    el("span", {}, emphasised(rest.slice(1))),
  );
}

/** All that a translator writes, or the translation it was given, and how. */
export const writing = (found) =>
  found.writing
    ? el(
        "p",
        { class: "writing" },
        el("span", { class: "quiet" }, "the translation: "),
        found.writing,
        el("span", { class: "quiet search" }, ` ${found.search}`),
      )
    : null;

/** The likeliest answers, as bars where they are few; the answer that is asked about and its rival among them. */
export const likely = (found) =>
  el(
    "p",
    { class: "likely" },
    found.candidates
      .filter((each, i) => i < 4 || each.id === found.rival_id || each.id === found.answer_id)
      .map((each) => {
        const fill = el("span", { class: "fill" });
        fill.style.width = `${100 * each.share}%`;
        return el(
          "span",
          { class: each.id === found.answer_id ? "answered" : "quiet" },
          word(each.name),
          el("span", { class: "track", "aria-hidden": "true" }, fill),
          el("output", {}, each.share.toFixed(3)),
        );
      }),
  );

/** What a model wrote: any of its tokens can be asked about. */
export function written(found, choose) {
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
