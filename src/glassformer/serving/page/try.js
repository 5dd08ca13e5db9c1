// The page to try what is served: a model, a text, its answer, and the same as a line for a terminal.
const token = location.pathname.split("/").length > 2 ? location.pathname.split("/")[1] : "";
const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
const [model, text, answer, curl] = ["model", "text", "answer", "curl"].map((id) => document.getElementById(id));
const FIRST = {
  completions: "ROMEO:",
  classify: "a warm and clever film",
  translate: "Good morning.",
};
const known = new Map();

/** What a model is asked first, and where. */
function request() {
  const ability = known.get(model.value)[0];
  const given = ability === "completions" ? { prompt: text.value, max_tokens: 200 } : { input: text.value };
  return { path: `/v1/${ability}`, body: { model: model.value, ...given } };
}

function showLine() {
  const { path, body } = request();
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  const bearer = token ? " -H 'Authorization: Bearer TOKEN'" : "";
  curl.textContent = `curl ${location.origin}${path}${bearer} --json '${quoted}'`;
}

/** Server-sent events as they come: each line that begins with "data: " is one. */
async function stream(response) {
  let left = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (left + part.value).split("\n\n");
    left = lines.pop();
    for (const line of lines.filter((each) => each !== "data: [DONE]")) {
      const said = JSON.parse(line.slice("data: ".length));
      answer.append(said.choices[0]?.text ?? said.error?.message ?? "");
    }
  }
}

function told(item) {
  if (item.translation !== undefined) return item.translation;
  const ranked = Object.entries(item.scores).sort((a, b) => b[1] - a[1]);
  return ranked.map(([label, share]) => `${label} ${(100 * share).toFixed(1)} %`).join("\n");
}

async function ask(event) {
  event.preventDefault();
  answer.className = "";
  answer.textContent = "";
  const { path, body } = request();
  const streams = path.endsWith("completions");
  if (streams) answer.textContent = text.value;
  const sent = JSON.stringify(streams ? { ...body, stream: true } : body);
  const response = await fetch(path, { method: "POST", headers, body: sent });
  if (!response.ok) {
    answer.className = "wrong";
    answer.textContent = (await response.json()).error.message;
  } else if (streams) {
    await stream(response);
  } else {
    answer.textContent = (await response.json()).data.map(told).join("\n");
  }
}

function choose() {
  text.value = FIRST[known.get(model.value)[0]];
  showLine();
}

const listed = await (await fetch("v1/models", { headers })).json();
for (const each of listed.data.filter((each) => FIRST[each.abilities[0]])) {
  known.set(each.id, each.abilities);
  model.append(new Option(`${each.id} (${each.task})`, each.id));
}
model.addEventListener("change", choose);
text.addEventListener("input", showLine);
document.getElementById("asking").addEventListener("submit", ask);
if (known.size) choose();
