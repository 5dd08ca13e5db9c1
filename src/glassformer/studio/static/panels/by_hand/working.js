// The working of a sheet, stage by stage, like a good solution on paper; what became different flashes. It works
// nothing out.

import { figure, largestOf, shade, sheetsOf, table } from "../tables.js";
import { el, formula, reduced } from "../../page/dom.js";
import { maximisable } from "../../page/maximise.js";

const plural = (name) => name.replace(/_/g, " ");

export class Working {
  /** `cells` is where its numbers stand, `pick` is told which one was clicked. */
  constructor({ cells, pick }) {
    Object.assign(this, { cells, pick });
    this.node = el("section", { class: "working", "aria-label": "The working", "aria-live": "off" });
    this.whole = maximisable(this.node, "the working");
  }

  clear() {
    this.node.replaceChildren();
  }

  /** Where a stage stands. */
  step(name) {
    return this.node.querySelector(`[data-stage="${CSS.escape(name)}"]`);
  }

  /** What is worked and drawn here of all stages of a sheet. */
  of(found) {
    return found.stages.filter((stage) => !stage.given && stage.shape.length && stage.name !== "mask");
  }

  draw(found) {
    const made = this.of(found);
    const key = made.map((stage) => `${stage.name} ${stage.shape} ${stage.repeats}`).join("; ");
    if (this.node.dataset.key !== key || !this.node.children.length) {
      this.node.dataset.key = key;
      for (const name of [...this.cells.keys()])
        if (made.some((stage) => name.startsWith(`${stage.name}:`))) this.cells.delete(name);
      this.node.replaceChildren(
        this.whole,
        el("h2", {}, "The working"),
        el(
          "div",
          { class: "steps-by-hand" },
          made.map((stage) => this.drawn(stage)),
        ),
      );
    } else for (const stage of made) this.refresh(stage);
  }

  drawn(stage) {
    const heading = el(
      "div",
      { class: "says" },
      stage.part ? el("p", { class: "quiet" }, stage.part) : null,
      el("div", { class: "formula" }, formula(stage.formula)),
      el("p", { class: "meaning" }, stage.meaning),
    );
    const facts = el("p", { class: "facts quiet", hidden: !stage.facts.length }, stage.facts.join(" · "));
    if (stage.repeats)
      return el(
        "div",
        { class: "step-by-hand idle", "data-stage": stage.name },
        heading,
        el("p", { class: "quiet" }, `The same numbers as ${stage.repeats}: ${stage.idle}.`),
      );
    const tables = sheetsOf(stage.values, stage.shape).map((part) =>
      table(
        part,
        { at: part.at, labels: stage.rows, columns: stage.columns, role: stage.role, caption: plural(stage.name) },
        (td, index) => {
          const button = el("button", {
            type: "button",
            class: "figure-cell",
            onclick: () => this.pick(stage.name, index),
          });
          td.append(button);
          this.cells.set(`${stage.name}:${index.join(",")}`, td);
        },
      ),
    );
    const box = el(
      "div",
      { class: "step-by-hand", "data-stage": stage.name },
      heading,
      facts,
      el("div", { class: "scroll tables" }, tables),
    );
    this.refresh(stage, box);
    return box;
  }

  /** New numbers in the same cells; those that changed flash softly. */
  refresh(stage, box = this.step(stage.name)) {
    if (stage.repeats) return;
    const facts = box.querySelector(".facts");
    facts.textContent = stage.facts.join(" · ");
    facts.hidden = !stage.facts.length;
    box.querySelector(".formula").replaceChildren(formula(stage.formula));
    box.querySelector(".meaning").textContent = stage.meaning;
    const largest = stage.shares ? 1 : largestOf(stage.values);
    for (const part of sheetsOf(stage.values, stage.shape)) {
      for (const [r, row] of part.rows.entries()) {
        for (const [c, value] of row.entries()) {
          const index = part.at(r, c);
          const td = this.cells.get(`${stage.name}:${index.join(",")}`);
          const text = figure(value, stage.decimals);
          const button = td.firstChild;
          const hidden = stage.hidden !== null && isHidden(stage.hidden, index.slice(-depth(stage.hidden)));
          if (button.textContent && button.textContent !== text && !reduced()) flash(td);
          button.textContent = text;
          button.title = String(value);
          td.classList.toggle("hid", hidden || value === "-Infinity");
          shade(td, value, largest);
        }
      }
    }
  }
}

/** Whether a cell is hidden; that may be told once for all heads. */
function isHidden(hidden, index) {
  let here = hidden;
  for (const place of index) if (Array.isArray(here)) here = here[place];
  return here === true;
}

function depth(values) {
  return Array.isArray(values) ? 1 + depth(values[0]) : 0;
}

function flash(td) {
  td.classList.remove("flash");
  requestAnimationFrame(() => td.classList.add("flash"));
}
