// The state of a room: named values with limits, to and from the address. Whatever the address says, a state is legal.

const TOO_LONG = 4000;

// A value that is allowed: numbers are clamped, choices must be among the listed, all else is the default.
export function legal(parameter, text) {
  if (parameter.choices) return parameter.choices.find((choice) => String(choice) === String(text)) ?? parameter.value;
  if (parameter.places) return places(parameter, text);
  const number = typeof text === "number" ? text : String(text).trim() === "" ? NaN : Number(text);
  if (Number.isNaN(number)) return parameter.value;
  const inside = Math.min(Math.max(number, parameter.low), parameter.high);
  return parameter.whole ? Math.round(inside) : inside;
}

// Points that were moved, as "3:0.5:-0.2,7:1:1": which, and where to.
function places(parameter, text) {
  if (typeof text === "object" && text) return text;
  const found = {};
  for (const part of String(text).slice(0, TOO_LONG).split(",").slice(0, parameter.places)) {
    const [which, x, y] = part.split(":").map(Number);
    const fine = Number.isInteger(which) && which >= 0 && which < parameter.places && Number.isFinite(x + y);
    if (fine) found[which] = [x, y].map((v) => Math.min(Math.max(v, parameter.low), parameter.high));
  }
  return found;
}

export function legalState(parameters, given) {
  const state = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    state[name] = legal(parameter, Object.hasOwn(given, name) ? given[name] : parameter.value);
  }
  return state;
}

// "#room=neuron&delta=-2" as plain text values; names that nobody knows are dropped by legalState.
export function read(hash) {
  const given = {};
  for (const part of String(hash).replace(/^#/, "").slice(0, TOO_LONG).split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      given[decodeURIComponent(part.slice(0, at))] = decodeURIComponent(part.slice(at + 1));
    } catch {
      // a broken escape: not ours
    }
  }
  return given;
}

// What differs from the defaults.
export function write(room, parameters, state, more = {}) {
  const parts = [`room=${room}`];
  for (const [name, parameter] of Object.entries(parameters)) {
    const text = parameter.places
      ? Object.entries(state[name]).map(([which, point]) => [which, ...point].join(":")).join(",")
      : String(state[name]);
    const usual = parameter.places ? "" : String(parameter.value);
    if (text !== usual && !parameter.aside) parts.push(`${name}=${encodeURIComponent(text)}`);
  }
  for (const [name, value] of Object.entries(more)) if (value) parts.push(`${name}=${encodeURIComponent(value)}`);
  return `#${parts.join("&")}`;
}
