// The frame of the studio: the rooms by name, the theme, the keys, and which room the address asks for.

import { ByHand } from "./rooms/by_hand.js";
import { Inside } from "./rooms/inside.js";
import { Race } from "./rooms/race.js";
import { readAddress, writeAddress } from "./talk.js";
import { tour } from "./tour.js";
import { Train } from "./rooms/train.js";
import { el } from "./page/dom.js";

const ROOMS = [
  ["by-hand", "By hand", ByHand, "Attention worked like on paper; change any number."],
  ["inside", "Inside", Inside, "A trained model and your text, down to every number."],
  ["race", "Race", Race, "Models side by side on the same data."],
  ["train", "Train", Train, "A model of your own, watched while it learns."],
];
const KEYS = [
  ["/", "go to the text"],
  ["1 2 3 4", "the four rooms"],
  ["?", "this list"],
];

class Studio {
  constructor(root) {
    this.root = root;
    this.rooms = new Map();
    this.frame();
    if (remembered("theme")) this.theme(remembered("theme"));
    addEventListener("popstate", () => this.open());
    document.addEventListener("keydown", (event) => this.key(event));
    this.open();
    if (!remembered("toured") && !location.hash) tour(this);
  }

  frame() {
    this.main = el("main", { class: "room" });
    const link = ([name, title, , about]) =>
      el(
        "a",
        {
          href: `#room=${name}`,
          class: "door",
          title: about,
          "data-room": name,
          onclick: (event) => {
            event.preventDefault();
            this.go(name);
          },
        },
        title,
      );
    const tool = (text, name, action) =>
      el("button", { type: "button", class: "tool", title: name, "aria-label": name, onclick: action }, text);
    this.help = el(
      "dialog",
      { class: "help", "aria-label": "Help" },
      el("h2", {}, "The studio"),
      el(
        "table",
        {},
        el(
          "tbody",
          {},
          KEYS.map(([key, what]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, what))),
        ),
      ),
      el("p", { class: "quiet" }, "Inside a model, the view has keys of its own: its own ? lists them."),
      el(
        "form",
        { method: "dialog", class: "ends" },
        el(
          "button",
          {
            class: "tool",
            type: "button",
            onclick: () => {
              this.help.close();
              tour(this);
            },
          },
          "Show me around",
        ),
        el("button", { class: "tool" }, "Close"),
      ),
    );
    this.head = el(
      "header",
      { class: "masthead" },
      el("span", { class: "brand" }, "Glassformer"),
      el("nav", { "aria-label": "Rooms" }, ROOMS.map(link)),
      el(
        "span",
        { class: "tools" },
        tool("☾", "light or dark", () => this.theme(this.isDark() ? "light" : "dark")),
        tool("?", "help", () => this.help.showModal()),
      ),
    );
    this.root.replaceChildren(this.head, this.main, this.help);
    this.root.removeAttribute("aria-busy");
  }

  isDark() {
    return this.root.dataset.theme
      ? this.root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  theme(name) {
    this.root.dataset.theme = name;
    remember("theme", name);
    for (const room of this.rooms.values()) room.theme?.(name);
  }

  /** To another room, as it was left. */
  go(name, state = null) {
    writeAddress({ room: name, ...(state ?? this.rooms.get(name)?.address ?? {}) });
    return this.open();
  }

  /** The room that the address asks for. */
  async open() {
    const { room: wanted, ...state } = readAddress();
    const [name, title, Room] = ROOMS.find(([each]) => each === wanted) ?? ROOMS[0];
    if (!this.rooms.has(name))
      this.rooms.set(name, new Room(this, (change, options) => this.put(name, change, options)));
    const room = this.rooms.get(name);
    if (this.here !== room) this.here?.leave?.();
    this.here = room;
    document.title = `${title} · Glassformer`;
    for (const door of this.head.querySelectorAll(".door"))
      door.setAttribute("aria-current", door.dataset.room === name ? "page" : "false");
    this.main.replaceChildren(room.node);
    this.main.dataset.room = name;
    this.root.dispatchEvent(new CustomEvent("room", { detail: name }));
    const wrong = await room.show(state).then(
      () => null,
      (error) => error,
    );
    if (this.here !== room) return; // somebody was quicker to leave
    if (wrong) this.main.replaceChildren(el("p", { class: "wrong note", role: "alert" }, wrong.message), room.node);
    this.root.dataset.ready = name;
  }

  /** What is on screen now. */
  put(name, state, options) {
    if (this.main.dataset.room === name) writeAddress({ room: name, ...state }, options);
  }

  key(event) {
    const target = event.composedPath()[0];
    if (
      /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    const room = ROOMS[Number(event.key) - 1];
    if (room) this.go(room[0]);
    else if (event.key === "/") {
      event.preventDefault();
      this.main.querySelector("[data-first]")?.focus();
    } else if (event.key === "?" && this.main.dataset.room !== "inside") this.help.showModal();
  }
}

export function remembered(name) {
  try {
    return localStorage.getItem(`glassformer-${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`glassformer-${name}`, value);
  } catch {
    // A browser that keeps nothing shows the tour again; that is all.
  }
}

new Studio(document.getElementById("studio"));
