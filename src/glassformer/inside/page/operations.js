// Spells the arithmetic of a number from the operations that came with the document: which cells, and how they are
// written. It knows no operation: it reads trees of signs, as stages/calculator.py says, and works no stage. The number
// itself is the one that was recorded.

/** The signs that lead to a cell, tell one case from another, or stand in a term. */
const MEANS = {
  "+": (a, b) => a + b,
  "−": (a, b) => (b === undefined ? -a : a - b),
  "×": (a, b) => a * b,
  "/": (a, b) => a / b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a % b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "=": (a, b) => a === b,
  "≠": (a, b) => a !== b,
  and: (a, b) => a && b,
  exp: Math.exp,
  square: (a) => a * a,
  abs: Math.abs,
  max: (least, a) => Math.max(least, a),
  relu: (a) => Math.max(a, 0),
  top: (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0),
  count: (values) => values.filter(Boolean).length,
};

export function spelledFromOperation(store, address, index) {
  const stage = store.stage(address);
  const number = store.value(address, index);
  const base = { address, index, number, operation: stage.operation, terms: [], pattern: "", missing: false };
  if (store.writtenAt(stage, index)) return { ...base, operation: "written" };
  const cases = store.data.operations?.[stage.operation];
  if (!cases) return { ...base, terms: [{ value: number, pattern: "{}", cells: [{ address, index, value: number }] }] };
  for (const each of cases) {
    const work = new Work(store, stage, index);
    for (const [name, tree] of Object.entries(each.let)) work.names[name] = work.value(tree);
    const holds = each.when === null || work.value(each.when);
    // Which case it is hangs on numbers that did not come along: nothing is said that they might belie.
    if (work.gone) return { ...base, missing: true, gone: work.gone };
    if (holds) return { ...base, ...work.spelled(each) };
  }
  throw new Error(`no case of “${stage.operation}” holds at ${index}`);
}

/** What the server said, with numbers that JSON lacks put back. */
export function numbered(found) {
  const cells = (list) => list.map((cell) => ({ ...cell, value: Number(cell.value) }));
  return {
    ...found,
    number: Number(found.number),
    terms: found.terms.map((term) => ({ ...term, value: Number(term.value), cells: cells(term.cells) })),
  };
}

/** The place of one number, and what the names of a tree mean there. */
class Work {
  constructor(store, stage, index) {
    this.store = store;
    this.stage = stage;
    this.index = index;
    const [b, h] = index;
    this.names = { b, h, r: index.at(-2), c: index.at(-1), "∞": Number.POSITIVE_INFINITY };
  }

  operand(sign) {
    const address = sign === "m" ? this.stage.address : this.stage.operands[sign];
    return address ? this.store.stage(address) : null;
  }

  /** What a tree comes to. */
  value(tree) {
    if (typeof tree === "string") return this.names[tree];
    if (!Array.isArray(tree)) return tree;
    const [sign, ...parts] = tree;
    if (sign === "cell") return this.cell(...parts).value;
    if (sign === "has") return this.operand(parts[0]) !== null;
    if (sign === "size") return this.operand(parts[0]).shape.at(parts[1]);
    if (sign === "each") return this.running(parts[0], () => [this.value(parts[1])]);
    return MEANS[sign](...parts.map((part) => this.value(part)));
  }

  /** A cell of an operand that is there; an axis of size 1 serves every place, missing leading axes are left out. */
  cell(sign, places) {
    const { address, shape } = this.operand(sign);
    const wide = places.flatMap((place) => {
      if (place === "*") return this.index;
      return place === "^" ? this.index.slice(0, -1) : this.value(place);
    });
    const index = wide.slice(wide.length - shape.length).map((i, axis) => (shape[axis] === 1 ? 0 : i));
    const value = this.store.value(address, index);
    if (value === undefined) this.gone ??= address;
    return { address, index, value };
  }

  /** What is found for every i below a count, one after the other. */
  running(count, found) {
    return Array.from({ length: this.value(count) }).flatMap((_, i) => {
      this.names.i = i;
      return found();
    });
  }

  /** The terms that one text of the table stands for: none, one, or many. */
  terms({ each = 1, where = 1, cells, value, pattern }) {
    if (cells.some(([, sign]) => !this.operand(sign))) return [];
    return this.running(each, () => {
      if (!this.value(where)) return [];
      const found = cells.map(([, ...cell]) => this.cell(...cell));
      for (const [k, cell] of found.entries()) this.names[`{${k}}`] = cell.value;
      return [{ pattern, cells: found, value: this.value(value) }];
    });
  }

  spelled(one) {
    const groups = one.terms.map((term) => this.terms(term));
    const terms = groups.flat();
    const missing = terms.some((term) => term.cells.some((cell) => cell.value === undefined));
    return { terms, pattern: this.whole(one, groups, Math.max(terms.length, 1)), missing };
  }

  /** How the terms make the number; the parts in <…> whose terms are not there go. */
  whole(one, groups, count) {
    const signs = { c: `{${this.names.c}}`, r: `{${this.names.r}}`, n: sixDigits(count) };
    let place = 0;
    for (const [k, group] of groups.entries()) {
      if (group.length) signs[k] = `{${place}}`;
      place += group.length;
    }
    for (const name of Object.keys(one.let)) signs[name] = sixDigits(this.names[name]);
    const there = (part) => [...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => name in signs);
    const written = one.whole.replace(/<([^>]*)>/g, (_, part) => (there(part) ? part : ""));
    return written.replace(/\{(\w+)\}/g, (slot, name) => signs[name] ?? slot);
  }
}

/** Six digits at most, as Python's `:g` writes them: 350, 10000.1, 2.34568e+06. */
function sixDigits(value) {
  if (!Number.isFinite(value)) return String(value);
  const [digits, power] = value.toExponential(5).split("e").map(Number);
  if (power >= -4 && power < 6) return String(Number(value.toPrecision(6)));
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${digits}e${power < 0 ? "-" : "+"}${size}`;
}
