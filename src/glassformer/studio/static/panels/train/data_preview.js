// Data before they are learnt from: first rows, columns to choose, classes, lengths, what would be skipped and why, and
// what the minutes would buy. All of it the studio read.

import { Latest } from "../../talk.js";
import { el } from "../../page/dom.js";

const ROLES = { classify: ["text", "label"], translate: ["source", "target"], generate: ["text"] };
const count = (value) => value.toLocaleString("en");
const inRows = (n) => `${count(n)} ${n === 1 ? "row" : "rows"}`;
const NARROW = 3; // columns that a phone has room for
const FEW = 30; // texts to test on, below which a score says little

export class DataPreview {
  constructor(asked, chosen) {
    this.asked = asked; // the task, the file or set, the minutes
    this.chosen = chosen; // told of other columns
    this.columns = {};
    this.reading = new Latest();
    this.measuring = new Latest();
    this.node = el("section", { class: "preview", "aria-label": "What would be learnt from", hidden: true });
  }

  clear() {
    this.columns = {};
    this.node.hidden = true;
  }

  /** What is there; what the minutes would buy is measured at once, or when it is asked for. */
  async show(measured = true) {
    this.node.hidden = false;
    this.node.replaceChildren(el("p", { class: "quiet", role: "status" }, "Reading the data …"));
    const asked = { ...this.asked(), columns: this.columns };
    try {
      const found = await this.reading.ask("train/preview", asked);
      if (!found) return;
      this.draw(found, asked.task);
      if (!found.wrong && measured) await this.estimate(asked);
      else if (!found.wrong) this.offerEstimate();
    } catch (error) {
      this.node.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  offerEstimate() {
    const minutes = this.asked().minutes;
    this.forecast.replaceChildren(
      el(
        "button",
        { type: "button", class: "tool", onclick: () => this.estimate({ ...this.asked(), columns: this.columns }) },
        `How far would ${minutes} min go on this machine?`,
      ),
    );
  }

  async estimate(asked) {
    this.forecast.textContent = "Measuring this machine: a few steps of a copy …";
    const found = await this.measuring.ask("train/estimate", asked).catch((error) => ({ error }));
    if (!found) return;
    const passes = (epochs) => (epochs >= 10 ? count(Math.round(epochs)) : epochs.toFixed(1));
    this.forecast.textContent = found.error
      ? `No estimate: ${found.error.message}`
      : `Roughly: ${asked.minutes} min would buy ${passes(found.epochs / 2)} to ${passes(found.epochs)} ` +
        `passes over the data (${count(Math.ceil(found.steps / 2))} to ${count(found.steps)} steps) of a ` +
        `${found.model} of ${count(found.parameters)} parameters, if the machine stays as busy as it is now` +
        `${found.busy ? ", which is more than its cores can do at once: it may come to far less" : ""}. ` +
        `${found.advised} min ${found.advised === 1 ? "is" : "are"} advised for data of this size.`;
  }

  draw(found, task) {
    this.forecast = el("p", { class: "estimate", role: "status" });
    this.node.replaceChildren(
      ...[
        el("h2", {}, "What it would read"),
        found.names.length ? this.table(found, task) : samples(found, task),
        found.wrong ? el("p", { class: "wrong", role: "alert" }, found.wrong) : null,
        found.wrong && found.rows.length
          ? el("p", {}, "Say above each column what it is, or choose another task.")
          : null,
        found.wrong ? null : facts(found, task),
        found.wrong ? null : this.forecast,
      ].filter(Boolean),
    );
  }

  /** The first rows, under columns that can be given another role; those that are read come first, however many there
   * are. */
  table({ names, rows, roles }, task) {
    const read = ROLES[task].map((role) => names.indexOf(roles[role])).filter((i) => i >= 0);
    const order = [...read, ...names.map((_, i) => i).filter((i) => !read.includes(i))];
    const taken = Object.fromEntries(Object.entries(roles).map(([role, name]) => [name, role]));
    const choose = (name, role) => {
      const others = Object.entries({ ...roles, ...this.columns }).filter(([each, of]) => each !== role && of !== name);
      this.columns = { ...Object.fromEntries(others), ...(role ? { [role]: name } : {}) };
      this.chosen();
      this.show();
    };
    const head = (name) =>
      el(
        "th",
        { scope: "col", class: taken[name] ? "taken" : "" },
        el("span", {}, name),
        " ",
        el(
          "select",
          { "aria-label": `what ${name} is`, onchange: (event) => choose(name, event.target.value) },
          ["", ...ROLES[task]].map((role) =>
            el("option", { value: role, selected: role === (taken[name] ?? "") }, role || "not used"),
          ),
        ),
      );
    return el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: names.length <= NARROW ? "samples rows fitting" : "samples rows" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            order.map((i) => head(names[i])),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              order.map((i) => el("td", {}, row[i])),
            ),
          ),
        ),
      ),
    );
  }
}

const samples = ({ samples: rows }, task) =>
  el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "samples rows" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ROLES[task].slice(0, rows?.[0]?.length).map((role) => el("th", { scope: "col" }, role)),
        ),
      ),
      el(
        "tbody",
        {},
        (rows ?? []).map((row) =>
          el(
            "tr",
            {},
            row.map((cell) => el("td", {}, cell)),
          ),
        ),
      ),
    ),
  );

function facts(found, task) {
  const most = Math.max(...found.labels.map(([, n]) => n), 1);
  const bar = ([name, n]) => {
    const fill = el("span", { class: "fill" });
    fill.style.width = `${(100 * n) / most}%`;
    return el("li", {}, el("span", {}, name), el("span", { class: "track" }, fill), el("output", {}, count(n)));
  };
  const { training, validation, test } = found.parts;
  const half = Math.round(found.lengths.median);
  return el(
    "div",
    { class: "facts-of-data" },
    el(
      "p",
      {},
      `${count(found.kept)} of ${count(found.read)} rows can be learnt from: ${count(training)} to train, `,
      `${count(validation)} to validate, ${count(test)} to test. `,
      half > 1 ? `Half of them have ${half} words or fewer, ` : "Half of them are a single word, ",
      `the longest ${found.lengths.longest === 1 ? "too" : `has ${count(found.lengths.longest)}`}.`,
    ),
    test < FEW && task !== "generate"
      ? el("p", { class: "few" }, `With ${test} to test on, its score will say little.`)
      : null,
    found.labels.length ? el("ul", { class: "classes" }, found.labels.map(bar)) : null,
    found.rare ? el("p", { class: "few" }, found.rare) : null,
    found.skipped
      ? el(
          "details",
          { open: true },
          el("summary", {}, `${inRows(found.skipped)} would be skipped`),
          el(
            "ul",
            {},
            found.reasons.map(([reason, n]) => el("li", {}, `${inRows(n)}: ${reason}`)),
            found.skips.map((each) => el("li", { class: "quiet" }, `line ${each.line}: ${each.reason}`)),
            found.skipped > found.skips.length
              ? el("li", { class: "quiet" }, `and ${inRows(found.skipped - found.skips.length)} more`)
              : null,
          ),
        )
      : null,
    el(
      "details",
      { open: true },
      el("summary", { class: "quiet" }, "what was noticed while reading"),
      el(
        "ul",
        {},
        found.said.map((each) => el("li", {}, each)),
      ),
    ),
  );
}
