// A page of cards, one for each grid or cluster, which is read again while it is looked at.

import {element, refill} from "./element.js";

const again = 3000; // milliseconds

/** @param read() -> Promise of a list; @param hint [title, sentence, command] where the list is empty; @param card(one) */
export function list_page({title, read, hint, card}) {
  const content = element("div", {}, element("p", {class: "hint"}, "Reading…"));
  let timer = 0, over = false;

  async function show() {
    try {
      const list = await read();
      refill(content, JSON.stringify(list), () => (list.length > 0 ? element("div", {class: "cards"}, list.map(card))
        : element("div", {class: "empty-page"}, element("h2", {}, hint[0]), element("p", {class: "hint"}, hint[1]), element("pre", {}, hint[2]))));
    } catch (error) {
      refill(content, error.message, () => element("p", {class: "notice"}, error.message));
    }
    if (!over) timer = setTimeout(show, again);
  }

  show();
  return {node: element("div", {}, element("h1", {tabindex: "-1"}, title), content), title, end() {
    over = true;
    clearTimeout(timer);
  }};
}
