// All runs in a table, what can be done with each, and two or more of them compared. What a run is, it is told.

import { chart } from "../charts.js";
import { confusions } from "../confusions.js";
import { ask } from "../../talk.js";
import { el } from "../../page/dom.js";
import { UNDONE } from "./run_end.js";

const HEAD = ["run", "what", "score", "begun", "size", "compare", ""];

/** `go` leads elsewhere: `open` a run, look `inside` it, draw all `again`. */
export function runsTable(runs, go) {
  const compared = el("div", { class: "compared", "aria-live": "polite" });
  const chosen = new Set();
  const choose = (run, on) => {
    chosen[on ? "add" : "delete"](run);
    return compare(
      runs.filter((each) => chosen.has(each)),
      compared,
    );
  };
  const title = el("h2", {}, "Runs here");
  if (!runs.length)
    return el(
      "section",
      { class: "all-runs" },
      title,
      el(
        "p",
        { class: "quiet" },
        "None yet. Each is kept in runs/, also those of ",
        el("code", {}, "glassformer train"),
        ".",
      ),
    );
  return el(
    "section",
    { class: "all-runs" },
    title,
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "samples standing" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            HEAD.map((each) => el("th", { scope: "col", class: each === "size" ? "num" : null }, each)),
          ),
        ),
        el(
          "tbody",
          {},
          runs.flatMap((each) => line(each, go, choose)),
        ),
      ),
    ),
    compared,
  );
}

const act = (text, action, title) => el("button", { type: "button", class: "cell", title, onclick: action }, text);

function line(run, go, choose) {
  const from = run.parent ? `, goes on from ${run.parent}` : "";
  const says = run.error ?? `${run.model} to ${run.task} ${run.data}${from}`;
  const state = run.running ? "being trained" : run.finished ? UNDONE[run.left] : "stopped";
  const box = el("input", {
    type: "checkbox",
    "aria-label": `compare ${run.name}`,
    onchange: () => choose(run, box.checked),
  });
  const told = el("td", { colspan: HEAD.length }); // in a row of its own: there is room for a whole sentence
  const below = el("tr", { class: "told-of-run", hidden: true }, told);
  const say = (...words) => {
    told.replaceChildren(...words);
    below.hidden = false;
  };
  const fail = (error) => say(el("span", { class: "wrong", role: "alert" }, error.message));
  const sure = () => {
    const keep = act("Keep it", () => {
      below.hidden = true;
    });
    say(
      el("span", { class: "wrong" }, `Delete ${run.name} for good? `),
      run.file ? `The file it learnt from stays: ${run.file} ` : "",
      act("Yes, delete it", () => ask("train/delete", { name: run.name, again: run.name }).then(go.again).catch(fail)),
      " ",
      keep,
    );
    keep.focus();
  };
  const acts = el(
    "td",
    { class: "acts" },
    ...[
      run.finished ? act("look inside", () => go.inside(run.name).catch(fail)) : null,
      (!run.finished || run.left) && !run.running && !run.error
        ? act("resume", () =>
            ask("train/resume", { name: run.name })
              .then(() => go.open(run.name))
              .catch(fail),
          )
        : null,
      run.running ? null : act("delete", sure, "asks again first"),
    ]
      .filter(Boolean)
      .flatMap((each) => [each, " "]),
  );
  const row = el(
    "tr",
    {},
    el(
      "th",
      { scope: "row" },
      act(run.name, () => go.open(run.name), "its curves and scores"),
    ),
    el("td", { "data-name": "what" }, [says, state].filter(Boolean).join(" · ")),
    el("td", { "data-name": "score" }, run.score ?? ""),
    el("td", { "data-name": "begun" }, run.begun ? new Date(1000 * run.begun).toLocaleDateString("en-GB") : ""),
    el("td", { class: "num", "data-name": "size" }, run.bytes ? `${(run.bytes / 1e6).toFixed(1)} MB` : ""),
    el("td", { "data-name": "compare" }, run.error ? "" : box),
    acts,
  );
  return [row, below];
}

/** The curves of several runs in one chart, and what two of them took for what. */
async function compare(runs, place) {
  if (runs.length < 2) {
    place.replaceChildren(runs.length ? el("p", { class: "quiet" }, "Tick another one to compare it with.") : "");
    return;
  }
  try {
    const states = await Promise.all(runs.map(({ name }) => ask("train/state", { name })));
    const lines = states.map(({ name, validations }) => ({
      name,
      points: validations.filter((each) => each.loss !== null).map((each) => [each.seconds, each.loss]),
      kind: "curve",
    }));
    place.replaceChildren(
      el("h2", {}, "Compared"),
      el(
        "p",
        { class: "quiet" },
        "Validation loss over time, each run by its own clock",
        new Set(runs.map(({ source }) => source)).size > 1
          ? "; of different data, losses say little beside each other."
          : ". A loss counts how sure a model is too, so that loss and accuracy may place two runs in opposite order.",
        runs.map(({ name, parent }) => (parent ? ` ${name} goes on from ${parent}.` : "")),
      ),
      chart(lines, { what: "Validation loss of each run over time", names: true }),
      confusions(runs.map(({ name, confusion }) => ({ name, confusion }))) ?? "",
    );
  } catch (error) {
    place.replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message));
  }
}
