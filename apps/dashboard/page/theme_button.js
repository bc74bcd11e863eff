// The button that chooses light or dark.

import {next_theme, on_theme, theme} from "./theme.js";

/** Gives the button its act and its text. */
export function begin_theme_button(button) {
  const draw = () => {
    button.textContent = {auto: "Auto", light: "Light", dark: "Dark"}[theme()];
    button.setAttribute("aria-label", `Colors: ${theme()}. Press for the next.`);
  };
  button.addEventListener("click", next_theme);
  on_theme(draw);
  draw();
}
