// One learner: its figures, how late its answers are, what it decides, and its decisions one by one.

import { at, get, now, page } from "./api.js";
import { actions } from "./actions.js";
import { bars, lines, ranges } from "./charts.js";
import { attribute, h, keyed, row, set } from "./dom.js";
import { decided, local, number, plain, rate, span, utc } from "./format.js";
import { rates, remember, told } from "./history.js";
import { howto } from "./howto.js";
import { showState } from "./overview.js";

const NEWEST = 25; // decisions in the list

const since = (moment) => (moment === null ? null : Math.max(now() - moment, 0) / 1e6);

/** What the mean of a learner is called: values that were told are not a loss yet if they are revenue. */
const meaning = ({ feedback }) => (feedback === "values" ? "Mean told" : "Loss");

/** Names, or what they follow from, with what is shown; a figure that is null is not shown. */
const FIGURES = [
  ["Decisions/s", (each) => rate(each.asked_per_second), "over the last minute"],
  ["Feedback/s", (each) => rate(each.answered_per_second), "over the last minute"],
  ["Pending", (each) => number(each.pending), "decisions that wait for their feedback"],
  ["Oldest waits", (each) => span(since(each.oldest_pending_at)), "the age of the oldest decision that waits"],
  ["Asked", (each) => number(each.asked)],
  ["Answered", (each) => number(each.answered), "decisions whose feedback was learned"],
  ["Late", (each) => number(each.noted), "reports that were noted and not learned: too late, or while paused"],
  ["Timed out", (each) => number(each.timed_out)],
  ["Given up", (each) => number(each.given_up)],
  [meaning, (each) => number(each.loss?.mean), "the mean over all that was told so far"],
  ["Rate", (each) => (each.rate == null ? null : number(each.rate)), "the learning rate as it is now"],
];

/** What was learned although it is outside of the declared range of values, and what to do. */
function strays() {
  const node = h("p", { role: "status", class: "notice", hidden: true });
  const update = ({ outside, answered }) => {
    node.hidden = !outside?.count;
    if (node.hidden) return;
    const { count, last, last_at: at, values: [least, most] } = outside;
    const reports = answered === 1 ? "The only report" : `${number(count)} of ${number(answered)} reports`;
    set(node, `${reports} told a value outside of ${number(least)} to ${number(most)}, the range that was declared; `
      + `the last was ${number(last)}, at ${local(at)}. It was learned as it is. Check its sign and its unit. `
      + "If such values are right, create another learner, with wider values.");
  };
  return { node, update };
}

/** A list of names and values whose values are kept up to date. */
function facts(entries, classes) {
  const pairs = entries.map(([, , help]) => h("div", {}, h("dt", { title: help }), h("dd", {})));
  const update = (each) => entries.forEach(([name, show], place) => {
    const shown = show(each), [term, value] = pairs[place].children;
    pairs[place].hidden = shown === null;
    set(term, typeof name === "function" ? name(each) : name);
    set(value, shown ?? "");
  });
  return { node: h("dl", { class: classes }, pairs), update };
}

/** The settings and whatever else a learner was made with; the names of settings are known when they have come. */
function made() {
  const body = h("dl", { class: "settings" });
  const fill = keyed(body, ([name]) => name, ([name]) => {
    const value = h("dd", {});
    return { node: h("div", {}, h("dt", {}, name.replaceAll("_", " ")), value),
      update: ([, given]) => set(value, given === null || given === undefined ? "\u2013" : plain(given)) };
  });
  const text = h("pre", {});
  const update = (each) => {
    fill(each.kind === "model" ? [] : Object.entries(each.settings)); // those of a model are in its description
    set(text, each.description ?? "");
  };
  return { node: h("div", {}, body, text), update };
}

function traffic() {
  const chart = lines("Decisions and feedback per second", { zero: true });
  const now = { asked: h("b", {}), told: h("b", {}) };
  const update = ({ name }) => {
    const asked = rates(name, "asked"), answered = rates(name, "told");
    set(now.asked, told(asked));
    set(now.told, told(answered));
    const length = asked.length ? asked.at(-1)[0] - asked[0][0] : 0;
    chart.draw([{ class: "first", points: asked }, { class: "second", points: answered }],
      [length ? `${span(length)} ago` : "", "now"], `now ${told(asked)} and ${told(answered)}`);
  };
  const legend = h("p", { class: "legend" }, h("span", { class: "first" }, "decisions ", now.asked),
    h("span", { class: "second" }, "feedback ", now.told));
  return { node: h("div", {}, legend, chart.node), update, help: "each second, since this page was opened" };
}

function delays() {
  const chart = bars("Delays from ask to feedback"), body = h("tbody");
  const fill = keyed(body, (each) => each.words, () => row([
    { title: "Delay", head: true, show: (cell, each) => set(cell, each.words) },
    { title: "Answers", class: "figure", show: (cell, each) => set(cell, number(each.count)) },
  ]));
  const update = ({ delays }) => {
    const all = delays ? ranges(delays.edges_seconds, delays.counts) : [];
    chart.draw(all);
    fill(all.filter((each) => each.count > 0));
  };
  const table = h("details", {}, h("summary", {}, "As a table"), h("table", { class: "small", "aria-label": "Delays" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Delay"),
      h("th", { scope: "col", class: "figure" }, "Answers"))), body));
  return { node: h("div", {}, chart.node, table), update, help: "from the ask to its feedback" };
}

function losses() {
  const chart = lines("Mean of what was told"), title = h("span", {});
  const update = ({ losses, loss, feedback }) => {
    set(title, meaning({ feedback }));
    const points = losses ?? [], ends = points.length ? [local(points[0][0]), local(points.at(-1)[0])] : ["", ""];
    chart.draw([{ class: "first", points }], ends, loss ? `now ${number(loss.mean)} after ${loss.count}` : "none",
      feedback === "gradient" ? "It is told gradients, which say nothing about the loss itself." : undefined);
  };
  return { node: chart.node, update, title, help: "mean of all that was told so far" };
}

function current() {
  const text = h("p", { class: "decided" }), note = h("p", { class: "muted" });
  const update = (each) => {
    set(text, decided(each.current, 100));
    const example = each.kind === "model" ? "A model decides anew for each example." : "";
    set(note, each.paused ? "It is paused: every ask has this answer, and nothing is learned." : example);
  };
  return { node: h("div", {}, text, note), update, help: "what was decided last" };
}

const STATUS = { open: "waits", answered: "answered", timed_out: "timed out", given_up: "given up" };

function decisions(name) {
  const columns = [
    { title: "Decision", head: true, class: "name", show: (cell, each) => {
      if (!cell.firstChild) cell.append(h("a", { href: page(name, each.decision) }, each.decision));
    } },
    { title: "State", class: "word bare", show: (cell, each) => {
      set(cell, STATUS[each.status] ?? each.status);
      attribute(cell, "class", `word bare status-${each.status}`);
    } },
    { title: "Made", class: "word", show: (cell, each) => {
      set(cell, local(each.at));
      attribute(cell, "title", utc(each.at));
    } },
    { title: "Age", class: "figure", show: (cell, each) => set(cell, span(since(each.at))) },
    { title: "Times out", class: "figure", show: (cell, each) => set(cell, each.deadline && each.status === "open"
      ? `in ${span(Math.max(each.deadline - now(), 0) / 1e6)}` : "\u2013") },
    { title: "Decided", class: "figure current", show: (cell, each) => set(cell, decided(each.result)) },
  ];
  const body = h("tbody", { role: "rowgroup" }), fill = keyed(body, (each) => each.decision, () => row(columns));
  const filter = h("select", { id: "filter" }, h("option", { value: "&status=open" }, "that wait"),
    h("option", { value: "", selected: true }, "all"));
  const empty = h("p", { class: "empty", hidden: true }, "There is none.");
  const refresh = async () => {
    const found = (await get(at(name, `/decisions?limit=${NEWEST}${filter.value}`))).decisions;
    fill(found);
    empty.hidden = found.length > 0;
    table.hidden = found.length === 0;
  };
  filter.addEventListener("change", () => refresh().catch(() => {})); // the next poll says what is wrong
  const wanted = h("input", { id: "wanted", type: "text", autocomplete: "off", spellcheck: "false", required: true });
  const find = (event) => {
    event.preventDefault();
    location.hash = page(name, wanted.value.trim());
  };
  const table = h("table", { role: "table", class: "decisions", "aria-label": "Decisions" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((each) =>
      h("th", { scope: "col", role: "columnheader", class: each.class }, each.title)))), body);
  const tools = h("div", { class: "tools" }, h("label", { for: "filter" }, "Show"), filter,
    h("form", { submit: find, role: "search" }, h("label", { for: "wanted" }, "Look up an id"), wanted,
      h("button", { class: "quiet" }, "Look up")));
  return { node: h("div", {}, tools, table, empty), refresh };
}

const section = (title, { node, help }, classes) =>
  h("section", { class: `panel ${classes ?? ""}` }, h("h2", {}, title, help && h("small", {}, help)), node);

export function learner(session, name) {
  const state = h("span", {}), about = h("p", { class: "about" });
  const parts = { strays: strays(), figures: facts(FIGURES, "figures"), traffic: traffic(), delays: delays(),
    losses: losses(), current: current(), made: made(), howto: howto(name),
    actions: actions(session, name, () => refresh()) };
  const list = decisions(name);
  const refresh = async () => {
    const detail = await get(at(name));
    remember(detail);
    showState(state, detail);
    set(about, `${detail.algorithm}, a ${detail.kind} since ${local(detail.created_at)}; told: ${detail.feedback}`);
    attribute(about, "title", utc(detail.created_at));
    Object.values(parts).forEach((part) => part.update(detail));
    await list.refresh();
  };
  const node = h("div", { class: "learner" },
    h("div", { class: "top" }, h("div", {}, h("h1", { tabindex: "-1" }, name), state, about), parts.actions.node),
    parts.strays.node, parts.figures.node,
    h("div", { class: "pair" }, section("Traffic", parts.traffic), section("Delays", parts.delays),
      section(parts.losses.title, parts.losses), section("Current decision", parts.current)),
    parts.howto.node,
    section("Settings and description", parts.made),
    section("Decisions", { ...list, help: `the newest ${NEWEST}` }));
  return { title: name, node, refresh };
}
