// A line with its interval as SVG: x counts labels, y is a share from 0 to 1.

import { formatPercent, svgElement } from "./dom.js";

const WIDE = 640;
const NARROW = 380; // on narrow screens, where a scaled-down chart could not be read
const HEIGHT = 260;
const LEFT = 46;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 36;

/** At most six round numbers from 0 to beyond the largest. */
function ticksUpTo(largest) {
  const rough = Math.max(largest, 5) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const ticks = [];
  for (let tick = 0; tick < largest + step; tick += step) ticks.push(tick);
  return ticks;
}

/** `points`: [{ x, y, low, high, title }], low and high optional. `from`: the smallest y shown. */
export function lineChart(points, { label, format = formatPercent, from = 0 }) {
  const width = innerWidth < 860 ? NARROW : WIDE;
  const ticks = ticksUpTo(Math.max(...points.map((point) => point.x)));
  const toX = (x) => LEFT + ((width - LEFT - RIGHT) * x) / ticks.at(-1);
  const toY = (y) => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - y)) / (1 - from);
  const at = (x, y) => `${toX(x).toFixed(1)},${toY(Math.max(from, y)).toFixed(1)}`;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, class: "chart", role: "img", "aria-label": label });

  const nSteps = from === 0 ? 4 : 5;
  for (let i = 0; i <= nSteps; i += 1) {
    const y = from + ((1 - from) * i) / nSteps;
    svg.append(
      svgElement("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: toY(y), y2: toY(y) }),
      svgElement("text", { class: "tick", x: LEFT - 8, y: toY(y) + 4, "text-anchor": "end" }, format(y)),
    );
  }
  for (const tick of ticks) {
    svg.append(svgElement("text", { class: "tick", x: toX(tick), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, String(tick)));
  }
  svg.append(svgElement("text", { class: "tick", x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, "labels"));

  if (points.every((point) => point.low !== undefined)) {
    const upper = points.map((point) => at(point.x, point.high));
    const lower = points.map((point) => at(point.x, point.low)).reverse();
    svg.append(svgElement("polygon", { class: "band", points: [...upper, ...lower].join(" ") }));
  }
  svg.append(svgElement("polyline", { class: "line", points: points.map((point) => at(point.x, point.y)).join(" ") }));
  for (const point of points) {
    svg.append(svgElement("circle", { class: "dot", cx: toX(point.x), cy: toY(Math.max(from, point.y)), r: 3.5 }, svgElement("title", {}, point.title)));
  }
  return svg;
}
