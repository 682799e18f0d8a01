// How many decisions and reports there were each second in the last minutes, from counters that this tab has seen.

import { number } from "./format.js";

const STEP = 2, LONGEST = 300; // seconds
const seen = new Map();

/** Remember the counters of a learner as they are now. */
export function remember({ name, asked, answered, noted }, seconds = performance.now() / 1000) {
  const samples = seen.get(name) ?? seen.set(name, []).get(name);
  if (samples.length && asked < samples.at(-1).asked) samples.length = 0; // another store under the same address
  samples.push({ at: seconds, asked, told: answered + noted });
  while (samples.length > 2 && samples[1].at < seconds - LONGEST - STEP) samples.shift();
}

/** The counter at a time, on a straight line between what was seen before and after. */
function counted(samples, field, at) {
  const after = samples.findIndex((each) => each.at >= at);
  if (after <= 0) return after < 0 ? samples.at(-1)[field] : samples[0][field];
  const a = samples[after - 1], b = samples[after];
  return a[field] + ((b[field] - a[field]) * (at - a.at)) / (b.at - a.at);
}

/** Pairs of time and rate, for steps of two seconds that are seen whole. */
export function rates(name, field) {
  const samples = seen.get(name) ?? [], points = [];
  if (samples.length < 2) return points;
  const start = Math.max(samples[0].at, samples.at(-1).at - LONGEST);
  for (let at = Math.ceil(start / STEP) * STEP; at + STEP <= samples.at(-1).at; at += STEP) {
    const rate = (counted(samples, field, at + STEP) - counted(samples, field, at)) / STEP;
    points.push([at + STEP, Number(rate.toPrecision(6))]);
  }
  return points;
}

export const told = (points) => (points.length ? number(points.at(-1)[1], 3) : "\u2013");
