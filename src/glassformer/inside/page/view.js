// The view: draws a look inside a model from one JSON document, and nothing else. It works no stage and knows none by
// name. `mount` puts it into an element; what is on screen is a small state that an address can hold.

import { hashFromState, stateFromHash } from "./address.js";
import { AnswerView } from "./panels/answer.js";
import { Controls, Player, drawPath, drawTop } from "./controls.js";
import { Palette, el, formula } from "./dom.js";
import { keysDialog, pressed } from "./keys.js";
import { Heads } from "./panels/heads.js";
import { maximisable } from "./maximise.js";
import { ModelMap } from "./panels/map.js";
import { Matrix } from "./panels/matrix.js";
import { NumberPanel } from "./panels/number_panel.js";
import { Sheet, Store, clamp } from "./store.js";
import { boxes, carried, entrance, firstCell, headAxis, whole } from "./standing.js";
import { picture, savePng, saveSvg } from "./export.js";
import { numbered, spelledFromOperation } from "./operations.js";
import { Strip, looks } from "./panels/strip.js";

const LARGEST_PICTURE = 300_000; // numbers that are fetched for a small picture

// --- mounting -----------------------------------------------------------------------------------------------------

/** Options: `state` to begin with, `theme`, `chrome: false` without text and answer, `alone` if no one else on the page
 * wants keys; `opens` says whether a number is open unasked; `explain`, `fetchHead`, `onState`, `onEdit` are asked and
 * told. */
export async function mount(element, data, options = {}) {
  const view = new View(element, options);
  await view.update(data, options.state);
  return view;
}

class View {
  constructor(element, options) {
    this.root = element;
    this.options = options;
    element.classList.add("gf");
    if (options.theme) element.dataset.theme = options.theme;
    const go = (to) => this.go(to);
    const choose = (row) => this.move({ row: row === this.state.row ? null : row });
    this.map = new ModelMap({ go });
    this.strip = new Strip({ go });
    const toMatrix = () => this.matrix.frame.focus({ preventScroll: true }); // what was pressed is gone
    this.heads = new Heads({ go: (to) => go(to).then(toMatrix) });
    this.answer = new AnswerView({ go, choose: (row) => this.move({ row }) });
    this.number = new NumberPanel({ go, onEdit: options.onEdit });
    this.matrix = new Matrix({
      onCell: (cell, [row]) => this.move({ cell, row: this.rowOf(row) }),
      onMove: (cell, [row], said) => this.move({ cell, row: this.rowOf(row) }, { replace: true, said }),
      tallest: () => clamp(innerHeight - (this.matrix.node.getBoundingClientRect().top + scrollY) - 36, 300, 620),
    });
    this.choose = choose;
    this.player = new Player(this);
    this.frame();
    this.listen();
  }

  /** The fixed parts of the page. */
  frame() {
    this.top = el("header", { class: "top" });
    this.path = el("h1", { class: "path" });
    this.says = el("div", { class: "says" });
    this.controls = new Controls(this);
    this.looking = el("div", { class: "looking" });
    this.spoken = el("div", { class: "spoken", role: "status", "aria-live": "polite" });
    this.stage = el(
      "section",
      { class: "stage panel", "aria-label": "One step" },
      this.says,
      this.strip.node,
      this.controls.node,
      el("div", { class: "seeing" }, this.matrix.node, this.looking),
    );
    this.controls.tools.append(maximisable(this.stage, "this step"));
    this.centre = el("div", { class: "centre" }, this.path, this.stage);
    this.help = keysDialog();
    this.number.node.tabIndex = -1;
    this.drawer = el(
      "button",
      { type: "button", class: "drawer tool", "aria-expanded": "false", onclick: () => this.toggleMap() },
      "☰ Map",
    );
    this.peek = el("button", {
      type: "button",
      class: "peek",
      hidden: true,
      onclick: () => this.number.node.scrollIntoView(),
    });
    const side = el("div", { class: "side" }, this.map.node);
    this.root.replaceChildren(
      this.top,
      el("div", { class: "body" }, side, this.centre, this.number.node),
      this.peek,
      this.help,
      this.spoken,
    );
    this.root.removeAttribute("aria-busy");
  }

  listen() {
    this.onKey = (event) => pressed(this, event);
    document.addEventListener("keydown", this.onKey);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => this.recolour();
    this.scheme.addEventListener("change", this.onScheme);
  }

  destroy() {
    this.pause();
    document.removeEventListener("keydown", this.onKey);
    this.scheme.removeEventListener("change", this.onScheme);
    this.root.replaceChildren();
  }

  /** New data in the same place. */
  async update(data, state) {
    const before = this.store?.data.answer?.items;
    this.store = await Store.open(data, this.options.fetchHead);
    this.before = data.off?.length || data.stages.some((stage) => stage.written) ? (this.first ?? before) : null;
    this.first ??= data.answer?.items;
    this.palette = new Palette(this.root);
    this.map.draw(this.store, this.palette);
    await this.show(state ?? this.state ?? {});
  }

  get data() {
    return this.store.data;
  }

  get part() {
    return this.store.parts.get(this.store.stage(this.state.at).part);
  }

  // --- where we are ---

  rowOf(row) {
    return this.state.row === null ? null : this.fades() ? row : this.state.row;
  }

  fades() {
    const stage = this.store.stage(this.state.at);
    const axis = stage.axes[new Sheet(this.store, stage, 0).rowAxis];
    return axis === "Tq" || axis === "T";
  }

  async show(state) {
    this.state = whole(this.store, state);
    const stage = this.store.stage(this.state.at);
    if (this.state.view === "stage") await this.fetch(stage);
    const opens = this.options.opens?.() ?? true;
    if (opens && !state.cell && this.store.parts.get(stage.part).pattern === stage.address)
      this.state.cell = firstCell(this.store, this.state);
    await this.draw();
  }

  /** Goes on from here. */
  move(change, { replace = false, said = "" } = {}) {
    const next = { ...this.state, ...change };
    if ("at" in change && change.at !== this.state.at && !("cell" in change))
      next.cell = carried(this.store, this.state, change.at);
    this.state = whole(this.store, next);
    this.options.onState?.({ ...this.state }, replace);
    this.spoken.textContent = said;
    return this.draw();
  }

  go(to) {
    const change = { view: "stage", ...to };
    if ("part" in to) {
      const part = this.store.parts.get(to.part);
      change.at = entrance(part, this.store);
      delete change.part;
    }
    const stage = this.store.stage(change.at);
    const axis = headAxis(stage);
    if (change.cell && axis >= 0 && stage.axes[axis] === "H") change.head = change.cell[axis];
    if (this.root.classList.contains("map-open")) this.toggleMap();
    return this.move(change);
  }

  // --- drawing ---

  async draw() {
    const { at, head, view, row } = this.state;
    const stage = this.store.stage(at);
    const part = this.store.parts.get(stage.part);
    drawTop(this, this.top);
    this.map.mark(part.id, head, this.data.off);
    drawPath(this, part, stage);
    const shown = { stage: this.stage, heads: this.heads.node, answer: this.answer.node }[view];
    if (this.centre.lastChild !== shown) this.centre.replaceChildren(this.path, shown);
    if (view === "heads")
      this.heads.draw(this.store, this.palette, { part: part.id, head }, { off: this.data.off, ...this.weighed });
    else if (view === "answer") this.answer.draw(this.store, this.palette, row);
    else await this.drawStage(stage, part);
    this.root.dataset.view = view;
  }

  logits() {
    return [...this.store.stages.values()].findLast((stage) => stage.axes.at(-1) === "N" && stage.operation !== "given")
      ?.address;
  }

  async drawStage(stage, part) {
    const { head, row, cell, zoom } = this.state;
    const ticket = {};
    this.ticket = ticket;
    await this.fetch(stage);
    if (ticket !== this.ticket) return;
    const sheet = new Sheet(this.store, stage, head);
    const heads = stage.axes.includes("H") && part.heads > 1 ? `, ${part.heads} heads` : "";
    const size = stage.shape.length
      ? `${this.length(sheet, "rowAxis")}${this.length(sheet, "columnAxis")}${heads}`
      : "a single number";
    const kept = Object.keys(stage.kept).length
      ? ` (shown: the ${Object.values(stage.kept)[0].length} words at hand)`
      : "";
    this.says.replaceChildren(
      el("p", { class: "meaning" }, stage.says, " ", el("span", { class: "quiet shape" }, size + kept)),
      ...(stage.remarks ?? []).map((remark) => el("p", { class: "quiet remark" }, remark)),
      el(
        "div",
        { class: "formula", "data-plain": stage.plain },
        formula(stage.tree, (operand) => this.go({ at: stage.operands[operand] })),
      ),
    );
    if (this.strip.part !== part || this.strip.head !== head || this.strip.store !== this.store)
      this.strip.draw(this.store, part, head, this.palette);
    this.controls.draw(stage, part);
    const marks = await this.explain(stage, cell, ticket);
    if (ticket !== this.ticket) return;
    this.matrix.head = head;
    this.matrix.show(sheet, { row, cell, zoom, marks: marks.get(stage.address) ?? [] });
    this.strip.mark(stage.address, new Map([...marks, ...(cell ? [[stage.address, boxes(sheet, [cell])]] : [])]));
    this.drawLooking(part, sheet);
    this.fetchPart(part, head, ticket); // nobody waits for it
  }

  /** The small pictures of a part whose numbers did not come along, all at once, behind what is shown. */
  async fetchPart(part, head, ticket) {
    const missing = Strip.steps(part, this.store)
      .map((address) => new Sheet(this.store, this.store.stage(address), head))
      .filter((sheet) => !sheet.available && this.store.origin(sheet.stage.address).why === "later")
      .filter((sheet) => sheet.rows * sheet.columns <= LARGEST_PICTURE);
    if (!missing.length || !this.options.fetchHead) return;
    await Promise.all(missing.map(({ stage, head: one }) => this.store.load(stage.address, one).catch(() => null)));
    if (ticket !== this.ticket) return;
    this.strip.draw(this.store, part, head, this.palette);
  }

  /** `9 × 32`, whatever was kept of it. */
  length(sheet, axis) {
    const size = sheet[axis] < 0 ? 1 : sheet.stage.shape[sheet[axis]];
    return axis === "rowAxis" ? `${size} × ` : String(size);
  }

  /** Asks for the numbers of this stage and head, if they did not come along. */
  async fetch(stage) {
    const { head } = new Sheet(this.store, stage, this.state.head);
    if (this.store.has(stage.address, head) || this.store.origin(stage.address).why !== "later") return;
    this.looking.replaceChildren(el("p", { class: "quiet busy" }, `Fetching ${stage.symbol} …`));
    try {
      await Promise.all([stage.hidden, stage.address].map((one) => one && this.store.load(one, head)));
      this.strip.part = null;
    } catch (error) {
      this.looking.replaceChildren(el("p", { class: "wrong" }, `The numbers did not come: ${error.message}`));
    }
  }

  /** Who looks at whom, from the chosen row; or why there is nothing to see. */
  drawLooking(part, sheet) {
    if (!sheet.available) {
      const why = this.store.origin(sheet.stage.address).why;
      this.looking.replaceChildren(
        el("p", { class: "quiet" }, why === "later" ? "These numbers did not come along." : why),
      );
      return;
    }
    const pattern = part.pattern && new Sheet(this.store, this.store.stage(part.pattern), this.state.head);
    if (!pattern?.available || pattern.columns < 2) return this.looking.replaceChildren();
    const cell = this.state.cell && sheet.find(this.state.cell);
    const row = this.state.row ?? (cell && this.fades() ? cell[0] : pattern.rows - 1);
    this.looking.replaceChildren(looks(pattern, clamp(row, 0, pattern.rows - 1), this.palette, this.choose));
  }

  // --- a number ---

  /** How a number came about: asked of the caller, or spelled from the operations that came along. */
  async explained(address, index) {
    if (this.options.explain) return numbered(await this.options.explain(address, index));
    const made = this.store.stage(address).operands.filter(Boolean);
    const sheets = made.map((from) => new Sheet(this.store, this.store.stage(from), this.state.head));
    await Promise.all(sheets.map(({ stage, head }) => this.store.load(stage.address, head)));
    return spelledFromOperation(this.store, address, index);
  }

  /** Explains the chosen number; gives the cells it was made of, by stage. */
  async explain(stage, cell, ticket) {
    if (!cell) {
      this.number.empty("Click any number to read where it comes from.");
      this.peek.hidden = true;
      return new Map();
    }
    let explanation;
    try {
      explanation = await this.explained(stage.address, cell);
    } catch (error) {
      this.number.empty(`The arithmetic did not come: ${error.message}`);
      return new Map();
    }
    if (ticket !== this.ticket) return new Map();
    this.number.draw(this.store, explanation);
    this.peek.textContent = `${this.number.summary} ▾`;
    this.peek.hidden = false;
    const byStage = new Map();
    for (const used of explanation.terms.flatMap((term) => term.cells)) {
      if (used.address !== stage.address || explanation.terms.length > 1)
        byStage.set(used.address, [...(byStage.get(used.address) ?? []), used.index]);
    }
    return new Map(
      [...byStage].map(([address, indices]) => [
        address,
        boxes(new Sheet(this.store, this.store.stage(address), this.state.head), indices),
      ]),
    );
  }

  // --- moving about ---

  step(by) {
    const steps = Strip.steps(this.part, this.store);
    const stage = this.store.stage(this.state.at);
    const at = steps.indexOf(steps.includes(stage.address) ? stage.address : stage.same_as);
    const next = steps[at + by];
    if (next) this.move({ at: next, view: "stage" });
    return Boolean(next);
  }

  play() {
    return this.player.turn();
  }

  pause() {
    this.player.stop();
    if (this.store) this.controls.draw(this.store.stage(this.state.at), this.part);
  }

  zoom(by) {
    this.move({ zoom: clamp(this.state.zoom * by, 1, 40) }, { replace: true });
  }

  /** How much each head matters, and what each is called: told by who knows. */
  weigh(weighed) {
    this.weighed = weighed;
    if (this.state?.view === "heads") this.draw();
  }

  turnHead(by) {
    const head = clamp(this.state.head + by, 0, Math.max(this.part.heads - 1, 0));
    this.move({ head });
  }

  toggleMap() {
    const open = this.root.classList.toggle("map-open");
    this.drawer.setAttribute("aria-expanded", String(open));
  }

  toggleTheme() {
    const dark = this.root.dataset.theme ? this.root.dataset.theme === "dark" : this.scheme.matches;
    this.root.dataset.theme = dark ? "light" : "dark";
    this.recolour();
  }

  recolour() {
    this.palette = new Palette(this.root);
    this.map.draw(this.store, this.palette);
    this.strip.part = null;
    this.matrix.picture = null;
    this.draw();
  }

  // --- keeping it ---

  /** The panel that is open, as a picture. */
  async save(kind) {
    const panel = { stage: this.stage, heads: this.heads.node, answer: this.answer.node }[this.state.view];
    const drawing = picture(panel, this.matrix, this.path.textContent);
    const name = this.path.textContent.replaceAll(" · ", "-");
    if (kind === "svg") saveSvg(drawing, name);
    else await savePng(drawing, name);
  }
}

export { hashFromState, stateFromHash };
