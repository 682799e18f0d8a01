// All learners in one table, sorted as somebody likes it.

import { get, now, page } from "./api.js";
import { attribute, h, keyed, row, set } from "./dom.js";
import { decided, number, rate, span } from "./format.js";
import { remember } from "./history.js";

export const stateOf = (each) => (each.archived ? "archived" : each.paused ? "paused" : "running");

export function showState(node, each) {
  set(node, stateOf(each));
  attribute(node, "class", `state ${stateOf(each)}`);
}

const text = (title, value, show = number, extra = {}) =>
  ({ title, value, class: "figure", show: (cell, each) => set(cell, show(value(each))), ...extra });

const age = (each) => (each.oldest_pending_at === null ? null : Math.max(now() - each.oldest_pending_at, 0) / 1e6);

const COLUMNS = [
  { title: "Learner", head: true, class: "name", value: (each) => each.name, show: (cell, each) => {
    if (!cell.firstChild) cell.append(h("a", { href: page(each.name) }, each.name));
  } },
  text("Algorithm", (each) => each.algorithm, String, { class: "word bare" }),
  { title: "State", class: "word bare", value: stateOf, show: (cell, each) => {
    if (!cell.firstChild) cell.append(h("span", {}));
    showState(cell.firstChild, each);
  } },
  text("Decisions/s", (each) => each.asked_per_second, rate),
  text("Feedback/s", (each) => each.answered_per_second, rate),
  text("Pending", (each) => each.pending),
  text("Oldest waits", age, span),
  text("Answered", (each) => each.answered),
  text("Mean", (each) => each.loss?.mean, number, { help: "the mean loss of a model, or of what a learner was told" }),
  text("Current decision", (each) => each.current, (current) => decided(current, 2), { class: "figure current" }),
];

let sorted = { column: COLUMNS[0], down: false };

function compare(a, b) {
  const [x, y] = [a, b].map((each) => sorted.column.value(each) ?? -Infinity);
  const order = typeof x === "string" ? x.localeCompare(y) : typeof x === "object" ? 0 : x - y;
  return (sorted.down ? -order : order) || a.name.localeCompare(b.name);
}

export function overview(session) {
  const body = h("tbody", { role: "rowgroup" }), fill = keyed(body, (each) => each.name, () => row(COLUMNS));
  let learners = [];
  const heads = COLUMNS.map((column) => {
    const turn = () => {
      const again = sorted.column === column;
      sorted = { column, down: again ? !sorted.down : column.class === "figure" };
      show();
    };
    const sortable = column.class !== "figure current";
    return h("th", { scope: "col", role: "columnheader", class: column.class, title: column.help },
      sortable ? h("button", { type: "button", click: turn }, column.title) : column.title);
  });
  const first = session.may("admin") && h("a", { href: "#/new", class: "primary button" }, "Create the first one");
  const empty = h("div", { class: "panel first", hidden: true }, h("p", {}, "There is no learner here yet."), first);
  const table = h("table", { role: "table", class: "learners", "aria-label": "Learners", hidden: true },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), body);
  const show = () => {
    COLUMNS.forEach((column, place) => attribute(heads[place], "aria-sort",
      column === sorted.column ? (sorted.down ? "descending" : "ascending") : null));
    fill([...learners].sort(compare));
    table.hidden = learners.length === 0;
    empty.hidden = learners.length > 0;
  };
  const refresh = async () => {
    learners = (await get("/v1/learners")).learners;
    learners.forEach((each) => remember(each));
    show();
  };
  return { title: "Learners", refresh, node: h("div", {}, h("h1", { tabindex: "-1" }, "Learners"), table, empty) };
}
