// The map of students that learn from infinitely many points: metrics over scales and time, and the functions that are learned.

const CODE = Array.from({ length: 92 }, (_, i) => String.fromCharCode(35 + i)).filter((c) => !"\\<&'".includes(c)).join("");
const PLACE = new Map(Array.from(CODE, (c, i) => [c, i / (CODE.length - 1)]));
const share = (text, i) => PLACE.get(text[i]);

// Where a value is on a list that ascends: [place before it, share of the way to the next], on its own scale.
function between(list, value, scale = (v) => v) {
  let n = 0;
  while (n < list.length - 2 && list[n + 1] <= value) n++;
  const part = (scale(value) - scale(list[n])) / (scale(list[n + 1]) - scale(list[n]));
  return [n, Math.min(Math.max(part, 0), 1)];
}

// The values of a metric at a time, rows of delta, columns of tau; on the logarithm of time and of the metric between two.
export function slice(table, metric, time) {
  const [n, part] = between(table.times, time, Math.log), [least, most] = table.range, span = Math.log(most / least);
  const [early, late] = [table.maps[metric][n], table.maps[metric][n + 1]], columns = table.tau.length;
  return table.delta.map((_, j) =>
    Float64Array.from(table.tau, (_, i) => least * Math.exp(span * ((1 - part) * share(early, j * columns + i) + part * share(late, j * columns + i)))));
}

// What the student of the nearest cell has learned at the nearest time: its function at equal angles.
export function learned(table, tau, delta, time) {
  const nearest = (list, value, scale) => (([n, part]) => (part > 0.5 ? n + 1 : n))(between(list, value, scale));
  const i = nearest(table.tau, tau, Math.log), j = nearest(table.delta, delta), n = nearest(table.times, time, Math.log);
  const from = (j * table.tau.length + i) * table.angles;
  const values = Array.from({ length: table.angles }, (_, k) => (2 * share(table.functions[n], from + k) - 1) * table.height);
  return { tau: table.tau[i], delta: table.delta[j], time: table.times[n], values };
}
