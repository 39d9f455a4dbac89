// How two tasks rank the nodes of a graph, one against the other, with the paper's rule: orange where the smaller
// attentiveness is at least a quarter of the larger, blue where a node matters to one task and less to the other. With one
// task: its attentiveness by rank.
dotin.SIMILAR = 0.25;

dotin.similar = (facts, node, layer, first, second) => {
  const [a, b] = [first, second].map((task) => facts.attentiveness(node, layer, task));
  return Math.min(a, b) >= dotin.SIMILAR * Math.max(a, b);
};

/** Fills `box` with the scatter, which follows the store; returns a function that gives it as SVG. */
dotin.scatter = (box, graph, facts, store) => {
  const SIZE = 420;
  const MARGIN = { top: 8, right: 12, bottom: 44, left: 56 };
  const inner = { x: SIZE - MARGIN.left - MARGIN.right, y: SIZE - MARGIN.top - MARGIN.bottom };
  const svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${SIZE} ${SIZE}`).attr("tabindex", 0)
    .attr("role", "application")
    .attr("aria-label", "Ranks of the nodes. Arrow keys walk over them, Enter selects one.");
  const plot = svg.append("g").attr("transform", `translate(${MARGIN.left},${MARGIN.top})`);
  const axes = { x: plot.append("g").attr("transform", `translate(0,${inner.y})`), y: plot.append("g") };
  const diagonal = plot.append("line").attr("class", "stroke quiet");
  const names = {
    x: plot.append("text").attr("x", inner.x / 2).attr("y", inner.y + 38).attr("text-anchor", "middle"),
    y: plot.append("text").attr("transform", `translate(-44,${inner.y / 2}) rotate(-90)`).attr("text-anchor", "middle"),
  };
  const brush = d3.brush().extent([[0, 0], [inner.x, inner.y]]);
  const brushed = plot.append("g").attr("class", "brush");
  const marks = plot.append("g");
  box.replaceChildren(svg.node());

  let points = [];
  const area = Math.min(60, Math.max(14, 9000 / graph.nodes));
  const shape = d3.symbol().size(area);

  /** Nodes of one rank by both tasks share a place: they are spread over the ranks that the tie takes up. */
  const spread = (group, x, y) => {
    const reach = Math.max((x(group.length) - x(0)) / 2, 1.6 * Math.sqrt(group.length));
    group.forEach((point, i) => {
      const r = group.length > 1 ? reach * Math.sqrt((i + 0.5) / group.length) : 0;
      point.px = x(point.a) + r * Math.cos(i * 2.4);
      point.py = y(point.b) + r * Math.sin(i * 2.4);
    });
  };

  const place = ({ layer, first, second }) => {
    const nodes = graph.layers[layer].nodes;
    const two = second !== null;
    const x = d3.scaleLinear([1, Math.max(2, nodes.length)], [0, inner.x]);
    const values = nodes.map((node) => facts.attentiveness(node, layer, first));
    const y = two ? d3.scaleLinear([1, Math.max(2, nodes.length)], [inner.y, 0])
      : d3.scaleLog([Math.max(d3.min(values), 1e-12), Math.max(d3.max(values), 1e-11)], [inner.y, 0]).nice();
    points = nodes.map((node) => ({
      node,
      a: facts.rank(node, layer, first),
      b: two ? facts.rank(node, layer, second) : facts.attentiveness(node, layer, first),
      similar: two ? dotin.similar(facts, node, layer, first, second) : graph.departure[node] > layer,
    }));
    for (const group of d3.nest().key(({ a, b }) => `${a} ${b}`).entries(points)) spread(group.values, x, y);
    axes.x.call(d3.axisBottom(x).ticks(6, "d"));
    axes.y.call(two ? d3.axisLeft(y).ticks(6, "d") : d3.axisLeft(y).ticks(4, "~e"));
    names.x.text(`rank by ${first} (1: most attentive)`);
    names.y.text(two ? `rank by ${second}` : `attentiveness for ${first}`);
    diagonal.attr("x1", 0).attr("y1", inner.y).attr("x2", inner.x).attr("y2", two ? 0 : inner.y);
    marks.selectAll("path").data(points, ({ node }) => node).join("path")
      .attr("data-node", ({ node }) => node)
      .attr("transform", ({ px, py }) => `translate(${px},${py})`)
      .attr("d", ({ similar }) => shape.type(similar ? d3.symbolCircle : d3.symbolDiamond)())
      .on("mouseenter", ({ node }) => store.set({ hovered: node }))
      .on("click", ({ node }) => {
        const more = d3.event.shiftKey || d3.event.ctrlKey || d3.event.metaKey;
        store.set({ selected: more ? dotin.toggled(store.state.selected, node) : new Set([node]) });
      });
  };
  const mark = ({ selected, hovered }) => {
    marks.selectAll("path").attr("class", ({ node, similar }) => `point ${similar ? "similar" : "apart"}` +
      (selected.has(node) ? " selected" : "") + (hovered === node ? " hovered" : ""));
    marks.selectAll(".selected, .hovered").raise();
  };

  brush.on("end", () => {
    if (!d3.event.sourceEvent) return;
    const area = d3.event.selection;
    if (!area) { store.set({ selected: new Set() }); return; }
    const [[left, top], [right, bottom]] = area;
    const inside = points.filter(({ px, py }) => px >= left && px <= right && py >= top && py <= bottom);
    brushed.call(brush.move, null);
    store.set({ selected: new Set(inside.map(({ node }) => node)) });
  });
  brushed.call(brush);
  svg.node().addEventListener("keydown", dotin.nodeKeys(graph, facts, store));
  store.follow((state, before) => {
    if (["layer", "first", "second"].some((key) => state[key] !== before[key])) place(state);
    mark(state);
  });
  place(store.state);
  mark(store.state);
  return () => dotin.chartSvg(svg.node());
};
