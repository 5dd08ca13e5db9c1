// A lesson beside the room it is about: one step at a time, its words, what is to be done, a question. It sees from the
// address whether something was done, and keeps how far the reader has come in this browser.

import { built } from "./tables.js";
import { ask } from "../talk.js";
import { el } from "../page/dom.js";
import { WRITES, typed } from "../page/store.js";

const KEPT = "glassformer-lessons";
const STRONG = { class: "tool strong" };

const tool = (text, action, more = {}) =>
  el("button", { type: "button", class: "tool", onclick: action, ...more }, text);

function all() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

/** How far the reader has come: where, and which steps are done. */
export const progress = (name) => all()[name] ?? {};

function keep(name, change) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...all(), [name]: { ...progress(name), ...change } }));
  } catch {
    // A browser that keeps nothing begins anew; that is all.
  }
}

export class LessonDock {
  constructor(studio) {
    this.studio = studio;
    this.node = el("aside", { class: "lesson", "aria-label": "Lesson", hidden: true, tabindex: "-1" });
  }

  get address() {
    return this.lesson ? { lesson: this.lesson.name, step: this.at + 1 } : {};
  }

  get step() {
    return this.lesson?.steps[this.at];
  }

  /** The step that the address names, and what it shows. */
  async open(name, step) {
    if (this.lesson?.name !== name) this.lesson = await ask("lessons/open", { lesson: name });
    const { title, steps } = this.lesson;
    this.at = Math.max(0, Math.min((Number(step) || 1) - 1, steps.length - 1));
    const there = !step || String(this.at + 1) === String(step);
    this.missed = there ? null : new Error(`“${title}” has steps 1 to ${steps.length}; there is no step ${step}.`);
    keep(name, { at: this.at });
    this.draw();
    if (!this.step.deed && !this.step.ask) this.done();
    this.remember();
    return this.step.view;
  }

  close() {
    this.lesson = null;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.studio.root.classList.remove("taught");
  }

  /** What the reader did shows in the address of the room. */
  seen(state) {
    const deed = this.lesson?.steps[this.at].deed;
    if (!deed) return;
    const right = matches(deed, state);
    if (right) this.done();
    if (deed.kind === "cell") this.clicked(state.cell ?? "", right);
  }

  /** A number that is not the one asked for gets its answer too; what stood open before was not clicked. */
  clicked(cell, right) {
    const other = cell && cell !== (this.step.view?.cell ?? "") && !right;
    this.node.querySelector(".deed .other")?.replaceChildren(other ? "; that is another number." : "");
  }

  done() {
    const { done = [] } = progress(this.lesson.name);
    if (!done.includes(this.at)) keep(this.lesson.name, { done: [...done, this.at] });
    this.tick();
  }

  /** What was done here before stands as it was: the tick, and the answer with its reason. */
  remember() {
    const { done = [], answers = {} } = progress(this.lesson.name);
    if (done.includes(this.at)) this.tick();
    const form = this.node.querySelector("form.ask");
    const given = answers[this.at];
    if (!form || given === undefined) return;
    if (this.step.ask.choices.length) form.querySelector(`[value="${given}"]`)?.click();
    else form.elements.number.value = given;
    this.answer(form, form.querySelector(".told"));
  }

  tick() {
    this.node.querySelector(".deed")?.classList.add("done");
    this.node.querySelector(".deed .sign")?.replaceChildren("✓");
    this.mark();
  }

  go(step) {
    return this.studio.teach(this.lesson.name, step);
  }

  /** Where a step leads: to the next one; from the last, to the next lesson, and to all of them. */
  onward() {
    const { lesson, at } = this;
    if (at < lesson.steps.length - 1) return [tool("Next", () => this.go(at + 1), STRONG)];
    const all = tool("All lessons", () => this.studio.go("lessons", {}, true), lesson.next ? {} : STRONG);
    const next = () => this.studio.teach(lesson.next.name, 0);
    return lesson.next ? [all, tool(`Next lesson: ${lesson.next.title}`, next, STRONG)] : [all];
  }

  draw() {
    const { lesson, step, at } = this;
    this.dots = lesson.steps.map((each, i) =>
      el("button", { type: "button", class: "pip", title: each.title, onclick: () => this.go(i) }),
    );
    this.node.replaceChildren(
      el(
        "p",
        { class: "quiet of" },
        el("span", {}, lesson.title),
        tool("×", () => this.studio.endLesson(), { class: "tool end", "aria-label": "end the lesson" }),
      ),
      el("h2", {}, step.title),
      el("div", { class: "lesson-words" }, step.body.map(built)),
      step.deed
        ? el(
            "p",
            { class: "deed" },
            el("span", { class: "sign", "aria-hidden": "true" }, "○"),
            " ",
            built(["span", {}, ...step.deed.says]),
            el("span", { class: "other", role: "status" }),
          )
        : "",
      step.ask ? this.question(step.ask) : "",
      el(
        "div",
        { class: "ends" },
        at ? tool("Back", () => this.go(at - 1)) : null,
        el("span", { class: "pips", role: "group", "aria-label": "steps" }, this.dots),
        this.onward(),
      ),
    );
    this.node.hidden = false;
    this.studio.root.classList.add("taught");
    this.mark();
    this.node.scrollTop = 0;
  }

  mark() {
    const { done = [] } = progress(this.lesson.name);
    for (const [i, dot] of this.dots.entries()) {
      dot.classList.toggle("done", done.includes(i));
      dot.setAttribute("aria-current", i === this.at ? "step" : "false");
      dot.setAttribute("aria-label", `step ${i + 1}${done.includes(i) ? ", done" : ""}`);
    }
  }

  question(asked) {
    const said = el("p", { class: "told", role: "status" });
    const field = asked.choices.length
      ? asked.choices.map((choice, i) =>
          el(
            "label",
            {},
            el("input", { type: "radio", name: "choice", value: i }),
            " ",
            built(["span", {}, ...choice]),
          ),
        )
      : el("input", {
          type: "text",
          name: "number",
          inputmode: "decimal",
          class: "short",
          "aria-label": "your answer",
          autocomplete: "off",
        });
    return el(
      "form",
      {
        class: "ask",
        onsubmit: (event) => {
          event.preventDefault();
          this.answer(event.target, said);
        },
      },
      el("fieldset", {}, el("legend", {}, built(["span", {}, ...asked.question])), field),
      el("button", { class: "tool" }, "Check"),
      said,
    );
  }

  async answer(form, said) {
    const given = new FormData(form);
    const written = given.get("number") ?? given.get("choice") ?? "";
    const number = typed(written);
    const missing = written.trim()
      ? `“${written}” is not a number; ${WRITES}.`
      : given.has("number")
        ? "Type a number first."
        : "Choose an answer first.";
    said.className = "told";
    if (number === null) return said.replaceChildren(missing);
    const { name } = this.lesson;
    const step = this.at;
    try {
      const found = await ask("lessons/answer", {
        lesson: name,
        step,
        [given.has("number") ? "number" : "choice"]: number,
      });
      if (!said.isConnected) return; // another step is open by now
      if (found.right) keep(name, { answers: { ...progress(name).answers, [step]: written } });
      said.className = `told ${found.right ? "right" : "wrong"}`;
      said.replaceChildren(found.right ? "✓ " : "Not yet. ", built(["span", {}, ...found.says]));
      if (found.right) this.done();
    } catch (error) {
      said.replaceChildren(error.message);
    }
  }
}

/** Whether the address of a room shows that something was done. */
function matches(deed, state) {
  if (deed.kind === "cell") {
    const words = (state.cell ?? "").split(",");
    const [stage, index] = state.room === "inside" ? [state.at, words] : [words[0], words.slice(1)];
    const tail = deed.index.slice(deed.index.length - index.length).map(String);
    return index.length > 0 && stage === deed.address && tail.join() === index.join();
  }
  if (deed.kind === "given") {
    const given = state.room === "inside" ? state : state.sheet ? JSON.parse(state.sheet) : null;
    const now = given?.[deed.given] === "" ? null : (given?.[deed.given] ?? null);
    return given !== null && JSON.stringify(now) !== JSON.stringify(deed.before);
  }
  const changes = state.changes ? JSON.parse(state.changes) : [];
  const wanted = (each) => deed.address === null || (each.address === deed.address && each.head === deed.head);
  return changes.some((each) => each.kind === "head off" && wanted(each));
}
