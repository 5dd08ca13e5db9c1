// What is wider than its frame fades where there is more of it, so that one sees that it scrolls. The frames are
// measured and marked, and the style draws; it does not know what stands in them.

const FRAMES = ".scroll, .why .frame, .strip, .lapse, .notes, .formula";

/** Marks the frames of a page, now and whenever they change. */
export function markWide(root) {
  let waiting = false;
  const all = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      for (const frame of root.querySelectorAll(FRAMES)) mark(frame);
    });
  };
  const how = { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "open", "style"] };
  new MutationObserver(all).observe(root, how);
  new ResizeObserver(all).observe(root);
  root.addEventListener("scroll", ({ target }) => target.matches?.(FRAMES) && mark(target), { capture: true });
  all();
}

function mark(frame) {
  const left = frame.scrollLeft;
  const right = frame.scrollWidth - frame.clientWidth - left;
  const more = [left > 1 ? "left" : "", right > 1 ? "right" : ""].filter(Boolean).join(" ");
  if (more) frame.dataset.more = more;
  else delete frame.dataset.more;
}
