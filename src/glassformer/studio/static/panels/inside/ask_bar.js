// The line one asks with: a model, a text, for a translator a translation of your own (teacher forcing); and texts to
// try. It asks nothing itself.

import { el } from "../../page/dom.js";

const LONGEST_OPTION = 48; // signs of a text to try

export class AskBar {
  /** `chose` is told the name of a model; `asks` that a text is to be asked about, `typed` that it is not yet, `writes`
   * that the model shall go on. */
  constructor({ chose, asks, typed, writes }) {
    this.picker = el("select", { "aria-label": "model", onchange: () => chose(this.picker.value) });
    this.words = el("textarea", {
      class: "words",
      rows: 1,
      "aria-label": "your text",
      title: "Enter looks; Shift and Enter begin a new line",
      "data-first": true,
      autocomplete: "off",
      spellcheck: "false",
      onkeydown: (event) => this.enter(event),
      oninput: typed,
    });
    this.lead = el("input", {
      type: "text",
      class: "words lead",
      "aria-label": "your own translation, for teacher forcing",
      placeholder: "your translation (optional)",
      title:
        "Teacher forcing: it reads your translation in place of its own words, and says what it would have written",
      oninput: typed,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.about = el("span", { class: "quiet about-model" });
    this.examples = el("select", {
      class: "examples",
      "aria-label": "texts to try",
      onchange: () => this.attempt(asks),
    });
    const title = "The model continues your text, by sampling";
    this.on = el("button", { type: "button", class: "tool", title, onclick: writes }, "Write on ▸");
    this.node = el(
      "form",
      {
        class: "bar ask",
        onsubmit: (event) => {
          event.preventDefault();
          asks();
        },
      },
      el("label", {}, el("span", { class: "spoken" }, "model"), this.picker),
      this.words,
      el("button", { class: "tool strong" }, "Look"),
      this.on,
      this.examples,
      this.lead,
    );
  }

  /** What stands in the fields. */
  get typed() {
    return { text: this.words.value, target: this.lead.hidden ? "" : this.lead.value };
  }

  set text(text) {
    this.words.value = text;
  }

  toTheEnd() {
    this.words.scrollTop = this.words.scrollHeight;
  }

  fillModels(models, chosen) {
    this.picker.replaceChildren(
      ...models.map(({ name, called }) => el("option", { value: name, selected: name === chosen }, called)),
    );
  }

  /** No model is chosen yet. */
  choose() {
    this.picker.selectedIndex = -1;
    this.words.value = "";
    for (const each of [this.lead, this.on, this.examples]) each.hidden = true;
  }

  /** The fields of a model, and what is said of it. */
  fill(model, { text, target }) {
    this.picker.value = model.name;
    this.words.value = text;
    this.lead.value = target;
    this.lead.hidden = !model.can_be_led;
    this.on.hidden = !model.goes_on;
    this.examples.hidden = model.examples.length < 2;
    const { note = "", texts = [] } = model.read_before ?? {}; // what it learnt from shows no skill
    const offered = (each) => el("option", { value: each }, short(each));
    this.examples.replaceChildren(
      el("option", { value: "" }, "Try a text …"),
      ...model.examples.filter((each) => !texts.includes(each)).map(offered),
      ...(texts.length ? [el("optgroup", { label: note }, texts.map(offered))] : []),
    );
    const size = `${model.model}, ${model.parameters.toLocaleString("en")} parameters`;
    const good = [model.scored, model.caution].filter(Boolean).join(" · ");
    this.about.replaceChildren(
      el("span", { class: "size" }, `${size}, ${model.origin}${good ? " · " : ""}`),
      good ? el("span", { class: "how-good" }, good) : "",
    );
  }

  /** One of the texts to try. */
  attempt(asks) {
    const text = this.examples.value;
    this.examples.value = "";
    if (!text) return;
    this.words.value = text;
    asks();
  }

  enter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.node.requestSubmit();
  }
}

const short = (text) => (text.length > LONGEST_OPTION ? `${text.slice(0, LONGEST_OPTION)}…` : text);
