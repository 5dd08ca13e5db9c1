// A first walk through one room: a few steps, each of which shows the thing itself. It belongs to its room, and is gone
// when one leaves; it can be left at any time.

import { remember } from "./studio.js";
import { el } from "./page/dom.js";

const STEPS = {
  "by-hand": [
    [
      ".givens",
      "Everything starts from given numbers",
      "Three words, two numbers each, and the weights. Type another.",
    ],
    [".working", "The rest follows, step by step", "Queries, keys, scores, weights, output. What changes flashes."],
    [
      '[data-stage="weights"]',
      "Click a number",
      "Its arithmetic appears at the side, and what it was made of is framed.",
    ],
    ['[data-tab="check"]', "Is mine right?", "Paste a working of your own: the first wrong number is marked."],
    ['[data-room="lessons"]', "In eight lessons", "Each five minutes, on these very pages."],
  ],
  inside: [
    [".ask", "A trained model, and your text", "Type any text and press Enter; choose another model beside it."],
    [
      ".hero",
      "Why this answer",
      "Blue words speak for it, orange ones for its rival; each band is as wide as its share.",
    ],
    [".depths", "One click deeper", "Every matrix of every head, and the arithmetic of each number."],
    ['[data-room="by-hand"]', "Or by hand", "The same steps with three words and numbers for a pencil; change any."],
    ['[data-room="lessons"]', "In eight lessons", "Each five minutes, on these very pages."],
  ],
  race: [[".race", "The same data, different models", "Their curves, and your own sentence given to all of them."]],
  train: [[".train", "One of your own", "Drop a file or take a built-in set, press the button, and watch it learn."]],
  lessons: [[".lessons", "Begin anywhere", "Each step opens the real thing; how far you have come is kept here."]],
};

/** The thing to be shown, once it is on the page. */
async function found(place) {
  for (let tries = 0; tries < 50 && !document.querySelector(place); tries++)
    await new Promise((done) => setTimeout(done, 100));
  return document.querySelector(place);
}

export function tour(studio, room) {
  const steps = STEPS[room];
  let at = 0;
  const box = el("aside", { class: "tour", role: "dialog", "aria-label": "A first walk", tabindex: "-1" });
  const unmark = () => {
    for (const node of document.querySelectorAll(".toured")) node.classList.remove("toured");
  };
  const end = () => {
    remember("toured", "yes");
    unmark();
    box.remove();
    document.removeEventListener("keydown", leave);
    studio.root.removeEventListener("room", moved);
  };
  const moved = (event) => event.detail !== room && end(); // whoever goes another way needs no guide
  const leave = (event) => event.key === "Escape" && end();
  const show = async (step) => {
    at = step;
    const [place, title, text] = steps[at];
    const tool = (name, action, more = {}) =>
      el("button", { type: "button", class: "tool", onclick: action, ...more }, name);
    const last = at === steps.length - 1;
    box.replaceChildren(
      el("p", { class: "quiet" }, `${at + 1} of ${steps.length}`),
      el("h2", {}, title),
      el("p", { class: "tour-words" }, text),
      el(
        "div",
        { class: "ends" },
        tool("Skip", end),
        el(
          "span",
          {},
          at ? tool("Back", () => show(at - 1)) : null,
          " ",
          last
            ? tool("Done", end, { class: "tool strong" })
            : tool("Next", () => show(at + 1), { class: "tool strong" }),
        ),
      ),
    );
    unmark();
    const node = await found(place);
    if (step !== at || !box.isConnected) return; // somebody was quicker
    node?.classList.add("toured");
    const top = node?.getBoundingClientRect().top ?? 0;
    if (top < 0 || top > 0.7 * innerHeight) node?.scrollIntoView({ block: "start" });
  };
  document.querySelector(".tour")?.remove();
  studio.root.append(box);
  document.addEventListener("keydown", leave);
  studio.root.addEventListener("room", moved);
  show(0).then(() => box.focus({ preventScroll: true }));
}
