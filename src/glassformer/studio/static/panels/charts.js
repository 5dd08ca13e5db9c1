// Curves and patterns as small pictures. They draw the points they are given.

import { el, sized, svgEl } from "../page/dom.js";
import { maximisable } from "../page/maximise.js";

const [HIGH, LEFT, BELOW] = [200, 56, 24]; // at the left is room for a number as 0.00068
const [DESK, PHONE] = [900, 362]; // units across, so that words keep their size
const COLOURS = 8; // that everybody can tell apart, each with a dash of its own

const inTime = (seconds) =>
  seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${(seconds / 60).toFixed(1)} min`;

/** Lines over seconds, or whatever `across` writes: each `{name, points: [[x, y]], kind}`. */
export function chart(lines, { what, names = false, across = inTime }) {
  const all = lines.flatMap((line) => line.points);
  const narrow = matchMedia("(max-width: 700px)").matches;
  const WIDE = narrow ? PHONE : DESK;
  const drawing = svgEl("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": what });
  const box = el("div", { class: "scroll charted" }, drawing);
  if (!all.length) return box;
  if (names) box.prepend(maximisable(box, what));
  const right = names && !narrow ? 156 : 12; // on a phone, names stand below
  const most = { x: Math.max(...all.map(([x]) => x), 1e-9), y: Math.max(...all.map(([, y]) => y), 1e-9) };
  const least = Math.min(0, ...all.map(([, y]) => y));
  const x = (value) => LEFT + (value / most.x) * (WIDE - LEFT - right);
  const y = (value) => HIGH - BELOW - ((value - least) / (most.y - least)) * (HIGH - BELOW - 14);
  for (let i = 0; i <= 4; i++) {
    const value = least + (i / 4) * (most.y - least);
    drawing.append(
      svgEl("line", { class: "axis", x1: LEFT, x2: WIDE - right, y1: y(value), y2: y(value) }),
      svgEl("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toPrecision(2)),
    );
  }
  drawing.append(
    svgEl("text", { x: WIDE - right, y: HIGH - 6, "text-anchor": "end" }, across(most.x)),
    svgEl("text", { x: LEFT, y: HIGH - 6 }, "0"),
  );
  const ends = svgEl("g"); // on top: a small one is not hidden by a large one
  for (const line of lines.filter((each) => each.points.length)) {
    const path = line.points.map(([px, py], i) => `${i ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
    const tint = names ? ` line-${lines.indexOf(line) % COLOURS}` : "";
    const drawn = svgEl("path", { class: `${line.kind}${tint}`, d: path });
    drawing.append(drawn);
    if (line.kind === "held")
      for (const [px, py] of line.points)
        drawing.append(svgEl("circle", { class: "dot", cx: x(px), cy: y(py), r: line.points.length > 1 ? 2.5 : 4 }));
    else if (names || line.points.length === 1) ends.append(ending(line, tint, { x, y }));
  }
  drawing.append(ends);
  if (names && narrow)
    box.append(
      el(
        "ul",
        { class: "legend" },
        lines.map((line, i) => (line.points.length ? el("li", {}, sample(i), line.name) : null)),
      ),
    );
  else if (names)
    drawing.append(
      ...labels(
        lines
          .filter((each) => each.points.length)
          .map((line) => ({
            name: line.name,
            tint: `line-${lines.indexOf(line) % COLOURS}`,
            x: x(line.points.at(-1)[0]),
            y: y(line.points.at(-1)[1]),
          })),
        WIDE - right,
      ),
    );
  if (names) box.append(hovered(drawing, lines, { x, y, across, WIDE }));
  return box;
}

/** Where a line ends; a line of one point is this alone. */
function ending({ points }, tint, { x, y }) {
  const [px, py] = points.at(-1);
  const dot = svgEl("circle", { class: `end${tint}`, cx: x(px), cy: y(py), r: tint && points.length === 1 ? 4 : 2.5 });
  if (points.length === 1) dot.append(svgEl("title", {}, "one point only"));
  return dot;
}

/** A short piece of a line, as a key to it. */
export const sample = (line) =>
  svgEl(
    "svg",
    { class: "chart-key", width: 26, height: 12, "aria-hidden": "true" },
    svgEl("path", { class: `sample line-${line % COLOURS}`, d: "M1 6h24" }),
  );

const NEAR = 40; // units: from farther away, a lead would look like the line going on

/** The names of the lines, one below the other, each led to from where its line ends, if that is near. */
function labels(ends, edge) {
  const gap = 14;
  ends.sort((a, b) => a.y - b.y);
  let highest = 0;
  for (const end of ends) {
    end.at = Math.max(end.y, highest);
    highest = end.at + gap;
  }
  let lowest = HIGH - BELOW;
  for (const end of ends.toReversed()) {
    end.at = Math.min(end.at, lowest);
    lowest = end.at - gap;
  }
  return ends.flatMap(({ name, tint, x, y, at }) => [
    ...(edge - x < NEAR ? [svgEl("path", { class: "lead", d: `M${x} ${y}L${edge + 4} ${at}` })] : []),
    svgEl("path", { class: `sample ${tint}`, d: `M${edge + 8} ${at}h18` }),
    svgEl("text", { x: edge + 30, y: at + 4 }, name),
  ]);
}

/** The values under the pointer: of each line its nearest point. */
function hovered(drawing, lines, { x, y, across, WIDE }) {
  const told = el(
    "p",
    { class: "quiet chart-values", role: "status" },
    "Point at the chart to read its values, or focus it and use ← →.",
  );
  const dots = svgEl("g", { "aria-hidden": "true" });
  drawing.append(dots);
  const read = (at) => {
    const near = lines
      .filter((line) => line.points.length)
      .map((line) => [line, line.points.toSorted((a, b) => Math.abs(x(a[0]) - at) - Math.abs(x(b[0]) - at))[0]]);
    dots.replaceChildren(
      ...near.map(([line, [px, py]]) =>
        svgEl("circle", { class: `near line-${lines.indexOf(line) % COLOURS}`, cx: x(px), cy: y(py), r: 4 }),
      ),
    );
    told.textContent = near.map(([line, [px, py]]) => `${line.name} ${py.toFixed(3)} at ${across(px)}`).join(" · ");
  };
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    read(((event.clientX - box.left) / box.width) * WIDE);
  });
  let at = WIDE; // from the end, where the lines have come to
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -WIDE / 30, ArrowRight: WIDE / 30 }[event.key];
    if (!step) return;
    event.preventDefault();
    at = Math.min(WIDE, Math.max(LEFT, at + step));
    read(at);
  });
  drawing.setAttribute("tabindex", "0");
  return told;
}

/** A pattern of weights, from 0 (paper) to 1 (violet). */
export function pattern(rows, root, size = 132) {
  const canvas = el("canvas", { role: "img", "aria-label": "who looks at whom" });
  const scale = Math.max(1, Math.floor(size / Math.max(rows.length, rows[0].length)));
  const brush = sized(canvas, rows[0].length * scale, rows.length * scale);
  const style = getComputedStyle(root);
  brush.fillStyle = style.getPropertyValue("--paper");
  brush.fillRect(0, 0, rows[0].length * scale, rows.length * scale);
  brush.fillStyle = style.getPropertyValue("--score");
  for (const [r, row] of rows.entries()) {
    for (const [c, weight] of row.entries()) {
      brush.globalAlpha = Math.min(1, Math.max(0, weight)) ** 0.75;
      brush.fillRect(c * scale, r * scale, scale, scale);
    }
  }
  return canvas;
}
