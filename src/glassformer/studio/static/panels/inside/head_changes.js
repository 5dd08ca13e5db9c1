// What is changed in a pass and what it did: heads switched off or frozen, numbers, stages of another text; beside it
// how much the open head matters. It keeps the list; the room asks the model anew.

import { changeInWords, sides } from "./changes.js";
import { PipelineStrip } from "./pipeline.js";
import { Latest } from "../../talk.js";
import { el } from "../../page/dom.js";

export class HeadChanges {
  /** `view` and `asked` say what is open and what is asked about; `again` asks anew and says whether it could be done,
   * `said` is told of every change. */
  constructor({ view, asked, again, said }) {
    Object.assign(this, { view, asked, again, said, list: [], answers: [null, null] });
    this.weighing = new Latest();
    this.strip = new PipelineStrip(asked);
    this.badge = el("span", { class: "matters" });
    this.tools = el("span", { class: "try" });
    this.line = el("div", { class: "line" }, this.badge, this.tools, this.strip.node);
    this.node = el("section", { class: "changes", "aria-label": "What you changed" });
  }

  /** What outlives another text: heads that are off, and patterns that are frozen. */
  get lasting() {
    return this.list.filter((each) => each.kind === "head off" || (each.kind === "take" && each.frozen));
  }

  /** In words, for who leaves them out. */
  get words() {
    return this.list.map((each) => changeInWords(each, this.view()?.data.parts ?? []));
  }

  async change(change) {
    const same = (each) =>
      each.kind === change.kind &&
      each.address === change.address &&
      each.head === change.head &&
      String(each.index) === String(change.index);
    const old = this.list;
    this.list = [...this.list.filter((each) => !same(each)), change];
    if (!(await this.again())) this.list = old;
    this.draw();
    this.said();
  }

  async drop(gone) {
    this.list = gone ? this.list.filter((each) => each !== gone) : [];
    await this.again();
    this.said();
  }

  switchHead(scope, head, on) {
    const address = scope && this.view().store.stages.has(`${scope}.mixed`) ? `${scope}.mixed` : "mixed";
    if (!on) return this.change({ kind: "head off", address, head });
    return this.drop(
      this.list.find((each) => each.kind === "head off" && each.address === address && each.head === head),
    );
  }

  /** Where we are in the view: the part, its head, its pattern. */
  get spot() {
    const stage = this.view().store.stage(this.view().state.at);
    const part = this.view().store.parts.get(stage.part);
    return { stage, part, head: this.view().state.head, heads: part.heads };
  }

  freeze() {
    const { part, head } = this.spot;
    return this.change({ kind: "take", address: part.pattern, head, text: this.asked().text, frozen: true });
  }

  patch(event) {
    event.preventDefault();
    const { stage, head } = this.spot;
    const text = new FormData(event.target).get("text");
    return this.change({ kind: "take", address: stage.address, head: stage.axes.includes("H") ? head : null, text });
  }

  draw() {
    const name = (each) => changeInWords(each, this.view()?.data.parts ?? []);
    const chips = this.list.map((each) =>
      el(
        "li",
        {},
        name(each),
        " ",
        el(
          "button",
          { type: "button", class: "undo", "aria-label": `undo: ${name(each)}`, onclick: () => this.drop(each) },
          "×",
        ),
      ),
    );
    if (!this.line.parentNode) this.node.append(this.line); // and there it stays, with what is typed into it
    while (this.line.nextSibling) this.line.nextSibling.remove();
    this.node.append(
      ...[
        chips.length
          ? el(
              "div",
              { class: "line" },
              el("span", { class: "quiet" }, "changed by you "),
              el("ul", { class: "chips" }, chips),
              el("button", { type: "button", class: "tool", onclick: () => this.drop(null) }, "Undo all"),
            )
          : null,
        chips.length ? sides(...this.answers) : null,
      ].filter(Boolean),
    );
    this.drawBadge();
  }

  // --- does this head matter ---

  /** How much each head matters for this text; `told` once it is known. */
  async weigh(told) {
    const found = await this.weighing.ask("inside/matters", { ...this.asked(), changes: [] }).catch(() => null);
    if (!found) return;
    this.weights = found.matters;
    told(this.weights);
    this.drawBadge();
  }

  drawBadge() {
    if (!this.line.parentNode || !this.view()) return;
    const { part, head, heads } = this.spot;
    if (!heads) {
      this.badge.replaceChildren(
        el("span", { class: "quiet" }, "Open a head to switch it off, or click a number to change it."),
      );
      this.offer("", () => []);
      return;
    }
    const share = this.weights?.[`${part.id.replace(/#.*/, "")}/${head}`];
    const most = this.weights ? Math.max(...Object.values(this.weights), 1e-9) : 1;
    const meter = el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "fill" }));
    meter.firstChild.style.width = share === undefined ? "0" : `${Math.max(100 * share, 0.6)}%`;
    const says =
      share === undefined
        ? "weighing every head …"
        : share < 0.005
          ? "hardly matters here"
          : share === most
            ? "matters most here"
            : "matters here";
    this.badge.title =
      "How much of the answer's probability moves elsewhere when this head is switched off, for this text.";
    this.badge.replaceChildren(
      el("span", { class: "whose" }, `${part.title} · head ${head + 1} `),
      el("b", {}, says),
      " ",
      meter,
      " ",
      el("output", {}, share === undefined ? "" : share.toFixed(3)),
    );
    this.drawTools();
  }

  /** Tools are made anew only for another head, stage or state: a form that is being filled in stays as it is. */
  offer(what, tools) {
    if (what === this.offered) return;
    this.offered = what;
    this.tools.replaceChildren(...tools().filter(Boolean));
  }

  drawTools() {
    const { stage, part, head } = this.spot;
    const off = this.list.some(
      (each) =>
        each.kind === "head off" &&
        each.head === head &&
        each.address.replace(/\.?mixed$/, "") === part.id.replace(/#.*/, ""),
    );
    const tool = (text, title, action) => el("button", { type: "button", class: "tool", title, onclick: action }, text);
    this.offer(JSON.stringify([part.id, part.pattern, stage.address, head, off]), () => [
      tool(off ? "Switch it on" : "Switch it off", "Ablate this head: what it adds becomes zeros", () =>
        this.switchHead(part.id.replace(/#.*/, ""), head, off),
      ),
      part.pattern
        ? tool("Freeze its pattern", "Its weights stay as they are now, whatever else changes", () => this.freeze())
        : null,
      el(
        "details",
        { class: "patch" },
        el("summary", { class: "tool" }, "Patch from another text"),
        el(
          "form",
          { onsubmit: (event) => this.patch(event) },
          el(
            "label",
            {},
            `${stage.symbol} (${stage.name.replaceAll("_", " ")}) of `,
            el("input", {
              name: "text",
              class: "words",
              placeholder: "a text of as many tokens",
              required: true,
              autocomplete: "off",
            }),
          ),
          el("button", { class: "tool" }, "Take it"),
        ),
      ),
    ]);
  }
}
