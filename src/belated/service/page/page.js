// The page: who is logged in, which view the address names, and once a second what is new.

import { Away, Refused, get, key } from "./api.js";
import { create } from "./create.js";
import { decision } from "./decision.js";
import { attribute, h, set, silence } from "./dom.js";
import { fields, form } from "./form.js";
import { behind } from "./format.js";
import { keys } from "./keys.js";
import { learner } from "./learner.js";
import { overview } from "./overview.js";

const ROUTES = [
  [/^(?:#\/?)?$/, overview],
  [/^#\/learner\/([^/]+)$/, learner],
  [/^#\/learner\/([^/]+)\/decision\/([^/]+)$/, decision],
  [/^#\/new$/, create],
  [/^#\/keys$/, keys],
];
const EVERY = 1000; // milliseconds between two looks
const BEHIND = 2; // seconds that the clock of the service may be behind without a word, as in its log

const part = (id) => document.getElementById(id);
const main = part("main");
const problem = h("p", { class: "problem", role: "alert", hidden: true });
let session = null, view = null, timer = 0, lost = null;

function nothing() {
  return { title: "Not found", node: h("div", {}, h("h1", { tabindex: "-1" }, "There is no such page"),
    h("p", {}, h("a", { href: "#/" }, "To the learners"))) };
}

const MAY = { decide: "decide", feedback: "give feedback" };

/** What somebody sees whose key is for a program. */
function unseen() {
  const may = session.scopes.map((each) => MAY[each]).join(" and ");
  return { title: "Learners", node: h("div", {}, h("h1", { tabindex: "-1" }, "Learners"),
    h("p", {}, `This key may ${may}. To look at learners you need a key with the scope read.`)) };
}

function routed(hash) {
  if (!session.may("read")) return unseen();
  for (const [pattern, make] of ROUTES) {
    const found = hash.match(pattern);
    try {
      if (found) return make(session, ...found.slice(1).map(decodeURIComponent));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return nothing();
}

function mount(next, focus) {
  view = next;
  document.title = view.title === "belated" ? view.title : `${view.title} \u00b7 belated`;
  part("nav").querySelectorAll("a").forEach((link) =>
    attribute(link, "aria-current", link.hash === (location.hash || "#/") ? "page" : null));
  problem.hidden = true;
  silence();
  main.replaceChildren(problem, view.node);
  scrollTo(0, 0);
  if (focus) view.node.querySelector(focus)?.focus({ preventScroll: true });
  look();
}

/** Show whether the service is there; the time is that of the first look that it has missed. */
function connected(message) {
  if (message && lost === null) lost = new Date();
  if (!message) lost = null;
  const status = part("connection");
  set(status, !session ? "" : message ? `${message} since ${lost.toLocaleTimeString()}; trying again` : "Connected");
  attribute(status, "class", message && session ? "lost" : "");
  main.classList.toggle("stale", Boolean(message && session));
}

/** Say that the clock of the service is behind its last event, in whole minutes: each change is read aloud. */
function clock(seconds) {
  part("clock").hidden = !(seconds >= BEHIND);
  set(part("clock"), seconds >= BEHIND ? behind(seconds) : "");
}

function failed(error) {
  if (error instanceof Away) connected("Not connected");
  else if (!(error instanceof Refused)) throw error;
  else if (error.status === 401) leave("This key is not known any more.");
  else if (error.status >= 500) connected(`Not ready (${error.message})`);
  else {
    connected("");
    set(problem, error.message);
    problem.hidden = false;
    view.node.hidden = !view.seen; // without a single reply there is nothing to show
  }
}

async function look() {
  clearTimeout(timer);
  if (!session || document.hidden) return; // it goes on when somebody sees it
  const looked = view;
  try {
    const [ready] = await Promise.all([get("/readyz"), looked.refresh?.()]);
    if (looked === view) {
      clock(ready.clock_behind_seconds);
      problem.hidden = view.seen = true;
      view.node.hidden = false;
      connected("");
    }
  } catch (error) {
    if (looked === view) failed(error);
  } finally {
    if (looked === view && session) {
      clearTimeout(timer);
      timer = setTimeout(look, EVERY);
    }
  }
}

/** Log in with the key that is kept; what is wrong with it is thrown. */
async function enter() {
  const found = await get("/v1/whoami");
  const may = (scope) => found.scopes.includes("admin") || found.scopes.includes(scope);
  session = { ...found, may };
  part("nav").hidden = part("who").hidden = part("logout").hidden = false;
  part("nav").querySelectorAll("[data-scope]").forEach((link) => (link.hidden = !may(link.dataset.scope)));
  set(part("who"), found.label);
  const only = found.learners ? `; only ${found.learners.join(", ")}` : "";
  part("who").title = `This key may: ${found.scopes.join(", ")}${only}`;
}

function leave(message) {
  key.forget();
  session = null;
  clearTimeout(timer);
  part("nav").hidden = part("who").hidden = part("logout").hidden = true;
  document.querySelectorAll("dialog").forEach((each) => each.close());
  connected("");
  clock(0);
  mount(door(message), "input");
}

function door(message) {
  const body = fields([{ name: "key", label: "Key", kind: "secret",
    help: "It is kept in this tab only, and forgotten when the tab is closed." }]);
  const run = async (values) => {
    if (!/^[!-~]+$/.test(values.key ?? "")) throw new Refused(401, { message: "Enter a key.", argument: "key" });
    key.set(values.key);
    try {
      await enter();
    } catch (error) {
      key.forget();
      if (error.status !== 401) throw error;
      throw new Refused(401, { message: "This key is not known here.", argument: "key" });
    }
    mount(routed(location.hash), "h1");
  };
  return { title: "belated", node: h("div", { class: "door" }, h("h1", { tabindex: "-1" }, "Log in"),
    message && h("p", { role: "alert" }, message), form({ body, run, label: "Log in", class: "panel" }),
    h("p", { class: "muted" }, "A key is made by ", h("code", {}, "belated serve"), " when a store is new, and on the ",
      "page Keys by whoever has one with the scope admin.")) };
}

/** A key that this tab has kept opens the page again; while the service is away it is tried again. */
async function start() {
  if (!key.get()) return mount(door(), "input");
  try {
    await enter();
    mount(routed(location.hash));
  } catch (error) {
    if (error.status === 401) return leave("This key is not known any more.");
    main.replaceChildren(h("p", {}, `${error.message} Trying again\u2026`));
    setTimeout(start, EVERY);
  }
}

part("logout").addEventListener("click", () => leave("You are logged out."));
part("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the view
  main.focus();
});
addEventListener("hashchange", () => session && mount(routed(location.hash), "h1"));
document.addEventListener("visibilitychange", look);
start();
