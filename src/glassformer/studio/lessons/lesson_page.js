// A lesson that was kept as one file: mounts the view of each step when it comes into sight, and checks answers.

const { steps, documents } = JSON.parse(document.getElementById("data").textContent);

const told = (words, step) => {
  const place = step.querySelector(".told");
  place.textContent = words.replaceAll("*", "").replaceAll("`", "");
};

function check(event, step, ask) {
  event.preventDefault();
  const written = ask.right
    ? (event.target.querySelector(":checked")?.value ?? "")
    : event.target.querySelector("[type=text]").value;
  const value = typed(written);
  step.querySelector(".told").className = "told";
  if (!written.trim()) return told(ask.right ? "Choose an answer first." : "Type a number first.", step);
  if (value === null) return told(`“${written}” is not a number; ${WRITES}.`, step);
  const right = ask.right ? ask.right[value] : Math.abs(value - ask.number) <= ask.tolerance;
  step.querySelector(".told").className = `told ${right ? "right" : "wrong"}`;
  told(right ? `✓ ${ask.why}` : `Not yet. ${ask.hint}`, step);
}

/** What was clicked, if that was to be done. */
function watch(node, deed, { at, cell }) {
  if (deed?.address !== at || String(deed?.index) !== String(cell)) return;
  const line = node.querySelector(".deed");
  line.classList.add("done");
  line.querySelector(".sign").textContent = "✓";
}

async function see(node, { view, state, deed }) {
  if (view === null) return;
  const place = node.querySelector(".seen");
  const opens = () => false; // it may be what a later step asks for, or what is to be clicked
  place.view = await mount(place, documents[view], { state, opens, onState: (seen) => watch(node, deed, seen) });
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      see(target, steps[Number(target.dataset.step)]);
    }
  },
  { rootMargin: "600px" },
);

for (const node of document.querySelectorAll(".lesson-step")) {
  const { ask } = steps[Number(node.dataset.step)];
  node.querySelector("form.ask")?.addEventListener("submit", (event) => check(event, node, ask));
  watcher.observe(node);
}
