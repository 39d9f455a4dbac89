// Attentiveness of the nodes of a graph. With one task: by the order of nodes, circles where they stay. With two: the rank
// by the one against the rank by the other, circles where a node matters alike to both.
(() => {
  const NEAR = 0.1;  // of the nodes: ranks that are this far apart are near
  const SIMILAR = 0.25;

  /** When a node matters alike to two tasks. A rule gives a function of the node. */
  dotin.alikeRules = {
    ranks: (facts, count, { layer, first, second }) => {
      const rank = (node, task) => facts.rank(node, layer, task);
      return (node) => Math.abs(rank(node, first) - rank(node, second)) <= NEAR * count;
    },
    // The paper's. Where both tasks attend to all nodes about evenly it holds for every node, whatever the order.
    ratio: (facts, count, { layer, first, second }) => {
      const attentiveness = (node, task) => facts.attentiveness(node, layer, task);
      return (node) => {
        const [less, more] = d3.extent([first, second], (task) => attentiveness(node, task));
        return less >= SIMILAR * more;
      };
    },
  };

  /** How many nodes have near ranks on average if the ranks by one task are dealt to the nodes at random. */
  dotin.nearByChance = (a, b) => {
    const sorted = b.slice().sort(d3.ascending);
    const near = NEAR * b.length;
    return d3.sum(a, (rank) => d3.bisectRight(sorted, rank + near) - d3.bisectLeft(sorted, rank - near)) / b.length;
  };

  /** Spearman's correlation; NaN where one side does not vary. */
  dotin.rankCorrelation = (a, b) => {
    const mean = (a.length + 1) / 2;  // of shared ranks, too
    const product = (x, y) => d3.sum(x, (value, i) => (value - mean) * (y[i] - mean));
    return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
  };
})();

/** Fills `box` with the scatter, which follows the store; returns a function that gives it as SVG. */
dotin.scatter = (box, graph, facts, store) => {
  const SIZE = 420;
  const MARGIN = { top: 12, right: 12, bottom: 44, left: 60 };
  const inner = { x: SIZE - MARGIN.left - MARGIN.right, y: SIZE - MARGIN.top - MARGIN.bottom };
  const svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${SIZE} ${SIZE}`).attr("tabindex", 0)
    .attr("role", "application")
    .attr("aria-label", "Ranks of the nodes. Arrow keys walk over them, Enter selects one.");
  const plot = svg.append("g").attr("transform", `translate(${MARGIN.left},${MARGIN.top})`);
  const axes = { x: plot.append("g").attr("class", "x").attr("transform", `translate(0,${inner.y})`), y: plot.append("g").attr("class", "y") };
  const diagonal = plot.append("line").attr("class", "stroke quiet");
  const names = {
    x: plot.append("text").attr("x", inner.x / 2).attr("y", inner.y + 38).attr("text-anchor", "middle"),
    y: plot.append("text").attr("transform", `translate(-48,${inner.y / 2}) rotate(-90)`).attr("text-anchor", "middle"),
  };
  const brush = d3.brush().extent([[0, 0], [inner.x, inner.y]]);
  const brushed = plot.append("g").attr("class", "brush");
  const marks = plot.append("g");
  box.replaceChildren(svg.node());

  const AREA = Math.min(60, Math.max(14, 9000 / graph.nodes));
  const MOST_AREA = 900;
  let points = [];  // {nodes, x, y, round}: nodes of one place are one mark

  /** One task: every node at its place in the order and its attentiveness. */
  const inOrder = ({ layer, first }) => graph.layers[layer].nodes.slice()
    .sort((a, b) => facts.rank(a, layer, first) - facts.rank(b, layer, first) || a - b)
    .map((node, i) => ({ nodes: [node], x: i + 1, y: facts.attentiveness(node, layer, first), round: graph.departure[node] > layer }));

  /** Two tasks: a mark for every pair of ranks, with the nodes that share it. Large marks lie below small ones. */
  const byRanks = (state) => {
    const { layer, first, second, rule } = state;
    const { nodes } = graph.layers[layer];
    const alike = dotin.alikeRules[rule](facts, nodes.length, state);
    const places = new Map();
    for (const node of nodes) {
      const place = { nodes: [node], x: facts.rank(node, layer, first), y: facts.rank(node, layer, second), round: alike(node) };
      const key = `${place.x} ${place.y} ${place.round}`;
      if (places.has(key)) places.get(key).nodes.push(node);
      else places.set(key, place);
    }
    return [...places.values()].sort((a, b) => b.nodes.length - a.nodes.length);
  };

  const place = (state) => {
    const { layer, first, second } = state;
    const count = graph.layers[layer].nodes.length;
    const two = second !== null;
    points = two ? byRanks(state) : inOrder(state);
    const ranks = [1, Math.max(2, count)];
    const x = d3.scaleLinear(ranks, [0, inner.x]);
    const y = two ? d3.scaleLinear(ranks, [inner.y, 0])
      : d3.scaleLog(d3.extent(points, (point) => Math.max(point.y, 1e-12)), [inner.y, 0]).nice().clamp(true);
    axes.x.call(d3.axisBottom(x).ticks(Math.min(6, count), "d"));
    axes.y.call(two ? d3.axisLeft(y).ticks(Math.min(6, count), "d") : d3.axisLeft(y).ticks(4, dotin.number));
    names.x.text(two ? `rank by ${first} (1: most attentive)` : "order (1: most attentive; equal nodes by index)");
    names.y.text(two ? `rank by ${second}` : `attentiveness for ${first}`);
    diagonal.attr("x1", 0).attr("y1", inner.y).attr("x2", inner.x).attr("y2", two ? 0 : inner.y);
    for (const point of points) {
      point.px = x(point.x);
      point.py = y(point.y);
    }
    const symbol = d3.symbol().type(({ round }) => round ? d3.symbolCircle : d3.symbolDiamond)
      .size(({ nodes }) => Math.min(AREA * nodes.length, MOST_AREA));
    const mark = marks.selectAll("g").data(points, ({ nodes }) => nodes[0]).join((enter) => {
      const added = enter.append("g");
      added.append("path");
      added.append("text").attr("class", "count");
      added.append("title");
      return added;
    }).order();
    mark.attr("data-nodes", ({ nodes }) => nodes.join(" "))
      .attr("transform", ({ px, py }) => `translate(${px},${py})`)
      .on("mouseenter", ({ nodes }) => store.set({ hovered: nodes[0] }))
      .on("click", ({ nodes }) => {
        const more = d3.event.shiftKey || d3.event.ctrlKey || d3.event.metaKey;
        const { selected } = store.state;
        if (!more) store.set({ selected: new Set(nodes) });
        else if (nodes.every((node) => selected.has(node))) store.set({ selected: new Set([...selected].filter((node) => !nodes.includes(node))) });
        else store.set({ selected: new Set([...selected, ...nodes]) });
      });
    mark.select("path").attr("d", symbol);
    // How many share a place is said where they are many; the size of the mark says it of the others.
    const said = ({ nodes }) => nodes.length >= Math.max(2, count / 20);
    mark.select("text").text((point) => said(point) ? `×${point.nodes.length}` : "").attr("y", 4)
      .attr("x", ({ nodes, px }) => (px > inner.x - 40 ? -1 : 1) * (6 + Math.sqrt(Math.min(AREA * nodes.length, MOST_AREA) / 2)))
      .attr("text-anchor", ({ px }) => px > inner.x - 40 ? "end" : "start");
    mark.select("title").text(({ nodes }) => `${nodes.length === 1 ? "node" : "nodes"} ${dotin.listed(nodes, 12)}`);
  };
  const mark = ({ selected, hovered }) => {
    marks.selectAll("g").attr("class", ({ nodes, round }) => `point ${round ? "similar" : "apart"}` +
      (nodes.some((node) => selected.has(node)) ? " selected" : "") + (nodes.includes(hovered) ? " hovered" : ""));
    marks.selectAll(".selected, .hovered").raise();
  };

  brush.on("end", () => {
    if (!d3.event.sourceEvent) return;
    const area = d3.event.selection;
    if (!area) { store.set({ selected: new Set() }); return; }
    const [[left, top], [right, bottom]] = area;
    const inside = points.filter(({ px, py }) => px >= left && px <= right && py >= top && py <= bottom);
    brushed.call(brush.move, null);
    store.set({ selected: new Set(inside.flatMap(({ nodes }) => nodes)) });
  });
  brushed.call(brush);
  svg.node().addEventListener("keydown", dotin.nodeKeys(graph, facts, store));
  store.follow((state, before) => {
    if (["layer", "first", "second", "rule"].some((key) => state[key] !== before[key])) place(state);
    mark(state);
  });
  place(store.state);
  mark(store.state);
  return () => dotin.chartSvg(svg.node());
};
