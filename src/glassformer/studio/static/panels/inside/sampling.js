// What may come next, live: bars of the likeliest tokens under sliders for temperature, top-k, top-p. A click takes a
// token; a step draws one, a run many. What the sliders do to the shares the studio works out.

import { Latest, ask } from "../../talk.js";
import { WORKING, older } from "./older.js";
import { el, redrawn, word } from "../../page/dom.js";
import { visible } from "../../page/store.js";

const few = (share) => (share < 0.0005 ? "<0.001" : share.toFixed(3));
const BEAT = 350; // milliseconds between two steps of a run
const ALL = 41; // of top-k, one more than can be chosen
const SLIDERS = [
  ["temperature", "temperature", 0.1, 2, 0.05, 1, "below 1 sharper, above 1 more varied"],
  ["top_k", "top-k", 1, ALL, 1, ALL, "only the k likeliest; at the right end all"],
  ["top_p", "top-p", 0.05, 1, 0.05, 1, "only the likeliest that together make up p; 1 keeps all"],
];

export class SamplingPanel {
  /** `model` and `text` say what is asked; `take` is told the longer text, `drew` that its bars are there, `rested`
   * that a run has stopped. */
  constructor({ model, text, take, drew, rested }) {
    Object.assign(this, { model, text, take, drew, rested });
    this.latest = new Latest();
    this.past = [];
    this.said = el("p", { class: "quiet", role: "status" });
    this.bars = el("div", { class: "next-bars" });
    const tool = (name, title, action) => el("button", { type: "button", class: "tool", title, onclick: action }, name);
    this.running = tool("Run ▸", "Draw token after token", () => this.run());
    this.back = tool("◂ Back", "Take the last token back", () => this.undo());
    this.node = el(
      "section",
      { class: "sampling", "aria-label": "What may come next" },
      el("h2", {}, "What may come next"),
      el(
        "div",
        { class: "sliders" },
        SLIDERS.map((each) => this.slider(...each)),
      ),
      this.bars,
      el(
        "div",
        { class: "ends" },
        tool("Step", "Draw one token", () => this.step()),
        this.running,
        this.back,
        this.said,
      ),
    );
  }

  slider(name, title, min, max, step, value, about) {
    const said = (value) => (name === "top_k" && Number(value) === ALL ? "all" : String(value));
    const out = el("output", {}, said(value));
    const input = el("input", {
      type: "range",
      name,
      min,
      max,
      step,
      value,
      "aria-label": title,
      "aria-valuetext": said(value),
      oninput: () => {
        out.textContent = said(input.value);
        input.setAttribute("aria-valuetext", said(input.value));
        this.show();
      },
    });
    return el("label", { title: about }, el("span", {}, title), input, out);
  }

  get asked() {
    const value = (name) => Number(this.node.querySelector(`[name=${name}]`).value);
    const asked = Object.fromEntries(SLIDERS.map(([name]) => [name, value(name)]));
    return { model: this.model(), text: this.text(), ...asked, top_k: asked.top_k === ALL ? 0 : asked.top_k };
  }

  async show() {
    if (this.drawn !== undefined && this.drawn !== `${this.model()} ${this.text()}`) older(this.node, WORKING);
    try {
      const found = await this.latest.ask("inside/next", this.asked);
      if (found) this.draw(found);
    } catch (error) {
      this.stop();
      older(this.node, "");
      this.said.textContent = ""; // it was said of other bars
      this.drawn = undefined;
      this.bars.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  draw(found) {
    const bar = ({ piece, raw, share }) => {
      const [fill, plain] = [el("span", { class: "fill" }), el("span", { class: "plain" })];
      fill.style.width = `${100 * share}%`;
      plain.style.left = `${100 * raw}%`;
      return el(
        "button",
        {
          type: "button",
          class: `next-bar${share ? "" : " gone"}`,
          title: `Take it. ${share.toFixed(4)} of the draws; the model itself gives it ${raw.toFixed(4)}`,
          onclick: () => this.go(piece),
        },
        word(visible(piece), { class: "name" }),
        el("span", { class: "track" }, fill, plain),
        el("span", { class: "share" }, share ? few(share) : "cut"),
      );
    };
    redrawn(this.bars, found.items.map(bar));
    const drawn = `${found.kept} of ${found.vocabulary} tokens can be drawn.`;
    const rest = found.others > 0.0005 ? ` Those not shown have ${found.others.toFixed(3)} together.` : "";
    this.said.textContent = `${drawn}${rest} The tick is the model's own share.`;
    this.back.disabled = !this.past.length;
    this.drawn = `${this.model()} ${this.text()}`;
    older(this.node, "");
    this.drew();
  }

  /** One token more. */
  go(piece) {
    this.past.push(this.text());
    return this.take(this.text() + piece);
  }

  undo() {
    this.stop();
    const before = this.past.pop();
    if (before !== undefined) this.take(before);
  }

  /** One step after the other: a token is drawn for the text that it is put behind. */
  step() {
    this.under = Promise.resolve(this.under).then(() => this.draws());
    return this.under;
  }

  /** Whether it may go on. */
  async draws() {
    const asked = this.asked;
    try {
      const { drawn, left } = await ask("inside/next", { ...asked, seed: Math.floor(Math.random() * 2 ** 31) });
      if (!left) return false;
      if (asked.text === this.text()) await this.go(drawn); // else another text was typed meanwhile
      return true;
    } catch (error) {
      this.said.textContent = error.message;
      return false;
    }
  }

  async run() {
    if (this.timer) return this.stop();
    this.running.textContent = "Stop";
    const mine = {}; // a run that was stopped ends, and stops no later one
    this.timer = mine;
    while (this.timer === mine && (await this.step())) await new Promise((done) => setTimeout(done, BEAT));
    if (this.timer === mine) this.stop();
  }

  stop() {
    const ran = this.timer;
    this.timer = null;
    this.running.textContent = "Run ▸";
    if (ran) this.rested();
  }
}
