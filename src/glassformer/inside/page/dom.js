// Small tools to draw with: elements whose text is always text, formulas, colours. They know nothing of a model.

export const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** An element; strings become text nodes, never markup. `on…` are listeners. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgEl(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && typeof value === "boolean") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A small button that does one thing. */
export const tool = (text, name, action, more = {}) =>
  el("button", { type: "button", class: "tool", "aria-label": name, title: name, onclick: action, ...more }, text);

/** A token on the page: its own direction, so that Hebrew beside English keeps both in order. */
export const word = (text, attributes = {}) => el("bdi", attributes, text);

/** New children; the focus goes to what says the same as what had it, else to what stands in its place. */
export function redrawn(node, children) {
  const active = node.getRootNode().activeElement; // within a shadow, that is not the document's
  const held = active !== node && node.contains(active) ? active : null;
  const kind = held?.classList.length ? `${held.tagName}.${CSS.escape(held.classList[0])}` : held?.tagName;
  const said = (element) => element.getAttribute("aria-label") ?? element.textContent;
  const alike = () => [...node.querySelectorAll(kind)];
  const same = () => alike().filter((each) => said(each) === said(held));
  const [at, place] = held ? [same().indexOf(held), alike().indexOf(held)] : [];
  node.replaceChildren(...children.filter(Boolean));
  if (held) (same()[at] ?? alike()[place])?.focus({ preventScroll: true });
}

// --- formulas -----------------------------------------------------------------------------------------------------

const MATH_TAGS = new Set("math mrow mi mn mo mtext msub msup mfrac msqrt mover mspace mtable mtr mtd".split(" "));
const MATH_ATTRIBUTES = new Set(["class", "stretchy", "width"]);

/** Nested lists as MathML; a symbol that is an operand leads there. */
export function formula(tree, lead) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [tag, attributes, ...children] = tree;
  if (!MATH_TAGS.has(tag)) return document.createTextNode(children.filter((each) => typeof each === "string").join(""));
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  for (const [name, value] of Object.entries(attributes)) if (MATH_ATTRIBUTES.has(name)) node.setAttribute(name, value);
  node.append(...children.map((child) => formula(child, lead)));
  const operand = attributes["data-operand"];
  if (operand !== undefined && lead) {
    node.addEventListener("click", () => lead(Number(operand)));
    node.classList.add("leads");
  }
  return node;
}

// --- colours ------------------------------------------------------------------------------------------------------

const NAMES = ["paper", "ink", "soft", "line", "accent", "query", "key", "value", "score", "plain"];

/** The colours of the style sheet as numbers, so that a canvas has the same ones. */
export class Palette {
  constructor(root) {
    const style = getComputedStyle(root);
    for (const name of NAMES) {
      this[name] = rgb(style.getPropertyValue(`--${name}`));
      this[`${name}-less`] = rgb(style.getPropertyValue(`--${name}-less`) || style.getPropertyValue(`--${name}`));
    }
    this.font = style.fontFamily;
    this.spacing = style.letterSpacing === "normal" ? "0px" : style.letterSpacing;
  }

  /** Zero is the paper; more is fuller. What is below zero has a colour of its own. */
  shade(value, largest, role, power = 0.75) {
    if (!Number.isFinite(value) || !largest) return this.paper;
    const share = Math.min(Math.abs(value) / largest, 1);
    return mixed(this.paper, this[value < 0 ? `${role}-less` : role], 0.9 * share ** power);
  }

  /** Ink or paper, whichever can be read on a colour. */
  on(colour) {
    return contrast(colour, this.ink) >= contrast(colour, this.paper) ? this.ink : this.paper;
  }
}

/** A bar of the colours between two numbers, for a legend. */
export function ramp(palette, [from, to], role, power) {
  const bar = el("span", { class: "ramp", "aria-hidden": "true" });
  const stops = Array.from({ length: 11 }, (_, i) => from + ((to - from) * i) / 10);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const colours = stops.map((at) => css(palette.shade(at, largest, role, power)));
  bar.style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
  return bar;
}

function rgb(text) {
  const hex = text.trim().replace("#", "");
  return [0, 2, 4].map((i) => Number.parseInt(hex.slice(i, i + 2), 16) || 0);
}

const mixed = (a, b, share) => a.map((channel, i) => Math.round(channel + (b[i] - channel) * share));

export const css = (colour, alpha = 1) => `rgb(${colour.join(" ")} / ${alpha})`;

function luminance(colour) {
  const [r, g, b] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// --- canvases -----------------------------------------------------------------------------------------------------

/** A canvas as sharp as the screen; drawing goes on in CSS pixels. */
export function sized(canvas, width, height) {
  const scale = globalThis.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const brush = canvas.getContext("2d");
  brush.setTransform(scale, 0, 0, scale, 0, 0);
  brush.clearRect(0, 0, width, height);
  return brush;
}

/** A matrix as a picture of one pixel per cell, and one of what is hidden. Colours are looked up, not mixed anew. */
export function bitmap(sheet, palette, largest = sheet.measure.largest) {
  const { rows, columns, stage } = sheet;
  const shades = [1, -1].map((sign) =>
    Array.from({ length: SHADES + 1 }, (_, i) =>
      word32(palette.shade((sign * i) / SHADES, 1, stage.role, sheet.power)),
    ),
  );
  const paper = word32(palette.paper);
  const [image, cover] = [new ImageData(columns, rows), new ImageData(columns, rows)];
  const [pixels, covered] = [new Uint32Array(image.data.buffer), new Uint32Array(cover.data.buffer)];
  let any = false;
  for (let r = 0, i = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++, i++) {
      const value = sheet.value(r, c);
      const share = Math.round((Math.min(Math.abs(value), largest) / (largest || 1)) * SHADES);
      pixels[i] = Number.isFinite(value) ? shades[value < 0 ? 1 : 0][share] : paper;
      if (value !== -Infinity && !sheet.isHidden(r, c)) continue;
      covered[i] = 0xff000000;
      any = true;
    }
  }
  return { canvas: onCanvas(image), cover: any ? onCanvas(cover) : null };
}

const SHADES = 1023;

const word32 = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

function onCanvas(image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Slanted lines over all of it. */
export function hatch(brush, x, y, width, height, palette) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, width, height);
  brush.clip();
  brush.strokeStyle = css(palette.soft, 0.45);
  brush.lineWidth = 1;
  brush.beginPath();
  for (let start = Math.floor((x - height) / 5) * 5; start < x + width; start += 5) {
    brush.moveTo(start, y + height);
    brush.lineTo(start + height, y);
  }
  brush.stroke();
  brush.restore();
}

/** A matrix that is not there: words in a dotted frame, for slanted lines would say that nobody may look. */
export function leftOut(brush, why, width, height, palette) {
  brush.save();
  brush.strokeStyle = css(palette.soft, 0.6);
  brush.setLineDash([2, 4]);
  brush.strokeRect(0.5, 0.5, width - 1, height - 1);
  brush.fillStyle = css(palette.soft);
  brush.font = `12px ${palette.font}`;
  brush.textAlign = "center";
  brush.textBaseline = "middle";
  brush.fillText(why, width / 2, height / 2, Math.max(width - 8, 1));
  brush.restore();
}

/** Slanted lines where a picture is covered (nobody looks there): `from` is the part of the cover, `to` its place. */
export function hatchWhere(brush, cover, from, to, palette) {
  const [x, y, width, height] = to;
  const scale = globalThis.devicePixelRatio || 1;
  const lines = new OffscreenCanvas(Math.max(1, Math.ceil(width * scale)), Math.max(1, Math.ceil(height * scale)));
  const pen = lines.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.drawImage(cover, ...from, 0, 0, lines.width, lines.height);
  pen.globalCompositeOperation = "source-in";
  const drawn = new OffscreenCanvas(lines.width, lines.height);
  const second = drawn.getContext("2d");
  second.scale(scale, scale);
  hatch(second, 0, 0, width, height, palette);
  pen.drawImage(drawn, 0, 0);
  brush.drawImage(lines, x, y, width, height);
}

/** A brush that measures words as the page draws them, in whatever font and spacing it has; `size` as in `700 13px`. */
export function ruler(palette, size) {
  const brush = document.createElement("canvas").getContext("2d");
  brush.font = `${size} ${palette.font}`;
  brush.letterSpacing = palette.spacing;
  return brush;
}

/** A word cut to a width. */
export function fitted(brush, text, width) {
  if (brush.measureText(text).width <= width) return text;
  const signs = [...text];
  while (signs.length > 1 && brush.measureText(`${signs.join("")}…`).width > width) signs.pop();
  return `${signs.join("")}…`;
}

/** A small picture of a matrix, for the map, the grid and the strip; `largest` is what has the full colour. */
export function thumbnail(sheet, palette, width, height, largest = undefined) {
  const canvas = el("canvas", { class: "thumb", "aria-hidden": "true" });
  const brush = sized(canvas, width, height);
  if (!sheet.available) {
    leftOut(brush, sheet.absent, width, height, palette);
    return canvas;
  }
  const { canvas: picture, cover } = bitmap(sheet, palette, largest);
  brush.imageSmoothingEnabled = picture.width > width * 2;
  brush.drawImage(picture, 0, 0, width, height);
  if (cover) hatchWhere(brush, cover, [0, 0, sheet.columns, sheet.rows], [0, 0, width, height], palette);
  return canvas;
}
