// Lights up a mark and its card together, by pointer or by key.
function light(n, from) {
  for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
  for (const each of document.querySelectorAll(`[data-mark="${n}"]`)) {
    each.classList.add("lit");
    if (each !== from) each.scrollIntoView({ block: "center", behavior: "smooth" });
  }
}
document.addEventListener("click", (e) => {
  const m = e.target.closest("[data-mark]");
  if (m) light(m.dataset.mark, m);
});
document.addEventListener("mouseover", (e) => {
  const m = e.target.closest(".mark");
  if (m) {
    for (const card of document.querySelectorAll(".card.lit")) card.classList.remove("lit");
    document.getElementById(`card-${m.dataset.mark}`).classList.add("lit");
  }
});
document.addEventListener("keydown", (e) => {
  const m = document.activeElement.closest?.("[data-mark]");
  if (m && (e.key === "Enter" || e.key === " ")) {
    e.preventDefault();
    light(m.dataset.mark, m);
  }
});
