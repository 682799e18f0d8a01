// The life of one decision, from the ask to its answer, as the journal has it.

import { at, get, now, page } from "./api.js";
import { h, keyed, set } from "./dom.js";
import { decided, exact, local, plain, span, utc } from "./format.js";

const KINDS = { asked: "Asked", told: "Answered and learned", noted: "Reported, noted, not learned",
  timed_out: "Timed out", given_up: "Given up" };

/** What an event says, as names and values, with every digit. */
function details({ kind, key, body }) {
  const result = body?.result ?? {};
  const told = result.points !== undefined || result.value !== undefined
    ? [["decided", decided(result, 100, exact)], ["round", result.round], ["while paused", result.paused && "yes"]]
    : Object.entries(result).map(([name, value]) => [name, plain(value, exact)]);
  const given = Object.entries(body?.given ?? {}).map(([name, value]) => [name, plain(value, exact)]);
  const all = [...given, ...told, ["report", kind === "asked" || key === "1" ? null : key]];
  return all.filter(([, value]) => value !== undefined && value !== null && value !== false);
}

function event(each, asked) {
  const delay = (each.at - asked) / 1e6;
  return h("li", { class: each.kind },
    h("h2", {}, KINDS[each.kind] ?? each.kind),
    h("p", { class: "muted" }, h("time", { datetime: new Date(each.at / 1000).toISOString(), title: utc(each.at) },
      local(each.at)), each.kind === "asked" ? "" : `, ${span(delay)} after the ask`, ` \u00b7 event ${each.number}`),
    h("dl", {}, details(each).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value))))));
}

export function decision(session, name, id) {
  const list = h("ol", { class: "timeline" }), waiting = h("p", { class: "muted waiting", hidden: true });
  let asked = 0;
  const fill = keyed(list, (each) => each.number, (each) => ({ node: event(each, asked), update: () => {} }));
  const refresh = async () => {
    const found = await get(at(name, `/decision?id=${encodeURIComponent(id)}`));
    asked = found.events[0]?.at ?? 0;
    fill(found.events);
    waiting.hidden = found.status !== "open";
    set(waiting, `Waiting for feedback, for ${span(Math.max(now() - asked, 0) / 1e6)}.`);
  };
  const node = h("div", { class: "life" }, h("p", {}, h("a", { href: page(name) }, `\u2190 ${name}`)),
    h("h1", { tabindex: "-1" }, h("small", {}, "Decision "), id), list, waiting);
  return { title: `${id} of ${name}`, node, refresh };
}
