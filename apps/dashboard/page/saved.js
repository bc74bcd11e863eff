// The page of a saved report: one file, which shows a grid from the data in it, without a dashboard and a network.

import {fill} from "./element.js";
import {begin_theme} from "./theme.js";
import {begin_theme_button} from "./theme_button.js";
import {grid_view} from "./grid_page.js";

begin_theme();
begin_theme_button(document.getElementById("theme"));
const view = grid_view(null);
fill(document.getElementById("main"), view.node);
view.update(JSON.parse(document.getElementById("saved").textContent));
