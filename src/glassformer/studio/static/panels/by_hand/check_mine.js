// Check mine: a working pasted or dropped, checked in place. The notes are shown as they read; what is wrong is marked.

import { built } from "../tables.js";
import { ask } from "../../talk.js";
import { el } from "../../page/dom.js";

const EXAMPLE = `X = [[1, 0], [0, 1], [1, 1]]
W_Q = [[1, 0], [1, 1]]
W_K = [[0, 1], [1, 0]]

Q = X W_Q = [[1, 0], [1, 1], [2, 1]]
K = X W_K = [[0, 1], [1, 0], [1, 1]]
S = Q K^T = [[0, 1, 1], [1, 1, 2], [1, 2, 4]]
`;

export class CheckMine {
  constructor() {
    this.text = el("textarea", {
      rows: 18,
      spellcheck: "false",
      "aria-label": "your working",
      placeholder: "Paste your working here: Markdown, LaTeX or plain text. Or drop a file.",
    });
    this.variant = el("select", { "aria-label": "kind of exercise" });
    this.answer = el(
      "section",
      { class: "report", "aria-live": "polite" },
      el(
        "p",
        { class: "quiet" },
        "Right numbers stay as they are; the first wrong one is marked, with the right value beside it and the reason.",
      ),
    );
    const file = el("input", {
      type: "file",
      accept: ".md,.tex,.txt",
      "aria-label": "a file with your working",
      onchange: () => this.file(file.files[0]),
    });
    const tool = (text, action) => el("button", { type: "button", class: "tool", onclick: action }, text);
    this.form = el(
      "form",
      {
        class: "mine",
        onsubmit: (event) => {
          event.preventDefault();
          this.check();
        },
      },
      el("h1", {}, "Your working"),
      this.text,
      el("div", { class: "ends" }, el("button", { class: "tool strong" }, "Check it"), file),
      el(
        "div",
        { class: "ends" },
        tool("Show me one with a slip", () => {
          this.text.value = EXAMPLE;
          this.check();
        }),
        el("span", { class: "quiet" }, "or"),
        tool("Surprise me", () => this.surprise()),
        this.variant,
      ),
    );
    this.node = el("div", { class: "check", hidden: true }, this.form, this.answer);
    this.form.addEventListener("dragover", (event) => event.preventDefault());
    this.form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.file(event.dataTransfer.files[0]);
    });
  }

  open(variants) {
    if (!this.variant.children.length)
      this.variant.append(...variants.map((each) => el("option", { value: each }, each)));
  }

  async file(file) {
    if (!file) return;
    if (file.size > 400_000)
      return this.fail(
        new Error(`${file.name} has ${file.size.toLocaleString("en")} bytes; a working has at most 400,000.`),
      );
    this.text.value = await file.text();
    this.kind = [".tex", ".txt"].find((end) => file.name.endsWith(end)) ?? ".md";
    return this.check();
  }

  async surprise() {
    const made = await ask("by-hand/exercise", {
      seed: Math.floor(Math.random() * 1000),
      variant: this.variant.value,
    }).catch((error) => this.fail(error));
    if (!made) return;
    this.text.value = made.sheet;
    this.answer.replaceChildren(
      el("p", {}, "Put a number in place of every “?” at the left, then check it."),
      el("div", { class: "notes" }, built(made.reads)),
      el(
        "details",
        {},
        el("summary", { class: "quiet" }, "the solution"),
        el("div", { class: "notes" }, built(made.solved)),
      ),
    );
    this.text.focus();
  }

  fail(error) {
    this.answer.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
  }

  async check() {
    this.answer.replaceChildren(el("p", { class: "quiet busy" }, "Reading and reworking every step …"));
    try {
      this.draw(await ask("by-hand/check", { text: this.text.value, kind: this.kind ?? ".md" }));
    } catch (error) {
      this.fail(error);
    }
  }

  draw(report) {
    const { marks, findings } = report;
    const notes = el("div", { class: "notes" }, built(report.notes));
    const cards = findings.map((each, i) =>
      el(
        "article",
        { class: `card${each.mild ? " mild" : ""}${each.first ? " first" : ""}`, "data-mark": String(i) },
        el("h3", {}, each.place, el("span", { class: "quiet" }, ` line ${each.line}`)),
        el("p", { class: "pair" }, el("s", {}, each.printed), " → ", el("b", {}, each.right)),
        each.arithmetic ? el("p", { class: "sum" }, each.arithmetic) : null,
        el("p", { class: "quiet" }, each.says),
      ),
    );
    this.answer.replaceChildren(
      ...[
        el(
          "p",
          { class: `verdict ${report.right ? "right" : "fails"}` },
          `${report.right ? "✓ " : ""}${report.verdict}`,
        ),
        el(
          "p",
          { class: "quiet" },
          `${marks.right} of ${marks.numbers} numbers right`,
          marks.follow_through ? `, ${marks.follow_through} of them follow from your value` : "",
          ".",
        ),
        ...cards,
        el("h2", {}, "As it reads"),
        notes,
        report.unread.length
          ? el(
              "details",
              {},
              el("summary", { class: "quiet" }, `${report.unread.length} lines not checked`),
              el(
                "ul",
                {},
                report.unread.map((each) => el("li", {}, each)),
              ),
            )
          : null,
      ].filter(Boolean),
    );
    const first = findings.findIndex((each) => each.first);
    this.answer.querySelector(`.notes [data-mark="${first}"]`)?.classList.add("first");
    this.answer.dataset.checked = String(marks.numbers);
  }
}
