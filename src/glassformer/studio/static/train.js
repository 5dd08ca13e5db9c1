import { el } from "./view/drawing.js";
export class Train { constructor() { this.node = el("div", { class: "train" }); } async show() { this.node.replaceChildren(el("p", { class: "quiet" }, "…")); } }
