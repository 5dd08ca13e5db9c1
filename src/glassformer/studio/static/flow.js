// One pass of motion, in the order that things follow from each other, ended by any key or press; none for
// who wants none.

import { reduced } from "./page/dom.js";

const [WHOLE, EACH, GAP] = [1100, 260, 70]; // milliseconds: of all, of one, between two

/** One after the other; and all the while, from left to right, what is `swept`. */
export function flow(nodes, swept = null) {
  if (reduced() || !nodes.length) return;
  const gap = Math.min(GAP, (WHOLE - EACH) / nodes.length);
  const moving = nodes.map((node, i) =>
    node.animate([{ opacity: 0.1 }, { opacity: 1 }], {
      duration: EACH,
      delay: i * gap,
      fill: "backwards",
      easing: "ease-out",
    }),
  );
  if (swept)
    moving.push(
      swept.animate([{ clipPath: "inset(0 100% 0 0)" }, { clipPath: "inset(0 0 0 0)" }], {
        duration: WHOLE,
        easing: "ease-in-out",
      }),
    );
  const over = new AbortController();
  const end = () => {
    over.abort();
    for (const each of moving) each.finish();
  };
  for (const kind of ["keydown", "pointerdown", "wheel"])
    addEventListener(kind, end, { signal: over.signal, capture: true, passive: true });
  Promise.allSettled(moving.map((each) => each.finished)).then(() => over.abort());
}
