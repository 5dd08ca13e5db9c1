// The mask laboratory: four ways to hide a token, tried on the scores of the worksheet; what leaks is shown.

import { figure, shade, table } from "../tables.js";
import { Latest } from "../../talk.js";
import { el } from "../../page/dom.js";

export class Laboratory {
  constructor() {
    this.latest = new Latest();
    this.node = el("section", { class: "laboratory", hidden: true, "aria-label": "Mask laboratory" });
  }

  async show(sheet) {
    if (!this.node.childElementCount)
      this.node.append(el("p", { class: "quiet", role: "status" }, "Trying four ways to hide a token …"));
    try {
      const found = await this.latest.ask("by-hand/laboratory", { sheet });
      if (found) this.draw(found, sheet);
    } catch (error) {
      this.node.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  draw(found, sheet) {
    const intro = [
      "Four ways to hide a token, on the same scores (head 1). Only the last hides it every time: ",
      "it gets no weight, a change of its score changes nothing, and each row still sums to 1, ",
      "or to 0 where every token is hidden from it.",
      found.own_mask
        ? ""
        : " This worksheet hides nothing: a causal mask is tried here, by which no token sees a later one.",
    ];
    const rows = sheet.tokens ?? [];
    const columns = sheet.context_tokens ?? rows;
    this.node.replaceChildren(
      el("p", { class: "meaning" }, intro),
      ...found.experiments.map((each) => this.experiment(each, rows, columns)),
    );
  }

  experiment({ title, note, mask, trials }, rows, columns) {
    return el(
      "div",
      { class: "experiment" },
      el("h2", {}, title[0].toUpperCase() + title.slice(1)),
      note ? el("p", { class: "quiet" }, note) : null,
      el(
        "div",
        { class: "trials" },
        trials.map((trial) => this.trial(trial, mask, rows, columns)),
      ),
    );
  }

  trial(trial, mask, labels, columns) {
    const says = trial.right
      ? "✓ hides it"
      : Number(trial.leaked) > 0
        ? `✗ ${percent(trial.leaked)} goes to hidden tokens`
        : Number(trial.felt) > 0
          ? "✗ a hidden score still changes the others"
          : "✗ rows no longer sum to 1";
    return el(
      "article",
      { class: `trial ${trial.right ? "right" : "fails"}` },
      el("h3", {}, trial.style),
      el("p", { class: "quiet" }, trial.formula),
      el(
        "div",
        { class: "scroll" },
        table(
          { name: "", rows: trial.weights },
          { at: (r, c) => [r, c], labels, columns: labels.length ? columns : [], role: "score", caption: trial.style },
          (td, [r, c], value) => {
            td.textContent = figure(value, 3);
            td.classList.toggle("hid", !mask[r][c]);
            td.classList.toggle("leak", !mask[r][c] && Number(value) > 0);
            shade(td, value, 1);
          },
        ),
      ),
      el("p", { class: "quiet" }, `rows sum to ${trial.sums.map((sum) => figure(sum, 2)).join(", ")}`),
      el("p", { class: "says-it" }, says),
    );
  }
}

const percent = (share) => (Number(share) < 0.001 ? "a trace" : `${(100 * Number(share)).toFixed(1)} %`);
