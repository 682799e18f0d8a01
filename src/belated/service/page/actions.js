// What an operator may do with a learner. Buttons that the key does not allow are not there.

import { at, post } from "./api.js";
import { h, say } from "./dom.js";
import { dialog } from "./form.js";

const SETTINGS = [
  { name: "timeout", label: "Timeout in seconds", kind: "number", placeholder: "never",
    help: "A decision without feedback times out so long after it was made. Deadlines that are set stay." },
  { name: "outcome", label: "Outcome", kind: "value", placeholder: "none",
    help: "The feedback that is learned when a decision times out; a number, or several with commas." },
  { name: "late", label: "Late feedback", kind: "choice",
    choices: [["ignore", "ignore: recorded, not learned"], ["accept", "accept: learned"]] },
  { name: "largest_move", label: "Largest move", kind: "number", placeholder: "any",
    help: "How far a decision may be from the one before." },
  { name: "lower", label: "Lower bounds", kind: "value", placeholder: "none", help: "One number for each coordinate." },
  { name: "upper", label: "Upper bounds", kind: "value", placeholder: "none", help: "One number for each coordinate." },
];

const FIXED = { name: "fixed", label: "Fixed decision", kind: "value" };
const VALUE = "Every ask has this answer until it is resumed.";
const POINT = `${VALUE} Coordinates with commas; empty for what was decided last.`;

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const several = (value) => (typeof value === "number" ? [value] : value);

/** The settings that differ from those that are; what was emptied becomes null. */
export function changed(values, before) {
  const read = ({ name, kind }) => (kind === "value" ? several(values[name]) : values[name]) ?? null;
  const wanted = SETTINGS.map((each) => [each.name, read(each)]);
  return Object.fromEntries(wanted.filter(([name, value]) => !same(value, before[name])));
}

export function actions(session, name, refresh) {
  let detail;
  const act = (verb, word) => async (body) => {
    await post(at(name, `/${verb}`), body);
    say(`${name} is ${word}.`);
    await refresh();
  };
  const pause = () => dialog({
    title: `Pause ${name}?`, label: "Pause", text: "It goes on answering, and learns nothing from those answers.",
    specs: [detail.kind === "model" ? { ...FIXED, help: VALUE, required: true } : { ...FIXED, help: POINT }],
    run: ({ fixed }) => act("pause", "paused")(fixed === undefined ? {}
      : { fixed: detail.kind === "model" ? fixed : several(fixed) }),
  });
  const resume = () => act("resume", "running")({}).catch((problem) => say(problem.message));
  const configure = () => dialog({
    title: `Settings of ${name}`, label: "Save",
    specs: SETTINGS.map((each) => ({ ...each, value: detail.settings[each.name] })),
    run: (values) => act("configure", "configured")({ settings: changed(values, detail.settings) }),
  });
  const archive = () => dialog({
    title: `Archive ${name}?`, label: "Archive", danger: true, run: () => act("archive", "archived")({}),
    text: "It makes no further decisions, and this cannot be undone. What comes of open decisions may still be told.",
  });
  const button = (label, click, classes = "quiet") => h("button", { type: "button", class: classes, click }, label);
  const buttons = { pause: button("Pause", pause), resume: button("Resume", resume, "primary"),
    settings: button("Settings", configure), archive: button("Archive", archive) };
  const node = h("div", { class: "buttons", hidden: true }, Object.values(buttons));
  const update = (given) => {
    detail = given;
    node.hidden = !session.may("admin") || detail.archived;
    buttons.pause.hidden = detail.paused;
    buttons.resume.hidden = !detail.paused;
    buttons.settings.hidden = detail.kind === "model"; // a model has its waiting in its description
  };
  return { node: session.may("admin") ? node : "", update };
}
