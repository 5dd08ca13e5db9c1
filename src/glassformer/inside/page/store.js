// The numbers of a document, unpacked and found by address and index; and how a number is written for a person.
// It knows no stage by name and draws nothing.

const KINDS = { f8: [8, Float64Array], f4: [4, Float32Array], q4: [4, Int32Array], u1: [1, Uint8Array] };
const STEP = 2 ** -20; // what a q4 counts
const NEVER = -(2 ** 31);
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+-;=>?@^_`{|}~,.";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

export const decoded = ({ kind, base64 }) => new KINDS[kind][1](bytesOf(base64).buffer);

const multiple = (count) => (count === NEVER ? -Infinity : count * STEP);

function from85(text) {
  const worth = new Uint8Array(128);
  for (let i = 0; i < SIGNS.length; i++) worth[SIGNS.charCodeAt(i)] = i;
  const bytes = new Uint8Array((text.length / 5) * 4);
  const words = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < text.length; i += 5, at += 4) {
    let word = 0;
    for (let k = 0; k < 5; k++) word = word * 85 + worth[text.charCodeAt(i + k)];
    words.setUint32(at, word);
  }
  return bytes;
}

/** Undoes packing.py: inflate, then put the bytes of each number together again. */
async function unpacked({ counts, length, text }) {
  const inflating = new Blob([from85(text).subarray(0, length)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const all = new Uint8Array(await new Response(inflating).arrayBuffer());
  const found = {};
  let start = 0;
  for (const [kind, [width, Type]] of Object.entries(KINDS)) {
    const count = counts[kind];
    const bytes = new Uint8Array(count * width);
    for (let place = 0; place < width; place++) {
      const from = start + place * count;
      for (let i = 0; i < count; i++) bytes[i * width + place] = all[from + i];
    }
    found[kind] = kind === "q4" ? Float64Array.from(new Int32Array(bytes.buffer), multiple) : new Type(bytes.buffer);
    start += count * width;
  }
  return found;
}

/** All that is known of a look: stages and parts by name, and every number that came along. */
export class Store {
  static async open(data, fetchHead) {
    if (data.format !== "glassformer-view/1") throw new Error(`This view cannot read the format ${data.format}.`);
    return new Store(data, data.packed ? await unpacked(data.packed) : null, fetchHead);
  }

  constructor(data, sections, fetchHead) {
    this.data = data;
    this.fetchHead = fetchHead;
    this.stages = new Map(data.stages.map((stage) => [stage.address, stage]));
    for (const stage of data.stages) {
      stage.tree ??= data.formulas[stage.formula];
      stage.says ??= data.meanings?.[stage.meaning] ?? stage.meaning; // documents of before have it here
      stage.sign ??= data.formulas[stage.symbol_tree];
    }
    this.parts = new Map(data.parts.map((part) => [part.id, part]));
    this.arrays = new Map();
    this.slices = new Map(); // one head of a stage that came later
    for (const stage of data.stages) {
      const numbers = stage.numbers;
      if (!numbers) continue;
      const array = numbers.base64
        ? decoded(numbers)
        : sections[numbers.kind].subarray(numbers.at, numbers.at + numbers.count);
      this.arrays.set(stage.address, array);
    }
    this.uses = new Map();
    for (const stage of data.stages) {
      for (const operand of stage.operands) {
        if (operand) this.uses.set(operand, [...(this.uses.get(operand) ?? []), stage.address]);
      }
    }
  }

  stage(address) {
    return this.stages.get(address);
  }

  /** Where a stage's numbers really are: the same tensor may stand at several addresses. */
  origin(address) {
    let stage = this.stage(address);
    while (stage.same_as && this.stages.has(stage.same_as)) stage = this.stage(stage.same_as);
    return stage;
  }

  has(address, head = null) {
    const { address: home } = this.origin(address);
    return this.arrays.has(home) || this.slices.has(`${home}/${head}`);
  }

  /** Asks for numbers that did not come along. */
  async load(address, head) {
    const stage = this.origin(address);
    if (this.has(address, head)) return true;
    if (!this.fetchHead || stage.why !== "later") return false;
    const headed = stage.axes.includes("H") && stage.stored[stage.axes.indexOf("H")] > 1;
    const one = headed ? head : null;
    const numbers = await this.fetchHead(stage.address, one);
    const array = typeof numbers === "string" ? decoded({ kind: "f4", base64: numbers }) : decoded(numbers);
    if (one === null) this.arrays.set(stage.address, array);
    else this.slices.set(`${stage.address}/${head}`, array);
    return true;
  }

  /** One number, by its true index; undefined where it is not in this document. Axes of size 1 serve every place. */
  value(address, index) {
    const stage = this.origin(address);
    const place = this.place(stage, index);
    if (!place) return undefined;
    const whole = this.arrays.get(stage.address);
    if (whole) return whole[offset(stage.stored, place)];
    const axis = stage.axes.indexOf("H");
    const slice = this.slices.get(`${stage.address}/${place[axis]}`);
    return slice?.[
      offset(
        stage.stored.filter((_, i) => i !== axis),
        place.filter((_, i) => i !== axis),
      )
    ];
  }

  /** Whether a person put this very number here; the others of a stage are as they were worked. */
  writtenAt({ written, unlike, shape }, index) {
    if (!written || !unlike) return Boolean(written);
    const at = offset(
      shape,
      index.map((i, axis) => (shape[axis] === 1 ? 0 : i)),
    );
    return unlike.some(([first, behind]) => first <= at && at < behind);
  }

  /** A true index as a place among the numbers that were kept. */
  place(stage, index) {
    const wanted = index.slice(index.length - stage.stored.length);
    const place = wanted.map((i, axis) => {
      if (stage.shape[axis] === 1) return 0;
      const kept = stage.kept[axis];
      return kept ? kept.indexOf(i) : i;
    });
    const inside = place.every((i, axis) => i >= 0 && i < stage.stored[axis]);
    return place.length === stage.stored.length && inside ? place : null;
  }

  /** What a place on an axis is called; a token that stands there twice gets its position. */
  name(stage, axis, i) {
    const label = this.label(stage, axis, i);
    if (label === null) return null;
    const names = this.data.texts[stage.labels[axis]];
    const again = Array.isArray(names) && names.indexOf(label) !== names.lastIndexOf(label);
    return again ? `${visible(label)}${subscript(i + 1)}` : visible(label);
  }

  label(stage, axis, i) {
    const text = stage.labels[axis];
    if (!text) return null;
    const names = this.data.texts[text];
    return (Array.isArray(names) ? names[i] : names[String(i)]) ?? null;
  }
}

/** A stage's numbers and how far apart neighbours lie on each axis; an axis of size 1 serves every place. */
function strided(store, stage, head) {
  const home = store.origin(stage.address);
  const whole = store.arrays.get(home.address);
  const sliced = whole ? -1 : home.axes.indexOf("H");
  const shape = home.stored.map((size, axis) => (axis === sliced ? 1 : size));
  const steps = shape.map((size, axis) =>
    size === 1 ? 0 : shape.slice(axis + 1).reduce((product, next) => product * next, 1),
  );
  return { array: whole ?? store.slices.get(`${home.address}/${head}`), steps };
}

const subscript = (i) => [...String(i)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** A place without a name, counted from 1 as people do; what stands for a word of the vocabulary is its id. */
export const counted = (stage, axis, i) => String(stage.axes[axis] === "N" ? i : i + 1);

const offset = (shape, place) => place.reduce((sum, i, axis) => sum * shape[axis] + i, 0);

// --- a stage as a matrix ------------------------------------------------------------------------------------------

/** One head's matrix of a stage: rows × columns, each cell with its true index. */
export class Sheet {
  constructor(store, stage, head) {
    this.store = store;
    this.stage = stage;
    this.head = this.headOf(head);
    const free = stage.axes.map((axis, i) => [axis, i]).filter(([axis]) => !["B", "H", "G"].includes(axis));
    const flat = stage.axes.length && !free.length ? [[stage.axes.at(-1), stage.axes.length - 1]] : free;
    this.rowAxis = flat.length > 1 ? flat.at(-2)[1] : -1;
    this.columnAxis = flat.length ? flat.at(-1)[1] : -1;
    this.rows = this.rowAxis < 0 ? 1 : stage.stored[this.rowAxis];
    this.columns = this.columnAxis < 0 ? 1 : stage.stored[this.columnAxis];
    this.reads = this.reader(stage);
    this.readsMask = stage.hidden && store.has(stage.hidden, this.head) ? this.reader(store.stage(stage.hidden)) : null;
  }

  /** Reads a stage by this sheet's rows and columns; axes are matched from the last one. */
  reader(stage) {
    const { array, steps } = strided(this.store, stage, this.head);
    const less = this.stage.axes.length - steps.length;
    const step = (axis) => (axis < 0 ? 0 : (steps[axis - less] ?? 0));
    const heads = this.stage.axes.findIndex((axis) => axis === "H" || axis === "G");
    const start = heads >= 0 && heads !== this.columnAxis ? this.head * step(heads) : 0;
    return { array, start, down: step(this.rowAxis), right: step(this.columnAxis) };
  }

  /** The head whose matrix this is; heads may share their keys and values. */
  headOf(head) {
    const { axes, shape } = this.stage;
    if (axes.includes("G")) {
      const part = this.store.parts.get(this.stage.part);
      return Math.floor((head * shape[axes.indexOf("G")]) / Math.max(part.heads, 1));
    }
    return axes.includes("H") && shape[axes.indexOf("H")] > 1 ? head : 0;
  }

  index(row, column) {
    return this.stage.axes.map((axis, i) => {
      if (i === this.rowAxis) return this.stage.kept[i]?.[row] ?? row;
      if (i === this.columnAxis) return this.stage.kept[i]?.[column] ?? column;
      return axis === "H" || axis === "G" ? this.head : 0;
    });
  }

  /** The row and column where a true index stands, if it is in this matrix. */
  find(index) {
    const place = this.store.place(this.stage, index);
    if (!place) return null;
    const head = this.stage.axes.findIndex((axis) => axis === "H" || axis === "G");
    if (head >= 0 && head !== this.columnAxis && place[head] !== this.head) return null;
    return [this.rowAxis < 0 ? 0 : place[this.rowAxis], this.columnAxis < 0 ? 0 : place[this.columnAxis]];
  }

  value(row, column) {
    const { array, start, down, right } = this.reads;
    return array?.[start + row * down + column * right];
  }

  isHidden(row, column) {
    if (!this.readsMask) return false;
    const { array, start, down, right } = this.readsMask;
    return array[start + row * down + column * right] === 0;
  }

  /** What stands beside a row: its token, or its number. */
  rowName(row) {
    const label = this.rowLabel(row);
    return label === null ? counted(this.stage, this.rowAxis, this.index(row, 0)[this.rowAxis] ?? row) : visible(label);
  }

  columnName(column) {
    const label = this.columnLabel(column);
    const place = this.index(0, column)[this.columnAxis] ?? column;
    return label === null ? counted(this.stage, this.columnAxis, place) : visible(label);
  }

  rowLabel(row) {
    return this.rowAxis < 0 ? null : this.store.label(this.stage, this.rowAxis, this.index(row, 0)[this.rowAxis]);
  }

  columnLabel(column) {
    const axis = this.columnAxis;
    return axis < 0 ? null : this.store.label(this.stage, axis, this.index(0, column)[axis]);
  }

  /** Shares are small and many: a steeper scale keeps a faint one in sight. */
  get power() {
    return this.stage.shares ? OF_SHARES : 0.75;
  }

  get available() {
    return this.store.has(this.stage.address, this.head);
  }

  /** Where its numbers are not there: whether they can still be asked for. */
  get absent() {
    const { why } = this.store.origin(this.stage.address);
    return why === "later" && this.store.fetchHead ? "not fetched yet" : "left out";
  }

  /** What has the full colour, the largest size, the least, the decimals that show three digits; worked out once. */
  get measure() {
    if (this.measured) return this.measured;
    let [most, least] = [0, 0];
    let decimals = this.rows * this.columns > EXACT_UP_TO ? 3 : 0;
    for (let r = 0; r < this.rows; r++) {
      for (let c = 0; c < this.columns; c++) {
        const value = this.value(r, c);
        if (!Number.isFinite(value)) continue;
        most = Math.max(most, Math.abs(value));
        least = Math.min(least, value);
        while (decimals < 3 && !nearly(value, decimals)) decimals++;
      }
    }
    const largest = this.stage.shares ? Math.max(most, 1) : most; // shares of every head have one scale
    if (decimals === 3) decimals = most < 1 ? 3 : most < 10 ? 2 : most < 100 ? 1 : 0;
    this.measured = { largest, most, least, decimals };
    return this.measured;
  }
}

export const OF_SHARES = 0.55; // the power of their scale

const EXACT_UP_TO = 4000; // cells that are asked whether fewer decimals would do

const nearly = (value, decimals) => Math.abs(value - Number(value.toFixed(decimals))) <= 1e-9;

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

// --- figures ------------------------------------------------------------------------------------------------------

const BEYOND = 30; // decimals after which no number in sight goes on

const signed = (text) => text.replace("e+", "e").replaceAll("-", "−").replace("Infinity", "∞");

/** So many decimals, digit for digit as Python writes them: what is exactly half goes to the even digit. */
export function fixed(value, decimals) {
  const exact = value.toFixed(decimals + BEYOND);
  const cut = exact.slice(0, -BEYOND).replace(/\.$/, "");
  const half = /^50*$/.test(exact.slice(-BEYOND));
  return half && "02468".includes(cut.at(-1)) ? cut : value.toFixed(decimals);
}

/** A number in its matrix: so many decimals, a real minus sign; powers of ten only where nothing else would show it. */
export function figure(value, decimals, truth = false) {
  if (value === undefined) return "";
  if (truth) return value ? "✓" : "·";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e5) return signed(value.toExponential(1));
  const text = fixed(value, decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : signed(text);
}

/** Three digits, for words and sums. */
export function short(value) {
  if (value === undefined) return "?";
  if (!Number.isFinite(value) || value === 0) return figure(value, 0);
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return signed(value.toExponential(2));
  const text = size < 1 ? fixed(value, 3) : value.toPrecision(4);
  return signed(nearly(value, 2) ? String(Number(text)) : text);
}

/** Every digit that tells this number from its neighbours, and no more. */
export function full(value, kind) {
  if (value === undefined) return "not in this file";
  if (!Number.isFinite(value)) return figure(value, 0);
  if (kind === "q4") return signed(String(Number(value.toFixed(6))));
  if (kind === "f4") {
    for (let digits = 1; digits < 10; digits++) {
      const text = value.toPrecision(digits);
      if (Math.fround(Number(text)) === value) return signed(String(Number(text)));
    }
  }
  return signed(String(value));
}

/** A token as it can be seen: blanks and invisible signs get a sign of their own. */
export function visible(token) {
  if (token === null || token === undefined) return "";
  const named = (sign) => `⟨${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  const text = String(token)
    .replace(/\n/g, "↵")
    .replace(/\t/g, "⇥")
    .replace(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g, named)
    .replace(/\p{Cc}/gu, named); // control characters
  if (/^[\s]*$/u.test(text)) return "␣".repeat(Math.max(1, Math.min(text.length, 3)));
  return /^[\p{C}\p{M}\s]+$/u.test(text) ? [...text].map(named).join("") : text.replace(/^ /, "␣").replace(/ $/, "␣");
}

/** What a person typed as a number: 0.5 or 0,5, 1/2, 50 %; null if it is none. */
export function typed(text) {
  const [whole, percent] = text
    .trim()
    .match(/^(.*?)\s*(%?)$/s)
    .slice(1);
  const parts = whole.split("/").map(decimal);
  const value = parts.length === 1 ? parts[0] : parts.length === 2 ? parts[0] / parts[1] : Number.NaN;
  return Number.isFinite(value) ? (percent ? value / 100 : value) : null;
}

function decimal(text) {
  const plain = text
    .trim()
    .replace("−", "-")
    .replace(/^(-?\d*),(\d+)$/, "$1.$2");
  return plain === "" ? Number.NaN : Number(plain);
}

export const WRITES = "write it as 0.5, 1/2 or 50 %"; // how a number can be typed
