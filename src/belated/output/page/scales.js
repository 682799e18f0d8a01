// The arithmetic of a report's script: marks along axes, numbers as words, rows of files. It knows nothing of the page.
// Marks and words are the same as in scales.py, and a test holds the two against each other.

globalThis.belated = (() => {
  "use strict";

  const DAY = 86400000, MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000];
  const MOMENTS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600]
    .map((each) => each * 1000);
  const SPANS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800];
  const KNOWN_SPANS = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000];
  const MORE_SPANS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800];
  const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [0.001, "ms"]];

  const range = (first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);

  /** Where marks stand along an axis. */
  function ticks(log, low, high, kind, most) {
    if (log && high >= 8 * low) return logTicks(low, high, kind, most);
    const rough = (high - low) / most;
    if (kind === "date" && rough > MOMENTS.at(-1)) return monthTicks(low, high, rough);
    const size = step(rough, kind);
    return range(Math.ceil(low / size - 1e-9), Math.floor(high / size + 1e-9))
      .map((place) => Number((place * size).toPrecision(12)));
  }

  function logTicks(low, high, kind, most) {
    for (const known of kind === "span" ? [MORE_SPANS, KNOWN_SPANS] : []) {
      const inside = known.filter((each) => low <= each && each <= high);
      if (high <= known.at(-1) && inside.length > 1 && inside.length <= most + 1) return inside;
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

  /** What stands at a mark. */
  function tickText(value, kind, distance) {
    if (kind === "span") return spanText(value);
    if (kind === "date") {
      const stamp = new Date(Math.round(value)).toISOString(), day = stamp.indexOf("T");
      return distance > MOMENTS.at(-1) ? stamp.slice(0, day - 3) : distance >= DAY ? stamp.slice(0, day)
        : stamp.slice(day - 5, day + 6).replace("T", " ");
    }
    for (const [least, unit, letter] of [[1e9, 1, ""], [1e6, 1e6, "M"], [1e4, 1e3, "k"]])
      if (Math.abs(value) >= least * (1 - 1e-9)) return plain(value / unit, 9) + letter;
    return plain(value, 9);
  }

  /** A number as it is read out. */
  function readText(value, kind = "number") {
    if (value === null || !Number.isFinite(value)) return "-";
    if (kind === "span") return spanText(value);
    if (kind === "date") return new Date(Math.round(value)).toISOString().slice(0, -8).replace("T", " ");
    return Number.isInteger(value) && Math.abs(value) < 1e12 ? value.toLocaleString("en") : plain(value, 5, true);
  }

  const cell = (value) => {
    const text = String(value ?? "");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\n").join("");
  const named = (axis, x) => axis.names[x].replace("\n", ", ");

  /** The rows of the file of a table or a picture. */
  function rowsOf(data) {
    if (data.header) return [data.header, ...data.rows];
    const more = data.curves.some((curve) => curve.low) ? ["low", "high"] : [];
    const place = (x) => data.x.kind === "names" ? named(data.x, x)
      : data.x.kind === "date" ? new Date(x).toISOString() : x;
    return [["curve", data.x.title, data.y.title, ...more], ...data.curves.flatMap((curve) =>
      data.points[curve.over].map((x, at) =>
        [curve.name, place(x), curve.y[at], ...more.map((end) => curve[end]?.[at])]))];
  }

  return { range, ticks, tickText, readText, named, csv, rowsOf };
})();
