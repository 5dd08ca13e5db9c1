// Which class was taken for which: one table for each of two models, side by side. It counts nothing itself.

import { el } from "../page/dom.js";

const MOST = 12; // classes

/** `models` are `{name, confusion: {labels, table}}`; two of them can be chosen, at first the first and the one that is
 * wrong most often. */
export function confusions(models) {
  const known = models.filter((each) => each.confusion && each.confusion.labels.length <= MOST);
  if (!known.length) return null;
  const unknown = models.filter((each) => !each.confusion).map(({ name }) => name);
  const lacking = unknown.length ? `No such table of ${unknown.join(", ")}: not judged, or no classifier.` : "";
  const said = el("p", { class: "quiet" }, `${ROWS} ${lacking}`);
  if (known.length === 1) return section(said, el("div", {}, table(known[0])));
  const place = el("div", { class: "pair-of-tables" });
  const least = known.reduce((worst, each) => (rightOf(each) < rightOf(worst) ? each : worst), known.at(-1));
  const pickers = [known[0], least].map((first, i) =>
    el(
      "select",
      { "aria-label": i ? "the other model" : "one model", onchange: () => draw() },
      known.map((each) => el("option", { value: each.name, selected: each === first }, each.name)),
    ),
  );
  const draw = () => {
    const chosen = pickers.map((picker) => known.find((each) => each.name === picker.value));
    place.replaceChildren(...chosen.map((each) => table(each)));
  };
  draw();
  return section(said, el("p", { class: "quiet" }, ...between(pickers)), place);
}

const ROWS = "Rows are what a text is, columns what the model said.";
const section = (...parts) => el("section", { class: "confusions" }, el("h2", {}, "What was taken for what"), ...parts);

/** The share of samples that a model has right. */
function rightOf({ confusion: { table } }) {
  const all = table.flat().reduce((sum, n) => sum + n, 0);
  return table.reduce((sum, row, r) => sum + row[r], 0) / Math.max(all, 1);
}

const between = ([one, other]) => [one, " beside ", other];

function table({ name, confusion: { labels, table: rows } }) {
  const wrong = (r) => rows[r].reduce((sum, n, c) => (c === r ? sum : sum + n), 0);
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "samples confusion" },
      el("caption", {}, name),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          labels.map((label) => el("th", { scope: "col" }, label)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row, r) => {
          const most = Math.max(...row, 1);
          return el(
            "tr",
            { title: `${labels[r]}: ${wrong(r)} taken for something else` },
            el("th", { scope: "row" }, labels[r]),
            row.map((n, c) => {
              const td = el("td", { class: c === r ? "num right" : "num" }, n.toLocaleString("en"));
              td.style.setProperty("--full", `${Math.round((46 * n) / most)}%`);
              return td;
            }),
          );
        }),
      ),
    ),
  );
}
