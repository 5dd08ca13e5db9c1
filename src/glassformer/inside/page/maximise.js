// A panel over the whole window, and back: by its button, or by Escape. It knows no panel.

import { tool } from "./dom.js";

/** The button of a panel; it may be put anywhere within. */
export function maximisable(node, name) {
  const button = tool("⤢", `maximise ${name}`, () => turn(!node.classList.contains("whole")), {
    class: "tool maximise",
    "aria-pressed": "false",
  });
  const key = (event) => {
    if (event.key !== "Escape") return;
    event.stopImmediatePropagation(); // it lets go of nothing else
    turn(false);
  };
  const turn = (on) => {
    node.classList.toggle("whole", on);
    button.setAttribute("aria-pressed", String(on));
    button.title = on ? "back (Escape)" : `maximise ${name}`;
    document[on ? "addEventListener" : "removeEventListener"]("keydown", key, { capture: true });
    if (on) button.focus();
  };
  return button;
}
