// The room Lessons: what can be learnt here, in its order, and how far the reader has come. The steps themselves are
// views of the other rooms, with the lesson beside them.

import { progress } from "../panels/lesson.js";
import { built } from "../panels/tables.js";
import { ask } from "../talk.js";
import { el } from "../page/dom.js";

export class Lessons {
  constructor(studio) {
    this.studio = studio;
    this.node = el("div", { class: "lessons" }, el("p", { class: "quiet note" }, "Opening the lessons …"));
  }

  get address() {
    return {};
  }

  async show() {
    const { lessons } = await ask("lessons/start");
    const minutes = lessons.reduce((sum, each) => sum + each.minutes, 0);
    this.node.replaceChildren(
      el(
        "div",
        { class: "opening" },
        el("h1", {}, "Attention in eight lessons"),
        el(
          "p",
          { class: "quiet" },
          `About ${minutes} minutes in all. Each step is the real thing: click, change, and see what follows. `,
          "How far you have come is kept in this browser alone.",
        ),
      ),
      el(
        "ol",
        { class: "cards" },
        lessons.map((each) => this.card(each)),
      ),
    );
  }

  card({ name, number, title, minutes, about, count }) {
    const { at = 0, done = [] } = progress(name);
    const finished = done.length >= count;
    const state = finished ? "done" : done.length ? `${done.length} of ${count} steps` : `${minutes} minutes`;
    return el(
      "li",
      {},
      el(
        "a",
        {
          class: "card-of-lesson",
          "data-lesson": name,
          href: `#lesson=${encodeURIComponent(name)}`,
          onclick: (event) => {
            event.preventDefault();
            this.studio.teach(name, finished ? 0 : Math.min(at, count - 1));
          },
        },
        el("h2", {}, number ? el("span", { class: "nth" }, `${number} `) : "", title),
        el("p", {}, built(["span", {}, ...about])),
        el("p", { class: "quiet" }, number ? "" : "yours · ", finished ? "✓ " : "", state),
      ),
    );
  }
}
