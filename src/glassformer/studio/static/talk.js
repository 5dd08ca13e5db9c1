// How the page talks to its server, and how it keeps what is on screen in the address. It knows no room.

const token = location.pathname.split("/")[1];

/** Asks for something by name; an error is a sentence. */
export async function ask(name, content = {}, { signal } = {}) {
  return read(await send(name, "application/json", JSON.stringify(content), signal));
}

/** Sends a file as it is. */
export async function sendFile(name, file) {
  return read(await send(`${name}?name=${encodeURIComponent(file.name)}`, "application/octet-stream", file));
}

async function send(name, kind, body, signal) {
  try {
    return await fetch(`/${token}/do/${name}`, {
      method: "POST",
      headers: { "Content-Type": kind, Authorization: `Bearer ${token}` },
      body,
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer. Is it still running in its terminal?");
  }
}

async function read(answer) {
  const found = await answer.json().catch(() => ({ error: "The studio gave an answer that cannot be read." }));
  if (!answer.ok) throw new Error(found.error ?? "That did not work.");
  return found;
}

/** Only the latest question of a kind is answered; earlier ones are let go. */
export class Latest {
  async ask(name, content) {
    this.controller?.abort();
    this.controller = new AbortController();
    try {
      return await ask(name, content, { signal: this.controller.signal });
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    }
  }
}

// --- the address --------------------------------------------------------------------------------------------------

export const readAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** What is on screen, as an address; what is empty is left out. */
export function writeAddress(state, { replace = false } = {}) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state))
    if (value !== null && value !== undefined && value !== "") words.set(name, String(value));
  const hash = `#${words.toString().replaceAll("%2C", ",")}`;
  if (hash !== location.hash) history[replace ? "replaceState" : "pushState"](null, "", hash);
}
