// Keys: who may do what. A new key is shown once, as the service keeps only what it needs to know it again.

import { call, get, post } from "./api.js";
import { copyable, h, keyed, row, say, set } from "./dom.js";
import { dialog, fields, form, many } from "./form.js";
import { local, utc } from "./format.js";

const SCOPES = [["decide", "decide: ask for decisions"], ["feedback", "feedback: tell what came of them"],
  ["read", "read: look at everything"], ["admin", "admin: all of it, and make learners and keys"]];

const COLUMNS = [
  { title: "Label", head: true, class: "name", show: (cell, each) => set(cell, each.label) },
  { title: "Scopes", class: "word", show: (cell, each) => set(cell, each.scopes.join(", ")) },
  { title: "Learners", class: "word", show: (cell, each) => set(cell, each.learners?.join(", ") ?? "all") },
  { title: "Made", class: "word", show: (cell, each) => {
    set(cell, local(each.made_at));
    cell.title = utc(each.made_at);
  } },
];

function removal(session, refresh) {
  const ask = (each) => dialog({
    title: `Remove the key ${each.label}?`, label: "Remove", danger: true,
    text: each.id === session.id ? "This is the key that you are logged in with. You will be logged out."
      : "Whoever uses it is refused from now on. This cannot be undone.",
    run: async () => {
      await call("DELETE", `/v1/keys/${encodeURIComponent(each.id)}`);
      say(`The key ${each.label} is removed.`);
      await refresh();
    },
  });
  return { title: "", class: "action", show: (cell, each) => {
    const button = cell.firstChild ?? cell.appendChild(h("button", { type: "button", class: "quiet" }, "Remove"));
    button.hidden = each.removed;
    button.setAttribute("aria-label", `Remove the key ${each.label}`);
    button.onclick = () => ask(each);
  } };
}

export function keys(session) {
  const body = h("tbody", { role: "rowgroup" }), shown = h("div", { class: "once", role: "status" });
  const refresh = async () => fill((await get("/v1/keys")).keys.filter((each) => !each.removed));
  const columns = [...COLUMNS, removal(session, refresh)];
  const fill = keyed(body, (each) => each.id, () => row(columns));
  const make = fields([
    { name: "label", label: "Label", kind: "text", required: true, help: "Who or what will use it." },
    { name: "learners", label: "Learners", kind: "text", placeholder: "all",
      help: "Names with commas between them; leave it empty for all, also those to come." },
    many("scopes", "It may", SCOPES, ["decide", "feedback"]),
  ]);
  const run = async (values) => {
    const learners = values.learners?.split(",").map((each) => each.trim()).filter(Boolean) ?? null;
    const made = await post("/v1/keys", { ...values, learners });
    shown.replaceChildren(h("p", {}, h("strong", {}, `The key ${made.label}. `),
      "It is shown this once: copy it now."), copyable(made.key, "the key").node);
    node.reset();
    await refresh();
  };
  const node = form({ body: make, run, label: "Make a key", class: "panel narrow" });
  return { title: "Keys", refresh, node: h("div", {}, h("h1", { tabindex: "-1" }, "Keys"),
    h("table", { role: "table", "aria-label": "Keys" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
      columns.map((each) => h("th", { scope: "col", role: "columnheader", class: each.class },
        each.title || h("span", { class: "unseen" }, "What can be done"))))), body),
    h("h2", {}, "A new key"), shown, node) };
}
