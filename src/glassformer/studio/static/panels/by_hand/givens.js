// What is given in By hand: every number in its own field, the mask, and the settings of the sheet. A change is made in
// the sheet itself, and told; nothing is worked out here.

import { sheetsOf, sign, table } from "../tables.js";
import { el } from "../../page/dom.js";
import { WRITES, typed } from "../../page/store.js";

const plural = (name) => name.replace(/_/g, " ");

export class Givens {
  /** `cells` is where its numbers stand; `changed`, `undo`, `turn` and `refit` are told what was done. */
  constructor({ cells, changed, undo, turn, refit }) {
    Object.assign(this, { cells, changed, turn, refit });
    this.node = el("section", { class: "givens", "aria-label": "Given" });
    this.unread = el("p", { class: "wrong", role: "status", hidden: true });
    this.undoing = el("button", { type: "button", class: "tool undo-given", hidden: true, onclick: undo }, "Undo");
  }

  /** A worksheet as it was worked out; `tokensIn` rows or columns. */
  draw(found, offer, tokensIn) {
    Object.assign(this, { found, offer, tokensIn, sheet: found.sheet });
    const given = found.stages.filter((stage) => stage.given && stage.name !== "mask" && stage.name in this.sheet);
    this.undoing.hidden = true;
    this.unread.hidden = true;
    this.node.replaceChildren(
      el("h2", {}, "Given"),
      this.undoing,
      this.unread,
      ...given.map((stage) => this.given(stage)),
      this.settings(),
    );
    this.drawMask(found);
  }

  /** Where a given stands. */
  of(name) {
    return this.node.querySelector(`[data-given="${CSS.escape(name)}"]`);
  }

  given(stage) {
    const values = this.sheet[stage.name];
    const shape = [];
    for (let here = values; Array.isArray(here); here = here[0]) shape.push(here.length);
    const upright = this.found.in_columns && stage.shape.length >= 2;
    const tables = sheetsOf(values, shape).map((sheet) => {
      const part = upright ? turnedOver(sheet, shape.length) : sheet;
      const labels = stage.rows.length === part.rows.length ? stage.rows : [];
      const columns = stage.columns.length === part.rows[0].length ? stage.columns : [];
      const named = { at: part.at, labels, columns, role: stage.role, caption: plural(stage.name) };
      return table(part, named, (td, place, value) => {
        const index = part.given?.(place) ?? place;
        const input = el("input", {
          type: "text",
          inputmode: "decimal",
          value: String(value).replace("-", "−"),
          "aria-label": `${plural(stage.name)} ${place.map((i) => i + 1).join(", ")}`,
          oninput: () => this.edit(stage.name, index, input),
          onfocus: () => input.select(),
        });
        td.append(input);
        this.cells.set(`${stage.name}:${place.join(",")}`, td);
      });
    });
    return el(
      "div",
      { class: "given", "data-given": stage.name },
      el(
        "p",
        { class: "what" },
        sign(stage.symbol, stage.role),
        " ",
        el("span", { class: "quiet" }, plural(stage.name)),
      ),
      el("div", { class: "scroll" }, tables),
    );
  }

  edit(name, index, input) {
    let row = this.sheet[name];
    for (const place of index.slice(0, -1)) row = row[place];
    const value = this.read(input, row[index.at(-1)]);
    if (value === null) return;
    row[index.at(-1)] = value;
    this.changed();
  }

  /** The number in a field; null if there is none, and a sentence says with what is worked on. */
  read(input, before) {
    const value = typed(input.value);
    input.setAttribute("aria-invalid", String(value === null));
    const wrong = this.node.querySelector("[aria-invalid=true]");
    this.unread.hidden = !wrong;
    if (value === null)
      this.unread.textContent = `“${input.value}” is not a number, and is worked as ${before} still; ${WRITES}.`;
    return value;
  }

  settings() {
    const { sheet, offer, found } = this;
    const choose = (name, values, value, change) =>
      el(
        "label",
        {},
        el("span", { class: "quiet" }, name),
        el(
          "select",
          { "data-setting": name, onchange: (event) => change(event.target.value) },
          values.map((each) => el("option", { value: each, selected: String(each) === String(value) }, String(each))),
        ),
      );
    const set = (name, value) => {
      sheet[name] = value;
      this.changed();
    };
    const scale = el("input", {
      type: "text",
      inputmode: "decimal",
      class: "short",
      value: sheet.scale ?? "",
      placeholder: found.scale === null ? "1" : found.scale.toFixed(4),
      "aria-label": "β, the scale",
      oninput: () => {
        const usual = scale.value.trim() === "";
        const value = usual ? null : this.read(scale, sheet.scale ?? scale.placeholder);
        if (usual) {
          scale.setAttribute("aria-invalid", "false");
          delete sheet.scale;
        } else if (value === null) return;
        else {
          sheet.scale = value;
          delete sheet.key_width;
        }
        this.changed();
      },
    });
    const tokens = found.has_columns
      ? choose("tokens in", ["rows", "columns"], this.tokensIn, (value) => this.turn(value))
      : null;
    if (!found.mask)
      return el(
        "div",
        { class: "settings" },
        Object.entries(found.choices).map(([name, values]) =>
          choose(name, values, sheet[name], (value) => set(name, value)),
        ),
        tokens,
      );
    const mask = Array.isArray(sheet.mask) ? "own" : sheet.mask;
    return el(
      "div",
      { class: "settings" },
      found.heads.length > 1 ? choose("heads", found.heads, sheet.heads, (value) => set("heads", Number(value))) : null,
      choose("weigher", offer.weighers, sheet.weigher, (value) => set("weigher", value)),
      "inputs" in sheet && "value_weight" in sheet
        ? choose("scorer", offer.scorers, sheet.scorer, (value) => this.refit(value))
        : null,
      found.can_stack
        ? choose("projections", offer.projections, sheet.projections, (value) => set("projections", value))
        : null,
      sheet.scorer === "dot product"
        ? el("label", { "data-given": "scale" }, el("span", { class: "quiet" }, "scale β"), scale)
        : null,
      choose("mask", ["none", "causal", ...(mask === "own" ? ["own"] : [])], mask, (value) => set("mask", value)),
      tokens,
    );
  }

  /** Who may look at whom; a click changes it. */
  drawMask(found) {
    this.found = found;
    const { mask, rows, columns } = found;
    if (!mask) return;
    const box = el(
      "div",
      { class: "given mask", "data-given": "mask" },
      el("p", { class: "what" }, el("span", { class: "quiet" }, "mask: who may look at whom")),
      el(
        "div",
        { class: "scroll" },
        table(
          { name: "", rows: mask },
          { at: (r, c) => [r, c], labels: rows, columns, role: "score", caption: "mask" },
          (td, [r, c], may) => {
            td.classList.toggle("hid", !may);
            td.append(
              el(
                "button",
                {
                  type: "button",
                  "aria-pressed": String(may),
                  "aria-label": `${rows[r] ?? r + 1} ${may ? "may" : "may not"} look at ${columns[c] ?? c + 1}`,
                  onclick: () => this.flip(r, c),
                },
                may ? "✓" : "",
              ),
            );
          },
        ),
      ),
    );
    const old = this.node.querySelector(".mask");
    if (old) old.replaceWith(box);
    else this.node.append(box);
  }

  flip(r, c) {
    this.sheet.mask = this.found.mask.map((row, i) => row.map((may, j) => Number(i === r && j === c ? !may : may)));
    const focus = () => this.node.querySelectorAll(".mask tbody tr")[r]?.querySelectorAll("button")[c]?.focus();
    this.changed().then(() => {
      const select = this.node.querySelector("[data-setting=mask]");
      if (select && ![...select.options].some((each) => each.value === "own"))
        select.append(el("option", { value: "own" }, "own"));
      if (select) select.value = "own";
      focus();
    });
  }
}

/** A given with its tokens in columns: `at` is its place on the paper, `given` the same in the worksheet. */
function turnedOver({ name, rows, at }, depth) {
  const given = (place) => (depth === 1 ? at(0, place[0]) : at(place.at(-1), place.at(-2)));
  const head = depth > 2 ? at(0, 0).slice(0, 1) : [];
  return { name, rows: rows[0].map((_, c) => rows.map((row) => row[c])), at: (r, c) => [...head, r, c], given };
}
