// One matrix, near or far: a heatmap from a distance, tokens beside it when they fit, digits when one can read them.
// Only what is in sight is drawn, so that a thousand tokens scroll as easily as ten. It knows cells, not meanings.

import { Palette, bitmap, css, el, fitted, hatchWhere, leftOut, ramp, sized } from "../dom.js";
import { clamp, counted, figure, full, short, visible } from "../store.js";

const LARGEST_TABLE = 1600; // cells a screen reader is handed at once
const LARGEST = [54, 26]; // a cell at its largest, and for a matrix one could do by hand
const BY_HAND = [70, 32];
const FLASH = 700; // milliseconds that what changed is lit up
const DIGITS = [38, 17]; // room a figure needs
const [PHONE, FOOT] = [700, 56]; // pixels of a screen whose foot names the open number, and of that foot

export class Matrix {
  constructor({ onCell, onMove, tallest }) {
    this.onCell = onCell;
    this.onMove = onMove;
    this.tallest = tallest;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.space = el("div", { class: "space" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.frame = el(
      "div",
      {
        class: "frame",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "matrix",
        onscroll: () => this.paint(),
        onpointermove: (event) => this.hover(event),
        onpointerleave: () => this.hover(null),
        onclick: (event) => this.click(event),
      },
      this.canvas,
      this.space,
    );
    this.table = el("div", { class: "spoken" });
    this.legend = el("p", { class: "legend quiet" });
    this.node = el("div", { class: "matrix" }, this.frame, this.legend, this.tip, this.table);
    this.watch = new ResizeObserver(() => this.layout());
  }

  /** Shows a sheet. `row` is the query that counts, `cell` the number looked at, `marks` the cells it is made of. */
  show(sheet, { row = null, cell = null, marks = [], zoom = 1 } = {}) {
    this.changed = this.sheet && sheet.store !== this.sheet.store ? changes(this.sheet, sheet) : null;
    if (this.changed?.length)
      setTimeout(() => {
        this.changed = null;
        this.paint();
      }, FLASH);
    const fresh =
      this.sheet?.stage !== sheet.stage || this.sheet?.head !== sheet.head || this.sheet?.store !== sheet.store;
    Object.assign(this, { sheet, row, cell, marks, zoom });
    this.watch.observe(this.node.parentElement);
    if (fresh) this.picture = null;
    this.layout();
    if (fresh) this.speak();
    const where = `${sheet.stage.symbol}, ${sheet.rows} by ${sheet.columns}`;
    this.frame.setAttribute("aria-label", `${where}. Arrow keys move, Enter explains the number.`);
    this.reveal();
  }

  layout() {
    if (!this.sheet || !this.node.isConnected) return;
    const { rows, columns } = this.sheet;
    this.palette = new Palette(this.node);
    const brush = this.canvas.getContext("2d");
    brush.font = `12px ${this.palette.font}`;
    const labels = (count, label) =>
      Math.min(
        92,
        Math.max(0, ...Array.from({ length: Math.min(count, 400) }, (_, i) => brush.measureText(label(i)).width)),
      );
    const rowWords = labels(rows, (i) => written(this.sheet.rowLabel(i)));
    const columnWords = labels(columns, (i) => written(this.sheet.columnLabel(i)));
    const room = this.node.parentElement.clientWidth - 2;
    this.left = rowWords ? rowWords + 12 : rows > 1 ? 26 : 4;
    const [wider, higher] = rows <= 8 && columns <= 8 ? BY_HAND : LARGEST;
    const widest = Math.max(wider, Math.min(columnWords + 10, 84));
    this.w = clamp(((room - this.left - 6) / columns) * this.zoom, 2, widest);
    const upright = columnWords > this.w - 6;
    this.slant = upright && columnWords > 0;
    this.top = columnWords ? (this.slant ? Math.min(columnWords, 84) + 10 : 24) : columns > 1 ? 18 : 4;
    const tallest = this.tallest();
    this.h = clamp(((tallest - this.top) / rows) * this.zoom, 2, higher);
    if (this.sheet.stage.axes.at(-1) === "Tk") this.w = Math.min(this.w, this.h * 2.2);
    const wide = this.left + columns * this.w + 4;
    const high = this.top + rows * this.h + 4;
    this.frame.style.height = `${Math.min(high, tallest) + (wide > room ? 14 : 0)}px`;
    this.frame.style.width = `${Math.min(wide, room) + 2}px`;
    const [seenWide, seenHigh] = [this.frame.clientWidth, this.frame.clientHeight];
    this.space.style.width = `${wide}px`;
    this.space.style.height = `${Math.max(high - seenHigh, 0)}px`;
    this.seen = [seenWide, seenHigh];
    this.drawLegend();
    this.paint();
  }

  /** What the colours mean: shares on one scale, other numbers by the largest of them. */
  drawLegend() {
    const { stage, available, measure, power } = this.sheet;
    this.legend.hidden = stage.truth || !available || !measure.most;
    if (this.legend.hidden) return;
    const { largest, least } = measure;
    const ends = [least < 0 ? -largest : 0, largest];
    const said = stage.shares ? `${short(largest)}, the same for every head` : `${short(largest)}, the largest here`;
    this.legend.replaceChildren(`${short(ends[0])} `, ramp(this.palette, ends, stage.role, power), ` ${said}`);
  }

  paint() {
    if (!this.sheet || !this.seen) return;
    const { sheet, palette, left, top, w, h } = this;
    const [width, height] = this.seen;
    const brush = sized(this.canvas, width, height);
    if (!sheet.available) return leftOut(brush, sheet.absent, width, height, palette);
    this.picture ??= bitmap(sheet, palette);
    const [x, y] = [this.frame.scrollLeft, this.frame.scrollTop];
    const first = [Math.floor(y / h), Math.floor(x / w)];
    const last = [
      Math.min(sheet.rows, Math.ceil((y + height - top) / h)),
      Math.min(sheet.columns, Math.ceil((x + width - left) / w)),
    ];
    brush.save();
    brush.beginPath();
    brush.rect(left, top, width - left, height - top);
    brush.clip();
    brush.translate(left - x, top - y);
    brush.imageSmoothingEnabled = false;
    brush.drawImage(this.picture.canvas, 0, 0, sheet.columns * w, sheet.rows * h);
    this.paintCells(brush, first, last);
    this.paintMarks(brush, first, last);
    brush.restore();
    this.paintWords(brush, first, last, x, y, width, height);
  }

  paintCells(brush, [r0, c0], [r1, c1]) {
    const { sheet, palette, w, h } = this;
    const { largest, decimals } = sheet.measure;
    const near = w >= DIGITS[0] && h >= DIGITS[1];
    brush.font = `${Math.min(h > 28 ? 14 : 12.5, h * 0.62)}px ${palette.font}`;
    brush.textAlign = "right";
    brush.textBaseline = "middle";
    if (w >= 12 && h >= 10) this.paintGrid(brush, [r0, c0], [r1, c1]);
    const { cover } = this.picture;
    if (cover)
      hatchWhere(brush, cover, [c0, r0, c1 - c0, r1 - r0], [c0 * w, r0 * h, (c1 - c0) * w, (r1 - r0) * h], palette);
    for (let r = r0; near && r < r1; r++) {
      for (let c = c0; c < c1; c++) {
        const value = sheet.value(r, c);
        const hidden = value === -Infinity || sheet.isHidden(r, c);
        if (hidden && value === 0) continue;
        const colour = palette.shade(value, largest, sheet.stage.role, sheet.power);
        brush.fillStyle = css(hidden ? palette.soft : palette.on(colour));
        brush.fillText(
          figure(value, decimals, sheet.stage.truth),
          c * w + w - Math.max(6, (w - 42) / 2),
          r * h + h / 2 + 0.5,
          w - 8,
        );
      }
    }
    if (!near && w >= 9 && h >= 9) this.tickNegative(brush, [r0, c0], [r1, c1]);
  }

  paintGrid(brush, [r0, c0], [r1, c1]) {
    const { w, h } = this;
    brush.strokeStyle = css(this.palette.paper);
    brush.lineWidth = 1;
    brush.beginPath();
    for (let c = c0; c <= c1; c++) brush.rect(c * w, r0 * h, 0, (r1 - r0) * h);
    for (let r = r0; r <= r1; r++) brush.rect(c0 * w, r * h, (c1 - c0) * w, 0);
    brush.stroke();
  }

  /** Where digits do not fit, a corner says "below zero", so that colour is not the only cue. */
  tickNegative(brush, [r0, c0], [r1, c1]) {
    const { w, h, sheet } = this;
    brush.fillStyle = css(this.palette.paper, 0.85);
    for (let r = r0; r < r1; r++) {
      for (let c = c0; c < c1; c++) {
        if (!(sheet.value(r, c) < 0) || sheet.value(r, c) === -Infinity) continue;
        brush.beginPath();
        brush.moveTo(c * w + 1, r * h + h - 1);
        brush.lineTo(c * w + 1 + Math.min(5, w / 3), r * h + h - 1);
        brush.lineTo(c * w + 1, r * h + h - 1 - Math.min(5, h / 3));
        brush.fill();
      }
    }
  }

  paintMarks(brush, [r0, c0], [r1, c1]) {
    const { sheet, palette, w, h } = this;
    if (this.row !== null && this.row < sheet.rows && sheet.stage.axes[sheet.rowAxis]?.startsWith("T") && this.fades) {
      brush.fillStyle = css(palette.paper, 0.72);
      brush.fillRect(c0 * w, r0 * h, (c1 - c0) * w, (this.row - r0) * h);
      brush.fillRect(c0 * w, (this.row + 1) * h, (c1 - c0) * w, Math.max(0, r1 - this.row - 1) * h);
    }
    brush.fillStyle = css(palette.accent, 0.35);
    for (const [r, c] of this.changed ?? []) brush.fillRect(c * w, r * h, w, h);
    if (sheet.stage.slices > 1) this.paintSlice(brush);
    brush.strokeStyle = css(palette.accent);
    brush.lineWidth = 1.5;
    for (const [top, left, bottom, right] of this.marks) {
      brush.strokeRect(left * w + 0.75, top * h + 0.75, (right - left + 1) * w - 1.5, (bottom - top + 1) * h - 1.5);
    }
    if (this.cell) {
      const found = sheet.find(this.cell);
      if (!found) return;
      const [r, c] = found;
      const grow = w < 6 || h < 6 ? 3 : 0;
      brush.lineWidth = 2.5;
      brush.strokeRect(c * w + 0.5 - grow, r * h + 0.5 - grow, w - 1 + 2 * grow, h - 1 + 2 * grow);
    }
  }

  get fades() {
    const axis = this.sheet.stage.axes[this.sheet.rowAxis];
    return axis === "Tq" || axis === "T";
  }

  /** The columns that belong to this head. */
  paintSlice(brush) {
    const { sheet, palette, w, h } = this;
    const wide = sheet.columns / sheet.stage.slices;
    const head = sheet.store.parts.get(sheet.stage.part).heads;
    const own = Math.floor(((this.head ?? 0) * sheet.stage.slices) / Math.max(head, 1));
    brush.strokeStyle = css(palette[sheet.stage.role === "plain" ? "ink" : sheet.stage.role]);
    brush.lineWidth = 1.5;
    brush.setLineDash([4, 3]);
    brush.strokeRect(own * wide * w + 0.75, 0.75, wide * w - 1.5, sheet.rows * h - 1.5);
    brush.setLineDash([]);
  }

  paintWords(brush, [r0, c0], [r1, c1], x, y, width, height) {
    const { sheet, palette, left, top, w, h } = this;
    brush.font = `12px ${palette.font}`;
    brush.textBaseline = "middle";
    const every = (size, needs) => Math.max(1, Math.ceil(needs / size));
    const said = this.cell ? sheet.find(this.cell) : null;
    const ink = (chosen) => css(chosen ? palette.ink : palette.soft);
    const rowStep = every(h, 13);
    for (let r = r0; r < r1; r++) {
      const chosen = r === this.row || said?.[0] === r;
      const crowded = !chosen && said && Math.abs(said[0] - r) * h < 12;
      if (sheet.rows < 2 || (r % rowStep && !chosen) || crowded) continue;
      const at = top + r * h + h / 2 - y;
      if (at < top || at > height) continue;
      brush.textAlign = "right";
      brush.fillStyle = ink(chosen);
      brush.fillText(fitted(brush, sheet.rowName(r), left - 8), left - 7, at + 0.5);
    }
    const named = sheet.stage.labels[sheet.columnAxis];
    const step = every(w, this.slant ? 13 : named ? 1 : 28);
    for (let c = c0; c < c1; c++) {
      const chosen = said?.[1] === c;
      const crowded = !chosen && said && Math.abs(said[1] - c) < step && step > 1;
      if (sheet.columns < 2 || (c % step && !chosen) || crowded) continue;
      const at = left + c * w + w / 2 - x;
      if (at < left || at > width) continue;
      brush.fillStyle = ink(chosen);
      this.paintColumnWord(brush, sheet.columnName(c), at, top - 7, named ? Math.max(w - 4, 20) : 28);
    }
  }

  paintColumnWord(brush, text, x, y, room) {
    brush.save();
    brush.translate(x, y);
    if (this.slant) {
      brush.rotate(-Math.PI / 2);
      brush.textAlign = "left";
      brush.fillText(fitted(brush, text, this.top - 10), 0, 0);
    } else {
      brush.textAlign = "center";
      brush.fillText(fitted(brush, text, room), 0, -3);
    }
    brush.restore();
  }

  // --- pointer and keys ---

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left - this.left + this.frame.scrollLeft;
    const y = event.clientY - box.top - this.top + this.frame.scrollTop;
    const [r, c] = [Math.floor(y / this.h), Math.floor(x / this.w)];
    const inside = event.clientX - box.left >= this.left && event.clientY - box.top >= this.top;
    return inside && r >= 0 && c >= 0 && r < this.sheet.rows && c < this.sheet.columns ? [r, c] : null;
  }

  hover(event) {
    const found = event && this.sheet?.available ? this.at(event) : null;
    this.tip.hidden = !found;
    this.frame.classList.toggle("over", Boolean(found));
    if (!found) return;
    this.tip.textContent = this.say(...found);
    const box = this.node.getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 4);
    this.tip.style.transform = `translate(${Math.max(0, x)}px, ${event.clientY - box.top + 16}px)`;
  }

  /** `not → good: 0.6213` */
  say(r, c) {
    const { sheet } = this;
    const index = sheet.index(r, c);
    const name = (axis, kind) =>
      axis < 0
        ? ""
        : (sheet.store.name(sheet.stage, axis, index[axis]) ?? `${kind} ${counted(sheet.stage, axis, index[axis])}`);
    const [row, column] = [name(sheet.rowAxis, "row"), name(sheet.columnAxis, "column")];
    const between = sheet.stage.axes.at(-1) === "Tk" ? " → " : ", ";
    const kind = sheet.store.origin(sheet.stage.address).numbers?.kind ?? "f4";
    const value = sheet.stage.truth ? (sheet.value(r, c) ? "may look" : "may not look") : full(sheet.value(r, c), kind);
    const hidden = sheet.isHidden(r, c) && !sheet.stage.truth ? " (may not look)" : "";
    return `${[row, column].filter(Boolean).join(between)}: ${value}${hidden}`.replace(/^: /, "");
  }

  click(event) {
    const found = this.sheet.available ? this.at(event) : null;
    if (found) this.onCell(this.sheet.index(...found), found);
  }

  /** Moves the chosen cell; true if the key was for it. */
  key(name) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[name];
    if (!step || !this.sheet?.available) return false;
    const from = this.cell && this.sheet.find(this.cell);
    const r = from ? clamp(from[0] + step[0], 0, this.sheet.rows - 1) : 0;
    const c = from ? clamp(from[1] + step[1], 0, this.sheet.columns - 1) : 0;
    this.onMove(this.sheet.index(r, c), [r, c], this.say(r, c));
    return true;
  }

  /** Brings the chosen cell into sight: in its frame, and where the foot of the page is taken, on the page. */
  reveal() {
    const found = this.cell && this.sheet.find(this.cell);
    if (!found || !this.seen) return;
    const [r, c] = found;
    const [width, height] = [this.seen[0] - this.left, this.seen[1] - this.top];
    const { scrollLeft, scrollTop } = this.frame;
    if (c * this.w < scrollLeft || (c + 1) * this.w > scrollLeft + width)
      this.frame.scrollLeft = c * this.w - width / 2;
    if (r * this.h < scrollTop || (r + 1) * this.h > scrollTop + height) this.frame.scrollTop = r * this.h - height / 2;
    const chosen = `${this.sheet.stage.address} ${this.cell}`;
    if (chosen !== this.lifted) lift(this.frame, this.top + (r + 1) * this.h - this.frame.scrollTop);
    this.lifted = chosen;
  }

  // --- for those who listen ---

  /** A table with headers; of a large matrix the rows around the chosen one. */
  speak() {
    const { sheet } = this;
    this.table.replaceChildren();
    if (!sheet.available) return;
    const rows = Math.max(1, Math.min(sheet.rows, Math.floor(LARGEST_TABLE / sheet.columns)));
    const start = clamp((this.row ?? 0) - Math.floor(rows / 2), 0, sheet.rows - rows);
    const columns = Math.min(sheet.columns, LARGEST_TABLE);
    const { decimals } = sheet.measure;
    const head = el(
      "tr",
      {},
      el("td"),
      Array.from({ length: columns }, (_, c) => el("th", { scope: "col" }, sheet.columnName(c))),
    );
    const body = Array.from({ length: rows }, (_, i) => {
      const r = start + i;
      const cells = Array.from({ length: columns }, (_, c) =>
        el("td", {}, figure(sheet.value(r, c), Math.max(decimals, 3), sheet.stage.truth)),
      );
      return el("tr", {}, el("th", { scope: "row" }, sheet.rowName(r)), cells);
    });
    const part = rows < sheet.rows ? ` (rows ${start + 1} to ${start + rows} of ${sheet.rows})` : "";
    this.table.append(
      el("table", {}, el("caption", {}, `${sheet.stage.plain}${part}`), el("thead", {}, head), el("tbody", {}, body)),
    );
  }
}

/** On a narrow screen, whose foot names the open number, the page moves until a cell that ends so far down is above it;
 * who reads below the matrix is left there. */
function lift(frame, end) {
  const { top, bottom } = frame.getBoundingClientRect();
  const hidden = top + end - (innerHeight - FOOT);
  const passed = top > innerHeight || bottom < 0;
  if (innerWidth <= PHONE && hidden > 0 && !passed) scrollBy({ top: hidden, behavior: "instant" });
}

/** The cells whose numbers are others than before. */
function changes(before, after) {
  const found = [];
  if (before.stage.address !== after.stage.address || before.rows !== after.rows || before.columns !== after.columns)
    return found;
  for (let r = 0; r < after.rows; r++) {
    for (let c = 0; c < after.columns; c++) if (before.value(r, c) !== after.value(r, c)) found.push([r, c]);
  }
  return found;
}

const written = (label) => (label === null ? "" : visible(label));
