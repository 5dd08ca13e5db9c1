// The frame of the studio: the rooms by name, the theme, the keys, and which room the address asks for.

import { ByHand } from "./rooms/by_hand.js";
import { Inside } from "./rooms/inside.js";
import { LessonDock } from "./panels/lesson.js";
import { Lessons } from "./rooms/lessons.js";
import { Race } from "./rooms/race.js";
import { unread } from "./asked_for.js";
import { readAddress, writeAddress } from "./talk.js";
import { tour } from "./tour.js";
import { Train } from "./rooms/train.js";
import { el } from "./page/dom.js";
import { markWide } from "./wide.js";

const ROOMS = [
  ["by-hand", "By hand", ByHand, "Attention worked like on paper; change any number."],
  ["inside", "Inside", Inside, "A trained model and your text, down to every number."],
  ["race", "Race", Race, "Models side by side on the same data."],
  ["train", "Train", Train, "A model of your own, watched while it learns."],
  ["lessons", "Lessons", Lessons, "Attention in eight short lessons, on these very pages."],
];
const HOME = ROOMS[1]; // a trained model at work, and why it answers so
const KEYS = [
  ["/", "go to the text"],
  ["1 … 5", "the rooms"],
  ["Esc", "leave a field, so that keys lead on"],
  ["← ↑ → ↓", "from number to number, within a matrix"],
  ["?", "this list"],
];

class Studio {
  constructor(root) {
    this.root = root;
    this.rooms = new Map();
    this.frame();
    markWide(root);
    if (remembered("theme")) this.theme(remembered("theme"));
    addEventListener("popstate", () => this.open());
    document.addEventListener("keydown", (event) => this.key(event));
    const first = !remembered("toured") && !location.hash;
    this.open();
    if (first) tour(this, HOME[0]);
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
            this.go(name, null, name === "lessons");
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
      el("p", { class: "quiet" }, "Inside a model, under Every number, there are more keys: ? lists them there."),
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
              tour(this, this.main.dataset.room);
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
    this.lesson = new LessonDock(this);
    this.root.replaceChildren(this.head, this.lesson.node, this.main, this.help);
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

  /** To another room, as it was left; a lesson goes along unless it ends here. */
  go(name, state = null, ends = false) {
    if (ends) this.lesson.close();
    writeAddress({ room: name, ...(state ?? this.rooms.get(name)?.address ?? {}), ...this.lesson.address });
    return this.open();
  }

  /** A step of a lesson, and the view that it is about. */
  teach(name, step) {
    writeAddress({ lesson: name, step: step + 1 });
    return this.open().then(() => this.lesson.node.focus({ preventScroll: true })); // what was pressed is gone
  }

  endLesson() {
    this.lesson.close();
    this.mark(this.main.dataset.room);
    writeAddress({ room: this.main.dataset.room, ...this.here?.address });
  }

  /** What the address asks for; a step of a lesson names its own view, unless the reader has gone on from there. */
  async asked() {
    const { lesson, step, ...wanted } = readAddress();
    if (!lesson) {
      this.lesson.close();
      return wanted;
    }
    const view = await this.lesson.open(lesson, step);
    this.wrong = this.lesson.missed;
    if (wanted.room) return wanted;
    writeAddress({ ...view, ...this.lesson.address }, { replace: true });
    return view;
  }

  /** The room that the address asks for. */
  async open() {
    const { room: wanted, ...state } = await this.asked().catch((error) => this.refuse(error));
    const [name, title, Room] = ROOMS.find(([each]) => each === wanted) ?? HOME;
    if (!this.rooms.has(name))
      this.rooms.set(name, new Room(this, (change, options) => this.put(name, change, options)));
    const room = this.rooms.get(name);
    if (this.here !== room) this.here?.leave?.();
    this.here = room;
    document.title = `${title} · Glassformer`;
    this.mark(name);
    this.main.replaceChildren(room.node);
    this.main.dataset.room = name;
    this.root.dispatchEvent(new CustomEvent("room", { detail: name }));
    const strange = unread(name, state);
    const missing =
      this.wrong ??
      (wanted && wanted !== name ? new Error(`There is no room called '${wanted}'.`) : null) ??
      (strange ? new Error(strange) : null);
    this.wrong = null;
    const wrong = await room.show(state).then(
      () => missing,
      (error) => error,
    );
    if (this.here !== room) return; // somebody was quicker to leave
    if (wrong) this.main.replaceChildren(el("p", { class: "wrong note", role: "alert" }, wrong.message), room.node);
    this.root.dataset.ready = name;
  }

  /** Which door one came through; in a lesson that is the door of lessons, and the room it is about is told too. */
  mark(room) {
    const page = this.lesson.lesson ? "lessons" : room;
    const said = (each) => (each === page ? "page" : each === room ? "location" : "false");
    for (const door of this.head.querySelectorAll(".door")) door.setAttribute("aria-current", said(door.dataset.room));
  }

  /** What is on screen now. */
  put(name, state, options) {
    if (this.main.dataset.room !== name) return;
    writeAddress({ room: name, ...state, ...this.lesson.address }, options);
    this.lesson.seen({ room: name, ...state });
  }

  /** A lesson that is not there is told in the room of lessons. */
  refuse(error) {
    this.lesson.close();
    this.wrong = error;
    return { room: "lessons" };
  }

  key(event) {
    const target = event.composedPath()[0];
    if (event.key === "Escape" && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) target.blur(); // keys are ours
    if (
      /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    const room = ROOMS[Number(event.key) - 1];
    if (room) this.go(room[0], null, room[0] === "lessons");
    else if (event.key === "/") {
      event.preventDefault();
      this.main.querySelector("[data-first]")?.focus();
    } else if (event.key === "?" && !this.main.querySelector(".inside[data-tab=numbers]")) this.help.showModal();
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
