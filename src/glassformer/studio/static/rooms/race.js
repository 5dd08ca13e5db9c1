// The room Race: one table, one chart of curves, and your sentence given to every model.

import { chart, sample } from "../panels/charts.js";
import { confusions } from "../panels/confusions.js";
import { ask } from "../talk.js";
import { el, word } from "../page/dom.js";
import { short, visible } from "../page/store.js";

const LEAST_P = 0.001; // that a thousand draws can tell
const UNSURE = 0.05; // above what a guess among all classes would have: an answer with less is hardly one
const ALIKE = 1.2; // times the least share: if the largest is no larger, none is coloured

export class Race {
  constructor(studio, put) {
    this.studio = studio;
    this.put = put;
    this.node = el("div", { class: "race" }, el("p", { class: "quiet" }, "Looking for races …"));
  }

  get address() {
    return this.race ? { race: this.race, text: this.text } : {};
  }

  async show(state) {
    const { races } = await ask("race/start");
    if (!races.length) return this.empty();
    this.race = races.includes(state.race) ? state.race : races[0];
    const found = await ask("race/table", { race: this.race });
    this.text = state.text ?? this.text ?? found.first;
    this.draw(races, found);
    if (this.text) await this.run();
    if (state.race && state.race !== this.race) throw new Error(`There is no race called '${state.race}' here.`);
  }

  empty() {
    this.node.replaceChildren(
      el(
        "div",
        { class: "nothing" },
        el("h1", {}, "No race yet"),
        el(
          "p",
          {},
          "A race trains several models on the same data, each for the same time, and says who is really ahead. ",
          "Run one in a terminal, and open the studio with its folder:",
        ),
        el(
          "pre",
          { class: "said-so" },
          "glassformer compare classify negation --models bare-attention,rnn,transformer --minutes 1 ",
          "--out negation-race\nglassformer studio negation-race",
        ),
      ),
    );
  }

  draw(races, found) {
    const head = ["model", "parameters", "time", `${found.score} (95 % CI)`, ""].map((text, i) =>
      el("th", { scope: "col", class: i > 0 && i < 4 ? "num" : "" }, text),
    );
    const rows = found.models.map((each) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, sample(lineOf(found.models, each)), each.model),
        el("td", { class: "num", "data-name": "parameters" }, each.parameters?.toLocaleString("en") ?? ""),
        el("td", { class: "num", "data-name": "time" }, time(each.seconds)),
        el(
          "td",
          { class: "num" },
          each.score === null || each.score === undefined ? "" : told(found.score, each.score),
          each.interval
            ? el(
                "span",
                { class: "quiet" },
                `  ${told(found.score, each.interval[0]).replace(" %", "")} – ${told(found.score, each.interval[1])}`,
              )
            : null,
        ),
        el(
          "td",
          { class: "quiet" },
          [place(each, found.models), beneath(each, found), each.reads_order ? "" : "a bag of words"]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
    );
    const picker = el(
      "select",
      { "aria-label": "race", onchange: () => this.studio.go("race", { race: picker.value }) },
      races.map((each) => el("option", { selected: each === this.race }, each)),
    );
    this.words = el("input", {
      type: "text",
      class: "words",
      value: this.text,
      placeholder: "your sentence, given to all of them",
      "aria-label": "your sentence",
      "data-first": true,
    });
    this.answers = el("section", { "aria-live": "polite" });
    const baseline =
      typeof found.baseline === "number" ? ` Majority baseline: ${told(found.score, found.baseline)}.` : "";
    this.node.replaceChildren(
      el(
        "div",
        { class: "run-head" },
        races.length > 1 ? picker : el("h1", {}, this.race),
        el(
          "span",
          { class: "quiet" },
          `evaluated on ${found.samples?.toLocaleString("en") ?? "?"} samples.${baseline} ${budget(found)}`,
        ),
      ),
      found.about ? el("p", { class: "quiet raced" }, `${found.models.length} models were trained ${found.about}`) : "",
      el(
        "div",
        { class: "scroll" },
        el("table", { class: "samples standing" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)),
      ),
      el(
        "section",
        { class: "curves" },
        el("h2", {}, "How they learnt"),
        el("p", { class: "quiet" }, "Validation loss over time."),
        chart(
          found.models.flatMap((each) => each.curves.map((points) => ({ name: each.model, points, kind: "curve" }))),
          { what: "Validation loss of each model over time", names: true },
        ),
      ),
      confusions(found.models.map(({ model, confusion }) => ({ name: model, confusion }))) ?? "",
      el(
        "section",
        { class: "yours" },
        el("h2", {}, "Your sentence"),
        el(
          "form",
          {
            class: "own",
            onsubmit: (event) => {
              event.preventDefault();
              this.text = this.words.value;
              this.run().then(() => this.put(this.address));
            },
          },
          this.words,
          el("button", { class: "tool strong" }, "Ask all"),
        ),
      ),
      this.answers,
    );
  }

  async run() {
    this.answers.replaceChildren(el("p", { class: "quiet" }, "Asking each of them …"));
    try {
      const { answers } = await ask("race/ask", { race: this.race, text: this.text });
      const { words, loud } = agreement(answers);
      this.answers.replaceChildren(
        el("p", { class: loud ? "changed" : "quiet" }, words),
        answers.some((each) => each.looked?.length)
          ? el(
              "p",
              { class: "quiet" },
              "Coloured: where the last attention looks, as a mean over its heads and tokens; the darkest is the ",
              "largest share of that model. It shows where is looked, not why.",
            )
          : "",
        el(
          "div",
          { class: "scroll" },
          el(
            "table",
            { class: "samples said" },
            el(
              "tbody",
              {},
              answers.map((each) => this.answer(each)),
            ),
          ),
        ),
      );
    } catch (error) {
      this.answers.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  answer(each) {
    if (each.error)
      return el("tr", {}, el("th", { scope: "row" }, each.model), el("td", { class: "wrong" }, each.error));
    const share = each.scores[each.says];
    const most = Math.max(...each.looked.map((one) => one.share), 1e-9);
    const alike = each.looked.every((one) => most <= ALIKE * one.share);
    const looked = each.looked.slice(0, 200).map((one) => {
      const token = word(visible(one.token), { class: "token" });
      token.style.setProperty(
        "background",
        `color-mix(in srgb, var(--score) ${alike ? 0 : Math.round((40 * one.share) / most)}%, transparent)`,
      );
      token.title = one.share.toFixed(3);
      return token;
    });
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, each.model),
      el("td", {}, el("b", {}, word(each.says)), share === undefined ? "" : ` ${share.toFixed(2)}`),
      el(
        "td",
        {},
        looked,
        looked.length === 0 || alike
          ? el("span", { class: "quiet" }, looked.length ? " looks at all alike" : "attends to nothing")
          : "",
      ),
      el(
        "td",
        {},
        el(
          "button",
          {
            type: "button",
            class: "cell",
            onclick: () => this.studio.go("inside", { model: each.inside, text: this.text }),
          },
          "look inside",
        ),
      ),
    );
  }
}

/** What each model was given, and how often it was trained. */
function budget({ terms, models }) {
  const given = Object.entries({ minutes: "min", epochs: "epochs", steps: "steps" })
    .filter(([name]) => typeof terms[name] === "number")
    .map(([name, unit]) => `${short(terms[name])} ${unit}`);
  const seeds = Math.max(...models.map((each) => each.curves.length), 0);
  const trained = seeds > 1 ? `trained from ${seeds} seeds` : "trained once, from one seed";
  return `Each ${given.length ? `was given ${given.join(" and ")}, and ` : "was "}${trained}.`;
}

/** Whether all say the same; those that are hardly surer than a guess are counted apart. */
function agreement(answers) {
  const told = answers.filter((each) => !each.error);
  const says = (some) => new Set(some.map((each) => each.says)).size;
  const sure = told.filter(({ scores, says: said }) => {
    const classes = Object.keys(scores).length;
    return classes < 2 || scores[said] >= 1 / classes + UNSURE;
  });
  const guesses = told.length - sure.length;
  const counted = guesses
    ? ` ${guesses} of the ${told.length} ${guesses === 1 ? "is" : "are"} hardly surer than a guess.`
    : "";
  const loud = says(sure) > 1;
  if (says(told) < 2) return { words: `They agree.${counted}`, loud };
  return { words: `${loud || !sure.length ? "They disagree." : "Those that are sure agree."}${counted}`, loud };
}

/** The line of a model's first run, among those of all. */
const lineOf = (models, model) =>
  models.slice(0, models.indexOf(model)).reduce((count, each) => count + each.curves.length, 0);

/** How a model stands beside the first, with the p-value of the first one's lead (paired bootstrap). */
function place(each, models) {
  const level = models.filter((one) => one.level).length - 1;
  if (typeof each.p_value !== "number") return each.level ? (level ? `first, level with ${level} more` : "first") : "";
  const p = each.p_value <= LEAST_P ? `p ≤ ${LEAST_P}` : `p = ${each.p_value.toFixed(3)}`;
  return `${each.level ? "level with the first" : "behind"}, ${p}`;
}

/** Where all of the interval is below what the most frequent class would have. */
const beneath = ({ interval }, { baseline }) =>
  interval && typeof baseline === "number" && interval[1] < baseline ? "worse than the majority class" : "";

const told = (name, value) => (["accuracy", "exact"].includes(name) ? `${(100 * value).toFixed(1)} %` : short(value));
const time = (seconds) =>
  typeof seconds !== "number" ? "" : seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`;
