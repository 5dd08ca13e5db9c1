// What the model answered: classes as bars, the next token as candidates, a translation beside its source. The
// probabilities come with the document; nothing is worked out here.

import { css, el, ruler, svgEl, tool, word } from "../dom.js";
import { clamp, short, visible } from "../store.js";

const percent = (share) =>
  share >= 0.9995 ? (share === 1 ? "1" : ">0.999") : share < 0.0005 ? "<0.001" : share.toFixed(3);

function bar(item, { best, open, wide = false }) {
  const fill = el("span", { class: "fill" });
  fill.style.width = `${Math.max(item.share * 100, 0.6)}%`;
  const name = word(visible(item.name), { class: "name" });
  const inside = [name, el("span", { class: "track" }, fill), el("span", { class: "share" }, percent(item.share))];
  const content = wide ? [...inside, el("span", { class: "how quiet" }, item.text)] : inside;
  return el(
    "button",
    {
      type: "button",
      class: `answer-item${best ? " best" : ""}`,
      title: `${item.text} (click: where its score comes from)`,
      onclick: () => open(item),
    },
    content,
  );
}

/** The answer in one line, for the top of the page. */
export function answerLine(answer, { row, open, before }) {
  if (!answer) return null;
  if (answer.kind === "classes") {
    const old = Object.fromEntries((before ?? answer.before ?? []).map((item) => [item.name, item.share]));
    const best = answer.items[0];
    const changed =
      best.name in old && Math.abs(old[best.name] - best.share) > 5e-4
        ? el(
            "span",
            { class: "changed" },
            `changed by you: ${visible(best.name)} ${percent(old[best.name])} → ${percent(best.share)}`,
          )
        : null;
    return el(
      "div",
      { class: "answer-line" },
      answer.items.slice(0, 4).map((item, i) => bar(item, { best: i === 0, open })),
      changed,
    );
  }
  const step = answer.steps[Math.min(row ?? answer.steps.length - 1, answer.steps.length - 1)];
  if (answer.kind === "translation") return translationLine(answer);
  return el(
    "div",
    { class: "answer-line" },
    el("span", { class: "quiet" }, row === null ? "next " : "then "),
    step.items.slice(0, 4).map((item, i) => bar(item, { best: i === 0, open })),
  );
}

/** What it writes by itself, where it is teacher-forced. */
function translationLine(answer) {
  if (!answer.target) return null;
  const tokens = answer.own.map((token, i) =>
    word(visible(token), { class: `token${i === answer.divergence ? " differs" : ""}` }),
  );
  return el("div", { class: "answer-line words" }, el("span", { class: "quiet said" }, "writes"), tokens);
}

// --- the answer, at length ----------------------------------------------------------------------------------------

export class AnswerView {
  constructor({ go, choose }) {
    this.go = go;
    this.choose = choose;
    this.above = el("div");
    this.steps = this.stepper();
    this.below = el("div");
    this.node = el(
      "section",
      { class: "answer panel", "aria-label": "The answer" },
      this.above,
      this.steps,
      this.below,
    );
  }

  draw(store, palette, row) {
    const { answer } = store.data;
    const logits = [...store.stages.values()].findLast(
      (stage) => stage.axes.at(-1) === "N" && stage.operation !== "given",
    )?.address;
    const open = (item) => this.go({ at: logits, cell: item.index, view: "stage" });
    this.steps.hidden = !answer?.steps;
    const at = answer?.steps
      ? clamp(row ?? (answer.kind === "next" ? answer.steps.length - 1 : 0), 0, answer.steps.length - 1)
      : 0;
    if (answer?.steps) this.drawSteps(answer, at);
    const above = answer?.kind === "translation" ? this.alignment(store, answer, at, palette) : [];
    this.above.replaceChildren(...above);
    this.below.replaceChildren(...this.details(answer, open, at));
  }

  details(answer, open, at) {
    if (!answer) return [el("p", { class: "quiet" }, "This computation ends with its output; it answers no question.")];
    if (answer.kind === "classes") return this.classes(answer, open);
    return answer.kind === "next" ? this.next(answer, open, at) : this.translation(answer, open, at);
  }

  classes(answer, open) {
    return [
      el("h3", {}, "Probability of each class"),
      el(
        "div",
        { class: "bars" },
        answer.items.map((item, i) => bar(item, { best: i === 0, open, wide: true })),
      ),
      el(
        "p",
        { class: "quiet" },
        "Softmax of the logits: e to the class's logit, divided by the sum over all classes. ",
        "Click one to see where its logit comes from.",
      ),
    ];
  }

  next(answer, open, at) {
    const step = answer.steps[at];
    const given = step.given
      ? el(
          "p",
          {},
          at + 1 >= answer.read ? "It went on with " : "Really followed by ",
          word(visible(step.given.name), { class: "token" }),
          `, with a probability of ${percent(step.given.share)}: a loss of ${short(-Math.log(step.given.share))}.`,
        )
      : el("p", { class: "quiet" }, "The text ends here; these are the candidates for the next token.");
    return [
      el("h3", {}, "The next token"),
      el(
        "div",
        { class: "bars" },
        step.items.map((item, i) => bar(item, { best: i === 0, open, wide: true })),
      ),
      given,
    ];
  }

  /** Moves along the text; made once, so that a slider can be dragged while the rest is drawn anew. */
  stepper() {
    const step = (by) => () => this.choose(this.at + by);
    this.back = tool("◂", "one token back", step(-1));
    this.on = tool("▸", "one token on", step(1));
    this.slider = el("input", {
      type: "range",
      min: 0,
      "aria-label": "token",
      oninput: () => this.choose(Number(this.slider.value)),
    });
    this.place = el("span", { class: "quiet" });
    return el("div", { class: "controls" }, this.back, this.slider, this.on, this.place);
  }

  drawSteps(answer, at) {
    const last = answer.steps.length - 1;
    this.at = at;
    this.back.disabled = at === 0;
    this.on.disabled = at === last;
    this.slider.max = last;
    this.slider.value = at;
    this.place.textContent = `after token ${at + 1} of ${last + 1}`;
  }

  alignment(store, answer, at, palette) {
    return [
      el("h3", {}, "Source above, translation below"),
      alignment(store, answer, at, palette, this.choose),
      el("p", { class: "quiet" }, `Lines: ${answer.aligned_by}.`),
    ];
  }

  translation(answer, open, at) {
    const items = answer.steps[at].items.slice(0, 5);
    return [
      el(
        "div",
        { class: "bars" },
        items.map((item, i) => bar(item, { best: i === 0, open, wide: true })),
      ),
      ...this.sideBySide(answer, at),
    ];
  }

  /** Teacher-forced with the given translation, beside what it writes by itself; the first difference is marked. */
  sideBySide(answer, at) {
    if (!answer.target)
      return [
        el(
          "p",
          { class: "quiet" },
          "This is its own output. Give a translation to see it under teacher forcing, side by side.",
        ),
      ];
    const guesses = answer.steps.map((step) => step.items[0].name);
    const count = Math.max(answer.target.length, answer.own.length) + 1;
    const cell = (name, classes) => el("td", { class: classes }, name === undefined ? "" : word(visible(name)));
    const rows = Array.from({ length: count }, (_, i) =>
      el(
        "tr",
        { class: `${i === at ? "here" : ""}${i === answer.divergence ? " differs" : ""}` },
        el("th", { scope: "row" }, String(i + 1)),
        cell(answer.target[i] ?? (i === answer.target.length ? "</s>" : undefined)),
        cell(guesses[i], guesses[i] === answer.target[i] ? "" : "other"),
        cell(
          answer.own[i] ?? (i === answer.own.length ? "</s>" : undefined),
          answer.own[i] === answer.target[i] ? "" : "other",
        ),
        el("td", {}, i === answer.divergence ? "← first difference" : ""),
      ),
    );
    const head = ["", "given", "teacher-forced", "its own output", ""].map((text) => el("th", { scope: "col" }, text));
    const verdict =
      answer.divergence === null
        ? "Its own output is the given translation."
        : `Its own output parts from the given translation at token ${answer.divergence + 1}.`;
    return [
      el("h3", {}, "Under teacher forcing, and by itself"),
      el("p", {}, verdict),
      el(
        "div",
        { class: "scroll" },
        el("table", { class: "sides" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)),
      ),
    ];
  }
}

function alignment(store, answer, at, palette, choose) {
  const keys = store.data.texts.context.map(visible);
  const words = [...(answer.target ?? answer.own).map(visible), "</s>"].slice(0, answer.alignment.length);
  const brush = ruler(palette, "700 14px"); // the chosen word is bold
  const line = (list) => {
    let x = 8;
    return list.map((text) => {
      const width = Math.max(brush.measureText(text).width, 7);
      const place = { text, x: x + width / 2 };
      x += width + 12;
      place.end = x;
      return place;
    });
  };
  const [top, bottom] = [line(keys), line(words)];
  const width = Math.max(top.at(-1).end, bottom.at(-1).end) + 6;
  const drawing = svgEl("svg", {
    width,
    height: 132,
    viewBox: `0 0 ${width} 132`,
    role: "img",
    "aria-label": "Alignment of the translation with its source",
  });
  for (const [r, weights] of answer.alignment.entries()) {
    for (const [c, weight] of weights.entries()) {
      if (weight < 0.12 || !bottom[r] || !top[c]) continue;
      const chosen = r === at;
      drawing.append(
        svgEl("path", {
          d: `M${bottom[r].x} 106C${bottom[r].x} 66 ${top[c].x} 66 ${top[c].x} 26`,
          fill: "none",
          stroke: css(palette.score),
          "stroke-opacity": chosen ? 0.3 + 0.7 * weight : 0.08 + 0.2 * weight,
          "stroke-width": 0.5 + (chosen ? 5 : 2.5) * weight,
        }),
      );
    }
  }
  top.forEach((place, c) => {
    drawing.append(
      svgEl(
        "text",
        {
          x: place.x,
          y: 18,
          "text-anchor": "middle",
          "font-size": 14,
          fill: css(palette.ink),
          "fill-opacity": 0.45 + 0.55 * Math.min(1, 3 * (answer.alignment[at]?.[c] ?? 0)),
        },
        place.text,
      ),
    );
  });
  bottom.forEach((place, r) => {
    const text = svgEl(
      "text",
      {
        x: place.x,
        y: 124,
        "text-anchor": "middle",
        "font-size": 14,
        class: "pick",
        "font-weight": r === at ? 700 : 400,
        fill: css(r === at ? palette.query : palette.ink),
      },
      place.text,
    );
    text.addEventListener("click", () => choose(r));
    drawing.append(text);
  });
  return el("div", { class: "scroll" }, drawing);
}
