// Level lines of values on a grid, by marching squares.

// Segments x1, y1, x2, y2, one after the other, in units of cells; values[row][column].
export function contour(values, level) {
  const found = [];
  for (let j = 0; j + 1 < values.length; j++) {
    const below = values[j], above = values[j + 1];
    let a = below[0] - level, d = above[0] - level;
    for (let i = 0; i + 1 < below.length; i++) {
      const b = below[i + 1] - level, c = above[i + 1] - level;
      // Each edge that is crossed gives a point, and each pair of points a segment.
      if (a > 0 !== b > 0 || b > 0 !== c > 0 || c > 0 !== d > 0) {
        if (a > 0 !== b > 0) found.push(i + a / (a - b), j);
        if (b > 0 !== c > 0) found.push(i + 1, j + b / (b - c));
        if (d > 0 !== c > 0) found.push(i + d / (d - c), j + 1);
        if (a > 0 !== d > 0) found.push(i, j + a / (a - d));
      }
      a = b;
      d = c;
    }
  }
  return found;
}

// Polygons, as flat lists, of where the values are below the level.
export function below(values, level) {
  const found = [];
  for (let j = 0; j + 1 < values.length; j++) {
    const low = values[j], high = values[j + 1];
    for (let i = 0; i + 1 < low.length; i++) {
      // Cells that lie below altogether are taken in one piece.
      let end = i;
      while (end + 1 < low.length && low[end] < level && low[end + 1] < level && high[end] < level && high[end + 1] < level) end++;
      if (end > i) {
        found.push([i, j, end, j, end, j + 1, i, j + 1]);
        i = end - 1;
        continue;
      }
      if (low[i] >= level && low[i + 1] >= level && high[i] >= level && high[i + 1] >= level) continue;
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const heights = corners.map(([x, y]) => values[y][x] - level);
      const points = [];
      corners.forEach(([x, y], n) => {
        const next = (n + 1) % 4, h = heights[n], k = heights[next];
        if (h < 0) points.push(x, y);
        if (h < 0 !== k < 0) points.push(x + (h / (h - k)) * (corners[next][0] - x), y + (h / (h - k)) * (corners[next][1] - y));
      });
      found.push(points);
    }
  }
  return found;
}

export function grid(f, low, high, columns, rows) {
  const out = [];
  for (let j = 0; j < rows; j++) {
    const y = low[1] + ((high[1] - low[1]) * j) / (rows - 1);
    const row = new Float64Array(columns);
    for (let i = 0; i < columns; i++) row[i] = f(low[0] + ((high[0] - low[0]) * i) / (columns - 1), y);
    out.push(row);
  }
  return out;
}
