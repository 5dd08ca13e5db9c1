// An answer to be sent: what stands on the page about it, as one file without any script, or as a picture. Nothing is
// drawn anew: it is a copy of what the reader sees, with the model, the text and the command that asks the same again.

import { el } from "../../page/dom.js";
import { saveDrawn, saveFile } from "../../page/export.js";

const WIDEST = 1200; // pixels of a picture

/** Saves what a panel says. `about` are the `model`, what is said of it, the `text`, and perhaps a `command`. */
export function sendPage(panel, about) {
  const title = `Why: ${about.text.slice(0, 60)}`;
  const page = el("main", { class: "gf studio sent" }, ...parts(panel, about));
  saveFile(new Blob([framed(title, page.outerHTML)], { type: "text/html" }), `${named(about)}.html`);
}

/** The first part of it as a picture, in the colours that are on screen; doubts go along, tables stay behind. */
export function sendPicture(panel, about, theme) {
  const card = el("div", { class: "gf studio sent picture", "data-theme": theme }, ...parts(panel, about));
  card.querySelector(".deeper")?.remove();
  const width = Math.min(document.documentElement.clientWidth, WIDEST);
  Object.assign(card.style, { width: `${width}px`, position: "fixed", left: "-10000px" });
  document.body.append(card); // out of sight, to be measured
  const height = Math.ceil(card.getBoundingClientRect().height);
  card.remove();
  card.removeAttribute("style");
  return saveDrawn(pictured(card, width, height), width, height, named(about));
}

/** What asks the same in a terminal. */
export function commandOf(found, model, target) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    "glassformer why",
    model,
    quoted(found.text),
    target ? `--target ${quoted(target)}` : "",
    found.family === "classifier" ? "" : `--at ${found.at}`,
    found.twin ? `--instead ${quoted(found.twin.text)}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

const named = ({ model, text }) => `why-${model}-${text.trim().split(/\s+/).slice(0, 5).join("-")}`;

/** Whose answer, to what, the answer, and how to ask again. */
function parts(panel, { called, said, text, command, day }) {
  return [
    el(
      "header",
      { class: "masthead" },
      el("span", { class: "brand" }, "Glassformer"),
      el("span", { class: "quiet" }, `why the model ${called} answers so · ${said}`),
    ),
    el("blockquote", { class: "asked" }, text),
    copied(panel),
    el(
      "footer",
      { class: "quiet" },
      `Worked out on ${day}, from the model's own numbers. `,
      command ? ["Ask it again: ", el("code", {}, command)] : "",
    ),
  ];
}

/** The panel as it stands, without what needs a studio behind it: what was pressed is words. */
function copied(panel) {
  const copy = panel.cloneNode(true);
  copy.removeAttribute("aria-live");
  for (const each of copy.querySelectorAll(".choices, .send, .waiting, .older, .wrong, .invites, [hidden]"))
    each.remove();
  for (const each of copy.querySelectorAll("button")) {
    const kind = each.matches(".opens, .more") ? "" : each.className;
    const words = el("span", { class: kind, title: each.title, "data-chosen": each.getAttribute("aria-pressed") });
    words.style.cssText = each.style.cssText;
    words.append(...each.childNodes);
    each.replaceWith(words);
  }
  return copy;
}

/** Every rule of the page's own style sheets. */
const style = () =>
  [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join("\n");

/** One file that may load nothing and run nothing. */
function framed(title, body) {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  const head = el(
    "head",
    {},
    el("meta", { charset: "utf-8" }),
    el("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    el("meta", { name: "color-scheme", content: "light dark" }),
    el("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    el("title", {}, title),
  );
  const styled = head.outerHTML.replace("</head>", () => `<style>${style()}</style></head>`);
  return `<!doctype html>\n<html lang="en">${styled}<body class="gf-page">${body}</body></html>\n`;
}

/** A card as the text of a drawing of this size. */
function pictured(card, width, height) {
  const look = style().replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    '<foreignObject width="100%" height="100%"><body xmlns="http://www.w3.org/1999/xhtml" class="gf-page">',
    `<style>${look}</style>${new XMLSerializer().serializeToString(card)}</body></foreignObject></svg>`,
  ].join("");
}
