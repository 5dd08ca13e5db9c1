// The room Train: four fields, then the page is the run: its curve, samples getting better, one head's pattern over
// time.

import { chart, pattern } from "../panels/charts.js";
import { DataPreview } from "../panels/data_preview.js";
import { runsTable } from "../panels/runs_table.js";
import { ask, sendFile } from "../talk.js";
import { el, word } from "../page/dom.js";
import { maximisable } from "../page/maximise.js";
import { visible } from "../page/store.js";

const BEAT = 1500; // milliseconds between two looks at a run
const FRAMES = 8; // of a time-lapse
const LONGER = 5; // minutes, if one is not enough
const NAMES = { curve: "loss", accuracy: "accuracy", lapse: "head over time" };

export class Train {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.frames = new Map();
    this.node = el("div", { class: "train" }, el("p", { class: "quiet" }, "Looking for runs …"));
  }

  get address() {
    return { run: this.run, scope: this.scope, head: this.run ? this.head : "" };
  }

  leave() {
    clearTimeout(this.timer);
  }

  async show(state) {
    clearTimeout(this.timer);
    if (state.run !== this.run) this.frames.clear();
    this.run = state.run ?? "";
    this.scope = state.scope ?? "";
    this.head = Number(state.head ?? 0) || 0;
    if (this.run) return this.follow();
    return this.offer();
  }

  open(run) {
    return this.studio.go("train", { run });
  }

  // --- the form ---

  async offer() {
    const { tasks, files, sets, runs } = await ask("train/start");
    const task = el(
      "select",
      { name: "task", onchange: () => turned(sent ? "file" : undefined) },
      tasks.map((each) =>
        el(
          "option",
          { value: each },
          { classify: "classify texts", translate: "translate", generate: "generate text" }[each],
        ),
      ),
    );
    const data = el("select", { name: "data", onchange: () => turned(data.value) });
    const file = el("input", {
      type: "file",
      name: "file",
      hidden: true,
      "aria-label": "a file of yours",
      accept: ".csv,.tsv,.jsonl,.txt,.gz",
      onchange: () => file.files[0] && look(file.files[0]).catch(fail),
    });
    const chosen = el("span", { class: "quiet" });
    const minutes = el("input", {
      type: "number",
      name: "minutes",
      min: 0.1,
      max: 600,
      step: "any",
      value: this.kept?.minutes ?? 1,
      required: true,
      onchange: () => keep(),
    });
    const name = el("input", {
      type: "text",
      name: "name",
      required: true,
      pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*",
      maxlength: 60,
    });
    const about = el("p", { class: "quiet" });
    const taken = new Set(runs.map((each) => each.name));
    const fill = (chosen) => {
      const fitting = sets.filter((each) => each.task === task.value);
      data.replaceChildren(
        ...fitting.map((each) =>
          el("option", { value: each.name, selected: each.name === chosen }, `${each.name} (synthetic)`),
        ),
        el("option", { value: "file", selected: chosen === "file" }, "a file of mine"),
      );
      const said = fitting.find((each) => each.name === data.value)?.about ?? files[task.value];
      about.textContent = said[0].toUpperCase() + said.slice(1);
      const base = data.value === "file" ? named(sent) || task.value : data.value;
      name.value = [base, ...Array.from({ length: 99 }, (_, i) => `${base}-${i + 2}`)].find((each) => !taken.has(each));
    };
    let sent = this.kept?.sent ?? null; // the file that is on the studio's side
    const wrong = el("p", { class: "wrong", role: "alert", hidden: true });
    const fail = (error) => {
      wrong.textContent = error?.message ?? "";
      wrong.hidden = !error;
    };
    const terminal = el("code");
    const keep = () => {
      const { columns } = preview;
      this.kept = { task: task.value, data: data.value, minutes: Number(minutes.value) || 1, sent, columns };
      terminal.textContent = command(this.kept);
    };
    const preview = new DataPreview(
      () => ({
        task: task.value,
        data: data.value,
        minutes: Number(minutes.value) || 1,
        ...(data.value === "file" ? { file: sent } : {}),
      }),
      keep,
    );
    const look = async (given, measured = true, columns = {}) => {
      fail(null);
      if (given) {
        data.value = "file";
        sent = (await sendFile("train/upload", given)).file;
        chosen.textContent = sent;
        fill("file");
      }
      preview.columns = columns;
      keep();
      if (data.value !== "file" || sent) await preview.show(measured);
      else preview.clear();
    };
    const turned = (of, measured = true, columns = {}) => {
      fill(of);
      return look(null, measured, columns).catch(fail);
    };
    const begin = async (event) => {
      event.preventDefault();
      fail(null);
      keep();
      try {
        const content = {
          columns: preview.columns,
          task: task.value,
          data: data.value,
          minutes: Number(minutes.value),
          name: name.value,
        };
        if (data.value === "file") {
          if (!sent) throw new Error("Choose a file first.");
          content.file = sent;
        }
        await this.open((await ask("train/begin", content)).name);
      } catch (error) {
        fail(error);
      }
    };
    const drop = el(
      "div",
      {
        class: "drop",
        ondragover: (event) => event.preventDefault(),
        ondrop: (event) => {
          event.preventDefault();
          if (event.dataTransfer.files[0]) look(event.dataTransfer.files[0]).catch(fail);
        },
      },
      el("span", {}, "Drop a file here: one text in a row, with its label or its translation "),
      el("span", { class: "quiet" }, "(.csv, .tsv, .jsonl, .txt; it stays on this machine) "),
      el(
        "button",
        {
          type: "button",
          class: "tool",
          onclick: () => {
            fill("file");
            file.click();
          },
        },
        "Choose a file",
      ),
      " ",
      chosen,
      file,
    );
    const field = (title, ...inside) => el("label", {}, el("span", { class: "quiet" }, title), ...inside);
    this.node.replaceChildren(
      ...[
        el("h1", { class: "meaning" }, "Train a model of your own"),
        el(
          "form",
          { class: "plan", onsubmit: begin },
          field("task", task),
          field("data", data),
          field("minutes", minutes),
          field("name", name),
          el("button", { class: "tool strong" }, "Train"),
        ),
        about,
        drop,
        wrong,
        el("div", { class: "ahead" }, preview.node, whatComes(terminal)),
        runsTable(runs, {
          open: (run) => this.open(run),
          inside: (run) => this.studio.go("inside", { model: run }),
          again: () => this.offer(),
        }),
      ].filter(Boolean),
    );
    if (this.kept) task.value = this.kept.task;
    chosen.textContent = sent ?? "";
    turned(this.kept?.data, false, this.kept?.columns);
  }

  // --- a run ---

  frame() {
    this.parts = Object.fromEntries(
      ["title", "bar", "wrong", "end", "curve", "accuracy", "lapse", "samples"].map((name) => [
        name,
        el("section", { class: `run-${name}` }),
      ]),
    );
    this.whole = Object.fromEntries(
      ["curve", "accuracy", "lapse"].map((name) => [name, maximisable(this.parts[name], `the ${NAMES[name]}`)]),
    );
    this.node.replaceChildren(...Object.values(this.parts));
    this.node.dataset.run = this.run;
  }

  async follow() {
    if (this.node.dataset.run !== this.run || !this.parts?.title.isConnected) this.frame();
    const run = this.run;
    const state = await ask("train/state", { name: run });
    if (run !== this.run) return;
    this.draw(state);
    if (state.running) this.timer = setTimeout(() => this.follow().catch((error) => this.fail(error)), BEAT);
    await this.drawFrames(state);
  }

  fail(error) {
    this.parts.wrong.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
  }

  draw(state) {
    const { settings, steps, validations } = state;
    const act = (text, name) =>
      el(
        "button",
        {
          type: "button",
          class: "tool",
          onclick: () =>
            ask(`train/${name}`, { name: this.run })
              .then(() => this.follow())
              .catch((error) => this.fail(error)),
        },
        text,
      );
    const last = steps.at(-1);
    const left = settings.seconds && last ? Math.max(0, settings.seconds - last.seconds) : null;
    const status = state.running
      ? last
        ? `step ${last.step.toLocaleString("en")}${left === null ? "" : `, about ${roundly(left)} left`}`
        : `reading the data and measuring the machine, for ${Math.round(state.waited)} s now …`
      : state.finished
        ? "finished"
        : state.said
          ? "ended with an error"
          : "stopped";
    this.node.dataset.status = state.running ? "running" : status;
    this.parts.title.replaceChildren(
      el(
        "div",
        { class: "run-head" },
        el("h1", {}, this.run),
        el("span", { class: "quiet" }, settings.task ? `${settings.model} to ${settings.task} ${settings.data}` : ""),
        el("span", { role: "status" }, status),
        state.running
          ? act("Stop", "stop")
          : state.finished
            ? el(
                "button",
                {
                  type: "button",
                  class: "tool strong",
                  onclick: () => this.studio.go("inside", { model: state.model }),
                },
                "Look inside",
              )
            : settings.task
              ? act("Resume", "resume")
              : null,
        el("button", { type: "button", class: "tool", onclick: () => this.studio.go("train", {}) }, "All runs"),
      ),
    );
    const fill = el("span");
    fill.style.width = `${state.finished ? 100 : 100 * state.share}%`;
    this.parts.bar.replaceChildren(
      el(
        "div",
        {
          class: state.running && !last ? "progress waiting" : "progress",
          role: "progressbar",
          "aria-valuenow": String(Math.round(100 * state.share)),
          "aria-valuemin": "0",
          "aria-valuemax": "100",
          "aria-label": "how much is done",
        },
        fill,
      ),
    );
    if (state.said) this.parts.wrong.replaceChildren(el("p", { class: "wrong said-so", role: "alert" }, state.said));
    const points = (list) => list.filter((each) => each.loss !== null).map((each) => [each.seconds, each.loss]);
    this.parts.curve.replaceChildren(
      this.whole.curve,
      el("h2", {}, "Loss"),
      el("p", { class: "quiet" }, "Thin: training loss. Thick: validation loss."),
      chart(
        [
          { points: points(steps), kind: "curve" },
          { points: points(validations), kind: "held" },
        ],
        { what: "Loss over time" },
      ),
    );
    if (state.epochs.length) this.parts.accuracy.replaceChildren(this.whole.accuracy, ...accuracy(state.epochs));
    if (state.finished) this.parts.end.replaceChildren(...this.end(state));
  }

  end({ scores, tried, caution, certificate, unused }) {
    const many = tried.samples ? `, on ${tried.samples.toLocaleString("en")} samples of the ${tried.part} part` : "";
    const checks = certificate.checks ?? [];
    return [
      el("h2", {}, "Scores"),
      el("p", { class: "quiet" }, `With 95 % confidence intervals${many}.`),
      el(
        "table",
        { class: "samples" },
        el(
          "tbody",
          {},
          scores.map(([name, value]) =>
            el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "num" }, value)),
          ),
        ),
      ),
      caution ? el("p", { class: "wrong" }, caution) : null,
      unused ? this.unused(unused) : null,
      checks.length
        ? el(
            "p",
            { class: certificate.passed ? "" : "wrong" },
            `${certificate.passed ? "✓" : "✗"} certificate: `,
            `it ${certificate.about ?? `keeps ${checks.filter((each) => each.passed).length} of ${checks.length}`}. `,
            el("span", { class: "quiet" }, "That is no grade: a model that guesses can keep every promise."),
          )
        : null,
      ...this.learnt(certificate.learnt),
    ].filter(Boolean);
  }

  // Where little of the time went into training.
  unused({ trained, asked }) {
    const seconds = (value) => (value < 10 ? value.toFixed(1) : Math.round(value));
    return el(
      "p",
      {},
      `Of the ${seconds(asked)} s asked for, ${seconds(trained)} s were spent on training: reading, measuring and `,
      "evaluating took the rest, or the machine was busy. More minutes change that. ",
    );
  }

  // Whether it is better than baselines; loud where it is not.
  learnt(known) {
    if (!known) return [el("p", { class: "quiet" }, "Whether it has learnt is not known: it has no baseline.")];
    const first = !known.better_than_majority && !known.undecided;
    const lost = (each, i) => (i === 0 ? first : each.ahead < 0 && each.p_value < 0.05);
    return [
      el("h2", {}, "Has it learnt?"),
      ...known.sentences.map((sentence, i) => el("p", { class: lost(known.baselines[i], i) ? "wrong" : "" }, sentence)),
      ...(known.todo ?? []).map((each) => this.todo(each)),
    ];
  }

  // What to do, with a button where it can be done from here.
  todo({ kind, words }) {
    if (!["longer", "linear"].includes(kind)) return el("p", { class: "quiet" }, `→ ${words}`);
    const begin = () =>
      ask("train/again", { name: this.run, kind, minutes: LONGER })
        .then(({ name }) => this.open(name))
        .catch((error) => this.fail(error));
    const text = kind === "longer" ? `Train ${LONGER} min more` : "Train the linear model";
    const why = kind === "longer" ? words.replace(/Train longer$/, "") : "It is ahead. ";
    return el(
      "p",
      { class: "quiet" },
      `→ ${why}`,
      el("button", { type: "button", class: "tool", onclick: begin }, text),
    );
  }

  // --- the time-lapse ---

  async drawFrames(state) {
    if (state.checkpoints.length === 0 || this.asking) return;
    const steps = evenly(state.checkpoints, FRAMES);
    this.asking = true;
    try {
      for (const step of steps) {
        if (this.frames.has(step)) continue;
        const run = this.run;
        const found = await ask("train/frame", { name: run, step });
        if (run !== this.run) return;
        this.frames.set(step, found);
        this.drawLapse(steps);
      }
      this.drawLapse(steps);
    } catch (error) {
      this.parts.lapse.replaceChildren(el("p", { class: "quiet" }, `No time-lapse yet: ${error.message}`));
    } finally {
      this.asking = false;
    }
  }

  drawLapse(steps) {
    const frames = steps.map((step) => this.frames.get(step)).filter(Boolean);
    const last = frames.at(-1);
    if (!last) return;
    const known = last.patterns.find((each) => each.scope === this.scope) ?? last.patterns[0];
    if (known) {
      const head = Math.min(this.head, known.heads.length - 1);
      const choose = (change) => {
        Object.assign(this, change);
        this.put(this.address, { replace: true });
        this.drawLapse(steps);
      };
      const scopes = el(
        "select",
        { "aria-label": "which attention", onchange: () => choose({ scope: scopes.value, head: 0 }) },
        last.patterns.map((each) =>
          el("option", { value: each.scope, selected: each === known }, each.scope || "attention"),
        ),
      );
      const heads = el(
        "select",
        { "aria-label": "which head", onchange: () => choose({ head: Number(heads.value) }) },
        known.heads.map((_, i) => el("option", { value: i, selected: i === head }, `head ${i + 1}`)),
      );
      const strip = frames.map((frame) => {
        const rows = frame.patterns.find((each) => each.scope === known.scope)?.heads[head];
        return rows
          ? el(
              "figure",
              { class: "frame-of" },
              pattern(rows, this.studio.root),
              el("figcaption", {}, `step ${frame.step.toLocaleString("en")}`),
            )
          : null;
      });
      this.parts.lapse.replaceChildren(
        this.whole.lapse,
        el("h2", {}, "One head over time"),
        el(
          "div",
          { class: "run-head" },
          scopes,
          heads,
          el(
            "span",
            { class: "quiet" },
            "on ",
            last.own.map((each) => word(`${visible(each)} `)),
          ),
        ),
        el("div", { class: "lapse" }, strip),
      );
    }
    const first = frames[0];
    const row = (each, i) =>
      el(
        "tr",
        {},
        el("td", {}, word(each.text)),
        first === last ? null : el("td", {}, word(first.answers[i]?.says ?? "")),
        el("td", {}, word(each.says), each.truth && each.says === each.truth ? " ✓" : ""),
        el("td", { class: "quiet" }, word(each.truth)),
      );
    const title = (text) => el("th", { scope: "col" }, text);
    if (last.answers.length)
      this.parts.samples.replaceChildren(
        el("h2", {}, "Validation samples"),
        el(
          "table",
          { class: "samples" },
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              title("text"),
              first === last ? null : title(`at step ${first.step.toLocaleString("en")}`),
              title(`at step ${last.step.toLocaleString("en")}`),
              title("target"),
            ),
          ),
          el("tbody", {}, last.answers.map(row)),
        ),
      );
    this.node.dataset.frames = String(frames.length);
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
          "Stop when you like; it saves first, and can go on later.",
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

/** What a classifier got right, by epochs: while it learnt, and on the validation part. */
function accuracy(epochs) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const { training, validation } = epochs.at(-1);
  return [
    el("h2", {}, "Accuracy"),
    el(
      "p",
      { class: "quiet" },
      `By epochs. Thin: while it learnt, ${percent(training)}. Thick: validation, ${percent(validation)}.`,
    ),
    chart(
      [
        { points: epochs.map((each) => [each.epoch, each.training]), kind: "curve" },
        { points: epochs.map((each) => [each.epoch, each.validation]), kind: "held" },
      ],
      { what: "Accuracy over epochs", across: (epoch) => `${epoch.toFixed(1)} epochs` },
    ),
  ];
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

/** A time that is left, on the long side. */
const roundly = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

/** At most so many of a list, evenly, with the first and the last. */
function evenly(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}
