// What is on screen as an address, and back: `#at=encoder.0.self.weights&head=1&row=3&cell=0,1,3,4`. An address is
// somebody's word: whatever in it makes no sense is left out.

/** `#at=encoder.0.self.weights&head=1&row=3&cell=0,1,3,4` */
export function hashFromState(state) {
  const words = new URLSearchParams();
  for (const name of ["at", "head", "row", "cell", "view", "zoom"]) {
    const value = state[name];
    if (
      value === null ||
      value === undefined ||
      (name === "view" && value === "stage") ||
      (name === "zoom" && value === 1)
    )
      continue;
    words.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return `#${words.toString().replaceAll("%2C", ",")}`;
}

export function stateFromHash(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const whole = (text) => (text !== null && /^\d+$/.test(text) ? Number(text) : null);
  const state = {};
  if (words.get("at")) state.at = words.get("at");
  for (const name of ["head", "row"]) if (whole(words.get(name)) !== null) state[name] = whole(words.get(name));
  if (/^\d+(,\d+)*$/.test(words.get("cell") ?? "")) state.cell = words.get("cell").split(",").map(Number);
  if (["stage", "heads", "answer"].includes(words.get("view"))) state.view = words.get("view");
  if (Number(words.get("zoom")) >= 1) state.zoom = Math.min(Number(words.get("zoom")), 40);
  return state;
}
