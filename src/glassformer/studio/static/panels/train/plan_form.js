// What is to be trained: task, data, minutes and a name; a file that is dropped is shown before anything is learnt. The
// studio reads and trains; here it is only asked.

import { DataPreview } from "./data_preview.js";
import { ask, sendFile } from "../../talk.js";
import { el } from "../../page/dom.js";

const TASKS = { classify: "classify texts", translate: "translate", generate: "generate text" };
const MOST_NAMES = 99; // runs of one name that are told apart by a number

export class PlanForm {
  /** `kept` is what was chosen before; `begun` is told the name of a run that has begun, `keep` what is chosen. */
  constructor({ tasks, files, sets, runs }, { kept, keep, begun }) {
    Object.assign(this, { files, sets, keep, begun, sent: kept?.sent ?? null }); // `sent`: a file on the studio's side
    this.taken = new Set(runs.map((each) => each.name));
    this.fields(tasks, kept?.minutes ?? 1);
    this.preview = new DataPreview(
      () => this.asked,
      () => this.remember(),
    );
    this.node = el(
      "div",
      { class: "planning" },
      this.form(),
      this.about,
      this.drop(),
      this.wrong,
      el("div", { class: "ahead" }, this.preview.node, whatComes(this.terminal)),
    );
    if (kept) this.task.value = kept.task;
    this.chosen.textContent = this.sent ?? "";
    this.turned(kept?.data, false, kept?.columns);
  }

  fields(tasks, minutes) {
    this.task = el(
      "select",
      { name: "task", onchange: () => this.turned(this.sent ? "file" : undefined) },
      tasks.map((each) => el("option", { value: each }, TASKS[each])),
    );
    this.data = el("select", { name: "data", onchange: () => this.turned(this.data.value) });
    this.file = el("input", {
      type: "file",
      name: "file",
      hidden: true,
      "aria-label": "a file of yours",
      accept: ".csv,.tsv,.jsonl,.txt,.gz",
      onchange: () => this.file.files[0] && this.take(this.file.files[0]),
    });
    this.minutes = el("input", {
      type: "number",
      name: "minutes",
      min: 0.1,
      max: 600,
      step: "any",
      value: minutes,
      required: true,
      onchange: () => this.remember(),
    });
    this.name = el("input", {
      type: "text",
      name: "name",
      required: true,
      pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*",
      maxlength: 60,
    });
    this.chosen = el("span", { class: "quiet" });
    this.about = el("p", { class: "quiet" });
    this.wrong = el("p", { class: "wrong", role: "alert", hidden: true });
    this.terminal = el("code");
  }

  form() {
    const field = (title, input) => el("label", {}, el("span", { class: "quiet" }, title), input);
    return el(
      "form",
      {
        class: "plan",
        onsubmit: (event) => {
          event.preventDefault();
          this.begin();
        },
      },
      field("task", this.task),
      field("data", this.data),
      field("minutes", this.minutes),
      field("name", this.name),
      el("button", { class: "tool strong" }, "Train"),
    );
  }

  /** Where a file is dropped, or chosen. */
  drop() {
    return el(
      "div",
      {
        class: "drop",
        ondragover: (event) => event.preventDefault(),
        ondrop: (event) => {
          event.preventDefault();
          if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]);
        },
      },
      el("span", {}, "Drop a file here: one text in a row, with its label or its translation "),
      el("span", { class: "quiet" }, "(.csv, .tsv, .jsonl, .txt; it stays on this machine) "),
      el("button", { type: "button", class: "tool", onclick: () => this.file.click() }, "Choose a file"),
      " ",
      this.chosen,
      this.file,
    );
  }

  // --- what is chosen ---

  get asked() {
    return {
      task: this.task.value,
      data: this.data.value,
      minutes: Number(this.minutes.value) || 1,
      ...(this.data.value === "file" ? { file: this.sent } : {}),
    };
  }

  remember() {
    const { task, data, minutes } = this.asked;
    const kept = { task, data, minutes, sent: this.sent, columns: this.preview.columns };
    this.keep(kept);
    this.terminal.textContent = command(kept);
  }

  fail(error) {
    this.wrong.textContent = error?.message ?? "";
    this.wrong.hidden = !error;
  }

  /** The sets that fit the task, what is said of the chosen one, and a name that is free. */
  fill(chosen) {
    const fitting = this.sets.filter((each) => each.task === this.task.value);
    const option = (value, text) => el("option", { value, selected: value === chosen }, text);
    this.data.replaceChildren(
      ...fitting.map((each) => option(each.name, `${each.name} (synthetic)`)),
      option("file", "a file of mine"),
    );
    const said = fitting.find((each) => each.name === this.data.value)?.about ?? this.files[this.task.value];
    this.about.textContent = said[0].toUpperCase() + said.slice(1);
    const base = this.data.value === "file" ? named(this.sent) || this.task.value : this.data.value;
    const others = Array.from({ length: MOST_NAMES }, (_, i) => `${base}-${i + 2}`);
    this.name.value = [base, ...others].find((each) => !this.taken.has(each));
  }

  /** A file of the reader's; one that is refused changes nothing that is chosen. */
  async take(file) {
    this.fail(null);
    try {
      this.sent = (await sendFile("train/upload", file)).file;
      this.chosen.textContent = this.sent;
      this.fill("file");
      await this.look();
    } catch (error) {
      this.fail(error);
    }
  }

  turned(of, measured = true, columns = {}) {
    this.fill(of);
    this.fail(null);
    return this.look(measured, columns).catch((error) => this.fail(error));
  }

  async look(measured = true, columns = {}) {
    this.preview.columns = columns;
    this.remember();
    if (this.data.value !== "file" || this.sent) await this.preview.show(measured);
    else this.preview.clear();
  }

  async begin() {
    this.fail(null);
    this.remember();
    try {
      if (this.data.value === "file" && !this.sent) throw new Error("Choose a file first.");
      const content = { ...this.asked, columns: this.preview.columns, name: this.name.value };
      await this.begun((await ask("train/begin", content)).name);
    } catch (error) {
      this.fail(error);
    }
  }
}

/** What happens once the button is pressed. */
function whatComes(terminal) {
  const step = (title, text) => el("li", {}, el("b", {}, title), " ", text);
  return el(
    "section",
    { class: "what-comes" },
    el("h2", {}, "What happens"),
    el(
      "ol",
      {},
      step("See what it will read:", "first rows, classes, lengths, and what would be skipped. Nothing is sent away."),
      step(
        "Watch it learn:",
        "the loss as it falls, accuracy by epochs, the same samples early and late, one head's pattern over time. " +
          "Stop when you like; it saves first, and can be resumed.",
      ),
      step(
        "Ask it:",
        "a score with its interval, whether that is better than guessing, a certificate of what it keeps; then look " +
          "inside, at your own text.",
      ),
    ),
    el("p", { class: "quiet" }, "The same from a terminal: ", terminal),
  );
}

/** A run is called after its file: what of its name may stand in a folder's. */
const named = (file) =>
  (file ?? "")
    .replace(/\..*$/, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, 50);

/** What was chosen, as a command. */
function command({ task, data, sent, minutes, columns }) {
  const quoted = (text) => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const told = Object.entries(columns).flatMap(([role, name]) => [`--${role}`, quoted(name)]);
  const source = data === "file" ? quoted(sent ?? "FILE") : data;
  return ["glassformer train", task, source, ...told, "--minutes", minutes].join(" ");
}
