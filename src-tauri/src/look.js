// Called with the user's appearance and language before a page loads, so that its first frame has them. The page reads
// the settings later.
(look) => {
  window.__VESTIBULE_LOOK__ = look;
  const dark =
    look.appearance === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : look.appearance === "dark";
  document.documentElement?.setAttribute("data-theme", dark ? "dark" : "light");
}
