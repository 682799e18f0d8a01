// Forms made from lists of fields. What the service refuses is shown at the field that it names.

import { Refused } from "./api.js";
import { attribute, h, set } from "./dom.js";

let made = 0;

/** Something was typed that cannot be meant; `field` is where. */
class Mistyped extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** What was typed, as a value: JSON, or numbers with commas between them, or else the text. Nothing is undefined. */
export function typed(text) {
  const clean = text.trim().replaceAll("\u2212", "-").replaceAll("\u202f", "");
  if (clean === "") return undefined;
  try {
    const found = JSON.parse(clean);
    return Math.abs(found) === Infinity ? clean : found; // JSON reads 1e999, and cannot write it
  } catch {
    const parts = clean.replace(/^\((.*)\)$/, "$1").split(",").map((each) => (each.trim() ? Number(each) : NaN));
    if (!parts.every(Number.isFinite)) return clean;
    return parts.length > 1 ? parts : parts[0];
  }
}

const words = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value
  : Array.isArray(value) ? value.join(", ") : JSON.stringify(value));

function choiceOf({ choices, value, optional }) {
  const options = choices.map((each) => (Array.isArray(each) ? each : [each, words(each)]));
  const all = optional ? [[undefined, optional], ...options] : options;
  const input = h("select", {}, all.map(([each, label], place) =>
    h("option", { value: place, selected: each !== undefined && each === value }, label)));
  return { input, read: () => all[input.value][0] };
}

function textOf({ kind, value, placeholder, required }) {
  const secret = kind === "secret";
  const input = h("input", {
    type: secret ? "password" : "text", autocomplete: secret ? "current-password" : "off", spellcheck: "false",
    autocapitalize: "none", placeholder, required, value: words(value),
    inputmode: kind === "number" ? "decimal" : undefined,
  });
  const asText = kind === "text" || secret;
  return { input, read: () => (asText ? input.value.trim() || undefined : typed(input.value)) };
}

const ONE = { true: "must be a whole number without commas",
  false: "must be one number without commas; the decimal sign is a point" };

/** A number that was typed with a comma is not a list of numbers. */
const oneOf = (read, given, field) => () => {
  const value = read();
  if (given.kind === "number" && Array.isArray(value)) throw new Mistyped(field, ONE[Boolean(given.whole)]);
  return value;
};

function checkOf({ value }) {
  const input = h("input", { type: "checkbox", checked: Boolean(value) });
  return { input, read: () => input.checked };
}

/** One field: `name`, `label`, `help`, `kind` (text, secret, number, value, check, choice), `value`, `required`,
 *  `whole` for numbers. */
function field(given) {
  const { input, read } = given.kind === "choice" ? choiceOf(given) : given.kind === "check" ? checkOf(given)
    : textOf(given);
  const id = `field-${(made += 1)}`, problem = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const help = given.help && h("p", { class: "help", id: `${id}-help` }, given.help);
  Object.assign(input, { id, name: given.name });
  attribute(input, "aria-describedby", `${help ? `${id}-help ` : ""}${id}-problem`);
  const mark = given.required && given.kind !== "choice" && h("span", { class: "muted" }, " (required)");
  const label = h("label", { for: id }, given.label, mark);
  const fail = (message) => {
    set(problem, message ?? "");
    problem.hidden = !message;
    attribute(input, "aria-invalid", message ? "true" : null);
  };
  const node = given.kind === "check" ? h("div", { class: "field check" }, input, label, help, problem)
    : h("div", { class: "field" }, label, input, help, problem);
  return { node, read: oneOf(read, given, { input, fail }), input, fail, find: (name) => (name === given.name ? { input, fail } : null) };
}

/** Fields below each other; a field may be a group of its own, made by whoever knows what it needs. */
export function fields(specs, classes = "") {
  const parts = specs.map((each) => [each.name, each.make ? each.make() : field(each)]);
  return {
    node: h("div", { class: `fields ${classes}` }, parts.map(([, part]) => part.node)),
    read: () => Object.fromEntries(parts.map(([name, part]) => [name, part.read()]).filter(([, v]) => v !== undefined)),
    find: (name) => parts.reduce((found, [, part]) => found ?? part.find(name), null),
    clear: () => parts.forEach(([, part]) => (part.clear ?? part.fail)()),
    input: (name) => parts.find(([each]) => each === name)[1].input,
  };
}

/** Boxes to tick under one heading, for a list of those that are ticked. */
export function many(name, legend, options, ticked) {
  const boxes = fields(options.map(([each, label]) =>
    ({ name: each, label, kind: "check", value: ticked.includes(each) })));
  return { name, make: () => ({
    ...boxes,
    node: h("fieldset", { class: "many" }, h("legend", {}, legend), boxes.node),
    read: () => Object.entries(boxes.read()).filter(([, is]) => is).map(([each]) => each),
    find: (argument) => (argument === name ? boxes.find(options[0][0]) : null),
  }) };
}

/** A form: `body` is what `fields` gives, `run(values)` does it. `also` are further buttons. */
export function form({ body, run, label, danger = false, also = [], ...rest }) {
  const alert = h("p", { class: "problem", role: "alert" });
  const button = h("button", { class: danger ? "danger" : "primary" }, label);
  const fail = (problem) => {
    let path = (problem instanceof Refused && problem.argument) || "", found = problem.field ?? null;
    for (; path && !found; path = path.replace(/[.[]?[^.[]*$/, "")) found = body.find(path); // or what it is a part of
    found?.fail(problem.message);
    found?.input.focus();
    set(alert, found ? "" : problem.message);
  };
  const submit = async (event) => {
    event.preventDefault();
    if (node.hasAttribute("aria-busy")) return; // a button that is disabled would lose the focus
    body.clear();
    set(alert, "");
    attribute(node, "aria-busy", "true");
    try {
      await run(body.read());
    } catch (problem) {
      fail(problem);
    }
    attribute(node, "aria-busy", null);
  };
  const node = h("form", { submit, ...rest }, body.node, alert, h("div", { class: "buttons" }, button, also));
  return node;
}

/** A question in a dialog, which goes when it is answered, or cancelled by its button or by Escape. */
export function dialog({ title, text, specs = [], run, ...rest }) {
  const id = `dialog-${(made += 1)}`, body = fields(specs);
  const cancel = h("button", { type: "button", class: "quiet", autofocus: rest.danger, click: () => box.close() },
    "Cancel");
  const finish = async (values) => {
    await run(values);
    box.close();
  };
  const box = h("dialog", { "aria-labelledby": id, close: () => box.remove() },
    h("h2", { id }, title), text && h("p", {}, text), form({ body, run: finish, also: [cancel], ...rest }));
  document.body.append(box);
  box.showModal();
}
