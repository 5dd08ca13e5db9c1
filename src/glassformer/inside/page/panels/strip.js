// The way of one head as a diagram: the matrices stand where their symbols stand in the formula, and lines lead from
// one to the next. Where it goes is read from the lanes and operands of the document, not known here.

import { css, el, fitted, formula, ruler, svgEl, thumbnail } from "../dom.js";
import { Sheet, counted, visible } from "../store.js";

const GAP = 26;
const LOW = 820; // pixels of a window in which the matrix below needs the room

export class Strip {
  constructor({ go }) {
    this.go = go;
    this.lines = svgEl("svg", { class: "lines", "aria-hidden": "true" });
    this.field = el("div", { class: "field" }, this.lines);
    this.node = el("div", { class: "strip panel", role: "group", "aria-label": "The steps, in order" }, this.field);
    this.watch = new ResizeObserver(
      () =>
        this.node.clientWidth !== this.drawnAt &&
        this.store &&
        this.draw(this.store, this.part, this.head, this.palette),
    );
    this.watch.observe(this.node);
  }

  /** Every stage one passes, in order. */
  static steps(part, store) {
    const whole = part.lanes
      ? [...part.lanes.from, ...part.lanes.query, ...part.lanes.key, ...part.lanes.value, ...part.lanes.main]
      : stepsOf(part, store);
    return [...new Set(whole)];
  }

  draw(store, part, head, palette) {
    Object.assign(this, { store, part, head, palette });
    this.drawnAt = this.node.clientWidth;
    this.nodes = new Map();
    this.field.replaceChildren(this.lines);
    this.lines.replaceChildren();
    const columns = part.lanes ? laneColumns(part.lanes) : Strip.steps(part, store).map((address) => [[address, 1]]);
    if (!columns.length) return;
    const three = part.lanes
      ? [part.lanes.query, part.lanes.key, part.lanes.value].filter((lane) => lane.length).length
      : 1;
    const room = Math.max(this.node.clientWidth - 8, 300);
    const rows = part.lanes && three > 1 ? 3 : 1;
    const low = innerHeight < LOW;
    const small = low ? 30 : 38;
    const size = rows > 1 ? small : Math.max(small, Math.min(low ? 42 : 56, room / columns.length - GAP));
    const pitch = Math.max(size + GAP, Math.min(room / columns.length, size + 60));
    const wordy = columns.flat().some(([address]) => store.stage(address).name.includes("_"));
    const lane = size + (wordy ? 46 : low ? 30 : 34); // a picture and its caption, which may take two lines
    const high = rows === 1 ? size + 46 : lane * 3;
    for (const [i, column] of columns.entries()) {
      for (const [address, at] of column) {
        const y = rows === 1 ? size / 2 + 4 : lane * at + size / 2 + 4;
        this.place(address, i * pitch + size / 2 + 4, y, size);
      }
    }
    const width = columns.length * pitch - (pitch - size) + 8;
    this.field.style.width = `${width}px`;
    this.field.style.height = `${high}px`;
    this.lines.setAttribute("width", width);
    this.lines.setAttribute("height", high);
    this.connect();
    if (this.chosen) this.mark(this.chosen, this.marks ?? new Map());
  }

  place(address, x, y, most) {
    const stage = this.store.stage(address);
    const sheet = new Sheet(this.store, stage, this.head);
    const ratio = sheet.columns / sheet.rows;
    const width = Math.round(ratio >= 1 ? most : Math.max(14, most * ratio));
    const height = Math.round(ratio >= 1 ? Math.max(14, most / ratio) : most);
    const picture = el("span", { class: "picture" }, thumbnail(sheet, this.palette, width, height));
    const button = el(
      "button",
      {
        type: "button",
        class: `step ${stage.role}`,
        onclick: () => this.go({ at: address }),
        title: `${stage.plain}. ${stage.says}`,
      },
      picture,
      el("span", { class: "symbol", "data-plain": stage.symbol }, formula(stage.sign)),
      el("span", { class: "name" }, stage.name.replace(/_/g, " ")),
    );
    button.style.width = `${Math.max(most + GAP - 6, 50)}px`;
    button.style.left = `${x}px`;
    button.style.top = `${y - height / 2}px`;
    this.field.append(button);
    this.nodes.set(address, { button, picture, x, y, width, height, sheet });
  }

  connect() {
    for (const [address, to] of this.nodes) {
      for (const operand of this.store.stage(address).operands) {
        const from = operand && this.nearest(operand);
        if (from && from.x < to.x) this.line(from, to, this.store.stage(operand).role);
      }
    }
  }

  /** A stage that is drawn, or the drawn one that is the same tensor. */
  nearest(address) {
    let here = address;
    while (here && !this.nodes.has(here)) here = this.store.stage(here)?.same_as;
    return this.nodes.get(here);
  }

  line(from, to, role) {
    const [x1, x2] = [from.x + from.width / 2 + 3, to.x - to.width / 2 - 4];
    const bend = Math.min(22, (x2 - x1) / 2);
    const [leaves, turns] = [Math.max(x1, x2 - bend * 2), x2 - bend];
    const curve = `H${leaves}C${turns} ${from.y} ${turns} ${to.y} ${x2} ${to.y}`;
    const d = `M${x1} ${from.y}${from.y === to.y ? `H${x2}` : curve}`;
    this.lines.append(
      svgEl("path", {
        d,
        fill: "none",
        stroke: css(this.palette[role === "plain" ? "soft" : role], 0.75),
        "stroke-width": 1.25,
      }),
      svgEl("path", {
        d: `M${x2 - 4} ${to.y - 3}L${x2} ${to.y}L${x2 - 4} ${to.y + 3}`,
        fill: "none",
        stroke: css(this.palette[role === "plain" ? "soft" : role]),
        "stroke-width": 1.25,
      }),
    );
  }

  /** Marks where one stands, and the cells a chosen number was made of. */
  mark(chosen, marks) {
    Object.assign(this, { chosen, marks });
    const home = this.nearest(chosen);
    for (const [address, { button, picture, width, height, sheet }] of this.nodes) {
      const here = this.nodes.get(address) === home;
      button.classList.toggle("here", here);
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      for (const old of picture.querySelectorAll(".mark")) old.remove();
      for (const [top, left, bottom, right] of marks.get(address) ?? []) {
        const box = el("span", { class: "mark" });
        const [w, h] = [width / sheet.columns, height / sheet.rows];
        Object.assign(box.style, {
          left: `${left * w - 1}px`,
          top: `${top * h - 1}px`,
          width: `${Math.max(3, (right - left + 1) * w + 2)}px`,
          height: `${Math.max(3, (bottom - top + 1) * h + 2)}px`,
        });
        picture.append(box);
      }
    }
    if (home && this.field.clientWidth > this.node.clientWidth) {
      this.node.scrollTo({ left: home.x - this.node.clientWidth / 2, behavior: "instant" });
    }
  }
}

/** What is made here as a whole matrix, and what came in first. */
function stepsOf(part, store) {
  const stages = part.stages
    .map((address) => store.stage(address))
    .filter((stage) => stage.shape.length > 1 && stage.axes.at(-1) !== "T");
  const first = stages.find((stage) => stage.same_as);
  return stages
    .filter((stage) => stage === first || (stage.operation !== "given" && !stage.same_as))
    .map((stage) => stage.address);
}

function laneColumns(lanes) {
  const longest = Math.max(lanes.query.length, lanes.key.length, lanes.value.length, 0);
  const columns = [];
  if (lanes.from.length) columns.push(lanes.from.map((address, i) => [address, lanes.from.length === 1 ? 1 : i * 1.5]));
  for (let i = 0; i < longest; i++) {
    const at = (lane, row) => (lane[i] ? [[lane[i], row]] : []);
    columns.push([...at(lanes.query, 0), ...at(lanes.key, 1), ...at(lanes.value, 2)]);
  }
  const level = lanes.key.length ? 0.5 : 0;
  return [...columns, ...lanes.main.map((address) => [[address, level]])];
}

// --- who looks at whom --------------------------------------------------------------------------------------------

const MOST_LINES = 40;
const ACROSS = 130;
const LEAST_FULL = 0.3; // the weight from which on a line may be at its thickest

/** Queries on the left, keys on the right, a line as thick as the weight; of a long text, the text itself, shaded. */
export function looks(sheet, row, palette, choose) {
  const node = el("div", { class: "looks", role: "group", "aria-label": "Who looks at whom" });
  const axes = [sheet.rowAxis, sheet.columnAxis];
  const names = (count, axis) =>
    Array.from({ length: count }, (_, i) =>
      visible(sheet.store.label(sheet.stage, axes[axis], i) ?? counted(sheet.stage, axes[axis], i)),
    );
  const [queries, keys] = [names(sheet.rows, 0), names(sheet.columns, 1)];
  const weights = (r) => keys.map((_, c) => sheet.value(r, c));
  const chosen = weights(row);
  const largest = Math.max(...chosen, LEAST_FULL);
  node.append(el("p", { class: "quiet" }, "who ", el("b", { class: "query" }, queries[row]), " looks at"));
  if (keys.length > MOST_LINES || queries.length > MOST_LINES) node.append(shadedText(keys, chosen, largest, palette));
  else node.append(lines(queries, keys, row, weights, { largest, palette, choose }));
  return node;
}

function lines(queries, keys, row, weights, { largest, palette, choose }) {
  const brush = ruler(palette, "700 13px"); // the chosen query is bold
  const widest = (words) => Math.min(120, Math.max(...words.map((text) => brush.measureText(text).width)));
  const left = widest(queries) + 8;
  const right = left + ACROSS;
  const pitch = Math.max(15, Math.min(24, 400 / Math.max(queries.length, keys.length)));
  const width = right + widest(keys) + 10;
  const height = Math.max(queries.length, keys.length) * pitch + 4;
  const y = (i, count) => 2 + (i + 0.5) * pitch + ((Math.max(queries.length, keys.length) - count) * pitch) / 2;
  const drawing = svgEl("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": said(queries[row], keys, weights(row)),
  });
  const line = (r, c, weight, strong) => {
    const [from, to, middle] = [y(r, queries.length), y(c, keys.length), (left + right) / 2];
    const path = svgEl("path", {
      d: `M${left + 3} ${from}C${middle} ${from} ${middle} ${to} ${right - 3} ${to}`,
      fill: "none",
      stroke: css(palette.score),
      "stroke-linecap": "round",
      "stroke-opacity": strong ? 0.25 + (0.75 * weight) / largest : 0.13 * weight,
      "stroke-width": strong ? 0.5 + (4.5 * weight) / largest : 0.5 + 2 * weight,
    });
    if (strong) path.append(svgEl("title", {}, `${queries[r]} → ${keys[c]}: ${weight.toFixed(3)}`));
    drawing.append(path);
  };
  for (const [r] of queries.entries()) {
    if (r === row) continue;
    for (const [c, weight] of weights(r).entries()) if (weight > 0.1) line(r, c, Math.min(weight, 1), false);
  }
  for (const [c, weight] of weights(row).entries()) if (weight > 0.004) line(row, c, weight, true);
  const word = (text, x, at, attributes) =>
    drawing.append(svgEl("text", { x, y: at + 4.5, "font-size": 13, ...attributes }, fitted(brush, text, 120)));
  keys.forEach((text, c) => {
    word(text, right + 3, y(c, keys.length), {
      fill: css(palette.ink),
      "fill-opacity": 0.5 + (0.5 * Math.max(weights(row)[c], 0)) / largest,
    });
  });
  queries.forEach((text, r) => {
    word(text, left - 3, y(r, queries.length), {
      "text-anchor": "end",
      class: "pick",
      "font-weight": r === row ? 700 : 400,
      fill: css(r === row ? palette.query : palette.soft),
    });
    drawing.lastChild.addEventListener("click", () => choose(r));
  });
  return drawing;
}

function shadedText(keys, weights, largest, palette) {
  return el(
    "p",
    { class: "shaded" },
    keys.map((text, c) => {
      const chip = el("bdi", { class: "chip", title: weights[c].toFixed(4) }, `${text} `);
      const colour = palette.shade(weights[c], largest, "score");
      chip.style.background = css(colour);
      chip.style.color = css(palette.on(colour));
      return chip;
    }),
  );
}

function said(query, keys, weights) {
  const best = keys
    .map((key, i) => [key, weights[i]])
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3);
  return `${query} looks at ${best.map(([key, weight]) => `${key} (${weight.toFixed(2)})`).join(", ")}`;
}
