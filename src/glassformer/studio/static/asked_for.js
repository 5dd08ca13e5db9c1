// What an address asks for, beside what is shown: whatever is not there is told, and never left out in silence. It
// compares words, and knows no room.

const ROOMS = {
  "by-hand": ["example", "sheet", "sentence", "tab", "stage", "cell", "tokens"],
  inside: "model text target changes tab rival rival_id token instead at head row cell view zoom".split(" "),
  race: ["race", "text"],
  train: ["run", "scope", "head"],
  lessons: [],
};

/** Names in an address that its room does not read. */
export function unread(room, asked) {
  const names = Object.keys(asked).filter((name) => !ROOMS[room].includes(name));
  const known = ROOMS[room].length ? `; this room reads ${ROOMS[room].join(", ")}` : "";
  return names.length ? `The address says ${names.map(quoted).join(", ")}, which is not read here${known}.` : "";
}

/** What of these names is asked for and not shown. */
export function notThere(asked, shown, names) {
  const wrong = names.filter((name) => asked[name] && String(asked[name]) !== String(shown[name] ?? ""));
  if (!wrong.length) return "";
  const instead = wrong.filter((name) => shown[name] || shown[name] === 0).map((name) => `${name}=${shown[name]}`);
  const shows = instead.length ? ` What is shown is ${instead.join(", ")}.` : "";
  const wanted = wrong.map((name) => `${name}=${asked[name]}`).join(", ");
  return `The address asks for ${wanted}, which is not there.${shows}`;
}

/** A list that an address holds; none, if it is no list. */
export function listOf(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** What can be read of an address of the room Inside: changes that are a list, a rival that is a whole number. */
export const readable = ({ changes = "", rival_id: rival = "" }) => ({
  changes: changes === "[]" || listOf(changes).length ? changes : "",
  rival_id: /^\d+$/.test(rival) ? rival : "",
});

const quoted = (name) => `'${name}'`;
