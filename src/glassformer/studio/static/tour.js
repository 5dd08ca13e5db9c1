// A first walk through the studio: six steps, each of which shows the thing itself. It can be left at any time.

import { remember } from "./studio.js";
import { el } from "./page/dom.js";

const STEPS = [
  [
    "by-hand",
    ".givens",
    "Everything starts from given numbers",
    "Three words, two numbers each, and the weights. Click into any of them and type another.",
  ],
  [
    "by-hand",
    ".working",
    "The rest follows, step by step",
    "Queries, keys, scores, weights, output: each with its formula. What changes flashes.",
  ],
  [
    "by-hand",
    '[data-stage="weights"]',
    "Click a number",
    "Its arithmetic appears at the side, and the numbers it was made of are framed.",
  ],
  [
    "by-hand",
    '[data-tab="check"]',
    "Is mine right?",
    "Paste a working of your own. The first wrong number is marked, with its cause.",
  ],
  [
    "inside",
    ".inside",
    "The same, in a trained model",
    "Type a text: what did each word give to the answer? One click deeper stand every head and every number.",
  ],
  ["train", ".train", "And one of your own", "Four fields, one minute, and you watch it learn."],
];

/** The thing to be shown, once it is on the page. */
async function found(place) {
  for (let tries = 0; tries < 50 && !document.querySelector(place); tries++)
    await new Promise((done) => setTimeout(done, 100));
  return document.querySelector(place);
}

export function tour(studio) {
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
  const moved = (event) => event.detail !== STEPS[at][0] && end(); // whoever goes another way needs no guide
  const leave = (event) => event.key === "Escape" && end();
  const show = async (step) => {
    at = step;
    const [room, place, title, text] = STEPS[at];
    const tool = (name, action, more = {}) =>
      el("button", { type: "button", class: "tool", onclick: action, ...more }, name);
    box.replaceChildren(
      el("p", { class: "quiet" }, `${at + 1} of ${STEPS.length}`),
      el("h2", {}, title),
      el("p", {}, text),
      el(
        "div",
        { class: "ends" },
        tool("Skip", end),
        el(
          "span",
          {},
          at ? tool("Back", () => show(at - 1)) : null,
          " ",
          at < STEPS.length - 1
            ? tool("Next", () => show(at + 1), { class: "tool strong" })
            : tool("Done", end, { class: "tool strong" }),
        ),
      ),
    );
    unmark();
    if (studio.main.dataset.room !== room) await studio.go(room);
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
