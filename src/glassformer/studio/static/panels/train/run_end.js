// How a run ended: its scores with their intervals, its certificate, whether it has learnt, and what to do next.

import { el } from "../../page/dom.js";

const LONGER = 5; // minutes, if one is not enough

/** What is done after the last step, and what would be missing if it were stopped there. */
export const AFTER_STEPS = {
  judging: {
    now: "trained; judging it on texts that were kept back",
    stop: "Stopped now, it has no scores until it is resumed; the model is kept.",
  },
  certifying: {
    now: "trained and judged; certifying what it keeps",
    stop: "Stopped now, it has no certificate until it is resumed; model and scores are kept.",
  },
  reporting: {
    now: "trained, judged and certified; writing its report",
    stop: "Stopped now, it has no report.html until it is resumed; all else is kept.",
  },
};

/** What a run is called that was stopped in there. */
export const UNDONE = {
  judging: "trained; judging was stopped",
  certifying: "judged; certifying was stopped",
  reporting: "judged and certified; its report is missing",
};

/** Its scores come first, then what must be known of them. */
export function runEnd({ scores, tried, caution, certificate, went, left }, again) {
  const counted = tried.samples === 1 ? "1 sample" : `${tried.samples?.toLocaleString("en")} samples`;
  const many = tried.samples ? `, on ${counted} of the ${tried.part} part` : "";
  const checks = certificate.checks ?? [];
  return [
    el("h2", {}, "Scores"),
    el("p", { class: "quiet" }, scores.length ? `With 95 % confidence intervals${many}.` : "None: it was not judged."),
    scores.length ? figures(scores) : null,
    caution ? el("p", { class: "wrong" }, caution) : null,
    ...went.map((each) => el("p", {}, each)),
    checks.length
      ? el(
          "p",
          { class: certificate.passed ? "" : "wrong" },
          `${certificate.passed ? "✓" : "✗"} certificate: `,
          `it ${certificate.about ?? `keeps ${checks.filter((each) => each.passed).length} of ${checks.length}`}. `,
          el("span", { class: "quiet" }, "That is no grade: a model that guesses can keep every promise."),
        )
      : null,
    ...(left ? [] : learnt(certificate.learnt, again)),
  ].filter(Boolean);
}

const figures = (scores) =>
  el(
    "table",
    { class: "samples" },
    el(
      "tbody",
      {},
      scores.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "num" }, value))),
    ),
  );

/** Whether it is better than baselines; loud where it is not. */
function learnt(known, again) {
  if (!known) return [el("p", { class: "quiet" }, "Whether it has learnt is not known: it has no baseline.")];
  const first = !known.better_than_majority && !known.undecided;
  const lost = (each, i) => (i === 0 ? first : each.ahead < 0 && each.p_value < 0.05);
  return [
    el("h2", {}, "Has it learnt?"),
    ...known.sentences.map((sentence, i) => el("p", { class: lost(known.baselines[i], i) ? "wrong" : "" }, sentence)),
    ...(known.todo ?? []).map((each) => todo(each, again)),
  ];
}

/** What to do, with a button where it can be done from here: `again` trains anew. */
function todo({ kind, words }, again) {
  if (!["longer", "linear"].includes(kind)) return el("p", { class: "quiet" }, `→ ${words}`);
  const text = kind === "longer" ? `Train ${LONGER} min more` : "Train the linear model";
  const why = kind === "longer" ? words.replace(/Train longer$/, "") : "The linear model is ahead. ";
  return el(
    "p",
    { class: "quiet" },
    `→ ${why}`,
    el("button", { type: "button", class: "tool", onclick: () => again(kind, LONGER) }, text),
  );
}
