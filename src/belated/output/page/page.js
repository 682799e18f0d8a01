// What a report adds to its drawings: reading out, looking closer, hiding a series everywhere, other scales, files.
// Everything is drawn already, and the numbers lie beside each picture as JSON; nothing is asked of a network.

(() => {
  "use strict";

  const { range, ticks, tickText, readText, named, csv, rowsOf } = globalThis.belated;
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const hidden = new Set();

  function element(like, tag, attributes, text = "") {
    const made = document.createElementNS(like.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  }

  function download(box) {
    const data = JSON.parse(box.querySelector("script").textContent), link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv(rowsOf(data))], { type: "text/csv" }));
    link.download = `${data.file}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** One drawing: its scales, the part that is looked at, and where numbers lie. */
  class Drawing {
    constructor(svg, data) {
      [this.svg, this.data] = [svg, data];
      [this.axes, this.inner] = [svg.querySelector(".axes"), svg.querySelector(".inner")];
      this.drawn = [...this.axes.childNodes];
      this.box = svg.dataset.box.split(" ").map(Number);
      this.view = this.base = svg.dataset.view.split(" ").map(Number);
      this.log = [svg.dataset.x === "log", svg.dataset.y === "log"];
    }
    share(axis, value, view = this.view) {
      const plain = [view[2 * axis], view[2 * axis + 1], value];
      const [low, high, here] = this.log[axis] ? plain.map(Math.log10) : plain;
      return (here - low) / (high - low);
    }
    value(axis, share) {
      const [low, high] = this.view.slice(2 * axis);
      return this.log[axis] ? low * (high / low) ** share : low + (high - low) * share;
    }
    x(value) { return this.box[0] + this.share(0, value) * this.box[2]; }
    y(value) { return this.box[1] + (1 - this.share(1, value)) * this.box[3]; }
    /** Where a pointer is, as shares of the room inside the axes. */
    at(event) {
      const found = this.svg.getBoundingClientRect(), unit = this.svg.viewBox.baseVal.width / found.width;
      const [left, top, width, height] = this.box, inside = (value) => Math.min(1, Math.max(0, value));
      return [inside(((event.clientX - found.left) * unit - left) / width),
        inside(1 - ((event.clientY - found.top) * unit - top) / height)];
    }
    look(view) {
      this.view = view ?? this.base;
      const [left, right] = [0, 1].map((end) => this.share(0, this.view[end], this.base) * this.box[2]);
      const [low, high] = [2, 3].map((end) => (1 - this.share(1, this.view[end], this.base)) * this.box[3]);
      this.inner.setAttribute("viewBox", `${left} ${high} ${right - left} ${low - high}`);
      this.axes.replaceChildren(...(view ? this.marks() : this.drawn));
    }
    marks() {
      const [left, top, width, height] = this.box, base = top + height, { kind, names } = this.data.x, made = [];
      const add = (...given) => made.push(element(this.svg, ...given));
      const along = kind === "names" ? range(Math.ceil(this.view[0]), Math.floor(this.view[1]))
        : ticks(this.log[0], this.view[0], this.view[1], kind, Math.round(width / (kind === "date" ? 95 : 62)));
      for (const value of along) {
        const words = kind === "names" ? names[value] : tickText(value, kind, along[1] - along[0]);
        add("path", { class: "grid", d: `M${this.x(value)} ${base}v4` });
        words.split("\n").forEach((line, row) =>
          add("text", { x: this.x(value), y: base + 16 + 13 * row, "text-anchor": "middle" }, line));
      }
      for (const value of ticks(this.log[1], this.view[2], this.view[3], "number", 5)) {
        add("path", { class: "grid", d: `M${left} ${this.y(value)}h${width}` });
        add("text", { x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, tickText(value, "number", 0));
      }
      return [...made, ...this.drawn.filter((each) => each.matches(".title"))];
    }
    clear(kind) { this.svg.querySelector(`.${kind}`)?.remove(); }
    mark(places) {
      this.clear("cursor");
      const group = element(this.svg, "g", { class: "cursor" });
      const within = (axis, value) => value !== null && Math.abs(this.share(axis, value) - 0.5) <= 0.5 + 1e-9;
      for (const { x, y, series } of places.filter((each) => within(0, each.x))) {
        group.append(element(this.svg, "path", { d: `M${this.x(x)} ${this.box[1]}v${this.box[3]}` }));
        if (!within(1, y)) continue;
        const own = this.inner.querySelector(`[data-series="${series}"] > :last-child`).classList[1];
        group.append(element(this.svg, "circle", { class: own, cx: this.x(x), cy: this.y(y), r: 3.5 }));
      }
      this.svg.append(group);
    }
  }

  /** A picture of curves: what all of its drawings have in common. */
  function begin(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const drawings = all(figure, ".drawing").map((svg) => new Drawing(svg, data));
    const reset = figure.querySelector("[data-reset]"), at = figure.querySelector(".at");
    const bold = all(figure, ".legend b"), small = all(figure, ".legend small"), words = [at, ...bold, ...small];
    const first = words.map((each) => each.textContent);
    const xs = [...new Set(data.points.flat())].sort((one, other) => one - other);
    let here = xs.length - 1;
    const leave = () => {
      words.forEach((each, place) => { each.textContent = first[place]; });
      drawings.forEach((each) => each.clear("cursor"));
    };
    const look = (view) => {
      for (const each of drawings) if (!view || !each.svg.hasAttribute("hidden")) each.look(view);
      reset.hidden = !view;
      leave();
    };
    const nearest = (list, drawing, value) => {
      const far = list.map((x) => Math.abs(drawing.share(0, x) - drawing.share(0, value)) || 0);
      return far.indexOf(far.reduce((one, other) => Math.min(one, other)));
    };
    const read = (drawing, value) => {
      here = nearest(xs, drawing, value);
      const places = data.curves.map((curve, place) => {
        const found = nearest(data.points[curve.over], drawing, xs[here]);
        const ends = [curve.low?.[found] ?? null, curve.high?.[found] ?? null];
        bold[place].textContent = readText(curve.y[found]);
        small[place].textContent = ends.includes(null) ? "" : ends.map((each) => readText(each)).join(" to ");
        return { x: data.points[curve.over][found], y: curve.y[found], series: String(curve.series) };
      });
      const name = data.x.kind === "names" ? named(data.x, xs[here]) : readText(xs[here], data.x.kind);
      at.textContent = `${data.x.title.split(";")[0]}: ${name}`;
      drawing.mark(places.filter((each) => !hidden.has(each.series)));
    };
    const move = (drawing, by) => read(drawing, xs[Math.min(xs.length - 1, Math.max(0, here + by))]);
    reset.addEventListener("click", () => look(null));
    figure.addEventListener("scales", () => look(null));
    drawings.forEach((drawing) => watch(drawing, look, read, leave, move));
  }

  /** Pointers and keys over one drawing. */
  function watch(drawing, look, read, leave, move) {
    const { svg, box } = drawing, on = (kind, deed) => svg.addEventListener(kind, deed);
    let from = null;
    /** The part between where the pointer went down and where it is: of all heights, unless a mouse went up or down. */
    const chosen = (event) => {
      const to = drawing.at(event), flat = event.pointerType !== "mouse" || Math.abs(to[1] - from[1]) * box[3] < 24;
      const part = [0, 1].flatMap((axis) => [Math.min(from[axis], to[axis]), Math.max(from[axis], to[axis])]);
      return Math.abs(to[0] - from[0]) * box[2] < 8 ? null : flat ? [part[0], part[1], 0, 1] : part;
    };
    svg.setAttribute("tabindex", "0");
    on("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = drawing.at(event);
      svg.setPointerCapture(event.pointerId);
      read(drawing, drawing.value(0, from[0]));
    });
    on("pointermove", (event) => {
      read(drawing, drawing.value(0, drawing.at(event)[0]));
      drawing.clear("chosen");
      const part = from && chosen(event);
      if (!part) return;
      const [left, right, low, high] = part, [x, y] = [box[0] + left * box[2], box[1] + (1 - high) * box[3]];
      const [width, height] = [(right - left) * box[2], (high - low) * box[3]];
      svg.append(element(svg, "rect", { class: "chosen", x, y, width, height }));
    });
    on("pointerup", (event) => {
      const part = from && chosen(event);
      from = null;
      drawing.clear("chosen");
      if (part) look(part.map((share, place) => drawing.value(place >> 1, share)));
    });
    on("pointercancel", () => { from = null; drawing.clear("chosen"); });
    on("pointerleave", () => { if (!from) leave(); });
    on("blur", leave);
    on("keydown", (event) => {
      const far = event.shiftKey ? 10 : 1, deed = { ArrowLeft: () => move(drawing, -far),
        ArrowRight: () => move(drawing, far), Escape: () => look(null) }[event.key];
      if (!deed || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      deed();
    });
  }

  function showSeries() {
    for (const each of all(document, "[data-series]")) {
      const off = hidden.has(each.dataset.series);
      if (each.matches("button")) each.setAttribute("aria-pressed", String(!off));
      else each.classList.toggle("off", off);
    }
    for (const each of all(document, "[data-all]")) each.hidden = hidden.size === 0;
    for (const each of all(document, ".cursor")) each.remove();
  }

  function showScales(figure) {
    const pressed = all(figure, "[data-scale]").map((each) => [each.dataset.scale, each.ariaPressed === "true"]);
    for (const each of all(figure, ".drawing"))
      each.toggleAttribute("hidden", pressed.some(([axis, log]) => (each.dataset[axis] === "log") !== log));
    figure.dispatchEvent(new Event("scales"));
  }

  function point(figure, series) {
    const there = series !== null && !hidden.has(series);
    figure.classList.toggle("pointed", there);
    for (const each of all(figure, ".inner [data-series]"))
      each.classList.toggle("lit", there && each.dataset.series === series);
  }

  for (const each of all(document, ".tools")) each.hidden = false;
  for (const figure of all(document, ".picture")) {
    if (figure.querySelector(".legend")) begin(figure);
    for (const each of all(figure, ".legend button")) {
      const own = { pointerenter: each.dataset.series, focus: each.dataset.series, pointerleave: null, blur: null };
      for (const [kind, series] of Object.entries(own)) each.addEventListener(kind, () => point(figure, series));
    }
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button"), figure = button?.closest(".picture");
    const { dataset = {} } = button ?? {};
    if ("series" in dataset) {
      if (!hidden.delete(dataset.series)) hidden.add(dataset.series);
      point(figure, dataset.series);
    }
    if ("all" in dataset) hidden.clear();
    if ("series" in dataset || "all" in dataset) showSeries();
    if ("scale" in dataset) {
      button.ariaPressed = String(button.ariaPressed !== "true");
      showScales(figure);
    }
    if ("csv" in dataset) download(button.closest(".picture, .listing"));
  });
})();
