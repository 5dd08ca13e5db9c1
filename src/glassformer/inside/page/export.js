// Any panel as a picture: SVG for a paper, PNG for a slide. What is text stays text, what is a matrix stays cells.

import { Palette, bitmap, css, svgEl } from "./dom.js";
import { figure, visible } from "./store.js";

const MOST_CELLS = 4000; // beyond this a matrix is one image in the picture
const MARGIN = 16;

/** A panel as an SVG element that needs nothing from the page. */
export function picture(panel, matrix, title) {
  const box = panel.getBoundingClientRect();
  const palette = new Palette(panel);
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(panel.scrollHeight) + 2 * MARGIN];
  const drawing = svgEl("g", { transform: `translate(${MARGIN} ${MARGIN})` });
  draw(panel, drawing, { box, palette, matrix });
  return svgEl(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": palette.font,
      role: "img",
    },
    svgEl("title", {}, title),
    svgEl("rect", { width, height, fill: css(palette.paper) }),
    drawing,
  );
}

function draw(node, into, context) {
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) drawText(child, into, context);
    else if (child.nodeType === Node.ELEMENT_NODE && isSeen(child)) drawElement(child, into, context);
  }
}

function isSeen(element) {
  return !element.matches?.(".spoken, .tip, .controls") && getComputedStyle(element).visibility !== "hidden";
}

function drawElement(element, into, context) {
  const { box, matrix } = context;
  const place = element.getBoundingClientRect();
  if (!place.width || !place.height) return;
  const at = { x: place.left - box.left, y: place.top - box.top };
  if (element.dataset?.plain) into.append(plainly(element, place, box));
  else if (matrix && element === matrix.frame)
    into.append(svgEl("g", { transform: `translate(${at.x} ${at.y})` }, cells(matrix)));
  else if (element instanceof HTMLCanvasElement) {
    into.append(svgEl("image", { ...at, width: place.width, height: place.height, href: element.toDataURL() }));
  } else if (element instanceof SVGSVGElement) {
    const copy = element.cloneNode(true);
    for (const [name, value] of Object.entries({ ...at, width: place.width, height: place.height }))
      copy.setAttribute(name, value);
    into.append(copy);
  } else {
    drawBar(element, into, place, at);
    draw(element, into, context);
  }
}

/** Bars and chips: what has a colour of its own behind it. */
function drawBar(element, into, place, at) {
  const fill = getComputedStyle(element).backgroundColor;
  if (!element.matches(".bar, .chip, .fill")) return;
  into.append(svgEl("rect", { ...at, width: place.width, height: place.height, rx: 2, fill }));
}

/** A formula in one line: a picture cannot rely on the fonts that MathML needs. */
function plainly(element, place, box) {
  const style = getComputedStyle(element);
  const size = Number.parseFloat(style.fontSize);
  const symbol = element.matches(".symbol");
  const x = (symbol ? (place.left + place.right) / 2 : place.right) - box.left;
  const y = (place.top + place.bottom) / 2 - box.top + size * 0.36;
  const anchor = symbol ? "middle" : "end";
  return svgEl("text", { x, y, "font-size": size, fill: style.color, "text-anchor": anchor }, element.dataset.plain);
}

function drawText(text, into, { box }) {
  const said = text.textContent.replace(/\s+/g, " ");
  if (!said.trim()) return;
  const range = document.createRange();
  range.selectNodeContents(text);
  const style = getComputedStyle(text.parentElement);
  const lines = range.getClientRects();
  if (!lines.length) return;
  const place = lines.length > 1 ? range.getBoundingClientRect() : lines[0];
  const size = Number.parseFloat(style.fontSize);
  into.append(
    svgEl(
      "text",
      {
        "xml:space": "preserve",
        x: place.left - box.left,
        y: lines[0].top - box.top + lines[0].height / 2 + size * 0.36,
        fill: style.color,
        "font-size": size,
        "font-weight": style.fontWeight,
        "font-style": style.fontStyle,
        direction: style.direction,
      },
      said,
    ),
  );
}

/** A matrix with its tokens, cell by cell, at the size it has on the screen. */
function cells(matrix) {
  const { sheet, palette, left, top, w, h } = matrix;
  const group = svgEl("g");
  const { largest, decimals } = sheet.measure;
  const many = sheet.rows * sheet.columns > MOST_CELLS;
  if (many) {
    const plain = document.createElement("canvas");
    [plain.width, plain.height] = [sheet.columns, sheet.rows];
    plain.getContext("2d").drawImage(bitmap(sheet, palette).canvas, 0, 0);
    group.append(
      svgEl("image", {
        x: left,
        y: top,
        width: sheet.columns * w,
        height: sheet.rows * h,
        href: plain.toDataURL(),
        preserveAspectRatio: "none",
        "image-rendering": "pixelated",
      }),
    );
  }
  for (let r = 0; r < sheet.rows && !many; r++) {
    for (let c = 0; c < sheet.columns; c++) group.append(cell(matrix, r, c, largest, decimals));
  }
  const word = (text, attributes) =>
    group.append(svgEl("text", { "font-size": 12, fill: css(palette.soft), ...attributes }, text));
  for (let r = 0; r < sheet.rows && h >= 10; r++) {
    const label = sheet.rowLabel(r);
    if (label !== null) word(visible(label), { x: left - 7, y: top + (r + 0.5) * h + 4, "text-anchor": "end" });
  }
  for (let c = 0; c < sheet.columns && w >= 10; c++) {
    const label = sheet.columnLabel(c);
    const at = left + (c + 0.5) * w;
    if (label !== null && matrix.slant)
      word(visible(label), { transform: `translate(${at + 4} ${top - 7}) rotate(-90)` });
    else if (label !== null) word(visible(label), { x: at, y: top - 7, "text-anchor": "middle" });
  }
  return group;
}

function cell({ sheet, palette, left, top, w, h }, r, c, largest, decimals) {
  const value = sheet.value(r, c);
  const hidden = value === -Infinity || sheet.isHidden(r, c);
  const colour = palette.shade(value, largest, sheet.stage.role, sheet.power);
  const [x, y] = [left + c * w, top + r * h];
  const group = svgEl(
    "g",
    {},
    svgEl("rect", { x, y, width: w, height: h, fill: css(colour), stroke: css(palette.paper) }),
  );
  if (hidden) group.append(svgEl("path", { d: `M${x} ${y + h}L${x + w} ${y}`, stroke: css(palette.soft, 0.5) }));
  if (w >= 38 && h >= 17 && !(hidden && value === 0)) {
    const text = {
      x: x + w - Math.max(6, (w - 40) / 2),
      y: y + h / 2 + 4,
      "font-size": Math.min(12.5, h * 0.62),
      "text-anchor": "end",
    };
    group.append(
      svgEl(
        "text",
        { ...text, fill: css(hidden ? palette.soft : palette.on(colour)) },
        figure(value, decimals, sheet.stage.truth),
      ),
    );
  }
  return group;
}

// --- to a file ----------------------------------------------------------------------------------------------------

export function saveSvg(drawing, name) {
  saveFile(new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" }), `${name}.svg`);
}

export function savePng(drawing, name) {
  const [width, height] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
  return saveDrawn(new XMLSerializer().serializeToString(drawing), width, height, name);
}

/** The text of an SVG of this size, as a PNG. */
export async function saveDrawn(text, width, height, name, scale = 2) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(blob, `${name}.png`), "image/png");
}

export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
