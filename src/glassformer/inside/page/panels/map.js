// The map: the model as a path from text to answer, every attention with a small picture of each of its heads. It is
// also the way to get anywhere; where one stands is always marked.

import { css, el, sized, thumbnail } from "../dom.js";
import { OF_SHARES, Sheet, decoded } from "../store.js";

const ONE_SCALE = 1; // weights of all heads are drawn from 0 to 1

export class ModelMap {
  constructor({ go }) {
    this.go = go;
    this.node = el("nav", { class: "map", "aria-label": "Map of the model" });
  }

  draw(store, palette) {
    this.store = store;
    this.items = new Map();
    const columns = ["context", "own"].map((name) => store.data.parts.filter((part) => part.column === name));
    const both = columns.every((parts) => parts.length);
    this.node.classList.toggle("two", both);
    this.node.replaceChildren(
      ...columns.filter((parts) => parts.length).map((parts) => this.column(parts, palette, both)),
    );
  }

  column(parts, palette, both) {
    const list = el("ol", {});
    let group = "";
    for (const part of parts) {
      const words = part.title.split(" · ");
      const block = words.slice(0, -1).join(" · ");
      if (block !== group && block)
        list.append(el("li", { class: "block", "aria-hidden": "true" }, blockName(block, both)));
      group = block;
      list.append(this.item(part, words.at(-1), palette, Boolean(block)));
    }
    const texts = this.store.data.texts;
    const tokens = parts[0].column === "context" ? texts.context : texts.own;
    const name = both ? (parts[0].column === "context" ? "source" : "target") : "text";
    const start = tokens.length ? el("div", { class: "end" }, `${name}: ${tokens.length} tokens`) : null;
    return el("div", { class: "column" }, start, list);
  }

  item(part, name, palette, indented) {
    const button = el("button", { type: "button", class: "part", onclick: () => this.go({ part: part.id }) }, name);
    const item = el("li", { class: indented ? "in" : "" }, button);
    const heads = [];
    if (part.pattern) {
      const row = el("div", { class: "heads", role: "group", "aria-label": `heads of ${part.title}` });
      for (let head = 0; head < part.heads; head++) {
        const small = el(
          "button",
          {
            type: "button",
            class: "head",
            "aria-label": `${part.title}, head ${head + 1}`,
            title: `head ${head + 1}`,
            onclick: () => this.go({ at: part.pattern, head }),
          },
          smallHead(this.store, part, head, palette, 22),
        );
        heads.push(small);
        row.append(small);
      }
      item.append(row);
    }
    this.items.set(part.id, { button, item, heads });
    return item;
  }

  mark(part, head, off = []) {
    for (const [id, { button, item, heads }] of this.items) {
      const here = id === part;
      item.classList.toggle("here", here);
      button.classList.toggle("off", off.includes(id));
      if (here) button.setAttribute("aria-current", "location");
      else button.removeAttribute("aria-current");
      heads.forEach((small, i) => {
        small.classList.toggle("here", here && i === head);
        small.classList.toggle("off", off.includes(`${id}/${i}`));
      });
    }
  }
}

const blockName = (block, both) => (both ? block.replace(/^(encoder|decoder) · /, "") : block);

/** A head's pattern, from its numbers or, for long texts, from the small picture that came along; `largest` is what
 * has the full colour, null its own largest. */
export function smallHead(store, part, head, palette, size, largest = ONE_SCALE) {
  const sheet = new Sheet(store, store.stage(part.pattern), head);
  const ratio = Math.min(1.6, Math.max(0.6, sheet.columns / sheet.rows));
  const [width, height] = ratio > 1 ? [size, size / ratio] : [size * ratio, size];
  return part.small
    ? fromSmall(part, head, palette, [width, height], largest)
    : thumbnail(sheet, palette, Math.round(width), Math.round(height), largest ?? sheet.measure.most);
}

function fromSmall(part, head, palette, [width, height], scale) {
  part.small.values ??= decoded(part.small);
  const [, rows, columns] = part.small.shape;
  const values = part.small.values.subarray(head * rows * columns, (head + 1) * rows * columns);
  const largest = scale ?? values.reduce((most, value) => Math.max(most, value), 1e-9);
  const canvas = el("canvas", { class: "thumb", "aria-hidden": "true" });
  const brush = sized(canvas, width, height);
  values.forEach((value, i) => {
    brush.fillStyle = css(palette.shade(value, largest, "score", OF_SHARES));
    const [x, y] = [((i % columns) * width) / columns, (Math.floor(i / columns) * height) / rows];
    brush.fillRect(x, y, width / columns + 0.5, height / rows + 0.5);
  });
  return canvas;
}
