// Why this answer: the sentences, a strip of words coloured by their shares, a twin, and bars of blocks and heads. It
// draws what the studio worked out; which model and which text it is told.

import { Latest, ask } from "../../talk.js";
import { el, redrawn, word } from "../../page/dom.js";
import { flow } from "../../flow.js";
import { WORKING, older } from "./older.js";
import { river } from "./river.js";
import { commandOf, sendPage, sendPicture } from "./sent.js";
import { emphasised, headline, leftOut, likely, writing, written } from "./why_told.js";
import {
  PARTED,
  directTable,
  doubt,
  lensTable,
  moved,
  named,
  plainly,
  shareOf,
  signed,
  twinTables,
  wordTable,
} from "./why_tables.js";

const LEFT_OUT = "the number and leaving the word out disagree";
const WIDE = 1000; // pixels of a screen from which on there is room for every part

export class WhyPanel {
  constructor({ asked, said, open, changes, drew, about }) {
    this.asked = asked; // what is asked about
    this.said = said; // tells where we are
    this.open = (place) => open({ ...place, ...this.asksAt(place.at) }); // shows a head's own numbers
    this.changes = changes; // what was changed among the numbers, in words
    this.drew = drew; // is told that an answer is there
    this.about = about; // what is said of the model, whether a terminal knows it, and the colours on screen
    this.latest = new Latest();
    this.choice = {};
    this.folds = {}; // what the reader opened or shut, by its title
    this.node = el("section", { class: "why", "aria-label": "Why this answer", "aria-live": "polite" });
  }

  /** The answer and its words; a rival, a token and a twin belong to the text that they were chosen for. */
  async show(choice = {}, kept = null) {
    this.choice = choice;
    if (kept)
      this.draw(kept); // worked out in advance; the live one takes its place
    else if (this.drawn) older(this.node, WORKING);
    else this.node.replaceChildren(el("p", { class: "quiet note" }, "Sharing the answer out over words …"));
    this.waits();
    const ticket = {};
    this.ticket = ticket;
    try {
      const found = await this.latest.ask("inside/why", { ...this.asked(), ...choice });
      if (found) this.draw(found);
    } catch (error) {
      this.drawn = null;
      older(this.node, "");
      this.node.replaceChildren(...this.refusal(error));
    } finally {
      if (ticket === this.ticket) {
        delete this.node.dataset.busy; // else a later question still waits
        this.node.querySelector(".waiting")?.remove();
      }
    }
  }

  /** What cannot be asked, and the way back to what can. */
  refusal(error) {
    const plain = { rival: "", rival_id: null, at: null, instead: "" };
    const chosen = Object.keys(plain).some((name) => this.choice[name]);
    const back = () => this.again(plain);
    return [
      el("p", { class: "wrong note", role: "alert" }, error.message),
      chosen ? el("p", {}, el("button", { type: "button", class: "tool", onclick: back }, "Back to the answer")) : "",
    ];
  }

  /** What it waits for, in words, while what was there before can still be read. */
  waits() {
    this.node.dataset.busy = "";
    this.node.querySelector(".waiting")?.remove();
    if (!this.drawn) return;
    const said = `Asking ${this.about().called}: the answer shared out over the words, then without each of them …`;
    this.node.append(el("p", { class: "waiting", role: "status" }, said));
  }

  /** The head without which the margin moves most. */
  strongest(found = this.found) {
    const heads = (found?.switched_off ?? []).filter(({ head }) => head !== null);
    const [first] = heads.sort((a, b) => Math.abs(b.less) - Math.abs(a.less));
    if (!first) return undefined;
    return { at: first.address.replace(/mixed$/, "weights"), head: first.head, ...this.asksAt(first.address, found) };
  }

  /** The row at which the token that is asked about is decided, where a stage has such rows. */
  asksAt(address, found = this.found) {
    return found.row === null || /^(encoder|source)/.test(address) ? {} : { row: found.row };
  }

  again(change) {
    this.said({ ...this.choice, ...change });
    return this.show({ ...this.choice, ...change });
  }

  draw(found) {
    const fresh = this.drawn !== found.text;
    this.drawn = found.text;
    older(this.node, "");
    this.found = found;
    const remarks = found.sentences.slice(1, -1);
    const drawing = river(found, this.open);
    this.wrong = el("p", { class: "wrong", role: "alert", hidden: true });
    redrawn(this.node, [
      leftOut(this.changes()),
      el(
        "div",
        { class: drawing ? "hero" : "" },
        el(
          "div",
          { class: "told" },
          writing(found),
          written(found, (at) => this.again({ at, rival: "", rival_id: null })),
          headline(found),
          likely(found),
          this.strip(found),
          drawing ? null : this.send(found),
        ),
        drawing ? el("div", { class: "drawn" }, drawing, this.send(found)) : null,
      ),
      this.choices(found),
      this.wrong,
      remarks.length
        ? el(
            "ul",
            { class: "remarks" },
            remarks.map((each) => el("li", {}, emphasised(each))),
          )
        : null,
      el("p", { class: "measured quiet" }, emphasised(found.sentences.at(-1))),
      el(
        "div",
        { class: "deeper" },
        found.twin?.stages.length
          ? this.fold(
              found.twin.turns ? "Where the twin turns it, stage by stage" : "With rows of the twin, stage by stage",
              el("div", { class: "turns" }, twinTables(found)),
              "wide",
            )
          : null,
        el(
          "div",
          { class: "stacked" },
          this.fold("Every word, asked in two ways", wordTable(found)),
          found.lens.length ? this.fold("What it would write after each block", lensTable(found)) : null,
        ),
        found.direct ? this.fold("Blocks and heads, which add up to the margin", directTable(found, this.open)) : null,
      ),
    ]);
    if (fresh) flow([...this.node.querySelectorAll(".chip, .likely .fill")], this.node.querySelector(".water"));
    this.drew();
  }

  /** The answer for somebody who has no studio: what is on this page, as a file or as a picture. */
  send(found) {
    const { model, target } = this.asked();
    const { said, known, called, theme } = this.about();
    const day = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
    const again = known && !this.choice.rival_id && !this.choice.rival;
    const command = again ? commandOf(found, model, target) : "";
    const about = { model, called, said, text: found.text, command, day };
    const tool = (words, title, send) =>
      el("button", { type: "button", class: "tool", title, onclick: () => send(this.node, about, theme()) }, words);
    return el(
      "p",
      { class: "send" },
      el("span", { class: "quiet" }, "Send it "),
      tool("as a page", "One file that opens in any browser, with no studio and no network", sendPage),
      tool("as a picture", "What stands above the tables, as a PNG", sendPicture),
    );
  }

  /** A part that is open where there is room, unless the reader said otherwise. */
  fold(title, body, kind = "") {
    const open = this.folds[title] ?? (innerWidth >= WIDE || kind === "wide");
    const node = el("details", { open, class: kind }, el("summary", {}, title), body);
    node.firstChild.addEventListener("click", () => (this.folds[title] = !node.open));
    return node;
  }

  /** Blue for the answer, orange for its rival, paper for nothing; the number says the same. Two words that are pressed
   * trade places in a twin. */
  strip(found) {
    const largest = Math.max(...found.words.map((each) => Math.abs(each.share)), 1e-9);
    const pale = found.shares_mislead; // a colour would be read as a reason
    const parted = new Set((found.parted ?? []).map((i) => found.words[i]));
    const chip = (each) => {
      const unknown = each.is_unknown ? "unknown" : each.unknown?.length ? `${each.unknown.join(", ")} unknown` : "";
      const marks = [each.written && "written", unknown && "unknown"].filter(Boolean);
      const strange = each.is_unknown ? ", which the model does not know" : unknown ? ` (${unknown} to the model)` : "";
      const share = each.is_blank ? "as in the blank" : `share ${signed(each.share)}`;
      const less = `without it the margin is ${moved(each.without)}`;
      const node = el(
        "button",
        {
          type: "button",
          class: ["chip", each.share < 0 ? "against" : "for", ...marks].join(" "),
          title: `${each.text}${strange}: ${share}; ${less}${parted.has(each) ? "; the two disagree" : ""}`,
          "aria-pressed": "false",
          disabled: each.written,
          onclick: () => this.swap(found, node, each.text),
        },
        word(each.text),
        unknown ? el("span", { class: "portion" }, unknown) : null,
        el("span", { class: "portion" }, shareOf(each), parted.has(each) ? doubt(LEFT_OUT) : null),
      );
      node.style.setProperty("--depth", `${pale ? 0 : Math.round((100 * Math.abs(each.share)) / largest)}%`);
      return node;
    };
    const blank = found.blank.undecided
      ? null
      : el(
          "span",
          {
            class: "chip blank",
            title: `The margin of a text of nothing but ${found.blank.name}: shares are counted from there.`,
          },
          `(${found.blank.name})`,
          el("span", { class: "portion" }, signed(found.blank.margin)),
        );
    const swatch = (kind) => el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
    return el(
      "div",
      { class: "shares" },
      el("p", { class: "strip" }, blank, found.words.map(chip)),
      el(
        "p",
        { class: "legend quiet" },
        pale
          ? el("span", {}, "not coloured: no share per word is a reason here")
          : [
              el("span", {}, swatch("for"), `blue: for ${named(found, found.answer)}, the answer here`),
              el("span", {}, swatch("against"), `orange: for ${named(found, found.rival)}`),
              el("span", {}, `full colour: ${plainly(largest)}`),
              parted.size ? el("span", {}, `${PARTED} ${LEFT_OUT}`) : "",
            ],
        el(
          "span",
          { title: "A logit is the model's score for an answer, before the scores become probabilities." },
          `together ${signed(found.margin)}: by so much the score of ${named(found, found.answer)} is `,
          found.margin < 0 ? "behind" : "ahead",
          ", in logits",
        ),
      ),
    );
  }

  /** The first word that is pressed waits for a second one. */
  swap(found, node, text) {
    const other = this.node.querySelector('.chip[aria-pressed="true"]');
    node.setAttribute("aria-pressed", String(!other));
    if (!other) return;
    other.setAttribute("aria-pressed", "false");
    if (other !== node)
      return this.make(found, { swap: [other.querySelector("bdi").textContent, text] }).then(() =>
        this.node.querySelector(".twin textarea")?.focus(),
      );
  }

  /** A twin that the studio makes. */
  async make(found, how) {
    try {
      const { text } = await ask("inside/twin", { text: found.text, ...how });
      await this.again({ instead: text });
    } catch (error) {
      this.complain(error.message);
    }
  }

  /** Without the twin, where another one can be typed. */
  undo() {
    return this.again({ instead: "" }).then(() => this.node.querySelector(".twin textarea")?.focus());
  }

  complain(words) {
    this.wrong.textContent = words;
    this.wrong.hidden = false;
  }

  choices(found) {
    const others = found.candidates.filter((each) => each.id !== found.answer_id);
    const listed = others.some((each) => each.id === found.rival_id);
    const rival = el(
      "select",
      {
        "aria-label": "rival",
        title: "The answer is compared with one other: the next likeliest, or the one you choose here.",
        onchange: (event) => this.again({ rival: "", rival_id: Number(event.target.value) }),
      },
      [...(listed ? [] : [{ id: found.rival_id, name: found.rival, piece: "" }]), ...others].map((each) =>
        el(
          "option",
          { value: each.id, selected: each.id === found.rival_id },
          each.piece ? `${each.name} (${each.piece})` : each.name,
        ),
      ),
    );
    const plain = found.text.replace(/\r\n?/g, "\n"); // as a field gives it back
    const twin = el("textarea", {
      rows: 1,
      name: "instead",
      class: "words",
      "aria-label": "instead of this text",
      placeholder: "Instead of this text …",
      title: "Another text: does the answer turn, and where? Enter asks; Shift and Enter begin a new line",
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        event.target.form.requestSubmit();
      },
      autocomplete: "off",
      spellcheck: "false",
    });
    twin.value = found.twin?.text ?? found.text;
    return el(
      "form",
      {
        class: "choices",
        onsubmit: (event) => {
          event.preventDefault();
          if (twin.value === plain && !found.twin) return this.complain("Change a word first.");
          this.again({ instead: twin.value === plain ? "" : twin.value });
        },
      },
      el("label", { class: "twin" }, "what if it said ", twin),
      el("button", { class: "tool strong" }, "Does it turn?"),
      el(
        "button",
        {
          type: "button",
          class: "tool",
          title: "With a “not” after its first verb, or without the one it has",
          onclick: () => this.make(found, { negate: true }),
        },
        "Negate it",
      ),
      found.twin ? el("button", { type: "button", class: "tool", onclick: () => this.undo() }, "Undo") : null,
      el("label", {}, "why not ", rival),
      el("span", { class: "quiet hint" }, "Click two words to swap them."),
    );
  }
}
