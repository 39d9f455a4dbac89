// Charts of the dataset and run pages. Each gives an SVG element; what it shows is also said in words or in a table.
dotin.charts = (() => {
  const WIDTH = 560;
  const COUNTED = ["epoch", "graphs"];

  const chart = (height, label) => d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${WIDTH} ${height}`)
    .attr("role", "img").attr("aria-label", label);

  /** Axes of a plot with a margin: {svg, plot, width, height} */
  const frame = (height, label, { left = 64, bottom = 40, right = 14, top = 10 } = {}) => {
    const svg = chart(height, label);
    const plot = svg.append("g").attr("transform", `translate(${left},${top})`);
    return { svg, plot, width: WIDTH - left - right, height: height - top - bottom };
  };
  /** An axis; there are no fractions of what is counted. */
  const ticked = (axis, count, name) => {
    if (!COUNTED.includes(name)) return axis.ticks(count);
    return axis.tickValues(axis.scale().ticks(count).filter(Number.isInteger)).tickFormat(d3.format("d"));
  };
  const axes = ({ plot, width, height }, x, y, names) => {
    plot.append("g").attr("class", "grid").call(ticked(d3.axisLeft(y), 5, names.y).tickSize(-width).tickFormat(""));
    plot.append("g").attr("class", "x").attr("transform", `translate(0,${height})`).call(ticked(d3.axisBottom(x), 6, names.x));
    plot.append("g").attr("class", "y").call(ticked(d3.axisLeft(y), 5, names.y));
    plot.append("text").attr("x", width / 2).attr("y", height + 34).attr("text-anchor", "middle").text(names.x);
    plot.append("text").attr("transform", `translate(-52,${height / 2}) rotate(-90)`).attr("text-anchor", "middle").text(names.y);
  };
  const padded = ([low, high]) => low === high ? [low - 0.5, high + 0.5] : [low - 0.04 * (high - low), high + 0.04 * (high - low)];
  const shortened = (text, length) => text.length > length ? `${text.slice(0, length - 1)}…` : text;

  /** Horizontal bars. rows: [{label, value, text, quiet}]; `from` is where bars start; with `log` lengths are ratios to it. */
  const bars = (label, rows, { from = 0, log = false } = {}) => {
    const ROW = 22;
    const LEFT = 150;
    const svg = chart(rows.length * ROW + 6, label);
    const values = rows.map(({ value }) => value).concat(from);
    const x = (log ? d3.scaleLog() : d3.scaleLinear()).domain(d3.extent(values)).range([d3.min(values) < from ? LEFT + 70 : LEFT, WIDTH - 62]);
    const row = svg.selectAll("g").data(rows).join("g").attr("transform", (_, i) => `translate(0,${i * ROW + 3})`);
    row.append("text").attr("x", LEFT - 8).attr("y", 14).attr("text-anchor", "end").text((d) => shortened(d.label, 22))
      .append("title").text((d) => d.label);
    row.append("rect").attr("class", (d) => d.quiet ? "fill quiet" : "fill").attr("y", 3).attr("height", ROW - 8)
      .attr("x", (d) => Math.min(x(d.value), x(from))).attr("width", (d) => Math.max(1, Math.abs(x(d.value) - x(from))));
    row.append("text").attr("y", 14).attr("x", (d) => d.value >= from ? x(d.value) + 5 : x(d.value) - 5)
      .attr("text-anchor", (d) => d.value >= from ? "start" : "end").text((d) => d.text);
    svg.append("line").attr("class", "zero").attr("x1", x(from)).attr("x2", x(from)).attr("y1", 0).attr("y2", rows.length * ROW + 6);
    return svg.node();
  };

  /** Means with intervals. rows: [{label, mean, low, high, strong}] */
  const intervals = (label, rows, name) => {
    const ROW = 24;
    const area = frame(rows.length * ROW + 56, label, { left: 170 });
    const x = d3.scaleLinear(padded(d3.extent(rows.flatMap(({ low, high }) => [low, high]).concat(0))), [0, area.width]).nice();
    area.plot.append("g").attr("transform", `translate(0,${area.height})`).call(d3.axisBottom(x).ticks(6));
    area.plot.append("text").attr("x", area.width / 2).attr("y", area.height + 34).attr("text-anchor", "middle").text(name);
    area.plot.append("line").attr("class", "zero").attr("x1", x(0)).attr("x2", x(0)).attr("y2", area.height);
    const row = area.plot.selectAll("g.row").data(rows).join("g").attr("class", "row")
      .attr("transform", (_, i) => `translate(0,${(i + 0.5) * ROW})`);
    row.append("text").attr("x", -10).attr("y", 4).attr("text-anchor", "end").text((d) => shortened(d.label, 24));
    row.append("line").attr("class", (d) => d.strong ? "stroke" : "stroke quiet").attr("x1", (d) => x(d.low)).attr("x2", (d) => x(d.high));
    row.append("path").attr("class", (d) => d.strong ? "fill" : "fill quiet").attr("transform", (d) => `translate(${x(d.mean)},0)`)
      .attr("d", (d) => d3.symbol().size(56).type(d.strong ? d3.symbolCircle : d3.symbolDiamond)());
    return area.svg.node();
  };

  /** A scale of values that cannot be below 0 (where none is) nor above `most`: no room is left beyond. */
  const within = (scale, [least], most) => {
    const [low, high] = scale.domain();
    return scale.domain([least >= 0 ? Math.max(0, low) : low, Math.min(high, most)]);
  };

  /** Lines over epochs. series: [{points: [[epoch, y], ...], strong, name}]; points without a value are left out. Lines
      of several names have colours and dashes of their own, and a legend. */
  const lines = (label, series, names, { most = Infinity } = {}) => {
    const known = series.map((line) => ({ ...line, points: line.points.filter(([, y]) => y !== null) }));
    const all = known.flatMap(({ points }) => points);
    const kinds = [...new Set(known.filter(({ points }) => points.length).map(({ name }) => name))];
    const area = frame(250, label, { top: kinds.length > 1 ? 30 : 10 });
    const x = d3.scaleLinear(padded(d3.extent(all, ([value]) => value)), [0, area.width]);
    const extent = d3.extent(all, ([, value]) => value);
    const y = within(d3.scaleLinear(padded(extent), [area.height, 0]).nice(5), extent, most);
    axes(area, x, y, names);
    const path = d3.line().x(([value]) => x(value)).y(([, value]) => y(value));
    const classes = ({ strong, name }) => `line stroke${strong ? "" : " quiet"}${kinds.length > 1 ? ` kind-${kinds.indexOf(name)}` : ""}`;
    area.plot.selectAll("path.line").data(known.filter(({ points }) => points.length)).join("path")
      .attr("class", classes).attr("d", ({ points }) => path(points));
    if (kinds.length > 1) {
      const entry = area.plot.selectAll("g.entry").data(kinds).join("g").attr("class", "entry")
        .attr("transform", (_, i) => `translate(${150 * i},-16)`);
      entry.append("line").attr("class", (name) => classes({ strong: true, name })).attr("x2", 32);
      entry.append("text").attr("x", 40).attr("y", 4).text((name) => name);
    }
    return area.svg.node();
  };

  /** Histograms of two sets over each other, the first filled, the second as an outline. */
  const histograms = (label, [first, second], names) => {
    const area = frame(250, label);
    const [least, most] = d3.extent(first.concat(second));
    const [low, high] = padded([least, most]);
    const x = d3.scaleLinear([least >= 0 ? Math.max(0, low) : low, high], [0, area.width]).nice();
    const bin = d3.histogram().domain(x.domain()).thresholds(x.ticks(30));
    const [filled, outlined] = [bin(first), bin(second)];
    const y = d3.scaleLinear([0, d3.max(filled.concat(outlined), ({ length }) => length) || 1], [area.height, 0]).nice();
    axes(area, x, y, names);
    area.plot.selectAll("rect").data(filled).join("rect").attr("class", "fill").attr("fill-opacity", 0.45)
      .attr("x", ({ x0 }) => x(x0)).attr("width", ({ x0, x1 }) => Math.max(0, x(x1) - x(x0) - 1))
      .attr("y", ({ length }) => y(length)).attr("height", ({ length }) => area.height - y(length));
    const outline = d3.line().curve(d3.curveStepAfter).x(({ x0 }) => x(x0)).y(({ length }) => y(length));
    area.plot.append("path").attr("class", "zero").attr("fill", "none").attr("stroke-width", 1.8).attr("d", outline(outlined));
    return area.svg.node();
  };

  /** Points, with the line y = x. */
  const points = (label, pairs, names) => {
    const area = frame(320, label);
    const extent = padded(d3.extent(pairs.flat()));
    const x = d3.scaleLinear(extent, [0, area.width]).nice();
    const y = d3.scaleLinear(extent, [area.height, 0]).nice();
    axes(area, x, y, names);
    const [low, high] = x.domain();
    area.plot.append("line").attr("class", "stroke quiet").attr("x1", x(low)).attr("y1", y(low)).attr("x2", x(high)).attr("y2", y(high));
    area.plot.selectAll("circle").data(pairs).join("circle").attr("class", "fill").attr("fill-opacity", 0.55).attr("r", 3)
      .attr("cx", ([value]) => x(value)).attr("cy", ([, value]) => y(value));
    return area.svg.node();
  };

  return { bars, intervals, lines, histograms, points };
})();

/** A panel with a chart, the button that saves it, and what else there is to say. */
dotin.chartPanel = (title, about, svg, ...more) => dotin.panel(title,
  { about, save: dotin.saveButton(title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), () => dotin.chartSvg(svg)) }, svg, ...more);

/** How many nodes each layer drops, and how many stay. */
dotin.departurePanel = ({ departures, nodes, graphs, layers }) => {
  const names = departures.map((_, layer) => layer === layers ? "stay to the end" : `leave in layer ${layer + 1}`);
  const rows = departures.map((count, layer) => ({ label: names[layer], value: count, quiet: layer < layers,
    text: `${dotin.number(100 * count / Math.max(nodes, 1))}%` }));
  return dotin.chartPanel("Where nodes leave", `Of ${dotin.counted(nodes, "node")} in ${dotin.counted(graphs, "graph")}.`,
    dotin.charts.bars(`Nodes by departure: ${rows.map(({ label, text }) => `${text} ${label}`).join(", ")}`, rows));
};
