// Making and changing what is shown. Texts only ever become text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((each) => each != null && each !== false));
  return node;
}

/** An element: its attributes, with functions as listeners, and its children. */
export const h = (tag, given = {}, ...children) => filled(document.createElement(tag), given, children);
export const s = (tag, given = {}, ...children) => filled(document.createElementNS(SVG, tag), given, children);

/** Change a text only if it differs, so that what somebody has selected stays selected. */
export function set(node, text) {
  const only = node.childNodes.length === 1 && node.firstChild.nodeType === Node.TEXT_NODE;
  if (node.textContent === text) return;
  if (only) node.firstChild.data = text;
  else node.textContent = text;
}

export function attribute(node, name, value) {
  if (value == null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Put a node to its place; the focus and what is selected in it come along. */
function place(parent, node, before) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null, selected = getSelection();
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selected;
  if (parent.moveBefore && node.parentNode === parent) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
  if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true });
  if (anchorNode && selected.anchorNode !== anchorNode) {
    selected.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  }
}

/** A list whose nodes are kept: `make(item)` gives `{node, update(item)}` once for each key. */
export function keyed(parent, keyOf, make) {
  const kept = new Map();
  return (items) => {
    const wanted = new Set(items.map(keyOf));
    for (const [id, row] of kept) {
      if (!wanted.has(id)) {
        row.node.remove();
        kept.delete(id);
      }
    }
    items.forEach((item, index) => {
      if (!kept.has(keyOf(item))) kept.set(keyOf(item), make(item));
      const row = kept.get(keyOf(item)), there = parent.children[index] ?? null;
      row.update(item);
      if (there !== row.node) place(parent, row.node, there);
    });
  };
}

/** A row of a table: each column has a `title`, and `show(cell, item)` which writes into a cell. */
export function row(columns) {
  const cells = columns.map((each) => h(each.head ? "th" : "td", {
    class: each.class, "data-title": each.title, scope: each.head && "row", role: each.head ? "rowheader" : "cell",
  }));
  const update = (item) => columns.forEach((each, index) => each.show(cells[index], item));
  return { node: h("tr", { role: "row" }, cells), update };
}

/** Say something that has happened, to eyes and ears. */
export function say(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (said.textContent = ""), 8000);
}

/** Take back what was said: it was about what is not shown any more. */
export function silence() {
  clearTimeout(say.timer);
  document.getElementById("said").textContent = "";
}

/** Go to another view, and say something when it is shown. */
export function goSaying(hash, text) {
  addEventListener("hashchange", () => say(text), { once: true }); // the page has its listener before this one
  location.hash = hash;
}

/** A text to take away, with a button that copies it. */
export function copyable(text, name) {
  const code = h("code", {}, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      say(`Copied: ${name}.`);
    } catch { // browsers refuse on addresses that are neither this machine nor https
      getSelection().selectAllChildren(code);
      say("Selected; press Ctrl+C to copy.");
    }
  };
  const button = h("button", { type: "button", class: "quiet", "aria-label": `Copy ${name}`, click: copy }, "Copy");
  return { node: h("div", { class: "copyable" }, h("pre", {}, code), button), code };
}
