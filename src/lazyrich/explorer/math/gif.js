// An animated GIF (89a) from frames of RGBA pixels: the 255 most frequent colors, and only what changes from frame to frame.

const CLEAR = 256, END = 257, MOST = 4096, SAME = 255; // SAME: transparent, the pixel of the frame before

const shade = (r, g, b) => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

// The most frequent shades of all frames, as the mean colors of their pixels; and the index of the nearest for each shade.
export function paletteOf(frames, colors = SAME) {
  const sums = new Map();
  for (const pixels of frames) {
    for (let i = 0; i < pixels.length; i += 4) {
      const key = shade(pixels[i], pixels[i + 1], pixels[i + 2]);
      let sum = sums.get(key);
      if (!sum) sums.set(key, (sum = [0, 0, 0, 0]));
      for (let c = 0; c < 3; c++) sum[c] += pixels[i + c];
      sum[3]++;
    }
  }
  const often = Array.from(sums.values()).sort((a, b) => b[3] - a[3]).slice(0, colors);
  const palette = often.map((sum) => [0, 1, 2].map((c) => Math.round(sum[c] / sum[3]))), index = new Map();
  for (const [key, sum] of sums) {
    const color = [0, 1, 2].map((c) => sum[c] / sum[3]);
    let best = 0, least = Infinity;
    palette.forEach((own, i) => {
      const off = (own[0] - color[0]) ** 2 + (own[1] - color[1]) ** 2 + (own[2] - color[2]) ** 2;
      if (off < least) [best, least] = [i, off];
    });
    index.set(key, best);
  }
  return { palette, index };
}

// The codes of Lempel, Ziv and Welch, of 9 to 12 bits, as bytes.
export function compress(indices) {
  const out = [];
  let bits = 0, held = 0, size = 9, next = END + 1, table = new Map();
  const put = (code) => {
    bits |= code << held;
    for (held += size; held >= 8; held -= 8) {
      out.push(bits & 255);
      bits >>>= 8;
    }
  };
  put(CLEAR);
  let before = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (before << 8) | indices[i], known = table.get(key);
    if (known !== undefined) {
      before = known;
      continue;
    }
    put(before);
    if (next === MOST) {
      put(CLEAR);
      [size, next, table] = [9, END + 1, new Map()];
    } else {
      table.set(key, next++);
      if (next > 1 << size && size < 12) size++;
    }
    before = indices[i];
  }
  put(before);
  put(END);
  if (held > 0) out.push(bits & 255);
  return out;
}

const short = (n) => [n & 255, n >> 8];
function blocks(bytes) {
  const out = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const part = bytes.slice(i, i + 255);
    out.push(part.length, ...part);
  }
  return [...out, 0];
}

// `delay` is that of a frame, in hundredths of a second; the last frame stays for `rest`.
export function encodeGif(frames, width, height, delay = 10, rest = 150) {
  const { palette, index } = paletteOf(frames);
  const table = Array.from({ length: 256 }, (_, i) => palette[i] ?? [0, 0, 0]).flat();
  const parts = [[..."GIF89a"].map((c) => c.charCodeAt(0)), short(width), short(height), [0xf7, 0, 0], table];
  parts.push([0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0]); // without end
  let last = null;
  frames.forEach((pixels, n) => {
    const own = new Uint8Array(width * height);
    for (let i = 0; i < own.length; i++) own[i] = index.get(shade(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]));
    const changed = last ? own.map((v, i) => (v === last[i] ? SAME : v)) : own;
    last = own;
    parts.push([0x21, 0xf9, 4, last && n ? 5 : 4, ...short(n === frames.length - 1 ? rest : delay), SAME, 0]);
    parts.push([0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0, 8], blocks(compress(changed)));
  });
  parts.push([0x3b]);
  return Uint8Array.from(parts.flat());
}
