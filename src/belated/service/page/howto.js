// How a program asks this learner and tells it what came of a decision, ready to copy.

import { at } from "./api.js";
import { copyable, h, set } from "./dom.js";

const HEADER = '-H "Authorization: Bearer $BELATED_KEY"';
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const SAID = {
  gradient: "Feedback is the gradient of the loss at the decision: a number for each coordinate.",
  values: "Feedback is what the decision has cost: a list with a number for each point of it.",
  label: "The label is the truth that was to be predicted.",
};

const COST = "what it cost"; // no number, so that whoever copies it without looking is refused

/** An ask and a tell that suit the learner, as the bodies of the two requests. */
function example({ kind, feedback, dim, points, context }, cost) {
  const decision = "monday", features = { page: "shoes", hour: "17" };
  if (kind === "model") return { ask: { decision, features }, tell: { decision, label: 1 } };
  const told = { gradient: () => Array(dim).fill(0.5), values: () => Array(points).fill(cost), label: () => [1] };
  const ask = context ? { decision, context: Array(context).fill(1) } : { decision };
  return { ask, tell: { decision, feedback: told[feedback]() } };
}

function curl(name, verb, body) {
  const address = `${location.origin}${at(name, `/${verb}`)}`;
  return `curl ${HEADER} \\\n  --json ${quoted(JSON.stringify(body))} \\\n  ${quoted(address)}`;
}

function python(name, { ask, tell }, kind) {
  const context = ask.context ? `${JSON.stringify(ask.context)}, ` : "";
  const [handle, asks, tells] = kind === "model"
    ? ["predictor", `predict(${JSON.stringify(ask.features)}, key="monday")`, `learn("monday", ${tell.label})`]
    : ["player", `ask(${context}key="monday")`, `tell(${JSON.stringify(tell.feedback)}, key="monday")`];
  return `import os

import belated as bl

client = bl.client.Client("${location.origin}", os.environ["BELATED_KEY"])
${handle} = client.${handle}(${JSON.stringify(name)})
decision = ${handle}.${asks}
${handle}.${tells}  # whenever it is known`;
}

export function howto(name) {
  const texts = { ask: copyable("", "how to ask with curl"), tell: copyable("", "how to tell with curl"),
    python: copyable("", "how to ask and tell with Python") };
  const said = h("p", { class: "muted" });
  const node = h("details", { class: "panel howto" }, h("summary", {}, h("h2", {}, "How to ask and tell")),
    h("p", { class: "muted" }, "Put a key with the scopes decide and feedback into BELATED_KEY. The id monday is an ",
      "example: take your own, such as the number of an order, and a repeated call counts once."),
    h("h3", {}, "Ask for a decision"), texts.ask.node, h("h3", {}, "Tell what came of it, whenever that is known"),
    said, texts.tell.node, h("h3", {}, "Both with the Python client"), texts.python.node);
  let opened = false, cost = COST;
  const update = (detail) => {
    if (cost === COST && detail.loss) cost = Number(detail.loss.mean.toPrecision(3)); // and stays, under the hand
    const shown = example(detail, cost);
    set(said, SAID[detail.feedback] ?? "");
    set(texts.ask.code, curl(name, "ask", shown.ask));
    set(texts.tell.code, curl(name, "tell", shown.tell));
    set(texts.python.code, python(name, shown, detail.kind));
    if (!opened) node.open ||= detail.asked === 0; // who was quicker than the first reply keeps it open
    opened = true;
  };
  return { node, update };
}
