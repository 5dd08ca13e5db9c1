// One head's pattern over the checkpoints of a run, and the same samples early and late. It asks for one checkpoint at
// a time, and works nothing out.

import { pattern } from "../charts.js";
import { notThere } from "../../asked_for.js";
import { ask } from "../../talk.js";
import { el, word } from "../../page/dom.js";
import { maximisable } from "../../page/maximise.js";
import { visible } from "../../page/store.js";

const FRAMES = 8; // at most

export class TimeLapse {
  /** `root` has the colours; `chose` is told that another head is looked at, `drew` how many frames are there. */
  constructor({ root, chose, drew }) {
    Object.assign(this, { root, chose, drew, frames: new Map(), scope: "", head: 0, redraw: () => {} });
    this.node = el("section", { class: "run-lapse" });
    this.samples = el("section", { class: "run-samples" });
    this.whole = maximisable(this.node, "the head over time");
  }

  /** The frames of some checkpoints, one after the other; those that are there are not asked for again. */
  async show(run, checkpoints) {
    if (run !== this.run) this.clear();
    this.run = run;
    if (checkpoints.length === 0 || this.asking === run) return;
    const steps = evenly(checkpoints, FRAMES);
    this.asking = run;
    try {
      for (const step of steps) {
        if (this.frames.has(step)) continue;
        const found = await ask("train/frame", { name: run, step });
        if (run !== this.run) return;
        this.frames.set(step, found);
        this.draw(steps);
      }
      this.draw(steps);
    } catch (error) {
      this.node.replaceChildren(el("p", { class: "quiet" }, `No time-lapse yet: ${error.message}`));
    } finally {
      if (this.asking === run) this.asking = null;
    }
  }

  clear() {
    this.redraw = () => {};
    this.frames.clear();
    this.node.replaceChildren();
    this.samples.replaceChildren();
  }

  draw(steps) {
    this.redraw = () => this.draw(steps);
    const frames = steps.map((step) => this.frames.get(step)).filter(Boolean);
    if (!frames.length) return;
    this.drawPattern(frames, () => this.draw(steps));
    this.drawSamples(frames);
    this.drew(frames.length);
  }

  /** The chosen head in every frame. */
  drawPattern(frames, again) {
    const last = frames.at(-1);
    const known = last.patterns.find((each) => each.scope === this.scope) ?? last.patterns[0];
    if (!known) return;
    const head = Math.min(this.head, known.heads.length - 1);
    const choose = (change) => {
      Object.assign(this, change);
      this.chose();
      again();
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
    const figure = ({ patterns, step }) => {
      const rows = patterns.find((each) => each.scope === known.scope)?.heads[head];
      const below = el("figcaption", {}, `step ${step.toLocaleString("en")}`);
      return rows ? el("figure", { class: "frame-of" }, pattern(rows, this.root), below) : null;
    };
    const read = last.own.map((each) => word(`${visible(each)} `));
    const missing = notThere({ scope: this.scope, head: this.head }, { scope: known.scope, head }, ["scope", "head"]);
    this.node.replaceChildren(
      this.whole,
      el("h2", {}, "One head over time"),
      missing ? el("p", { class: "wrong", role: "alert" }, missing) : "",
      el("div", { class: "run-head" }, scopes, heads, el("span", { class: "quiet" }, "on ", read)),
      el("div", { class: "lapse" }, frames.map(figure)),
    );
  }

  /** The same samples in the first frame and in the last. */
  drawSamples(frames) {
    const [first, last] = [frames[0], frames.at(-1)];
    if (!last.answers.length) return;
    const title = (text) => el("th", { scope: "col" }, text);
    const at = ({ step }) => title(`at step ${step.toLocaleString("en")}`);
    const row = (each, i) =>
      el(
        "tr",
        {},
        el("td", {}, word(each.text)),
        first === last ? null : said(first.answers[i]),
        said(each),
        el("td", { class: "quiet" }, word(each.truth)),
      );
    const heading = el("tr", {}, title("text"), first === last ? null : at(first), at(last), title("target"));
    this.samples.replaceChildren(
      el("h2", {}, "Validation samples"),
      el("table", { class: "samples" }, el("thead", {}, heading), el("tbody", {}, last.answers.map(row))),
    );
  }
}

/** An answer, with a tick where it is the target. */
const said = (answer) =>
  el("td", {}, word(answer?.says ?? ""), answer?.truth && answer.says === answer.truth ? " ✓" : "");

/** At most so many of a list, evenly, with the first and the last. */
function evenly(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}
