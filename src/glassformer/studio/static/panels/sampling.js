// What may come next, live: bars of the likeliest tokens under sliders for temperature, top-k, top-p. A click takes a
// token; a step draws one, a run many. What the sliders do to the shares the studio works out.

import { Latest, ask } from "../talk.js";
import { el, word } from "../page/dom.js";
import { visible } from "../page/store.js";

const BEAT = 350; // milliseconds between two steps of a run
const SLIDERS = [
  ["temperature", "temperature", 0.1, 2, 0.05, 1, "below 1 sharper, above 1 more varied"],
  ["top_k", "top-k", 0, 40, 1, 0, "only the k likeliest; 0 keeps all"],
  ["top_p", "top-p", 0.05, 1, 0.05, 1, "only the likeliest that together make up p; 1 keeps all"],
];

export class SamplingPanel {
  /** `model` and `text` say what is asked; `take` is told the longer text. */
  constructor({ model, text, take }) {
    Object.assign(this, { model, text, take });
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
    const out = el("output", {}, String(value));
    const input = el("input", {
      type: "range",
      name,
      min,
      max,
      step,
      value,
      "aria-label": title,
      oninput: () => {
        out.textContent = name === "top_k" && input.value === "0" ? "all" : input.value;
        this.show();
      },
    });
    if (name === "top_k") out.textContent = "all";
    return el("label", { title: about }, el("span", {}, title), input, out);
  }

  get asked() {
    const value = (name) => Number(this.node.querySelector(`[name=${name}]`).value);
    return {
      model: this.model(),
      text: this.text(),
      ...Object.fromEntries(SLIDERS.map(([name]) => [name, value(name)])),
    };
  }

  async show() {
    try {
      const found = await this.latest.ask("inside/next", this.asked);
      if (found) this.draw(found);
    } catch (error) {
      this.stop();
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
        el("span", { class: "share" }, share ? share.toFixed(3) : "cut"),
      );
    };
    this.bars.replaceChildren(...found.items.map(bar));
    const rest = found.others > 0.0005 ? `, ${found.others.toFixed(3)} of it not shown` : "";
    const drawn = `${found.kept} of ${found.vocabulary} tokens can be drawn${rest}.`;
    this.said.textContent = `${drawn} The tick is the model's own share.`;
    this.back.disabled = !this.past.length;
    this.left = found.left;
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

  async step() {
    const { drawn, left } = await ask("inside/next", { ...this.asked, seed: Math.floor(Math.random() * 2 ** 31) });
    if (!left) return this.stop();
    await this.go(drawn);
    return true;
  }

  async run() {
    if (this.timer) return this.stop();
    this.running.textContent = "Stop";
    this.timer = true;
    while (this.timer && (await this.step().catch(() => false))) await new Promise((done) => setTimeout(done, BEAT));
    this.stop();
  }

  stop() {
    this.timer = null;
    this.running.textContent = "Run ▸";
  }
}
