// What is changed in a pass and what it did: heads and networks switched off, heads frozen, numbers, stages of another
// text; beside it how much the open part matters. It keeps the list; the room asks the model anew.

import { changeInWords, sides } from "./changes.js";
import { PipelineStrip } from "./pipeline.js";
import { Latest } from "../../talk.js";
import { el, redrawn } from "../../page/dom.js";

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

  /** What outlives another text: parts that are off, and patterns that are frozen. */
  get lasting() {
    return this.list.filter((each) => each.kind.endsWith(" off") || (each.kind === "take" && each.frozen));
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

  /** The change that switches the open part off, and whether it was made: a head gives no mixed rows, a network hands
   * on nothing. */
  get off() {
    const { part, head, network } = this.spot;
    const scope = part.id.replace(/#.*/, "");
    const mixed = this.view().store.stages.has(`${scope}.mixed`) ? `${scope}.mixed` : "mixed";
    const change = network
      ? { kind: "network off", address: network, head: null }
      : { kind: "head off", address: mixed, head };
    const same = ({ kind, address, head: other }) =>
      kind === change.kind && address === change.address && (other ?? null) === change.head;
    return { change, made: this.list.find(same) };
  }

  /** Where we are in the view: the part, its head, its pattern; of a feed-forward network what it hands on. */
  get spot() {
    const stage = this.view().store.stage(this.view().state.at);
    const part = this.view().store.parts.get(stage.part);
    const network = part.heads ? null : (part.stages.find((each) => /(^|\.)contracted$/.test(each)) ?? null);
    return { stage, part, head: this.view().state.head, heads: part.heads, network };
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
    const { part, head, heads, network } = this.spot;
    if (!heads && !network) {
      const said = "Open a head or a feed-forward to switch it off, or click a number to change it.";
      this.badge.replaceChildren(el("span", { class: "quiet" }, said));
      this.offer("", () => []);
      return;
    }
    const scope = part.id.replace(/#.*/, "");
    const share = this.weights?.[network ? scope : `${scope}/${head}`];
    const most = this.weights ? Math.max(...Object.values(this.weights), 1e-9) : 1;
    const meter = el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "fill" }));
    meter.firstChild.style.width = share === undefined ? "0" : `${Math.max(100 * share, 0.6)}%`;
    const says =
      share === undefined
        ? "weighing every part …"
        : share < 0.005
          ? "hardly matters here"
          : share === most
            ? "matters most here"
            : "matters here";
    this.badge.title = "How much of the answer's probability moves elsewhere when this is switched off, for this text.";
    this.badge.replaceChildren(
      el("span", { class: "whose" }, `${part.title}${network ? "" : ` · head ${head + 1}`} `),
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
    redrawn(this.tools, tools());
  }

  drawTools() {
    const { stage, part, head } = this.spot;
    const { change, made } = this.off;
    const tool = (text, title, action) => el("button", { type: "button", class: "tool", title, onclick: action }, text);
    this.offer(JSON.stringify([part.id, part.pattern, stage.address, head, Boolean(made)]), () => [
      tool(made ? "Switch it on" : "Switch it off", "Ablate it: what it adds becomes zeros", () =>
        made ? this.drop(made) : this.change(change),
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
