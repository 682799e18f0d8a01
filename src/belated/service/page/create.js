// A new learner: from ranges in a person's own units, or any algorithm that the catalogue of the service has.

import { get, page, post } from "./api.js";
import { goSaying, h } from "./dom.js";
import { fields, form } from "./form.js";

const RANGES = [
  { name: "lower", label: "Lowest setting", kind: "value", required: true, placeholder: "5",
    help: "The lowest that may be tried, in your own units; with commas for several knobs." },
  { name: "upper", label: "Highest setting", kind: "value", required: true, placeholder: "20",
    help: "The highest, one number for each knob." },
  { name: "least", label: "Least cost", kind: "number", required: true, placeholder: "0",
    help: "The least that one decision can cost. Less is better: of revenue tell the negative." },
  { name: "largest", label: "Largest cost", kind: "number", required: true, placeholder: "100",
    help: "The most that it can cost. The narrower the range is, the faster it learns." },
  { name: "rounds", label: "Rounds", kind: "number", whole: true, required: true, placeholder: "10000",
    help: "About how many decisions will be made in all. It tunes the learner, which goes on afterwards." },
  { name: "delay", label: "Delay", kind: "number", whole: true, placeholder: "1",
    help: "About how many decisions are made until the cost of one is known, itself included." },
];

const several = (value) => (Array.isArray(value) ? value : [value]);

/** The fields of ranges, which together are what the service calls by that name. */
function rangeFields() {
  const body = fields(RANGES, "two");
  const read = () => {
    const { lower, upper, least, largest, ...rest } = body.read();
    return { lower: several(lower), upper: several(upper), values: [least, largest], ...rest };
  };
  return { ...body, read, find: (name) => body.find(name === "values" ? "least" : name) };
}

const spoken = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
const alternatives = (schema) => (schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema]);

/** What an argument may be that is a name with arguments of its own, such as a domain; nothing for plain values. */
function partsOf(schema, known) {
  const all = alternatives(schema), table = all.find((each) => each.maxProperties === 1);
  if (!table) return null;
  const plain = all.filter((each) => each !== table && each.type && each.type !== "null");
  const named = table.properties ? Object.entries(table.properties)
    : table.propertyNames.enum.map((name) => [name, known.get(name)]);
  const value = { description: "A number, or several with commas between them." };
  return [...(plain.length ? [{ name: null, title: "a value", arguments: { properties: { value } } }] : []),
    ...named.map(([name, schema]) => ({ name, title: name, arguments: schema ?? {} }))];
}

/** The fields of arguments that a JSON Schema describes; `known` has the schemas of what is only named in it. */
function specs(schema, known) {
  return Object.entries(schema.properties ?? {}).map(([name, each]) => {
    const required = (schema.required ?? []).includes(name), parts = partsOf(each, known);
    const shared = { name, label: spoken(name), help: each.description, required };
    const left = each.default === undefined || each.default === null ? "" : JSON.stringify(each.default);
    const optional = required ? undefined : `by default ${left}`;
    if (parts) return { ...shared, make: () => partField(shared, parts, known, optional) };
    const choices = each.enum ?? (each.type === "boolean" ? [true, false] : undefined);
    if (choices) return { ...shared, kind: "choice", choices, optional };
    const kind = { string: "text", number: "number", integer: "number" }[each.type] ?? "value";
    return { ...shared, kind, whole: each.type === "integer", placeholder: left };
  });
}

/** A choice of something that has arguments of its own, which are shown below it. */
function chosen(spec, options, known) {
  const choice = fields([{ ...spec, kind: "choice", choices: options.map((each) => [each, each.title]) }]);
  const place = h("div", {}), picked = () => choice.read()[spec.name];
  let inner;
  const show = () => {
    inner = fields(picked() ? specs(picked().arguments, known) : []);
    place.replaceChildren(inner.node);
  };
  choice.input(spec.name).addEventListener("change", show);
  show();
  return {
    node: h("div", { class: "group" }, choice.node, place), picked,
    read: () => inner.read(),
    find: (argument) => choice.find(argument) ?? inner.find(argument),
    clear: () => [choice, inner].forEach((each) => each.clear()),
  };
}

/** An argument that is a part; what is wrong within it is named by its path, such as domain.radius. */
function partField(spec, parts, known, optional) {
  const body = chosen({ ...spec, optional }, parts, known), above = `${spec.name}.`;
  const read = () => {
    const part = body.picked();
    return part && (part.name === null ? body.read().value : { [part.name]: body.read() });
  };
  const find = (path) => (path === spec.name || path.startsWith(above) ? body.find(path.replace(above, "")) : null);
  return { ...body, read, find };
}

const WAYS = { ranges: "By ranges in my own units", make: "By algorithm" };

/** Two ways to say what is made, of which one is shown, and the part of the request that it gives. */
function ways(catalogue) {
  const known = new Map([...catalogue.algorithms, ...catalogue.domains].map((each) => [each.name, each.arguments]));
  const algorithms = catalogue.algorithms.map((each) => ({ ...each, title: `${each.name}: ${each.title}` }));
  const ranges = rangeFields(), make = chosen({ name: "algorithm", label: "Algorithm" }, algorithms, known);
  const bodies = { ranges, make };
  let way = "ranges";
  const turn = (name) => {
    way = name;
    Object.entries(bodies).forEach(([each, body]) => {
      body.node.hidden = each !== name;
      body.node.querySelectorAll("input, select").forEach((input) => (input.disabled = each !== name));
    });
  };
  const radio = (name) => h("label", {},
    h("input", { type: "radio", name: "way", value: name, checked: name === way, change: () => turn(name) }),
    h("span", {}, WAYS[name], name === "ranges" ? [" ", h("small", {}, "recommended")] : []));
  turn(way);
  return {
    node: h("div", {}, h("fieldset", { class: "tabs" }, h("legend", {}, "How to make it"),
      Object.keys(WAYS).map(radio)), ranges.node, make.node),
    read: () => (way === "ranges" ? ranges.read() : { algorithm: make.picked().name, arguments: make.read() }),
    find: (argument) => bodies[way].find(argument),
    clear: () => bodies[way].clear(),
    way: () => way,
  };
}

export function create() {
  const place = h("div", {}, h("p", { class: "muted" }, "Asking what can be made\u2026"));
  get("/v1/catalogue").then((catalogue) => {
    const name = { name: "name", label: "Name", kind: "text", required: true, placeholder: "price",
      help: "What programs call it by, such as price or clicks." };
    const how = ways(catalogue);
    const body = fields([name, { name: "how", make: () => how }]);
    const there = h("p", { role: "status" });
    const run = async (values) => {
      there.replaceChildren();
      const made = await post("/v1/learners", { name: values.name, [how.way()]: values.how });
      if (made.duplicate) there.append(h("a", { href: page(made.name) }, made.name), " is there already.");
      else goSaying(page(made.name), `${made.name} is made.`);
    };
    place.replaceChildren(form({ body, run, label: "Create", class: "panel narrow" }), there);
  }).catch((problem) => place.replaceChildren(h("p", { class: "problem", role: "alert" }, problem.message)));
  return { title: "New learner", node: h("div", {}, h("h1", { tabindex: "-1" }, "New learner"), place) };
}
