// Where a reader stands: any state made whole, carried on to the next stage, and a number to begin with. It reads the
// store, and draws nothing.

import { Strip } from "./panels/strip.js";
import { Sheet, clamp } from "./store.js";

export const headAxis = (stage) => stage.axes.findIndex((axis) => axis === "H" || axis === "G");

/** The stage a part opens at: its pattern, or what comes out of it. */
export const entrance = (part, store) => part.pattern ?? Strip.steps(part, store).at(-1) ?? part.stages.at(-1);

/** Any state, made whole: what it does not say, or says wrongly, is chosen here. */
export function whole(store, state) {
  const known = store.stages.has(state.at);
  const first = store.data.parts.find((part) => part.pattern) ?? store.data.parts.at(-1);
  const opening = store.data.opening ?? { at: entrance(first, store), head: 0 };
  const at = known ? state.at : opening.at;
  const stage = store.stage(at);
  const part = store.parts.get(stage.part);
  const head = clamp(state.head ?? (known ? 0 : opening.head), 0, Math.max(part.heads - 1, 0));
  return {
    at,
    head,
    row: inText(store, stage, head, state.row ?? null),
    cell: inHead(store, stage, head, state.cell),
    view: state.view ?? "stage",
    zoom: state.zoom ?? 1,
  };
}

/** The row, unless it is of a longer text. */
function inText(store, stage, head, row) {
  const sheet = new Sheet(store, stage, head);
  const tokens = ["Tq", "T"].includes(stage.axes[sheet.rowAxis]);
  return tokens && row >= sheet.rows ? null : row;
}

/** The cell in the head that is open, if there is such a cell. */
function inHead(store, stage, head, cell) {
  if (!cell || !store.place(stage, cell) || cell.length !== stage.shape.length) return null;
  const axis = headAxis(stage);
  if (cell.some((i, each) => each !== axis && i >= stage.shape[each])) return null;
  return axis < 0 ? cell : cell.with(axis, new Sheet(store, stage, head).head);
}

/** A number to begin with: what the chosen row, or the last one, looks at most. */
export function firstCell(store, { at, head, row: chosen }) {
  const sheet = new Sheet(store, store.stage(at), head);
  if (!sheet.available) return null;
  const row = clamp(chosen ?? sheet.rows - 1, 0, sheet.rows - 1);
  let best = 0;
  for (let c = 1; c < sheet.columns; c++) if (sheet.value(row, c) > sheet.value(row, best)) best = c;
  return sheet.index(row, best);
}

/** The same place in the next stage, where there is one. */
export function carried(store, { at, cell }, address) {
  const [old, next] = [store.stage(at), store.stage(address)];
  const same = old.axes.length === next.axes.length && old.axes.every((axis, i) => axis === next.axes[i]);
  return same ? cell : null;
}

/** The smallest rectangle around some cells, if they are in this matrix. */
export function boxes(sheet, indices) {
  const places = indices.map((index) => sheet.find(index)).filter(Boolean);
  if (!places.length) return [];
  const [rows, columns] = [places.map(([r]) => r), places.map(([, c]) => c)];
  return [[Math.min(...rows), Math.min(...columns), Math.max(...rows), Math.max(...columns)]];
}
