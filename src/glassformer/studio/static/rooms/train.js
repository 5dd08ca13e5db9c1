// The room Train: four fields, then the page is the run: its curve, samples getting better, one head's pattern over
// time.

import { chart } from "../panels/charts.js";
import { PlanForm } from "../panels/train/plan_form.js";
import { AFTER_STEPS, UNDONE, runEnd } from "../panels/train/run_end.js";
import { runsTable } from "../panels/train/runs_table.js";
import { TimeLapse } from "../panels/train/time_lapse.js";
import { ask } from "../talk.js";
import { el } from "../page/dom.js";
import { maximisable } from "../page/maximise.js";

const BEAT = 1500; // milliseconds between two looks at a run
const PARTS = ["title", "bar", "wrong", "end", "curve", "accuracy"];
const WHOLE = { curve: "the loss", accuracy: "the accuracy" }; // parts that can have the whole window

export class Train {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.lapse = new TimeLapse({
      root: studio.root,
      chose: () => this.put(this.address, { replace: true }),
      drew: (count) => (this.node.dataset.frames = String(count)),
    });
    this.node = el("div", { class: "train" }, el("p", { class: "quiet" }, "Looking for runs …"));
  }

  get address() {
    return { run: this.run, scope: this.lapse.scope, head: this.run ? this.lapse.head : "" };
  }

  /** Patterns are pictures: they are drawn anew in other colours. */
  theme() {
    this.lapse.redraw();
  }

  leave() {
    clearTimeout(this.timer);
  }

  async show(state) {
    clearTimeout(this.timer);
    this.run = state.run ?? "";
    Object.assign(this.lapse, { scope: state.scope ?? "", head: Number(state.head ?? 0) || 0 });
    if (this.run) return this.follow();
    return this.offer();
  }

  open(run) {
    return this.studio.go("train", { run });
  }

  /** What could be trained, and what was. */
  async offer() {
    const found = await ask("train/start");
    const offered = JSON.stringify(found);
    if (this.offered === offered && this.plan?.isConnected) return; // somebody may be in the middle of something there
    this.offered = offered;
    const plan = new PlanForm(found, {
      kept: this.kept,
      keep: (kept) => (this.kept = kept),
      begun: (run) => this.open(run),
    });
    this.plan = plan.node;
    this.node.replaceChildren(
      el("h1", { class: "meaning" }, "Train a model of your own"),
      plan.node,
      runsTable(found.runs, {
        open: (run) => this.open(run),
        inside: (name) => ask("train/shelve", { name }).then(({ model }) => this.studio.go("inside", { model })),
        again: () => this.offer(),
      }),
    );
  }

  // --- a run ---

  frame() {
    this.parts = Object.fromEntries(PARTS.map((name) => [name, el("section", { class: `run-${name}` })]));
    this.whole = Object.fromEntries(
      Object.entries(WHOLE).map(([name, what]) => [name, maximisable(this.parts[name], what)]),
    );
    this.node.replaceChildren(...Object.values(this.parts), this.lapse.node, this.lapse.samples);
    this.node.dataset.run = this.run;
  }

  async follow() {
    if (this.node.dataset.run !== this.run || !this.parts?.title.isConnected) this.frame();
    const run = this.run;
    const state = await ask("train/state", { name: run });
    if (run !== this.run) return;
    this.draw(state);
    if (state.running) this.timer = setTimeout(() => this.follow().catch((error) => this.fail(error)), BEAT);
    await this.lapse.show(run, state.checkpoints);
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
      ? state.doing
        ? AFTER_STEPS[state.doing].now
        : last
          ? `step ${last.step.toLocaleString("en")}${remaining(left)}`
          : `reading the data and measuring the machine, for ${Math.round(state.waited)} s now …`
      : state.finished
        ? state.left
          ? UNDONE[state.left]
          : "finished"
        : state.said
          ? "ended with an error"
          : "stopped";
    this.node.dataset.status = state.running ? "running" : state.finished ? "finished" : status;
    this.parts.title.replaceChildren(
      el(
        "div",
        { class: "run-head" },
        el("h1", {}, this.run),
        el("span", { class: "quiet" }, settings.task ? whatOf(settings) : ""),
        el("span", { role: "status" }, status),
        state.running ? act("Stop", "stop") : null,
        state.doing ? el("span", { class: "quiet" }, AFTER_STEPS[state.doing].stop) : null,
        state.running
          ? null
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
        state.left ? act("Resume", "resume") : null,
        el("button", { type: "button", class: "tool", onclick: () => this.studio.go("train", {}) }, "All runs"),
      ),
    );
    const fill = el("span");
    const share = state.finished || state.doing ? 1 : state.share;
    fill.style.width = `${100 * share}%`;
    this.parts.bar.replaceChildren(
      el(
        "div",
        {
          class: state.running && (!last || state.doing) ? "progress waiting" : "progress",
          role: "progressbar",
          "aria-valuenow": String(Math.round(100 * share)),
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
      steps.length
        ? chart(
            [
              { points: points(steps), kind: "curve" },
              { points: points(validations), kind: "held" },
            ],
            { what: "Loss over time" },
          )
        : el("p", { class: "quiet" }, state.running ? "It begins with the first steps." : "No step was taken."),
    );
    if (state.epochs.length) this.parts.accuracy.replaceChildren(this.whole.accuracy, ...accuracy(state.epochs));
    if (state.finished) this.parts.end.replaceChildren(...runEnd(state, (kind, minutes) => this.again(kind, minutes)));
  }

  /** A new run that goes on from this one, or the linear model on the same data. */
  again(kind, minutes) {
    return ask("train/again", { name: this.run, kind, minutes })
      .then(({ name }) => this.open(name))
      .catch((error) => this.fail(error));
  }
}

/** What is learnt, and from which weights on; the clock begins anew. */
const whatOf = ({ model, task, data, parent }) =>
  `${model} to ${task} ${data}${parent ? `, goes on from ${parent}; its clock begins at 0` : ""}`;

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
      {
        what: "Accuracy over epochs",
        across: (epoch) => `${epoch < 0.1 ? epoch.toPrecision(1) : epoch.toFixed(1)} epochs`,
      },
    ),
  ];
}

/** What is left of the steps, if that is known. */
const remaining = (left) => (left === null ? "" : left > 0 ? `, about ${roundly(left)} left` : ", the last ones");

/** A time that is left, on the long side. */
const roundly = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);
