// The drawing of a graph: a list of shapes for the state shown, painted on a canvas (which stays quick with thousands of
// nodes) or written as SVG.

/** Looks up what each layer says of a node. */
dotin.facts = (graph) => {
  const places = graph.layers.map((layer) => new Map(layer.nodes.map((node, i) => [node, i])));
  const last = graph.layers.length - 1;
  const degrees = new Int32Array(graph.nodes);
  for (const [u, v] of graph.edges) { ++degrees[u]; ++degrees[v]; }
  const planted = new Map(Object.entries(graph.planted || {}).map(([target, nodes]) => [target, new Set(nodes)]));
  return {
    degrees,
    last,
    planted,
    entered: (node, layer) => places[layer].has(node),
    /** The layer that says most about a node: the one shown, or the last it entered. */
    spokenOf: (node, layer) => Math.min(layer, graph.departure[node], last),
    attentiveness: (node, layer, task) => graph.layers[layer].attentiveness[task][places[layer].get(node)],
    rank: (node, layer, task) => graph.layers[layer].rank[task][places[layer].get(node)],
    score: (node, layer) => graph.layers[layer].score[places[layer].get(node)],
    /** Nodes whose drop scores are equal where the layer cuts, of which the lower indices stay (docs/method.md, step 5). */
    tiedAtCut: (layer) => {
      const { nodes, kept, dropped, score } = graph.layers[layer];
      if (dotin.data.model.drop !== "dotin" || !dropped.length || !kept.length) return [];
      const order = d3.range(nodes.length).sort((a, b) => score[b] - score[a]);
      const tolerance = 1e-6 * d3.max(score, Math.abs);
      const tied = (i) => score[order[i - 1]] - score[order[i]] <= tolerance;
      let first = kept.length, last = kept.length;
      while (first > 0 && tied(first)) --first;
      while (last < order.length && tied(last)) ++last;
      return first < kept.length ? order.slice(first, last).map((i) => nodes[i]) : [];
    },
    mergedOf: (layer) => graph.merged.find((merged) => merged.layer === layer),
    /** The merged nodes that enter a layer. */
    mergedIn: (layer) => graph.merged.filter((merged) => graph.layers[layer].merged.includes(merged.layer)),
  };
};

/** Colours for attentiveness on a log scale, two- to a thousandfold wide: what stands out is darker on white, lighter on
    black. A narrower range takes the middle of the palette only, so that nodes which are nearly alike look alike. */
dotin.attentivenessColours = (values) => {
  const most = Math.max(d3.max(values), 1e-300);
  const least = Math.max(d3.min(values), most / 1000);
  const beyond = Math.max(1, Math.sqrt(2 * least / most));
  const position = d3.scaleLog([least / beyond, most * beyond], [0, 1]).clamp(true);
  const paint = dotin.dark() ? (t) => d3.interpolateViridis(0.25 + 0.75 * t) : (t) => d3.interpolateViridis(0.92 - 0.85 * t);
  return { least, most, position, paint, colour: (value) => paint(position(value)) };
};

const SHAPES = {
  circle: (pen, x, y, r) => { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI); },
  diamond: (pen, x, y, r) => {
    pen.moveTo(x, y - 1.3 * r); pen.lineTo(x + 1.3 * r, y); pen.lineTo(x, y + 1.3 * r); pen.lineTo(x - 1.3 * r, y);
    pen.closePath();
  },
  square: (pen, x, y, r) => { pen.rect(x - r, y - r, 2 * r, 2 * r); },
};

/** Shapes of a graph in one state. Positions are those of the layout, radii those on the screen. */
dotin.scene = (graph, facts, positions, base, { layer, task, selected }, leaving = null) => {
  const now = graph.layers[layer];
  const values = now.nodes.map((node) => facts.attentiveness(node, layer, task));
  const colours = dotin.attentivenessColours(values);
  const [ink, edge, select, panel, accent] = ["ink", "edge", "select", "panel", "accent"].map(dotin.colour);
  const centre = (nodes) => ({ x: d3.mean(nodes, (node) => positions[node].x), y: d3.mean(nodes, (node) => positions[node].y) });
  const shapes = [];

  const faint = { stroke: edge, width: 0.6, alpha: 0.28 };
  const plain = { stroke: edge, width: 1, alpha: 0.85 };
  for (const [style, wanted] of [[faint, false], [plain, true]]) {
    for (const [u, v] of graph.edges) {
      if ((facts.entered(u, layer) && facts.entered(v, layer)) === wanted) {
        shapes.push({ line: true, from: positions[u], to: positions[v], ...style });
      }
    }
  }
  const merged = facts.mergedIn(layer).map((node) => ({ node, at: centre(node.stands_for) }));
  for (const { node, at } of merged) {
    const within = new Set(node.stands_for);
    const touched = new Set();
    for (const [u, v] of graph.edges) {
      if (within.has(u) && facts.entered(v, layer)) touched.add(v);
      if (within.has(v) && facts.entered(u, layer)) touched.add(u);
    }
    for (const other of touched) shapes.push({ line: true, from: at, to: positions[other], stroke: ink, width: 0.8, alpha: 0.35, dash: [3, 3] });
  }

  const planted = facts.planted.get(dotin.data.model.tasks.find(({ name }) => name === task).target) || new Set();
  for (let node = 0; node < graph.nodes; ++node) {
    const at = positions[node];
    const present = facts.entered(node, layer);
    let r = 0.4 * base;
    if (present) {
      const value = facts.attentiveness(node, layer, task);
      r = base * (0.6 + 0.8 * colours.position(value));
      shapes.push({ shape: graph.departure[node] === layer ? "diamond" : "circle", at, r, fill: colours.colour(value), stroke: ink, width: 0.7, alpha: 1 });
    } else {
      shapes.push({ shape: "circle", at, r, fill: panel, stroke: edge, width: 0.8, alpha: 0.8 });
    }
    if (planted.has(node)) shapes.push({ shape: "circle", at, r: r + 0.45 * base, stroke: accent, width: 1.6, alpha: 1 });
    if (selected.has(node)) shapes.push({ shape: "circle", at, r: r + 0.6 * base, stroke: select, width: 2.4, alpha: 1 });
  }
  // On their way into the merged node: `leaving` has the nodes, where they go, and how far they are (0 to 1).
  if (leaving) {
    for (const node of leaving.nodes) {
      const from = positions[node];
      const at = leaving.to ? { x: from.x + (leaving.to.x - from.x) * leaving.t, y: from.y + (leaving.to.y - from.y) * leaving.t } : from;
      shapes.push({ shape: "diamond", at, r: base * (1 - 0.6 * leaving.t), fill: edge, stroke: ink, width: 0.7, alpha: 1 - leaving.t });
    }
  }
  merged.forEach(({ node, at }) => {
    const value = now.merged_attentiveness[task][now.merged.indexOf(node.layer)];
    const r = Math.min(3.2 * base, base * (1.2 + 0.25 * Math.sqrt(node.stands_for.length)));
    shapes.push({ shape: "square", at, r, fill: colours.colour(value), stroke: ink, width: 2, alpha: 1, merged: node });
    shapes.push({ text: String(node.stands_for.length), at, dy: -r - 5, fill: ink, halo: panel });
  });
  return { shapes, colours, centre };
};

const paint = (pen, shapes, transform) => {
  const place = (at) => transform.apply([at.x, at.y]);
  for (let i = 0; i < shapes.length;) {
    const first = shapes[i];
    pen.globalAlpha = first.alpha ?? 1;
    pen.strokeStyle = first.stroke || "none";
    pen.lineWidth = first.width || 1;
    pen.setLineDash(first.dash || []);
    pen.beginPath();
    if (first.line) {
      // Lines of one style are one path: thousands of strokes would take most of the time.
      for (; i < shapes.length && shapes[i].line && shapes[i].alpha === first.alpha && shapes[i].dash === first.dash; ++i) {
        pen.moveTo(...place(shapes[i].from));
        pen.lineTo(...place(shapes[i].to));
      }
      pen.stroke();
      continue;
    }
    ++i;
    const [x, y] = place(first.at);
    if (first.text) {
      pen.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
      pen.textAlign = "center";
      pen.lineWidth = 3;
      pen.strokeStyle = first.halo;
      pen.strokeText(first.text, x, y + first.dy);
      pen.fillStyle = first.fill;
      pen.fillText(first.text, x, y + first.dy);
      continue;
    }
    SHAPES[first.shape](pen, x, y, first.r);
    if (first.fill) { pen.fillStyle = first.fill; pen.fill(); }
    pen.stroke();
  }
};

/** The same shapes as the text of an SVG file. */
const sceneSvg = (shapes, transform, width, height, title) => {
  const svg = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("viewBox", `0 0 ${width} ${height}`)
    .attr("width", width).attr("height", height);
  svg.append("title").text(title);
  for (const shape of shapes) {
    if (shape.line) {
      const [[x1, y1], [x2, y2]] = [shape.from, shape.to].map(({ x, y }) => transform.apply([x, y]));
      svg.append("line").attr("x1", x1).attr("y1", y1).attr("x2", x2).attr("y2", y2)
        .attr("stroke", shape.stroke).attr("stroke-width", shape.width).attr("opacity", shape.alpha)
        .attr("stroke-dasharray", shape.dash ? shape.dash.join(" ") : null);
      continue;
    }
    const [x, y] = transform.apply([shape.at.x, shape.at.y]);
    if (shape.text) {
      svg.append("text").attr("x", x).attr("y", y + shape.dy).attr("text-anchor", "middle").attr("font-size", 12)
        .attr("font-family", "sans-serif").attr("font-weight", 600).attr("fill", shape.fill).text(shape.text);
      continue;
    }
    const path = d3.path();
    SHAPES[shape.shape](path, x, y, shape.r);
    svg.append("path").attr("d", path.toString()).attr("fill", shape.fill || "none").attr("stroke", shape.stroke)
      .attr("stroke-width", shape.width).attr("opacity", shape.alpha);
  }
  return new XMLSerializer().serializeToString(svg.node());
};

/** The arrow keys walk over nodes: left and right by index, up and down by rank; Enter selects, Escape clears. */
dotin.nodeKeys = (graph, facts, store) => (event) => {
  const { layer, task, hovered, selected } = store.state;
  const order = event.key === "ArrowUp" || event.key === "ArrowDown"
    ? graph.layers[layer].nodes.slice().sort((a, b) => facts.rank(a, layer, task) - facts.rank(b, layer, task))
    : d3.range(graph.nodes);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const at = order.indexOf(hovered);
    store.set({ hovered: order[at < 0 ? 0 : (at + step + order.length) % order.length] });
  } else if ((event.key === "Enter" || event.key === " ") && hovered !== null) {
    store.set({ selected: dotin.toggled(selected, hovered) });
  } else if (event.key === "Escape") {
    store.set({ selected: new Set(), hovered: null });
  } else {
    return;
  }
  event.preventDefault();
};

dotin.toggled = (set, item) => {
  const result = new Set(set);
  if (!result.delete(item)) result.add(item);
  return result;
};

/** Fills `box` with the drawing, which follows the store; returns a function that gives it as SVG. */
dotin.drawing = (box, graph, facts, store) => {
  const canvas = dotin.element("canvas", { tabindex: "0", role: "application",
    "aria-label": `Drawing of graph ${graph.graph}. Arrow keys walk over its nodes, Enter selects one, plus and minus zoom.` });
  const ring = dotin.element("div", { class: "ring", hidden: true });
  const tip = dotin.element("div", { class: "tip", hidden: true });
  box.replaceChildren(canvas, ring, tip);

  const MARGIN = 26;
  const LINK = 30;  // about the length of an edge in the layout
  const ANIMATED_NODES = 2500;
  const positions = dotin.layout(graph.nodes, graph.edges);
  const [left, right] = d3.extent(positions, ({ x }) => x);
  const [top, bottom] = d3.extent(positions, ({ y }) => y);
  const shape = (bottom - top + 2 * LINK) / (right - left + 2 * LINK);
  let width = 0, height = 0, base = 6;
  let transform = d3.zoomIdentity;
  let fit = d3.zoomIdentity;
  let tree = null;  // of what can be pointed at, in layout coordinates
  let frame = 0;
  let leaving = null;

  const whole = () => {
    const scale = Math.min((width - 2 * MARGIN) / Math.max(right - left, 1), (height - 2 * MARGIN) / Math.max(bottom - top, 1), 2.2);
    return d3.zoomIdentity.translate(width / 2 - scale * (left + right) / 2, height / 2 - scale * (top + bottom) / 2).scale(scale);
  };
  const scene = () => dotin.scene(graph, facts, positions, base, store.state, leaving);

  const draw = () => {
    frame = 0;
    const pen = canvas.getContext("2d");
    const density = canvas.width / width;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { shapes } = scene();
    paint(pen, shapes, transform);
    tree = d3.quadtree(shapes.filter(({ merged }) => merged).map(({ at, merged }) => ({ ...at, merged }))
      .concat(positions.map(({ x, y }, node) => ({ x, y, node }))), ({ x }) => x, ({ y }) => y);
    const { hovered } = store.state;
    ring.hidden = hovered === null;
    if (hovered !== null) {
      const [x, y] = transform.apply([positions[hovered].x, positions[hovered].y]);
      ring.style.left = `${x}px`;
      ring.style.top = `${y}px`;
    }
  };
  const redraw = () => { frame ||= requestAnimationFrame(draw); };

  const zoom = d3.zoom().scaleExtent([0.02, 40]).on("zoom", () => { transform = d3.event.transform; redraw(); });
  // A wheel that turns over the drawing scrolls the page, unless Ctrl (or a pinch) says that zooming is meant.
  zoom.filter(() => !d3.event.button && (d3.event.type !== "wheel" || d3.event.ctrlKey));
  d3.select(canvas).call(zoom).on("dblclick.zoom", null);

  const resize = () => {
    const untouched = transform.toString() === fit.toString();
    width = box.clientWidth;
    height = Math.min(640, Math.max(260, width * Math.min(1, shape)));
    box.style.height = `${height}px`;
    canvas.width = Math.round(width * window.devicePixelRatio);
    canvas.height = Math.round(height * window.devicePixelRatio);
    fit = whole();
    base = Math.min(8, Math.max(1.8, 0.26 * LINK * fit.k));
    if (untouched) d3.select(canvas).call(zoom.transform, fit);
    draw();
  };
  new ResizeObserver(resize).observe(box);

  const pointed = () => {
    const [x, y] = transform.invert(d3.mouse(canvas));
    return tree.find(x, y, 14 / transform.k) || null;
  };
  d3.select(canvas)
    .on("mousemove", () => {
      const found = pointed();
      const [x, y] = d3.mouse(canvas);
      tip.hidden = !found;
      if (found) {
        tip.textContent = found.merged
          ? `merged node: stands for ${found.merged.stands_for.length} nodes (${dotin.listed(found.merged.stands_for, 8)})`
          : dotin.nodeTip(graph, facts, store.state, found.node);
        tip.style.left = `${Math.min(x + 14, Math.max(0, width - 230))}px`;
        tip.style.top = `${y + 14}px`;
      }
      const node = found && !found.merged ? found.node : null;
      if (node !== store.state.hovered) store.set({ hovered: node });
    })
    .on("mouseleave", () => { tip.hidden = true; })
    .on("click", () => {
      const found = pointed();
      const more = d3.event.shiftKey || d3.event.ctrlKey || d3.event.metaKey;
      const { selected } = store.state;
      if (!found) store.set({ selected: more ? selected : new Set() });
      else if (found.merged) store.set({ selected: new Set([...(more ? selected : []), ...found.merged.stands_for]) });
      else store.set({ selected: more ? dotin.toggled(selected, found.node) : new Set([found.node]) });
    })
    .on("keydown.zoom", () => {
      const by = { "+": 1.4, "=": 1.4, "-": 1 / 1.4 }[d3.event.key];
      if (by) d3.select(canvas).call(zoom.scaleBy, by);
      if (d3.event.key === "0") d3.select(canvas).call(zoom.transform, fit);
    });
  canvas.addEventListener("keydown", dotin.nodeKeys(graph, facts, store));

  const animate = (from, to) => {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || graph.nodes > ANIMATED_NODES;
    const first = Math.min(from, to);
    const nodes = d3.range(graph.nodes).filter((node) => graph.departure[node] >= first && graph.departure[node] < Math.max(from, to));
    if (still || nodes.length === 0) return;
    const merged = facts.mergedIn(Math.max(from, to)).slice(-1)[0];
    const goal = merged ? { x: d3.mean(merged.stands_for, (n) => positions[n].x), y: d3.mean(merged.stands_for, (n) => positions[n].y) } : null;
    const timer = d3.timer((elapsed) => {
      const t = Math.min(1, elapsed / 600);
      const eased = d3.easeCubicInOut(to > from ? t : 1 - t);
      leaving = t < 1 && store.state.layer === to ? { nodes, to: goal, t: eased } : null;
      redraw();
      if (!leaving) timer.stop();
    });
  };
  store.follow((state, before) => {
    if (state.layer !== before.layer) animate(before.layer, state.layer);
    redraw();
  });
  document.addEventListener("theme", redraw);
  resize();
  return () => sceneSvg(scene().shapes, transform, width, height, `Graph ${graph.graph} of ${dotin.data.model.dataset}`);
};
