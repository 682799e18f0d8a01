// Small drawings: lines over time, and bars. Each is drawn in the pixels that it has, and only when something changed.

import { attribute, h, s, set } from "./dom.js";
import { number, span } from "./format.js";

const HEIGHT = 168, LEFT = 46, RIGHT = 10, TOP = 12, BOTTOM = 24;

/** Three or four round numbers that span a range. */
function ticks(low, high) {
  const rough = (high - low) / 3, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

function frame(name) {
  const svg = s("svg", { class: "chart", role: "img", height: HEIGHT });
  const empty = h("p", { class: "empty" });
  let before = "";
  const redraw = (data, summary, draw) => {
    const width = Math.max(svg.parentNode?.clientWidth ?? 0, 240), known = JSON.stringify([width, data]);
    attribute(svg, "aria-label", `${name}: ${summary}`);
    if (known === before) return;
    before = known;
    attribute(svg, "viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.replaceChildren(...draw(width));
  };
  const say = (text) => {
    empty.hidden = text === null;
    svg.toggleAttribute("hidden", text !== null);
    set(empty, text ?? "");
  };
  return { node: h("div", { class: "drawing" }, svg, empty), redraw, say };
}

function grid(values, y, width) {
  return values.flatMap((value) => [
    s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
    s("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, number(value, 3)),
  ]);
}

/** Lines over time: a series has a `class` and `points`, pairs of time and value; `ends` are words below the axis. */
export function lines(name, { zero = false } = {}) {
  const { node, redraw, say } = frame(name);
  const draw = (series, ends, summary, without = "Not enough to draw a line yet.") => {
    const every = series.flatMap((each) => each.points), few = series.every((each) => each.points.length < 2);
    say(few ? without : null);
    if (few) return;
    const times = every.map((each) => each[0]), values = every.map((each) => each[1]);
    const from = Math.min(...times), to = Math.max(...times), low = zero ? 0 : Math.min(...values);
    const top = Math.max(...values), marks = ticks(low, top > low ? top : low + (Math.abs(low) || 1));
    redraw([series, ends], summary, (width) => {
      const [least, most] = [marks[0], marks.at(-1)];
      const x = (time) => LEFT + ((time - from) / (to - from || 1)) * (width - LEFT - RIGHT);
      const y = (value) => TOP + (1 - (value - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
      const path = (points) => points.map(([time, value], place) =>
        `${place ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      return [
        ...grid(marks, y, width),
        ...series.map((each) => s("path", { class: `line ${each.class}`, d: path(each.points) })),
        s("text", { x: LEFT, y: HEIGHT - 5 }, ends[0]),
        s("text", { x: width - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, ends[1]),
      ];
    });
  };
  return { node, draw };
}

/** What each count is about: delays below the first edge, between two of them, and from the last one on. */
export function ranges(edges, counts) {
  const offset = counts.length > edges.length ? 1 : 0;
  return counts.map((count, place) => {
    const low = edges[place - offset], high = edges[place + 1 - offset];
    const words = low === undefined ? `less than ${span(high)}` : high === undefined ? `${span(low)} or more`
      : `${span(low)} to ${span(high)}`;
    return { low, high, count, words };
  });
}

/** Bars, one for each range of delays, from the first to the last that has any. */
export function bars(name) {
  const { node, redraw, say } = frame(name);
  const draw = (all) => {
    const first = all.findIndex((each) => each.count > 0), last = all.findLastIndex((each) => each.count > 0);
    say(first < 0 ? "Nothing was answered yet." : null);
    if (first < 0) return;
    const shown = all.slice(Math.max(first - 1, 0), last + 2), marks = ticks(0, Math.max(...shown.map((b) => b.count)));
    const total = all.reduce((sum, each) => sum + each.count, 0);
    redraw(shown, `${number(total)} answers, from ${all[first].words} up to ${all[last].words}`, (width) => {
      const room = (width - LEFT - RIGHT) / shown.length, gap = Math.min(3, room / 5);
      const y = (value) => TOP + (1 - value / marks.at(-1)) * (HEIGHT - TOP - BOTTOM);
      const every = Math.ceil(76 / room); // a label needs that many pixels
      return [
        ...grid(marks.filter(Number.isInteger), y, width),
        ...shown.flatMap(({ low, count, words }, place) => [
          s("rect", { class: "bar", x: LEFT + place * room + gap / 2, width: room - gap, y: y(count),
            height: Math.max(y(0) - y(count), count ? 1.5 : 0) }, s("title", {}, `${words}: ${number(count)}`)),
          place % every === 0 && low !== undefined &&
            s("text", { x: LEFT + place * room, y: HEIGHT - 5, "text-anchor": place ? "middle" : "start" }, span(low)),
        ]).filter(Boolean),
      ];
    });
  };
  return { node, draw };
}
