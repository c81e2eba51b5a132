// Makes a text control as high as its text, so that nothing in it is out of sight.

/** Keeps the height of a textarea equal to its content; to be attached to it. */
export function wholeHeight(area: HTMLTextAreaElement): () => void {
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  };
  fit();
  const watch = new ResizeObserver(fit);
  watch.observe(area, { box: "border-box" });
  document.fonts.addEventListener("loadingdone", fit);
  area.addEventListener("input", fit);
  return () => {
    watch.disconnect();
    document.fonts.removeEventListener("loadingdone", fit);
    area.removeEventListener("input", fit);
  };
}
