// The button that chooses light or dark.

import {is_dark, next_theme, on_theme, theme} from "./theme.js";

/** Gives the button its act, and the page its colors. */
export function begin_theme_button(button) {
  const draw = () => {
    document.documentElement.toggleAttribute("data-dark", is_dark());
    button.textContent = {auto: "Auto", light: "Light", dark: "Dark"}[theme()];
    button.setAttribute("aria-label", `Colors: ${theme()}. Press for the next.`);
  };
  button.addEventListener("click", next_theme);
  on_theme(draw);
  draw();
}
