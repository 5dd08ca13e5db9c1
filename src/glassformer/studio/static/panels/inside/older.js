// Marks a part of the page as being about what was asked before, until the new answer is there. It asks nothing.

import { el } from "../../page/dom.js";

export const WORKING = "Below still stands the answer before; the new one is being worked out …";
export const RUNNING = "Below still stands the answer to a text before; why is asked once the run stops.";
export const TYPED = "Below still stands the answer to the text before; Enter asks about this one.";

/** Dims a part, and says why; without words it is about what is asked now. */
export function older(node, words) {
  const said = node.querySelector(":scope > .older");
  node.toggleAttribute("data-old", Boolean(words));
  if (!words) return said?.remove();
  if (said) said.textContent = words;
  else node.prepend(el("p", { class: "older", role: "status" }, words));
}

export const isOlder = (node) => node.querySelector(":scope > .older")?.textContent;
