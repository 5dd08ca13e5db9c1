// What the panel of a number asks about the stages of a worksheet: their names, shapes and what they are made of.

/** What the panel of a number asks about the stages of a worksheet. */
export class Facts {
  constructor({ stages, rows, columns }) {
    this.tokens = { T: rows, Tq: rows, Tk: columns };
    this.stages = new Map(stages.map((each) => [each.name, factsOf(each)]));
    this.uses = new Map();
    for (const [name, { operands }] of this.stages)
      for (const operand of operands.filter(Boolean)) this.uses.set(operand, [...(this.uses.get(operand) ?? []), name]);
  }

  stage(address) {
    return this.stages.get(address);
  }

  origin() {
    return { numbers: { kind: "f8" } };
  }

  name(stage, axis, i) {
    return this.tokens[stage.axes[axis]]?.[i] ?? null;
  }
}

const factsOf = ({ name, letter, symbol, formula: tree, role, axes, whole_shape: shape, operands }) => ({
  ...{ address: name, name, symbol: letter, sign: symbol, tree, role, axes, shape, operands },
  truth: name === "mask",
});
