// The controls of a room, made from its parameters: a slider and a number for each, or a choice.

import { write } from "./plot.js";

// Of a logarithmic slider the lowest place is zero, if the parameter may be zero.
const slide = (parameter, value) => (parameter.log ? Math.log10(Math.max(value, parameter.from)) : value);
const value = (parameter, at) => {
  if (!parameter.log) return at;
  return parameter.zero && at <= Math.log10(parameter.from) + 1e-9 ? 0 : Number((10 ** at).toPrecision(3));
};
let made = 0;

// Build the controls into `host`; returns a function that shows a state.
export function knobs(host, parameters, names, change) {
  const shown = [];
  let latest = null;
  for (const name of names) {
    const parameter = parameters[name];
    const row = document.createElement("div");
    row.className = "knob";
    const label = document.createElement("label");
    const id = `knob-${name}-${made++}`;
    label.htmlFor = id;
    write(label, parameter.label);
    row.append(label);
    if (parameter.choices) {
      const select = document.createElement("select");
      select.id = id;
      parameter.choices.forEach((choice, i) => select.add(new Option(parameter.names[i], String(choice))));
      select.addEventListener("change", () => change({ [name]: select.value }));
      row.append(select);
      shown.push([name, (at) => (select.value = String(at))]);
    } else {
      const range = document.createElement("input");
      range.type = "range";
      range.id = id;
      const low = slide(parameter, parameter.from), high = slide(parameter, parameter.to);
      Object.assign(range, { min: low, max: high, step: parameter.log ? (high - low) / 400 : parameter.step });
      const number = document.createElement("input");
      number.type = "number";
      number.step = "any";
      number.setAttribute("aria-label", `${parameter.label.replace("_", " ")}, as a number`);
      range.addEventListener("input", () => change({ [name]: value(parameter, Number(range.value)) }));
      number.addEventListener("change", () => change({ [name]: number.value }));
      row.append(range, number);
      shown.push([name, (at) => {
        range.value = slide(parameter, at);
        range.setAttribute("aria-valuetext", String(at));
        if (document.activeElement !== number) number.value = String(Number(at.toPrecision(4)));
      }]);
      number.addEventListener("blur", () => latest && (number.value = String(Number(latest[name].toPrecision(4)))));
    }
    host.append(row);
    row.dataset.name = name;
  }
  // Only what has changed is written: the page lays out and paints each control that is touched.
  return (state) => {
    for (const [name, show] of shown) if (!latest || latest[name] !== state[name]) show(state[name]);
    latest = { ...state };
  };
}
