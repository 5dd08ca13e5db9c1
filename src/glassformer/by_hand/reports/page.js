// Lights up a mark and its card together, by pointer or by key.
function light(n, from) {
  document.querySelectorAll(".lit").forEach((e) => e.classList.remove("lit"));
  document.querySelectorAll('[data-mark="' + n + '"]').forEach((e) => {
    e.classList.add("lit");
    if (e !== from) e.scrollIntoView({ block: "center", behavior: "smooth" });
  });
}
document.addEventListener("click", (e) => {
  const m = e.target.closest("[data-mark]");
  if (m) light(m.dataset.mark, m);
});
document.addEventListener("mouseover", (e) => {
  const m = e.target.closest(".mark");
  if (m) {
    document.querySelectorAll(".card.lit").forEach((c) => c.classList.remove("lit"));
    document.getElementById("card-" + m.dataset.mark).classList.add("lit");
  }
});
document.addEventListener("keydown", (e) => {
  const m = document.activeElement.closest && document.activeElement.closest("[data-mark]");
  if (m && (e.key === "Enter" || e.key === " ")) {
    e.preventDefault();
    light(m.dataset.mark, m);
  }
});
