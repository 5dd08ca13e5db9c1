// What was changed in a pass: each change in words, and the answer before and after it. It changes nothing itself.

import { el, word } from "../../page/dom.js";
import { short, visible } from "../../page/store.js";

/** `block 1 · self-attention · head 2 off`; parts are called as the map calls them. */
export function changeInWords(change, parts) {
  const [, scope, name] = change.address.match(/^(.*?)\.?([a-z_]+)$/);
  const part = parts.find((one) => one.id.replace(/#.*/, "") === scope)?.title ?? scope;
  const stage = name.replaceAll("_", " ");
  const head = change.head == null ? "" : ` · head ${change.head + 1}`;
  if (change.kind.endsWith(" off")) return `${part}${head} off`;
  if (change.kind === "number") return `${part} · ${stage}, ${place(change.index)} = ${short(change.value)}`;
  return change.frozen
    ? `${part}${head} frozen as for “${change.text}”`
    : `${part} · ${stage}${head} from “${change.text}”`;
}

/** Where a number stands, counted from one: batch, maybe head, row, column. */
function place(index) {
  const [column, row, head] = index
    .slice(1)
    .reverse()
    .map((each) => each + 1);
  return [head && `head ${head}`, row && `row ${row}`, `column ${column}`].filter(Boolean).join(", ");
}

/** The answer before and after, side by side. */
export function sides(before, after) {
  if (!before || !after) return null;
  const written = before.kind === "translation" || (before.kind === "next" && before.steps.length > before.read);
  const likeliest = (answer) => answer.steps.map((step) => step.items[0].name).join("\n");
  const side = (name, answer, other) =>
    el(
      "div",
      { class: "side-of" },
      el("p", { class: "quiet" }, name),
      written ? guesses(answer, other) : bars(lastItems(answer), lastItems(other)),
    );
  const along = written ? ": the most likely next token at each place, by teacher forcing" : "";
  const same =
    along && likeliest(before) === likeliest(after) ? ": the same tokens; other probabilities are underlined" : "";
  return el(
    "div",
    { class: "before-after" },
    side(`before${along}`, before, after),
    side(`after${same}`, after, before),
  );
}

const lastItems = (answer) => (answer.kind === "classes" ? answer.items : answer.steps.at(-1).items).slice(0, 5);

function bars(items, others) {
  const old = new Map(others.map((each) => [each.name, each.share]));
  return el(
    "div",
    { class: "small-bars" },
    items.map((each) => {
      const fill = el("span", { class: "fill" });
      fill.style.width = `${Math.max(100 * each.share, 0.6)}%`;
      const moved = Math.abs((old.get(each.name) ?? 0) - each.share) > 5e-4;
      return el(
        "div",
        { class: "small-bar" },
        word(visible(each.name), { class: "name" }),
        el("span", { class: "track" }, fill),
        el("span", { class: moved ? "changed" : "" }, each.share.toFixed(3)),
      );
    }),
  );
}

/** The most likely token of each place with its probability; what is another one than on the other side is marked. */
function guesses(answer, other) {
  const from = answer.read ? answer.read - 1 : 0; // what was only read is no guess worth a word
  const guess = (step, i) => {
    const [{ name, share }, old] = [step.items[0], other.steps[from + i]?.items[0]];
    const moved = name !== old?.name || Math.abs(share - old.share) > 5e-4;
    return el(
      "span",
      { class: "guess" },
      word(visible(name), { class: name === old?.name ? "token" : "token changed" }),
      el("span", { class: moved ? "share changed" : "share" }, share.toFixed(3)),
    );
  };
  return el("p", { class: "guesses" }, answer.steps.slice(from).map(guess));
}
