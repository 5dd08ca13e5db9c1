// The room Race: models side by side on the same data. (Filled in below.)
import { el } from "./view/drawing.js";
export class Race { constructor() { this.node = el("div", { class: "race" }); } async show() { this.node.replaceChildren(el("p", { class: "quiet" }, "No race was given.")); } }
