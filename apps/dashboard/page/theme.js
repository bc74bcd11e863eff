// Light or dark: as the browser prefers, until the reader chooses.

const choices = ["auto", "light", "dark"];
const key = "troupe-theme";
const listeners = new Set();
const system = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark now. */
export function is_dark() {
  const chosen = theme();
  return chosen === "auto" ? system.matches : chosen === "dark";
}

/** "auto", "light" or "dark". */
export function theme() {
  const stored = document.documentElement.dataset.theme;
  return choices.includes(stored) ? stored : "auto";
}

/** Takes the next choice, and keeps it for later visits. */
export function next_theme() {
  apply(choices[(choices.indexOf(theme()) + 1) % choices.length]);
  // A page from a file, or with storage turned off, forgets the choice.
  try { localStorage.setItem(key, theme()); } catch { /* the choice holds until the page is left */ }
}

/** Calls `act` after each change. @returns a function that ends that */
export function on_theme(act) {
  listeners.add(act);
  return () => listeners.delete(act);
}

/** Restores the choice of an earlier visit. */
export function begin_theme() {
  let stored = null;
  try { stored = localStorage.getItem(key); } catch { /* no storage */ }
  apply(choices.includes(stored) ? stored : "auto");
  system.addEventListener("change", () => listeners.forEach((act) => act()));
}

function apply(choice) {
  document.documentElement.dataset.theme = choice;
  listeners.forEach((act) => act());
}

/** The color that a CSS variable such as "--card" has now: "rgb(255, 255, 255)". */
export function css_value(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
