// All heads at once: their patterns on one scale, with words on the axes, sorted by how much each matters. What matters
// and what a head is called it is told; where nobody told it, heads stand layer by layer.

import { el, ramp, redrawn } from "../dom.js";
import { maximisable } from "../maximise.js";
import { smallHead } from "./map.js";
import { OF_SHARES, Sheet, visible } from "../store.js";

const WORD = 10.5; // pixels of a picture that a word at its edge needs; where there are fewer it has none
const LONGEST = 11; // signs of a word at an edge
const NARROW = 700; // pixels of a window in which pictures are smaller
const [FEW, MANY, SMALL] = [150, 112, 92]; // pixels of a picture, by how many attentions there are, and in a narrow one
const [TILE, SMALL_TILE] = [236, 158]; // pixels that a picture, its words and what is said of it take at least

export class Heads {
  constructor({ go }) {
    this.go = go;
    this.node = el("section", { class: "all-heads panel", "aria-label": "All heads" });
    this.whole = maximisable(this.node, "all heads");
    this.readout = el("p", { class: "quiet readout", role: "status" });
    this.own = false;
    this.byLayer = false;
  }

  draw(store, palette, chosen, { off = [], weights = null, names = null } = {}) {
    this.last = [store, palette, chosen, { off, weights, names }];
    const parts = store.data.parts.filter((part) => part.pattern);
    const size = innerWidth < NARROW ? SMALL : parts.length > 4 ? MANY : FEW;
    const all = parts.flatMap((part) =>
      Array.from({ length: part.heads }, (_, head) => ({ part, head, key: `${part.id.replace(/#.*/, "")}/${head}` })),
    );
    if (!all.length) {
      this.node.replaceChildren(el("p", { class: "quiet" }, "This model has no attention, so it has no heads."));
      return;
    }
    const sorted = weights && !this.byLayer;
    if (sorted) all.sort((a, b) => (weights[b.key] ?? 0) - (weights[a.key] ?? 0));
    const tiles = el(
      "div",
      { class: "tiles" },
      all.map((each) => this.tile(store, palette, each, { chosen, off, weights, names, size })),
    );
    tiles.style.setProperty("--tile", `${size === SMALL ? SMALL_TILE : TILE}px`);
    redrawn(this.node, [
      this.legend(palette, weights),
      this.readout,
      tiles,
      names
        ? el(
            "p",
            { class: "quiet" },
            `Names are judged over ${names.looks} texts of ${names.of}; the number is the `,
            "share of the weight there in the mean of all rows, once what goes to the first token and to the token ",
            "itself is taken out; behind it, the share of all weight. A row of this text may differ. Of “broad” it is ",
            "the entropy of the weights, 1 where all are equal. No name: none fits.",
            induction(names),
          )
        : "",
    ]);
  }

  /** What the colours mean, and the switches that change it. */
  legend(palette, weights) {
    const bar = ramp(palette, [0, 1], "score", OF_SHARES);
    const check = (name, title, text) => {
      const box = el("input", {
        type: "checkbox",
        checked: this[name],
        onchange: () => {
          this[name] = box.checked;
          this.draw(...this.last);
        },
      });
      return el("label", { title }, box, ` ${text}`);
    };
    return el(
      "div",
      { class: "legend" },
      el("span", {}, "weight 0 ", bar, this.own ? " each head's own maximum" : " 1, the same for every head"),
      check("own", "Faint patterns become visible, but darkness can no longer be compared", "each its own maximum"),
      weights
        ? check("byLayer", "In the order of the model", "layer by layer")
        : el("span", { class: "quiet" }, "weighing every part …"),
      this.whole,
    );
  }

  tile(store, palette, { part, head, key }, { chosen, off, weights, names, size }) {
    const here = part.id === chosen.part && head === chosen.head;
    const share = weights?.[key];
    const called = names?.names[key];
    const title = `${part.title.replace("-attention", "")} · head ${head + 1}`;
    const sheet = new Sheet(store, store.stage(part.pattern), head);
    const picture = smallHead(store, part, head, palette, size, this.own ? null : 1);
    picture.addEventListener("pointermove", (event) => this.read(sheet, title, event));
    picture.addEventListener("pointerleave", () => this.readout.replaceChildren());
    const button = el(
      "button",
      {
        type: "button",
        class: ["tile", here ? "here" : "", off.includes(`${part.id}/${head}`) ? "off" : ""].join(" "),
        onclick: () => this.go({ at: part.pattern, head, view: "stage" }),
        title: "open this head",
      },
      worded(sheet, picture, size),
      el("span", { class: "tile-name" }, title),
      el(
        "span",
        { class: "tile-facts" },
        share === undefined ? "" : el("span", {}, "matters ", el("b", {}, share.toFixed(3))),
        called?.name ? el("span", { class: "called" }, inFigures(called)) : "",
        called && called.first >= 0.5 ? el("span", { class: "quiet" }, `first token ${called.first.toFixed(2)}`) : "",
      ),
    );
    return button;
  }

  /** The number under the pointer, with its words. */
  read(sheet, title, event) {
    if (!sheet.available) return;
    const box = event.target.getBoundingClientRect();
    const row = Math.min(sheet.rows - 1, Math.floor(((event.clientY - box.top) / box.height) * sheet.rows));
    const column = Math.min(sheet.columns - 1, Math.floor(((event.clientX - box.left) / box.width) * sheet.columns));
    if (row < 0 || column < 0) return;
    const [from, to] = [visible(sheet.rowLabel(row)), visible(sheet.columnLabel(column))];
    const weight = sheet.value(row, column)?.toFixed(3) ?? "";
    this.readout.replaceChildren(`${title}: ${from} → ${to} ${weight}`);
  }
}

/** `previous token, 0.67 (0.52 of all)`. */
function inFigures({ name, share, of_all: whole }) {
  if (name === "broad") return `broad, entropy ${share.toFixed(2)}`;
  const differs = whole !== undefined && whole.toFixed(2) !== share.toFixed(2);
  return `${name}, ${share.toFixed(2)}${differs ? ` (${whole.toFixed(2)} of all)` : ""}`;
}

/** Whether any head goes by what followed last time; judged apart from texts. */
function induction({ looks, names }) {
  const shares = Object.values(names).map((each) => each.induction ?? -1);
  const most = Math.max(...shares);
  if (most < 0) return "";
  const judged = ` Induction is judged on ${looks} rows of random tokens that come twice: at most ${most.toFixed(2)}`;
  return `${judged}, ${most >= 0.4 ? "so it is there." : "so no head is called so."}`;
}

const cut = (name) => ([...name].length > LONGEST ? `${[...name].slice(0, LONGEST - 1).join("")}…` : name);

/** A picture with the words of its rows and columns, where they are few. */
function worded(sheet, picture, size) {
  if (Math.max(sheet.rows, sheet.columns) * WORD > size) return picture;
  const names = (count, label) =>
    Array.from({ length: count }, (_, i) => el("span", {}, cut(visible(label(i))) || "·"));
  const box = el(
    "span",
    { class: "worded", "aria-hidden": "true" },
    el(
      "span",
      { class: "across" },
      names(sheet.columns, (i) => sheet.columnLabel(i)),
    ),
    el(
      "span",
      { class: "down" },
      names(sheet.rows, (i) => sheet.rowLabel(i)),
    ),
    picture,
  );
  box.style.setProperty("--size", `${size}px`);
  return box;
}
