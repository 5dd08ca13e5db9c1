// The way of one head as a diagram: the matrices stand where their symbols stand in the formula, and lines lead from
// one to the next. Where it goes is read from the lanes and operands of the document, not known here.

import { css, el, formula, svgEl, thumbnail } from "./drawing.js";
import { Sheet, visible } from "./numbers.js";

const GAP = 26;
const LANE = 92;

export class Strip {
  constructor({ go }) {
    this.go = go;
    this.lines = svgEl("svg", { class: "lines", "aria-hidden": "true" });
    this.field = el("div", { class: "field" }, this.lines);
    this.node = el("div", { class: "strip panel", role: "group", "aria-label": "The steps, in order" }, this.field);
    this.watch = new ResizeObserver(() => this.node.clientWidth !== this.drawnAt && this.store && this.draw(this.store, this.part, this.head, this.palette));
    this.watch.observe(this.node);
  }

  /** Every stage one passes, in order. */
  static steps(part, store) {
    const whole = part.lanes
      ? [...part.lanes.from, ...part.lanes.query, ...part.lanes.key, ...part.lanes.value, ...part.lanes.main]
      : part.stages.filter((address) => isStep(store.stage(address)));
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
    const three = part.lanes ? [part.lanes.query, part.lanes.key, part.lanes.value].filter((lane) => lane.length).length : 1;
    const room = Math.max(this.node.clientWidth - 8, 300);
    const size = Math.max(46, Math.min(78, room / columns.length - GAP));
    const pitch = Math.max(size + GAP, Math.min(room / columns.length, size + 60));
    const rows = part.lanes && three > 1 ? 3 : 1;
    const high = rows === 1 ? size + 40 : LANE * 3;
    columns.forEach((column, i) => column.forEach(([address, lane]) => {
      const y = rows === 1 ? high / 2 : LANE * (lane + 0.5);
      this.place(address, i * pitch + size / 2 + 4, y, size, rows);
    }));
    const width = columns.length * pitch - (pitch - size) + 8;
    this.field.style.width = `${width}px`;
    this.field.style.height = `${high}px`;
    this.lines.setAttribute("width", width);
    this.lines.setAttribute("height", high);
    this.connect();
    if (this.chosen) this.mark(this.chosen, this.marks ?? new Map());
  }

  place(address, x, y, size, rows) {
    const stage = this.store.stage(address);
    const sheet = new Sheet(this.store, stage, this.head);
    const most = rows === 1 ? size : Math.min(size, LANE - 38);
    const ratio = sheet.columns / sheet.rows;
    const width = Math.round(ratio >= 1 ? most : Math.max(14, most * ratio));
    const height = Math.round(ratio >= 1 ? Math.max(14, most / ratio) : most);
    const picture = el("span", { class: "picture" }, thumbnail(sheet, this.palette, width, height));
    const button = el("button", {
      type: "button", class: `step ${stage.role}`, onclick: () => this.go({ at: address }), title: stage.meaning,
      "aria-label": `${stage.plain}. ${stage.meaning}`,
    }, picture, el("span", { class: "symbol" }, formula(stage.symbol_tree)), el("span", { class: "name" }, stage.name.replace(/_/g, " ")));
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
    const d = from.y === to.y
      ? `M${x1} ${from.y}H${x2}`
      : `M${x1} ${from.y}H${x2 - bend * 2 > x1 ? x2 - bend * 2 : x1}C${x2 - bend} ${from.y} ${x2 - bend} ${to.y} ${x2} ${to.y}`;
    this.lines.append(
      svgEl("path", { d, fill: "none", stroke: css(this.palette[role === "plain" ? "soft" : role], 0.75), "stroke-width": 1.25 }),
      svgEl("path", { d: `M${x2 - 4} ${to.y - 3}L${x2} ${to.y}L${x2 - 4} ${to.y + 3}`, fill: "none", stroke: css(this.palette[role === "plain" ? "soft" : role]), "stroke-width": 1.25 }),
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
      picture.querySelectorAll(".mark").forEach((each) => each.remove());
      for (const [top, left, bottom, right] of marks.get(address) ?? []) {
        const box = el("span", { class: "mark" });
        const [w, h] = [width / sheet.columns, height / sheet.rows];
        Object.assign(box.style, {
          left: `${left * w - 1}px`, top: `${top * h - 1}px`,
          width: `${Math.max(3, (right - left + 1) * w + 2)}px`, height: `${Math.max(3, (bottom - top + 1) * h + 2)}px`,
        });
        picture.append(box);
      }
    }
    if (home && this.field.clientWidth > this.node.clientWidth) {
      this.node.scrollTo({ left: home.x - this.node.clientWidth / 2, behavior: "instant" });
    }
  }
}

const isStep = (stage) => stage.shape.length > 1 && (stage.operation !== "given" || stage.same_as) && stage.axes.at(-1) !== "T" && !stage.same_as;

function laneColumns(lanes) {
  const longest = Math.max(lanes.query.length, lanes.key.length, lanes.value.length, 0);
  const columns = [];
  if (lanes.from.length) columns.push(lanes.from.map((address, i) => [address, lanes.from.length === 1 ? 1 : i * 1.5]));
  for (let i = 0; i < longest; i++) {
    const at = (lane, row) => {
      const place = i - (longest - lane.length);
      return place >= 0 && lane[place] ? [[lane[place], row]] : [];
    };
    columns.push([...at(lanes.query, 0), ...at(lanes.key, 1), ...at(lanes.value, 2)]);
  }
  let height = lanes.key.length ? 0.5 : 0;
  for (const address of lanes.main) {
    columns.push([[address, height]]);
  }
  return columns;
}

// --- who looks at whom --------------------------------------------------------------------------------------------

const MOST_ARCS = 40;

/** The tokens of a row with arcs to what it looks at; of a long text, the text itself, the stronger the darker. */
export function arcs(sheet, row, palette, choose) {
  const node = el("div", { class: "arcs panel", role: "group", "aria-label": "Who looks at whom" });
  if (!sheet.available) return node;
  const across = sheet.stage.labels.at(-1) !== sheet.stage.labels.at(-2);
  const names = (count, label) => Array.from({ length: count }, (_, i) => visible(label(i) ?? String(i)));
  const queries = names(sheet.rows, (i) => sheet.rowLabel(i));
  const keys = names(sheet.columns, (i) => sheet.columnLabel(i));
  const weights = keys.map((_, c) => sheet.value(row, c));
  const largest = Math.max(...weights, 1e-9);
  if (keys.length > MOST_ARCS || queries.length > MOST_ARCS) {
    node.append(heatText(keys, weights, largest, palette));
    return node;
  }
  const brush = document.createElement("canvas").getContext("2d");
  brush.font = `13px ${palette.font}`;
  const line = (words) => {
    let x = 6;
    return words.map((text) => {
      const width = Math.max(brush.measureText(text).width, 8);
      const place = { text, x: x + width / 2, left: x, width };
      x += width + 14;
      return place;
    });
  };
  const [top, bottom] = across ? [line(keys), line(queries)] : [line(keys), line(keys)];
  const width = Math.max(top.at(-1).left + top.at(-1).width, bottom.at(-1).left + bottom.at(-1).width) + 8;
  const [y1, y2] = across ? [16, 104] : [96, 96];
  const drawing = svgEl("svg", { width, height: 118, viewBox: `0 0 ${width} 118`, role: "img", "aria-label": said(queries[row], keys, weights) });
  weights.forEach((weight, c) => {
    if (!(weight > 0.004 * largest)) return;
    const [from, to] = [bottom[row].x, top[c].x];
    const lift = Math.min(74, 14 + Math.abs(to - from) * 0.32);
    const d = across
      ? `M${from} ${y2 - 13}C${from} ${60} ${to} ${60} ${to} ${y1 + 6}`
      : from === to
        ? `M${from - 5} ${y1 - 13}C${from - 16} ${y1 - 44} ${from + 16} ${y1 - 44} ${from + 5} ${y1 - 13}`
        : `M${from} ${y1 - 13}C${from} ${y1 - 13 - lift} ${to} ${y1 - 13 - lift} ${to} ${y1 - 13}`;
    const path = svgEl("path", { d, fill: "none", stroke: css(palette.score), "stroke-opacity": 0.25 + (0.75 * weight) / largest, "stroke-width": 0.6 + (4.4 * weight) / largest, "stroke-linecap": "round" });
    path.append(svgEl("title", {}, `${queries[row]} → ${keys[c]}: ${weight.toFixed(3)}`));
    drawing.append(path);
  });
  const word = (place, y, i, isQuery) => {
    const chosen = isQuery && i === row;
    const text = svgEl("text", { x: place.x, y, "text-anchor": "middle", "font-size": 13, "font-weight": chosen ? 700 : 400, fill: css(chosen ? palette.query : palette.ink), class: isQuery ? "pick" : "" }, place.text);
    if (isQuery) text.addEventListener("click", () => choose(i));
    drawing.append(text);
  };
  if (across) top.forEach((place, i) => word(place, y1, i, false));
  bottom.forEach((place, i) => word(place, y2, i, true));
  node.append(drawing);
  return node;
}

function heatText(keys, weights, largest, palette) {
  return el("p", { class: "heat" }, keys.map((text, c) => {
    const chip = el("bdi", { class: "chip", title: weights[c].toFixed(4) }, `${text} `);
    const colour = palette.shade(weights[c], largest, "score");
    chip.style.background = css(colour);
    chip.style.color = css(palette.on(colour));
    return chip;
  }));
}

function said(query, keys, weights) {
  const best = keys.map((key, i) => [key, weights[i]]).sort((a, b) => b[1] - a[1]).slice(0, 3);
  return `${query} looks at ${best.map(([key, weight]) => `${key} (${weight.toFixed(2)})`).join(", ")}`;
}
