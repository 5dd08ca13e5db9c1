// Spells the arithmetic of a number from the recipes that came with the document (see recipes.py): which cells, and
// how they are written. It works no stage: the number itself is the one that was recorded.

const CELL = /([0-9m])\[([^\]]*)\]/g;

/** The seven ways a term is written, and what it then comes to. */
const TERMS = {
  "{}": (a) => a,
  "{} × {}": (a, b) => a * b,
  "relu({}) × {}": (a, b) => Math.max(a, 0) * b,
  "e^{}": (a) => Math.exp(a),
  "e^({} − {})": (a, b) => Math.exp(a - b),
  "({} − {})²": (a, b) => (a - b) ** 2,
  "{}²": (a) => a * a,
};

export function spelledFromRecipe(store, address, index) {
  const stage = store.stage(address);
  const number = store.value(address, index);
  const base = { address, index, number, operation: stage.operation, terms: [], pattern: "", missing: false };
  const recipes = store.data.recipes[stage.operation];
  if (!recipes) {
    const cells = [{ address, index, value: number }];
    return { ...base, terms: [{ value: number, pattern: "{}", cells }] };
  }
  const work = new Work(store, stage, index);
  const recipe = recipes.find((each) => work.holds(each));
  const terms = work.terms(recipe);
  const missing = terms.some((term) => term.cells.some((cell) => cell.value === undefined));
  return { ...base, terms, pattern: work.whole(recipe, terms), missing };
}

class Work {
  constructor(store, stage, index) {
    this.store = store;
    this.stage = stage;
    this.index = index;
    const [b, h] = index;
    this.names = { b, h, r: index.at(-2), c: index.at(-1), w: stage.shape.at(-1) };
  }

  operand(sign) {
    const address = sign === "m" ? this.stage.address : this.stage.operands[Number(sign)];
    return address ? this.store.stage(address) : null;
  }

  /** `2*p`, `h*w+c`, `c/v`: sums, products, whole quotients and remainders of names and numbers, left to right. */
  number(text) {
    const parts = text.split(/([+\-*/%])/).map((part) => part.trim());
    const one = (part) => (/^\d+$/.test(part) ? Number(part) : this.names[part]);
    const groups = [[1, one(parts[0])]];
    for (let i = 1; i < parts.length; i += 2) {
      const next = one(parts[i + 1]);
      const last = groups.at(-1);
      if (parts[i] === "+" || parts[i] === "-") groups.push([parts[i] === "+" ? 1 : -1, next]);
      else if (parts[i] === "*") last[1] *= next;
      else last[1] = parts[i] === "/" ? Math.floor(last[1] / next) : last[1] % next;
    }
    return groups.reduce((sum, [sign, value]) => sum + sign * value, 0);
  }

  place(operand, text) {
    return (text ? text.split(",") : []).flatMap((part) => {
      if (part === "*") return this.index;
      if (part === "^") return this.index.slice(0, -1);
      if (part === "h/") return Math.floor((this.names.h * operand.shape[1]) / this.stage.shape[1]);
      return this.number(part);
    });
  }

  cell(sign, text) {
    const operand = this.operand(sign);
    if (!operand) return null;
    const wide = this.place(operand, text);
    const index = wide.slice(wide.length - operand.shape.length).map((i, axis) => (operand.shape[axis] === 1 ? 0 : i));
    return { address: operand.address, index, value: this.store.value(operand.address, index) };
  }

  size(text) {
    const [sign, axis] = text.split(".");
    return this.operand(sign).shape.at(Number(axis));
  }

  holds(recipe) {
    for (const [name, text] of Object.entries(recipe.let ?? {})) {
      const cell = text.match(/^([0-9m])\[([^\]]*)\]$/);
      this.names[name] = cell ? this.cell(cell[1], cell[2])?.value : this.size(text);
    }
    this.findTop(recipe);
    const when = recipe.when;
    if (!when) return true;
    if (when.startsWith("has ")) return this.operand(when[4]) !== null;
    if (when === "nothing") return this.top === -Infinity;
    if (when === "steep") return this.stage.operation === "softmax" ? Math.abs(this.top) > 300 : this.top > 300;
    const [, left, sign, right] = when.match(/^(.+?)(>=|<|>|=)(.+)$/);
    const [a, b] = [this.number(left), this.number(right)];
    return { ">=": a >= b, "<": a < b, ">": a > b, "=": a === b }[sign];
  }

  /** Where the largest of a row stands, and the last real token: two places that depend on the numbers themselves. */
  findTop(recipe) {
    const text = JSON.stringify(recipe);
    if (/top|nothing|steep/.test(text)) {
      const along = text.includes("0[b,c,top]") ? "b,c,i" : "^,i";
      this.top = -Infinity;
      this.names.top = 0;
      for (let i = 0; i < this.size("0.-1"); i++) {
        this.names.i = i;
        const { value } = this.cell("0", along);
        if (value > this.top) [this.top, this.names.top] = [value, i];
      }
    }
    if (text.includes("last")) {
      let count = 0;
      for (let i = 0; i < this.size("1.-1"); i++) count += this.store.value(this.operand("1").address, [0, i]) ? 1 : 0;
      this.names.last = Math.max(count, 1) - 1;
    }
  }

  terms(recipe) {
    return [
      ...this.repeated(recipe.each, recipe.terms, recipe.where),
      ...(recipe.then ?? []).flatMap((text) => this.term(text)),
      ...this.repeated(recipe["each again"], recipe.again ?? []),
      ...(recipe.last ?? []).flatMap((text) => this.term(text)),
    ];
  }

  repeated(each, texts, where) {
    if (!each) return texts.flatMap((text) => this.term(text));
    const found = [];
    for (let i = 0; i < this.size(each); i++) {
      this.names.i = i;
      if (where && !this.cell(where[0], where.slice(2, -1)).value) continue;
      found.push(...texts.flatMap((text) => this.term(text)));
    }
    return found;
  }

  term(text) {
    const cells = [...text.matchAll(CELL)].map(([, sign, place]) => this.cell(sign, place));
    if (cells.includes(null)) return [];
    const pattern = text.replace(CELL, "{}");
    return [{ pattern, cells, value: TERMS[pattern](...cells.map((cell) => cell.value)) }];
  }

  whole(recipe, terms) {
    const text = (recipe.whole ?? "").replace(/<([^>]*\{(\d)\}[^>]*)>/g, (_, part, n) =>
      Number(n) < terms.length ? part : "",
    );
    return text.replace("{c}", `{${this.names.c}}`).replace("{n}", terms.length).replace("{top}", this.top);
  }
}
