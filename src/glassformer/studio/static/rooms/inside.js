// The room Inside: a model, a text, and why it answers so; one click deeper, the view of every number in between. What
// is changed there (a head switched off, a number, a stage taken from another text) is sent along, and the answer is
// shown before and after.

import { flow } from "../flow.js";
import { AskBar } from "../panels/inside/ask_bar.js";
import { HeadChanges } from "../panels/inside/head_changes.js";
import { RUNNING, TYPED, WORKING, isOlder, older } from "../panels/inside/older.js";
import { listOf, notThere, readable } from "../asked_for.js";
import { Latest, ask } from "../talk.js";
import { SamplingPanel } from "../panels/inside/sampling.js";
import { WhyPanel } from "../panels/inside/why.js";
import { el } from "../page/dom.js";
import { hashFromState, mount, stateFromHash } from "../page/view.js";

const NUMBERS = "numbers"; // the deeper of two tabs
const WHY_KEPT = ["rival", "rival_id", "token", "instead"]; // of an address, what is asked of a why
const KEPT = ["at", "head", "row", "cell", "view", "zoom"];

export class Inside {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.latest = new Latest();
    this.changing = new HeadChanges({
      view: () => this.view,
      asked: () => ({ model: this.model, text: this.text, target: this.target }),
      again: () => this.look().then(() => this.wrong.hidden),
      said: () => this.say(),
    });
    this.node = el("div", { class: "inside" }, el("p", { class: "quiet note" }, "Taking the models from the shelf …"));
  }

  get changes() {
    return this.changing.list;
  }

  set changes(list) {
    this.changing.list = list;
  }

  get address() {
    return this.model
      ? {
          model: this.model,
          text: this.text,
          target: this.target,
          changes: this.changes.length ? JSON.stringify(this.changes) : "",
          ...(this.tab === NUMBERS ? { tab: NUMBERS, ...this.seen } : this.reason),
          ...(this.tab !== NUMBERS && this.changes.length ? { tab: this.tab } : {}), // else changes open the numbers
        }
      : {};
  }

  async show(state) {
    const wish = {};
    this.wish = wish;
    const { models } = await ask("inside/start", { model: state.model || this.model || "" });
    if (wish !== this.wish) return; // somebody went on meanwhile
    this.models = models.filter((each) => !each.error);
    this.broken = models.filter((each) => each.error);
    if (!this.models.length) return this.empty();
    this.frame();
    const wanted = state.model || this.model; // what is asked for is shown or refused, never another in its place
    if (wanted && !this.models.some((each) => each.name === wanted)) return this.refuse();
    const model = this.models.find((each) => each.name === wanted) ?? this.models[0];
    const text = state.text ?? (model.name === this.model ? this.text : null) ?? model.first;
    const changes = listOf(state.changes);
    const place = stateFromHash(
      new URLSearchParams(Object.entries(state).filter(([name]) => KEPT.includes(name))).toString(),
    );
    const deep = state.tab ? state.tab === NUMBERS : state.at || changes.length;
    const tab = deep || model.why === false ? NUMBERS : "why";
    const reason = Object.fromEntries(WHY_KEPT.map((name) => [name, state[name] ?? ""]));
    const same =
      (tab === NUMBERS ? this.view : this.why.drawn && JSON.stringify(reason) === JSON.stringify(this.reason)) &&
      tab === this.tab &&
      model.name === this.model &&
      text === this.text &&
      (state.target ?? "") === (this.target ?? "") &&
      JSON.stringify(changes) === JSON.stringify(this.changes);
    if (same) {
      if (tab === NUMBERS && Object.keys(place).length) {
        await this.view.show(place);
        this.moved(this.view.state, true); // what can be done is said of the head that is open now
      }
      this.fail(null);
      this.tell(state);
      this.point();
      return;
    }
    Object.assign(this, { model: model.name, text, target: state.target ?? "", changes, tab, reason });
    this.bar.fill(this.card, this);
    await this.answer(place);
    this.point();
    this.tell(state);
  }

  /** What the address asks for and is not here. */
  tell(state) {
    const nowhere = Object.fromEntries(KEPT.map((name) => [name, ""]));
    const open = this.tab === NUMBERS ? { ...nowhere, view: "stage", zoom: 1, ...this.seen } : nowhere;
    const shown = { tab: this.tab, ...readable(state), ...open };
    const missing = notThere(state, shown, ["tab", "rival_id", "changes", ...KEPT]);
    if (missing && this.wrong.hidden) this.fail(new Error(missing));
  }

  /** In a lesson, what it speaks of is brought into sight: what is to be typed, the head that is to be switched off, or
   * a stage. */
  point() {
    const { lesson, step } = this.studio.lesson;
    const { kind } = step?.deed ?? {};
    if (!lesson || (this.tab !== NUMBERS && kind !== "given")) return;
    if (kind === "given") this.bar.node.scrollIntoView({ block: "start" });
    else if (kind === "head off") this.changing.node.scrollIntoView({ block: "start" });
    else this.place.querySelector(".seeing")?.scrollIntoView({ block: innerWidth < 1200 ? "start" : "nearest" });
  }

  theme(name) {
    if (!this.view || this.tab !== NUMBERS) return;
    this.view.root.dataset.theme = name;
    this.view.recolour();
  }

  empty() {
    this.bar = null;
    this.node.replaceChildren(
      el(
        "div",
        { class: "nothing" },
        el("h1", {}, "No model yet"),
        el(
          "p",
          {},
          "A small one trains in about a minute, on sentences that are made up on the spot. ",
          "Then you can look inside it here.",
        ),
        el("button", { type: "button", class: "tool strong", onclick: () => this.studio.go("train") }, "Train one"),
        this.broken.map((each) => el("p", { class: "wrong" }, `${each.name}: ${each.error}`)),
      ),
    );
  }

  // --- the frame ---

  frame() {
    if (this.bar) return this.fillModels();
    this.bar = new AskBar({
      chose: (name) => this.choose(name),
      asks: () => this.type(),
      typed: () => this.mark(),
      writes: () => this.write(),
    });
    this.absent = el("div", { role: "alert" });
    this.wrong = el("p", { class: "wrong note", role: "alert", hidden: true });
    this.waiting = el("p", { class: "quiet note waiting", role: "status", hidden: true });
    this.place = el("div", { class: "inside-view" });
    this.numbers = el("div", { class: "depth" }, this.changing.node, this.waiting, this.place);
    this.why = new WhyPanel({
      asked: () => ({ model: this.model, text: this.text, target: this.target }),
      said: ({ rival = "", rival_id = null, at = "", instead = "" }) => {
        const token = String(at || "");
        if (token !== (this.reason.token ?? "")) this.seen = {}; // of the token before
        this.reason = { rival, rival_id: String(rival_id ?? ""), token, instead };
        this.say();
      },
      open: (place) => this.turn(NUMBERS, place),
      changes: () => this.changing.words,
      drew: () => this.mark(),
      about: () => ({
        said: this.bar.about.textContent,
        known: Boolean(this.card.look),
        called: this.card.called,
        theme: () => (this.studio.isDark() ? "dark" : "light"),
      }),
    });
    this.sampling = new SamplingPanel({
      model: () => this.model,
      text: () => this.text,
      take: (text) => this.took(text),
      drew: () => this.mark(),
      rested: () => this.whyOnceRested(),
    });
    const tab = (name, title, about) =>
      el("button", { type: "button", "data-tab": name, title: about, onclick: () => this.turn(name) }, title);
    this.tabs = el(
      "div",
      { class: "depths", role: "group", "aria-label": "How deep" },
      tab("why", "Why this answer", "The answer, and what each word gave to it"),
      tab(NUMBERS, "Every number", "Every matrix of every head, and the arithmetic of each number"),
      this.bar.about,
    );
    this.below = [this.tabs, this.sampling.node, this.why.node, this.numbers];
    this.node.replaceChildren(this.bar.node, this.absent, this.wrong, ...this.below);
    this.fillModels();
  }

  fillModels() {
    this.bar.fillModels(this.models, this.model);
    this.absent.replaceChildren(
      ...this.broken.map(({ name, error }) =>
        el("p", { class: "wrong note" }, error.includes(`'${name}'`) ? error : `${name}: ${error}`),
      ),
    );
  }

  /** The model that is asked for is not there: that is said, and no other one's answer stands below. */
  refuse() {
    Object.assign(this, { model: "", text: "" });
    this.bar.choose();
    this.fail(null);
    for (const each of this.below) each.hidden = true;
  }

  // --- two depths ---

  /** To the other depth: to a place that is named, where we were, or at first to the head that matters most. */
  turn(name, place) {
    this.tab = name;
    this.say();
    const seen = this.seen?.at ? stateFromHash(new URLSearchParams(this.seen).toString()) : this.why.strongest();
    const opened = place ? () => this.place.querySelector(".matrix .frame")?.focus({ preventScroll: true }) : null;
    return this.answer(name === NUMBERS ? (place ?? seen) : undefined).then(opened); // what was pressed is gone
  }

  /** What is on screen: why, or every number; the other one is asked for when it is opened. */
  async answer(place) {
    if (!this.model) return this.fail(new Error("Choose a model first."));
    const deep = this.tab === NUMBERS;
    this.tabs.hidden = false;
    this.tabs.querySelector("[data-tab=why]").hidden = this.card.why === false; // some have no words to share it over
    this.sampling.node.hidden = deep || !this.card.goes_on;
    if (!this.sampling.node.hidden) this.sampling.show();
    this.why.node.hidden = deep;
    this.node.dataset.tab = this.tab; // keys are those of the view, where every number is shown
    this.numbers.hidden = !deep;
    for (const each of this.tabs.querySelectorAll("button"))
      each.setAttribute("aria-pressed", String(each.dataset.tab === this.tab));
    if (deep) {
      await this.look({ fresh: true, place });
      if (!this.view) return;
      return this.theme(this.studio.root.dataset.theme);
    }
    this.fail(null);
    const { rival, rival_id, token, instead } = this.reason;
    const chosen = rival_id ? Number(rival_id) : null;
    const plain = !rival && !rival_id && !token && !instead && !this.target && this.text === this.card.first;
    const choice = { rival, rival_id: chosen, at: Number(token) || null, instead };
    return this.why.show(choice, plain ? this.card.look : null);
  }

  get card() {
    return this.models.find((each) => each.name === this.model);
  }

  choose(name) {
    Object.assign(this, {
      model: name,
      text: this.models.find((each) => each.name === name).first,
      target: "",
      changes: [],
      seen: {},
      reason: {},
    });
    if (this.card.why === false) this.tab = NUMBERS;
    this.bar.fill(this.card, this);
    const place = this.card.look && this.tab === NUMBERS ? this.why.strongest(this.card.look) : undefined;
    return this.answer(place).then(() => this.say()); // the place of the model before says nothing here
  }

  /** A new text: numbers and patches of the old one are let go, heads stay off. */
  type() {
    Object.assign(this, this.bar.typed);
    this.changes = this.changing.lasting;
    this.reason = {};
    if (this.tab !== NUMBERS) this.seen = {}; // of the text before
    return this.answer(this.view?.state).then(() => this.say());
  }

  /** What is typed and not yet asked about: all that stands below is of the text before. */
  mark() {
    const { text, target } = this.bar.typed;
    const typed = text !== this.text || target !== (this.target ?? "");
    for (const node of [this.sampling.node, this.why.node, this.numbers])
      if (typed) older(node, TYPED);
      else if (isOlder(node) === TYPED) older(node, "");
  }

  /** A text that grew by a token: its bars at once; why it says so once it rests. */
  async took(text) {
    Object.assign(this, { text, reason: {}, seen: {} });
    this.bar.text = text;
    this.say({ replace: true });
    older(this.why.node, this.sampling.timer ? RUNNING : WORKING);
    clearTimeout(this.resting);
    await this.sampling.show();
    this.whyOnceRested();
  }

  /** Why is asked about a text that grows no more. */
  whyOnceRested() {
    clearTimeout(this.resting);
    if (this.sampling.timer || this.tab === NUMBERS) return;
    older(this.why.node, WORKING);
    this.resting = setTimeout(() => this.tab !== NUMBERS && !this.sampling.timer && this.why.show({ at: 1 }), 700);
  }

  /** The model goes on with the text, and is looked at while it reads all of it. */
  async write() {
    try {
      const { text } = await ask("inside/write", { ...this.sampling.asked, text: this.bar.typed.text });
      this.bar.text = text;
      await this.type();
      this.bar.toTheEnd(); // where it is new
    } catch (error) {
      this.fail(error);
    }
  }

  say(options) {
    if (this.model) this.put(this.address, options);
  }

  fail(error) {
    this.wrong.textContent = error?.message ?? "";
    this.wrong.hidden = !error;
  }

  // --- looking ---

  get asked() {
    const changes = this.changes.map(({ frozen, ...each }) => each);
    return { model: this.model, text: this.text, target: this.target, changes };
  }

  async look({ fresh = false, place } = {}) {
    const ticket = {};
    this.ticket = ticket;
    this.node.dataset.busy = "";
    this.waits(`Running ${this.card.called} on your text, and keeping every number …`);
    if (fresh && this.view) older(this.numbers, WORKING);
    try {
      const found = await this.latest.ask("inside/look", {
        ...this.asked,
        at: place?.at ?? (fresh ? "" : this.view?.state.at) ?? "",
      });
      if (!found) return;
      this.fail(null);
      this.changing.answers = [found.before, found.data.answer];
      if (fresh) this.changing.weights = null; // they were of another text
      if (fresh) await this.remount(found, place);
      else await this.view.update(found.data);
      this.changing.draw();
      if (fresh) this.changing.weigh((weights) => this.view?.weigh({ weights, names: this.card.heads }));
      if (fresh) this.changing.strip.read();
    } catch (error) {
      this.fail(error);
    } finally {
      if (ticket === this.ticket) {
        delete this.node.dataset.busy;
        this.waits("");
        older(this.numbers, "");
        this.mark();
      }
    }
  }

  /** What the page waits for, in words. */
  waits(words) {
    this.waiting.textContent = words;
    this.waiting.hidden = !words;
  }

  async remount(found, state) {
    this.view?.destroy();
    const element = el("div");
    this.place.replaceChildren(element);
    const first = found.before ? { ...found.data, answer: found.before, off: [] } : found.data;
    const asked = this.asked;
    this.view = await mount(element, first, {
      alone: true,
      state,
      theme: this.studio.root.dataset.theme,
      opens: () => !this.studio.lesson.lesson, // it may be what is asked for, or what is to be clicked
      fetchHead: (address, head) => ask("inside/head", { ...asked, address, head }),
      onEdit: (address, index, value) => this.changing.change({ kind: "number", address, index, value }),
      onState: (seen, replace) => this.moved(seen, replace),
    });
    if (found.before) await this.view.update(found.data);
    flow([...element.querySelectorAll(".strip .step")]);
    this.moved(this.view.state, true);
  }

  moved(seen, replace) {
    this.seen = Object.fromEntries(new URLSearchParams(hashFromState(seen).slice(1)));
    this.say({ replace });
    this.changing.drawBadge();
  }
}
