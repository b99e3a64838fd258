// A network of your own choice on points in the plane, trained in the browser beside its tangent twin.

import { initial, kernelOf, largestEigenvalue, layersOf, network, normal, trainer, uniform } from "../math/network.js";

export const NAME = "network";
export const TITLE = "A network";
export const PARAMETERS = {
  alpha: { value: 1, low: 0.05, high: 20, from: 0.1, to: 10, log: true, label: "α: first layer ÷ α, last layer × α" },
  tau: { value: 0.5, low: 0.1, high: 10, from: 0.2, to: 5, log: true, label: "overall scale τ of all weights" },
  data: { value: "xor", choices: ["xor", "spiral", "circles", "painted"], names: ["XOR", "spirals", "circles", "painted or pasted"], label: "data" },
  brush: { value: 0, choices: [0, 1], names: ["+1 (blue)", "−1 (orange)"], label: "a click paints a point of label" },
  activation: { value: "relu", choices: ["relu", "tanh"], names: ["ReLU", "tanh"], label: "activation" },
  depth: { value: 2, choices: [2, 3], names: ["two", "three"], label: "layers" },
  width: { value: 32, low: 4, high: 64, from: 4, to: 64, step: 2, whole: true, label: "width" },
  lr: { value: 0.2, low: 1e-3, high: 10, from: 0.01, to: 1, log: true, label: "learning rate, of the largest stable one" },
  momentum: { value: 0, low: 0, high: 0.99, from: 0, to: 0.95, step: 0.01, label: "momentum" },
  decay: { value: 0, low: 0, high: 0.5, from: 1e-5, to: 0.1, log: true, zero: true, label: "weight decay λ" },
  batch: { value: 0, choices: [0, 40, 10, 1], names: ["all points", "40", "10", "1"], label: "batch" },
  seed: { value: 0, low: 0, high: 999, from: 0, to: 20, step: 1, whole: true, label: "seed of the weights" },
  speed: { value: 1, low: 0.05, high: 10, from: 0.1, to: 5, log: true, label: "speed" },
  painted: { value: {}, places: 100, low: -1, high: 1, label: "painted points", hidden: true },
};
const COUNT = 80, WATCHED = 40;
const round = (x) => Math.round(x * 1000) / 1000;

// Points [x1, x2, y] in the square from -1 to 1, y = +1 or -1. Painted ones have their label in their number: even is +1.
export function points({ data, painted }) {
  if (data === "painted") {
    const all = Object.entries(painted).map(([which, [x1, x2]]) => [x1, x2, Number(which) % 2 ? -1 : 1]);
    return all.length ? all : [[0.5, 0, 1], [-0.5, 0, -1]];
  }
  return Array.from({ length: COUNT }, (_, i) => {
    const y = i % 2 ? -1 : 1, u = uniform(5e8 + i), noise = [normal(3e8 + 2 * i), normal(3e8 + 2 * i + 1)];
    if (data === "xor") {
      const [sx, sy] = [[1, 1], [1, -1], [-1, -1], [-1, 1]][i % 4];
      return [round(0.55 * sx + 0.13 * noise[0]), round(0.55 * sy + 0.13 * noise[1]), y];
    }
    const turn = data === "circles" ? 2 * Math.PI * u : 3.2 * Math.PI * Math.sqrt(0.02 + 0.98 * u) + (y > 0 ? 0 : Math.PI);
    const far = data === "circles" ? (y > 0 ? 0.35 : 0.85) + 0.05 * noise[0] : 0.92 * Math.sqrt(0.02 + 0.98 * u) + 0.015 * noise[0];
    return [far * Math.cos(turn), far * Math.sin(turn)].map(round).concat(y);
  });
}

// The numbers of a pasted table as painted points: two coordinates and a label in each line, scaled into the square. Labels above
// the middle of all count as +1.
export function pasted(text, most = PARAMETERS.painted.places) {
  const rows = String(text).split(/\r?\n/).map((line) => line.split(/[,;\t ]+/).filter(Boolean).map(Number))
    .filter((row) => row.length >= 3 && row.slice(0, 3).every(Number.isFinite));
  if (!rows.length) return null;
  const range = (c) => {
    const all = rows.map((row) => row[c]), low = Math.min(...all), high = Math.max(...all);
    return [(low + high) / 2, (high - low) / 2 || 1];
  };
  const [[m1, h1], [m2, h2], [m3]] = [0, 1, 2].map(range), size = Math.max(h1, h2), out = {};
  let even = 0, odd = 1;
  for (const [x1, x2, label] of rows) {
    const place = label > m3 || (label === m3 && label > 0) ? even : odd;
    if (place >= most) continue;
    out[place] = [round((0.9 * (x1 - m1)) / size), round((0.9 * (x2 - m2)) / size)];
    if (place === even) even += 2;
    else odd += 2;
  }
  return out;
}

// The largest learning rate at which descent is stable, 2/eigenvalue of the kernel: at the start, or at the same network with
// tau = alpha = 1 if that has the larger one, for a kernel that starts small grows.
export function stableRate(state, data) {
  const layers = layersOf(state.width, state.depth), net = network(layers, state.activation);
  const top = [state, { seed: state.seed }].map((scales) => largestEigenvalue(kernelOf(net.jacobian(initial(layers, scales), data), data.length), data.length) / data.length);
  return 2 / Math.max(...top, 1e-12);
}

export function begin(state) {
  const data = points(state), layers = layersOf(state.width, state.depth), lr = state.lr * stableRate(state, data) * (1 - state.momentum);
  const run = trainer(layers, state.activation, initial(layers, state), data, { lr, momentum: state.momentum, decay: state.decay, batch: Number(state.batch), watched: WATCHED });
  return { ...run, run, data, layers, lr };
}

// What the tests compare: the network and its twin after some steps.
export function numbers(state, steps = 10) {
  const { run, data, lr } = begin(state);
  for (let k = 0; k < steps; k++) run.step();
  return { data, lr, theta0: Array.from(run.theta0), theta: Array.from(run.theta), twin: Array.from(run.twin), ...run.measured() };
}

const IMPORTS = ["import jax", "import jax.numpy as jnp", "import numpy as np", "", "import lazyrich.jax as lj"].join("\n");
export function python(state) {
  const { data, lr } = begin(state), half = state.width / 2, deep = Number(state.depth) === 3, batch = Number(state.batch);
  return `${IMPORTS}

jax.config.update("jax_enable_x64", True)
data = np.array(${JSON.stringify(data)}, float)
X, y = np.column_stack([data[:, :2], np.ones(len(data))]), data[:, 2]


def uniform(i):  # a number in (0, 1) for each whole number
    x = (np.asarray(i).astype(np.uint64) + 1) * 0x9E3779B1 % 2**32
    x = (x ^ (x >> 16)) * 0x85EBCA6B % 2**32
    x = (x ^ (x >> 13)) * 0xC2B2AE35 % 2**32
    return ((x ^ (x >> 16)) + 0.5) / 2**32


def normal(start, shape):
    i = start + np.arange(np.prod(shape)).reshape(shape)
    return np.sqrt(-2 * np.log(uniform(2 * i))) * np.cos(2 * np.pi * uniform(2 * i + 1))


def f(params, x):
    for name in ${deep ? '("W1", "W2")' : '("W1",)'}:
        x = ${state.activation === "relu" ? "jax.nn.relu" : "jnp.tanh"}(x @ params[name].T)
    return x @ params["a"]


h, tau, first = ${state.width}, ${state.tau}, ${1000000 * state.seed}
params = {}  # units of the last hidden layer in pairs, so that f = 0
${deep
    ? `params["W1"] = tau * np.sqrt(2 / 3) * normal(first, (h, 3))
params["W2"] = tau * np.sqrt(2 / h) * np.tile(normal(first + 3 * h, (${half}, h)), (2, 1))
a = tau * np.sqrt(1 / h) * normal(first + 3 * h + h * h, (${half},))`
    : `params["W1"] = tau * np.sqrt(2 / 3) * np.tile(normal(first, (${half}, 3)), (2, 1))
a = tau * np.sqrt(1 / h) * normal(first + 3 * h, (${half},))`}
params["a"] = np.concatenate([a, -a])
params["W1"], params["a"] = params["W1"] / ${state.alpha}, params["a"] * ${state.alpha}


def loss(model, params, x, y):
    size = sum(jnp.sum(value**2) for value in params.values())
    return 0.5 * jnp.mean((model(params, x) - y) ** 2) + 0.5 * ${state.decay} * size


def train(model, params, steps, lr=${lr}, momentum=${state.momentum}):
    slope = jax.jit(jax.grad(lambda params, x, y: loss(model, params, x, y)))
    v = jax.tree.map(jnp.zeros_like, params)
    for k in range(steps):
        i = ${batch ? `np.floor(uniform(k * ${batch} + np.arange(${batch}) + 700_000_000) * len(X)).astype(int)` : "slice(None)"}
        v = jax.tree.map(lambda v, g: momentum * v + g, v, slope(params, X[i], y[i]))
        params = jax.tree.map(lambda p, v: p - lr * v, params, v)
    return params


end, twin = train(f, params, 100), lj.linearize(f, params)
print("S", lj.kernel_distance(f, end, params, X))
print("gap", float(np.linalg.norm(f(end, X) - twin(train(twin, params, 100), X)) / np.linalg.norm(y)))
`;
}
