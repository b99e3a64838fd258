// A two-layer ReLU network in the plane in one configuration of its kinks, and the switches from one to the next.
//
// A neuron's kinks are the lines w.x_i = 0 through the origin. Between two switches its gates stand still and the equation is
// smooth. At a line it crosses or, when both sides push back, slides along it; a neuron that slides into w = 0, where all
// lines meet, rests there until a way out is downhill. This is Filippov's solution, with the choices of `lr.integrate`.

// The lines of the points: unit normals, and for each point its line and the side of it that it activates. Points at the
// origin have none.
export function lines(data) {
  const normals = [], of = [], towards = [];
  for (let i = 0; i < data.length; i += 3) {
    const x1 = data[i], x2 = data[i + 1], size = Math.hypot(x1, x2);
    if (size === 0) {
      of.push(-1);
      towards.push(0);
      continue;
    }
    let line = normals.findIndex(([n1, n2]) => Math.abs(n1 * x2 - n2 * x1) <= 1e-12 * size);
    if (line < 0) line = normals.push([x1 / size, x2 / size]) - 1;
    of.push(line);
    towards.push(Math.sign(normals[line][0] * x1 + normals[line][1] * x2));
  }
  return { normals, of, towards };
}

// Of a neuron: on no line, or at the origin; otherwise it slides on the line of that number.
export const FREE = -1;
const REST = -2;

// The configuration of theta (w1, w2, a of each neuron, changed in place) on the data (x1, x2, y of each point).
export function kinks(theta, data, kappa) {
  const h = theta.length / 3, n = data.length / 3, { normals, of, towards } = lines(data), L = normals.length;
  const side = new Int8Array(h * L), gate = new Uint8Array(h * n), mode = new Int32Array(h).fill(FREE), ahead = new Int8Array(h);
  const f = new Float64Array(n), push = new Float64Array(n), pull = new Float64Array(2 * h);
  const seen = { crossed: 0, slid: 0, rested: 0, forks: 0 };
  const rays = L > 1 ? normals.flatMap(([n1, n2], line) => [[-n2, n1, line], [n2, -n1, line]]) : [];
  const reach = Float64Array.from(rays.flatMap(([u1, u2]) => of.map((_, i) => Math.max(u1 * data[3 * i] + u2 * data[3 * i + 1], 0))));
  const growths = new Float64Array(rays.length);
  let known = false; // growths are those of the present push

  // The velocity with the gates as they are, into `out`; `push` and `pull` are left as they are there. Returns the mean square.
  function velocity(y, out) {
    f.fill(0);
    known = false;
    for (let k = 0; k < h; k++) {
      const w1 = y[3 * k], w2 = y[3 * k + 1], a = y[3 * k + 2], at = k * n;
      for (let i = 0; i < n; i++) if (gate[at + i]) f[i] += a * (w1 * data[3 * i] + w2 * data[3 * i + 1]);
    }
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const rest = data[3 * i + 2] - f[i];
      push[i] = kappa * rest;
      sum += rest * rest;
    }
    for (let k = 0; k < h; k++) {
      let p1 = 0, p2 = 0;
      const at = k * n, a = y[3 * k + 2];
      for (let i = 0; i < n; i++) {
        if (!gate[at + i]) continue;
        p1 += push[i] * data[3 * i];
        p2 += push[i] * data[3 * i + 1];
      }
      pull[2 * k] = p1;
      pull[2 * k + 1] = p2;
      out[3 * k] = a * p1;
      out[3 * k + 1] = a * p2;
      out[3 * k + 2] = y[3 * k] * p1 + y[3 * k + 1] * p2;
      if (mode[k] === REST) out[3 * k] = out[3 * k + 1] = 0;
      else if (mode[k] >= 0) {
        const [n1, n2] = normals[mode[k]], along = a * (n1 * p2 - n2 * p1);
        out[3 * k] = -n2 * along;
        out[3 * k + 1] = n1 * along;
      }
    }
    return sum / n;
  }

  // Gates from sides; those of a line that is slid along are shut, since w.x = 0 there.
  function setGates(k) {
    for (let i = 0; i < n; i++) {
      const line = of[i], open = line >= 0 && mode[k] !== REST && mode[k] !== line && side[k * L + line] === towards[i];
      gate[k * n + i] = open ? 1 : 0;
    }
  }

  // How fast w would go along the normal of a line, just beside it on either side: [on the side of the normal, on the other].
  function beside(k, line, a) {
    const [n1, n2] = normals[line];
    let rest = n1 * pull[2 * k] + n2 * pull[2 * k + 1], upper = 0, lower = 0;
    for (let i = 0; i < n; i++) {
      if (of[i] !== line) continue;
      const own = push[i] * (n1 * data[3 * i] + n2 * data[3 * i + 1]);
      if (gate[k * n + i]) rest -= own;
      if (towards[i] > 0) upper += own;
      else lower += own;
    }
    return [a * (rest + upper), a * (rest + lower)];
  }

  // How fast a neuron at the origin would grow along each ray, if its a were one: the sum of push max(x.u, 0).
  function growth() {
    if (known) return growths;
    known = true;
    for (let j = 0; j < rays.length; j++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += push[i] * reach[j * n + i];
      growths[j] = sum;
    }
    return growths;
  }

  // The ray along which a times that is largest, and how large.
  function fastest(a) {
    const all = growth();
    let best = 0;
    for (let j = 1; j < all.length; j++) if (a * all[j] > a * all[best]) best = j;
    return [rays[best], a * all[best]];
  }

  // What stays above zero until this neuron switches, at a state of which `push` and `pull` are known.
  function margins(k, y, into) {
    const w1 = y[3 * k], w2 = y[3 * k + 1], a = y[3 * k + 2];
    if (mode[k] === REST) {
      into[0] = 1e-13 * Math.abs(a) - fastest(a)[1];
      return 1;
    }
    if (mode[k] >= 0) {
      const [n1, n2] = normals[mode[k]], [upper, lower] = beside(k, mode[k], a);
      into[0] = L > 1 ? ahead[k] * (n1 * w2 - n2 * w1) : 1;
      into[1] = -upper + 1e-13 * Math.abs(a);
      into[2] = lower + 1e-13 * Math.abs(a);
      return 3;
    }
    for (let line = 0; line < L; line++) into[line] = side[k * L + line] * (normals[line][0] * w1 + normals[line][1] * w2);
    return L;
  }

  // What neuron k does next.
  function change(k, which, came) {
    const a = theta[3 * k + 2];
    if (mode[k] === REST) {
      seen.forks++; // to stay is a solution, too
      leave(k, fastest(a)[0]);
    } else if (mode[k] >= 0 && which === 0) arrive(k, a, came);
    else if (mode[k] >= 0) {
      const line = mode[k], [upper, lower] = beside(k, line, a);
      let to = which === 1 ? 1 : -1;
      if (upper > 0 && lower < 0) {
        // a has changed its sign, and both sides push away: by the side that the gate is nearer to.
        seen.forks++;
        to = upper <= -lower ? 1 : -1;
      }
      side[k * L + line] = to;
      mode[k] = FREE;
    } else {
      const own = side[k * L + which], [upper, lower] = beside(k, which, a), beyond = own > 0 ? lower : upper;
      if (own * beyond < 0) {
        side[k * L + which] = -own;
        seen.crossed++;
      } else {
        mode[k] = which;
        ahead[k] = Math.sign(normals[which][0] * theta[3 * k + 1] - normals[which][1] * theta[3 * k]) || 1;
        seen.slid++;
      }
    }
    setGates(k);
    put(k);
  }

  // A neuron has come to w = 0: it rests, or goes on, as straight as it can.
  function arrive(k, a, [w1, w2]) {
    const [steepest, speed] = fastest(a);
    if (speed <= 0) {
      mode[k] = REST;
      seen.rested++;
      return;
    }
    const ways = [...slides(a), ...pulls(a)];
    if (ways.length > 1) seen.forks++;
    leave(k, ways.reduce((best, way) => (way[0] * w1 + way[1] * w2 < best[0] * w1 + best[1] * w2 ? way : best), ways[0] ?? steepest));
  }

  // Ways out along a line that both sides push onto.
  function slides(a) {
    const speeds = growth();
    return rays.filter(([u1, u2, line], j) => {
      if (a * speeds[j] <= 0) return false;
      const [n1, n2] = normals[line];
      let rest = 0, upper = 0, lower = 0;
      for (let i = 0; i < n; i++) {
        const own = push[i] * (n1 * data[3 * i] + n2 * data[3 * i + 1]);
        if (of[i] !== line) rest += u1 * data[3 * i] + u2 * data[3 * i + 1] > 0 ? own : 0;
        else if (towards[i] > 0) upper += own;
        else lower += own;
      }
      return a * (rest + upper) <= 0 && a * (rest + lower) >= 0;
    });
  }

  // Ways out inside a sector, where the pull of its gates points into it.
  function pulls(a) {
    const found = [], angles = rays.map(([u1, u2]) => Math.atan2(u2, u1)).sort((x, y) => x - y);
    angles.forEach((angle, j) => {
      const end = j + 1 < angles.length ? angles[j + 1] : angles[0] + 2 * Math.PI, u1 = Math.cos((angle + end) / 2), u2 = Math.sin((angle + end) / 2);
      let v1 = 0, v2 = 0;
      for (let i = 0; i < n; i++) {
        if (u1 * data[3 * i] + u2 * data[3 * i + 1] <= 0) continue;
        v1 += a * push[i] * data[3 * i];
        v2 += a * push[i] * data[3 * i + 1];
      }
      const same = normals.every(([n1, n2]) => Math.sign(n1 * v1 + n2 * v2) === Math.sign(n1 * u1 + n2 * u2));
      if (same) found.push([v1 / Math.hypot(v1, v2), v2 / Math.hypot(v1, v2), -1]);
    });
    return found;
  }

  // Away from the origin along (u1, u2), sliding on a line if there is one.
  function leave(k, [u1, u2, line]) {
    for (let l = 0; l < L; l++) side[k * L + l] = normals[l][0] * u1 + normals[l][1] * u2 > 0 ? 1 : -1;
    mode[k] = line;
    if (line >= 0) ahead[k] = Math.sign(normals[line][0] * u2 - normals[line][1] * u1);
  }

  // A neuron that slides or rests is exactly where it should be; by the width of a rounding it does not see its own points.
  function put(k) {
    if (mode[k] === REST) theta[3 * k] = theta[3 * k + 1] = 0;
    if (mode[k] < 0) return;
    const [n1, n2] = normals[mode[k]], along = n1 * theta[3 * k + 1] - n2 * theta[3 * k], off = 1e-14 * Math.abs(along);
    theta[3 * k] = -n2 * along - n1 * off;
    theta[3 * k + 1] = n1 * along - n2 * off;
  }

  for (let k = 0; k < h; k++) {
    for (let l = 0; l < L; l++) side[k * L + l] = normals[l][0] * theta[3 * k] + normals[l][1] * theta[3 * k + 1] > 0 ? 1 : -1;
    if (L > 1 && theta[3 * k] === 0 && theta[3 * k + 1] === 0) mode[k] = REST;
    setGates(k);
  }
  return { velocity, margins, change, put, mode, side, normals, seen };
}
