// The page's address: #/run/<id>?tab=log. What a reader has chosen is in it, so that a link shows the same.

/** {path: ["run", id], query} of the address. */
export function address() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return {path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query ?? "")};
}

/** Changes values of the address without a new page in the history; empty ones are left out. */
export function set_query(values) {
  const {path, query} = address();
  for (const [key, value] of Object.entries(values)) {
    if (value === "" || value === null || value === undefined) query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  history.replaceState(null, "", "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : ""));
}

/** The address of a run's page. */
export function run_address(id) {
  return "#/run/" + encodeURIComponent(id);
}
