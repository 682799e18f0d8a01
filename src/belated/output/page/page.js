// What a report adds to its drawings: reading out, looking closer, hiding a series everywhere, other scales, files.
// Everything is drawn already, and the numbers lie beside each picture as JSON; nothing is asked of a network.

(() => {
  "use strict";

  // ---- arithmetic, without the page; the same as scales.py, and held against it by a test ----

  const DAY = 86400000;
  const MOMENTS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600]
    .map((each) => each * 1000);
  const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000];
  const SPANS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800];
  const KNOWN_SPANS = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000];
  const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [0.001, "ms"]];

  const range = (first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);

  function ticks(log, low, high, kind, most) {
    if (log && high >= 8 * low) return logTicks(low, high, kind, most);
    const rough = (high - low) / most;
    if (kind === "date" && rough > MOMENTS.at(-1)) return monthTicks(low, high, rough);
    const size = step(rough, kind);
    return range(Math.ceil(low / size - 1e-9), Math.floor(high / size + 1e-9))
      .map((place) => Number((place * size).toPrecision(12)));
  }

  function logTicks(low, high, kind, most) {
    if (kind === "span") {
      const known = KNOWN_SPANS.filter((each) => low <= each && each <= high);
      if (known.length > 1) return known;
    }
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const every = Math.max(1, Math.ceil((last - first) / most)), heads = high < 150 * low ? [1, 2, 5] : [1];
    return range(first, last).filter((power) => power % every === 0)
      .flatMap((power) => heads.map((head) => Number(`${head}e${power}`)))
      .filter((each) => low * (1 - 1e-9) <= each && each <= high * (1 + 1e-9));
  }

  function step(rough, kind) {
    const listed = { date: MOMENTS, span: SPANS }[kind] ?? [];
    const found = rough > listed[0] / 2 ? listed.find((each) => each >= rough) : undefined;
    if (found) return found;
    const unit = kind === "span" && rough > 1 ? 86400 : 1, power = 10 ** Math.floor(Math.log10(rough / unit));
    return unit * power * [1, 2, 5, 10].find((head) => head * power * unit >= rough * (1 - 1e-9));
  }

  function monthTicks(low, high, rough) {
    const size = MONTHS.find((each) => each * 30.44 * DAY >= rough) ?? MONTHS.at(-1);
    const month = (time) => (new Date(time).getUTCFullYear() - 1970) * 12 + new Date(time).getUTCMonth();
    const begin = (count) => new Date(0).setUTCFullYear(1970 + Math.floor(count / 12), ((count % 12) + 12) % 12);
    return range(Math.ceil(month(low) / size), Math.floor(month(high) / size)).map((place) => begin(place * size))
      .filter((each) => low <= each && each <= high);
  }

  function plain(value, digits, grouped = false) {
    const short = Number(value.toPrecision(digits)), size = Math.abs(short);
    if (size !== 0 && !(size >= 1e-5 && size < 1e12)) {
      const [head, power] = short.toExponential(digits - 1).split("e");
      return `${Number(Number(head).toPrecision(6))}e${Number(power)}`;
    }
    return short.toLocaleString("en", { maximumFractionDigits: 12, useGrouping: grouped }).replace(/^-0$/, "0");
  }

  function spanText(seconds) {
    const found = UNITS.find(([size, name]) => Math.abs(seconds) >= size * (name === "d" ? 2 : 1)) ?? [1, "s"];
    return `${plain(seconds / found[0], 3)} ${found[1]}`;
  }

  function tickText(value, kind, distance) {
    if (kind === "span") return spanText(value);
    if (kind === "date") {
      const stamp = new Date(Math.round(value)).toISOString(), day = stamp.indexOf("T");
      return distance > MOMENTS.at(-1) ? stamp.slice(0, day - 3) : distance >= DAY ? stamp.slice(0, day)
        : stamp.slice(day - 5, day + 6).replace("T", " ");
    }
    for (const [least, unit, letter] of [[1e9, 1, ""], [1e6, 1e6, "M"], [1e4, 1e3, "k"]])
      if (Math.abs(value) >= least * (1 - 1e-9)) return plain(value / unit, 6) + letter;
    return plain(value, 6);
  }

  function readText(value, kind = "number") {
    if (value === null || !Number.isFinite(value)) return "-";
    if (kind === "span") return spanText(value);
    if (kind === "date") return new Date(Math.round(value)).toISOString().slice(0, -8).replace("T", " ");
    return Number.isInteger(value) && Math.abs(value) < 1e12 ? value.toLocaleString("en") : plain(value, 5, true);
  }

  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\n").join("");

  /** The rows of the file of a table or a picture. */
  function rowsOf(data) {
    if (data.header) return [data.header, ...data.rows];
    const banded = data.curves.some((curve) => curve.low), more = banded ? ["low", "high"] : [];
    const place = (value) => data.x.kind === "names" ? data.x.names[value].replace("\n", ", ")
      : data.x.kind === "date" ? new Date(value).toISOString() : value;
    return [["curve", data.x.title, data.y.title, ...more], ...data.curves.flatMap((curve) =>
      data.points[curve.over].map((x, at) => [curve.name, place(x), curve.y[at],
        ...more.map((end) => curve[end]?.[at])]))];
  }

  globalThis.belated = { ticks, tickText, readText, csv, rowsOf };

  // ---- the page ----

  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const hidden = new Set();

  function element(tag, attributes, like, text = "") {
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

  function showSeries() {
    for (const each of all(document, "[data-series]")) {
      const off = hidden.has(each.dataset.series);
      if (each.matches("button")) each.setAttribute("aria-pressed", String(!off));
      else each.classList.toggle("off", off);
    }
    for (const each of all(document, "[data-all]")) each.hidden = hidden.size === 0;
    for (const each of all(document, ".cursor")) each.remove();
  }

  /** One drawing: its scales, the part that is looked at, and where numbers lie. */
  class Drawing {
    constructor(svg, data) {
      [this.svg, this.data] = [svg, data];
      this.inner = svg.querySelector(".inner");
      this.axes = svg.querySelector(".axes");
      this.drawn = this.axes.cloneNode(true);
      this.box = svg.dataset.box.split(" ").map(Number);
      this.base = svg.dataset.view.split(" ").map(Number);
      this.log = [svg.dataset.x === "log", svg.dataset.y === "log"];
      this.view = this.base;
    }
    share(axis, value, view = this.view) {
      const of = (each) => (this.log[axis] ? Math.log10(each) : each), [low, high] = view.slice(2 * axis);
      return (of(value) - of(low)) / (of(high) - of(low));
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
      const inside = (value) => Math.min(1, Math.max(0, value));
      return [inside(((event.clientX - found.left) * unit - this.box[0]) / this.box[2]),
        inside(1 - ((event.clientY - found.top) * unit - this.box[1]) / this.box[3])];
    }
    look(view) {
      this.view = view ?? this.base;
      const [left, right] = [0, 1].map((end) => this.share(0, this.view[end], this.base) * this.box[2]);
      const [low, high] = [2, 3].map((end) => (1 - this.share(1, this.view[end], this.base)) * this.box[3]);
      this.inner.setAttribute("viewBox", `${left} ${high} ${right - left} ${low - high}`);
      this.axes.replaceChildren(...(view ? this.marks() : this.drawn.cloneNode(true).childNodes));
    }
    marks() {
      const [left, top, width, height] = this.box, base = top + height, kind = this.data.x.kind, made = [];
      const add = (tag, attributes, text) => made.push(element(tag, attributes, this.svg, text));
      const along = kind === "names" ? this.data.x.names.map((_, place) => place)
        .filter((place) => this.view[0] <= place && place <= this.view[1])
        : ticks(this.log[0], this.view[0], this.view[1], kind, Math.round(width / (kind === "date" ? 95 : 62)));
      for (const value of along) {
        const words = kind === "names" ? this.data.x.names[value] : tickText(value, kind, along[1] - along[0]);
        add("path", { class: "grid", d: `M${this.x(value)} ${base}v4` });
        words.split("\n").forEach((line, row) =>
          add("text", { x: this.x(value), y: base + 16 + 13 * row, "text-anchor": "middle" }, line));
      }
      for (const value of ticks(this.log[1], this.view[2], this.view[3], "number", 5)) {
        add("path", { class: "grid", d: `M${left} ${this.y(value)}h${width}` });
        add("text", { x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, tickText(value, "number", 0));
      }
      return [...made, ...all(this.drawn, ".title").map((each) => each.cloneNode(true))];
    }
    clear(kind) { this.svg.querySelector(`.${kind}`)?.remove(); }
    mark(places) {
      this.clear("cursor");
      const group = element("g", { class: "cursor" }, this.svg), [, top, , height] = this.box;
      const within = (value) => value >= -1e-9 && value <= 1 + 1e-9;
      for (const { x, y, series } of places) {
        if (!within(this.share(0, x))) continue;
        group.append(element("path", { d: `M${this.x(x)} ${top}v${height}` }, this.svg));
        if (y === null || (this.log[1] && y <= 0) || !within(this.share(1, y))) continue;
        const own = this.inner.querySelector(`[data-series="${series}"] > :last-child`).classList[1];
        group.append(element("circle", { class: own, cx: this.x(x), cy: this.y(y), r: 3.5 }, this.svg));
      }
      this.svg.append(group);
    }
  }

  /** A picture of curves: what all of its drawings have in common. */
  function begin(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const drawings = all(figure, ".drawing").map((svg) => new Drawing(svg, data));
    const reset = figure.querySelector("[data-reset]"), at = figure.querySelector(".at");
    const entries = all(figure, ".legend button");
    const words = [at, ...entries.flatMap((each) => [each.querySelector("b"), each.querySelector("small")])];
    const first = words.map((each) => each.textContent);
    const xs = [...new Set(data.points.flat())].sort((one, other) => one - other);
    let here = xs.length - 1;
    const look = (view) => {
      for (const each of drawings) if (!view || !each.svg.hasAttribute("hidden")) each.look(view);
      reset.hidden = !view;
      drawings.forEach((each) => each.clear("cursor"));
    };
    const nearest = (list, drawing, value) => list.reduce((best, x, place) =>
      Math.abs(drawing.share(0, x) - drawing.share(0, value)) <
      Math.abs(drawing.share(0, list[best]) - drawing.share(0, value)) ? place : best, 0);
    const read = (drawing, value) => {
      here = nearest(xs, drawing, value);
      const places = data.curves.map((curve, place) => {
        const found = nearest(data.points[curve.over], drawing, xs[here]), [bold, small] =
          [entries[place].querySelector("b"), entries[place].querySelector("small")];
        bold.textContent = readText(curve.y[found]);
        const ends = [curve.low?.[found] ?? null, curve.high?.[found] ?? null];
        small.textContent = ends.includes(null) ? "" : ends.map((each) => readText(each)).join(" to ");
        return { x: data.points[curve.over][found], y: curve.y[found], series: String(curve.series) };
      });
      const name = data.x.kind === "names" ? data.x.names[xs[here]].replace("\n", ", ")
        : readText(xs[here], data.x.kind);
      at.textContent = `${data.x.title.split(";")[0]}: ${name}`;
      drawing.mark(places.filter((each) => !hidden.has(each.series)));
    };
    const leave = () => {
      words.forEach((each, place) => { each.textContent = first[place]; });
      drawings.forEach((each) => each.clear("cursor"));
    };
    reset.addEventListener("click", () => look(null));
    figure.addEventListener("scales", () => look(null));
    for (const drawing of drawings) watch(drawing, { look, read, leave, current: () => xs[here],
      move: (by) => read(drawing, xs[Math.min(xs.length - 1, Math.max(0, here + by))]) });
  }

  /** Pointers and keys over one drawing. */
  function watch(drawing, { look, read, leave, current, move }) {
    const { svg, box } = drawing;
    let from = null;
    const chosen = (one, other, flat) => [0, 1].flatMap((axis) => axis === 1 && flat ? [0, 1]
      : [Math.min(one[axis], other[axis]), Math.max(one[axis], other[axis])]);
    const flat = (event, to) => event.pointerType !== "mouse" || Math.abs(to[1] - from[1]) * box[3] < 24;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = drawing.at(event);
      svg.setPointerCapture(event.pointerId);
      read(drawing, drawing.value(0, from[0]));
    });
    svg.addEventListener("pointermove", (event) => {
      const to = drawing.at(event);
      read(drawing, drawing.value(0, to[0]));
      drawing.clear("chosen");
      if (from === null || Math.abs(to[0] - from[0]) * box[2] < 8) return;
      const [left, right, low, high] = chosen(from, to, flat(event, to));
      svg.append(element("rect", { class: "chosen", x: box[0] + left * box[2], width: (right - left) * box[2],
        y: box[1] + (1 - high) * box[3], height: (high - low) * box[3] }, svg));
    });
    svg.addEventListener("pointerup", (event) => {
      drawing.clear("chosen");
      if (from === null) return;
      const to = drawing.at(event), wide = Math.abs(to[0] - from[0]) * box[2] >= 8;
      const part = chosen(from, to, flat(event, to));
      from = null;
      if (wide) look(part.map((share, place) => drawing.value(place >> 1, share)));
    });
    svg.addEventListener("pointercancel", () => { from = null; drawing.clear("chosen"); });
    svg.addEventListener("pointerleave", () => { if (from === null) leave(); });
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => {
      const near = Math.min(0.75, Math.max(0.25, drawing.share(0, current())));
      const deeds = { ArrowLeft: () => move(event.shiftKey ? -10 : -1), ArrowRight: () => move(event.shiftKey ? 10 : 1),
        "+": () => look([...[near - 0.25, near + 0.25].map((each) => drawing.value(0, each)), ...drawing.view.slice(2)]),
        Escape: () => look(null) };
      if (!deeds[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      deeds[event.key]();
    });
  }

  function showScales(figure) {
    const wanted = {};
    for (const each of all(figure, "[data-scale]"))
      wanted[each.dataset.scale] = each.getAttribute("aria-pressed") === "true" ? "log" : "linear";
    for (const each of all(figure, ".drawing"))
      each.toggleAttribute("hidden", ["x", "y"].some((axis) => wanted[axis] && each.dataset[axis] !== wanted[axis]));
    figure.dispatchEvent(new Event("scales"));
  }

  function point(figure, series) {
    figure.classList.toggle("pointed", series !== null);
    for (const each of all(figure, ".inner [data-series]")) each.classList.toggle("lit", each.dataset.series === series);
  }

  for (const each of all(document, ".tools")) each.hidden = false;
  for (const figure of all(document, ".picture")) {
    if (figure.querySelector(".legend")) begin(figure);
    for (const each of all(figure, ".legend button")) {
      for (const kind of ["pointerenter", "focus"])
        each.addEventListener(kind, () => point(figure, hidden.has(each.dataset.series) ? null : each.dataset.series));
      for (const kind of ["pointerleave", "blur"]) each.addEventListener(kind, () => point(figure, null));
    }
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { series, scale, csv: file, all: everything } = button.dataset, figure = button.closest(".picture");
    if (series !== undefined) {
      if (!hidden.delete(series)) hidden.add(series);
      point(figure, hidden.has(series) ? null : series);
      showSeries();
    } else if (scale !== undefined) {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      showScales(figure);
    } else if (everything !== undefined) {
      hidden.clear();
      showSeries();
    } else if (file !== undefined) download(button.closest(".picture, .listing"));
  });
})();
