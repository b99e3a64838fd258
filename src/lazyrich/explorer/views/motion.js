// Knobs that move by themselves, from one value to another.

const ease = (x) => (x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) ** 2);

// Move along `at(share)` for some seconds; `ended` is called at the end, not after `stop`.
export function move(seconds, at, ended, begin = 0) {
  let stamp = 0, share = begin, going = true;
  const step = (when) => {
    if (!going) return;
    share = Math.min(1, share + (stamp ? Math.min(when - stamp, 60) / 1000 / seconds : 0));
    stamp = when;
    at(share);
    if (share < 1) requestAnimationFrame(step);
    else {
      going = false;
      ended?.();
    }
  };
  requestAnimationFrame(step);
  return {
    stop: () => (going = false),
    get share() {
      return share;
    },
  };
}

// The value of a knob between two others, on its own scale, as a function of the share of the way.
export function between(parameter, from, to, gently = true) {
  const way = (x) => (gently ? ease(x) : x);
  const apart = parameter.whole || parameter.choices || (parameter.log && !(from > 0 && to > 0));
  if (apart) return (x) => (x < 0.4 ? from : to);
  if (parameter.log) return (x) => Number((from * (to / from) ** way(x)).toPrecision(4));
  return (x) => Number((from + (to - from) * way(x)).toFixed(4));
}
