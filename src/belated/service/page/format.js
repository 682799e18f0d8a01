// Numbers, spans and times as people read them. The decimal sign is a point everywhere, as in what the service takes.

const minus = (text) => text.replace("-", "\u2212");
const english = (value, given) => minus(value.toLocaleString("en", given).replaceAll(",", "\u202f"));
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

/** Four digits that matter: enough to see a number move, few enough to read it. */
export function number(value, digits = 4) {
  if (value == null) return "\u2013";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return english(value);
  if (size >= 1e7 || size < 1e-4) return minus(value.toExponential(2));
  return english(value, { maximumSignificantDigits: digits });
}

/** Every digit, as it was recorded. */
export const exact = (value) => String(value).replaceAll("-", "\u2212");

export function rate(value) {
  if (value == null) return "\u2013";
  if (value === 0) return "0";
  if (value < 0.01) return "< 0.01";
  return english(value, { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

/** Seconds as "3 min 12 s": the two largest units. */
export function span(seconds) {
  if (seconds == null) return "\u2013";
  if (seconds <= 0) return "0 s";
  if (seconds < 0.001) return `${number(seconds * 1e6, 3)} \u00b5s`;
  if (seconds < 1) return `${number(seconds * 1e3, 3)} ms`;
  if (seconds < 10) return `${number(Math.round(seconds * 10) / 10)} s`;
  let left = Math.round(seconds);
  const first = UNITS.findIndex(([size]) => left >= size), parts = [];
  for (const [size, name] of UNITS.slice(first, first + 2)) {
    if (left >= size) parts.push(`${number(Math.floor(left / size))} ${name}`);
    left %= size;
  }
  return parts.join(" ");
}

/** What a clock that is so many seconds behind the last event means, and what to do. */
export function behind(seconds) {
  const minutes = Math.round(seconds / 60);
  const few = ["some seconds", "a minute"][minutes] ?? `${minutes} minutes`;
  const long = minutes < 120 ? few : span(minutes * 60);
  return `The clock of the service's machine is ${long} behind the last event. `
    + "Until it has caught up, all events of a learner have the same time, so ages, delays and rates are wrong, and "
    + "decisions time out late. Set that clock (NTP). If it is right already, it was ahead before, and only waiting helps.";
}

const dated = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" };

/** Microseconds as a local time, with the day if that is not today. */
export function local(at) {
  const time = new Date(at / 1000), year = time.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  const today = time.toDateString() === new Date().toDateString();
  return today ? time.toLocaleTimeString() : time.toLocaleString(undefined, { ...dated, year });
}

/** The same in UTC, with all that was recorded. */
export function utc(at) {
  const micros = String(Math.floor(at) % 1_000_000).padStart(6, "0");
  return `${new Date(at / 1000).toISOString().slice(0, 19).replace("T", " ")}.${micros} UTC`;
}

const listed = (numbers, most, show) =>
  numbers.slice(0, most).map((each) => show(each)).join(", ")
    + (numbers.length > most ? `, \u2026 ${numbers.length} in all` : "");

/** Numbers in parentheses; one of them stands alone. */
const grouped = (numbers, most, show) =>
  (numbers.length === 1 ? show(numbers[0]) : `(${listed(numbers, most, show)})`);

/** What was decided: one number, or the coordinates of each point. */
export function decided(result, most = 3, show = number) {
  if (result == null) return "\u2013";
  if (result.points === undefined) return show(result.value);
  const points = result.points.map((point) => grouped(point, most, show));
  if (points.length <= most) return points.join(", ");
  return `${points.slice(0, most).join(", ")}, \u2026 (${points.length} points)`;
}

/** Plain values of any shape, shortened where they are long. */
export function plain(value, show = number) {
  if (typeof value === "number") return show(value);
  if (Array.isArray(value)) return grouped(value, 20, (each) => plain(each, show));
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, each]) => `${name} ${plain(each, show)}`).join(", ");
}
