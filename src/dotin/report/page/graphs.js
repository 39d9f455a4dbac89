// The page of some graphs: which nodes each task looked at, which left in which layer, and what they were merged into.
(() => {
  const { model, graphs } = dotin.data;
  const tasks = model.tasks.map(({ name }) => name);
  const PLAY_SECONDS = 1.3;
  const TABLE_ROWS = 12;
  const ALIKE_PERCENT = 10;  // a task whose attention differs by less has no preference

  /** "leaves in layer 2", in words. Layers count from 1 for people. */
  const departureText = (graph, node) => {
    const layer = graph.departure[node];
    return layer >= graph.layers.length ? "stays to the end" : `leaves in layer ${layer + 1}`;
  };
  const labelText = (graph, node) => Object.values(graph.labels).map((values) => values[node]).join(", ");

  dotin.nodeTip = (graph, facts, { layer, task }, node) => {
    const spoken = facts.spokenOf(node, layer);
    const label = labelText(graph, node);
    return `node ${node}${label ? ` (${label})` : ""}: attentiveness ${dotin.number(facts.attentiveness(node, spoken, task))}, ` +
      `rank ${dotin.number(facts.rank(node, spoken, task))} for ${task}; ${departureText(graph, node)}`;
  };

  /** What the model said, beside what the data says. */
  const answers = (graph) => {
    const show = (value) => Array.isArray(value) ? value.map(dotin.number).join(", ") : dotin.number(value);
    const predicted = ({ predicted: { label, value, probabilities, embedding } }) => {
      if (label !== undefined) return `${label} (${dotin.number(100 * Math.max(...probabilities))}%)`;
      if (value !== undefined) return show(value);
      if (probabilities) return probabilities.map((p) => `${dotin.number(100 * p)}%`).join(", ");
      return `an embedding of ${embedding.length} numbers`;
    };
    const verdict = ({ true: truth, predicted: { label } }) => {
      if (truth === null || label === undefined) return "";
      const right = truth === label;
      return dotin.element("span", { class: right ? "good" : "bad" }, right ? "✓ right" : "✗ wrong");
    };
    return dotin.table("", ["task", "true", "predicted", ""], tasks.map((name) => {
      const task = graph.tasks[name];
      return [name, task.predicted.embedding ? "none: it learns distances" : task.true === null ? "unknown" : show(task.true), predicted(task), verdict(task)];
    }), [1, 2, 3]);
  };

  const details = (box, graph, facts, store) => {
    const about = ({ hovered, selected, layer }) => {
      const node = hovered !== null ? hovered : selected.size === 1 ? [...selected][0] : null;
      if (node === null) {
        return [dotin.element("p", { class: "muted" },
          "Point at a node, or walk over the nodes with the arrow keys. Click to select; Shift-click adds; drag over the ranks to select many.")];
      }
      const spoken = facts.spokenOf(node, layer);
      const list = dotin.element("dl");
      const row = (name, value) => list.append(dotin.element("dt", {}, name), dotin.element("dd", {}, value));
      for (const [column, values] of Object.entries(graph.labels)) row(column, values[node]);
      if (graph.attributes.length) row("attributes", dotin.listed(graph.attributes[node].map(dotin.number), 24));
      row("degree", String(facts.degrees[node]));
      for (const [target, nodes] of facts.planted) if (nodes.has(node)) row("planted", `decides ${target}`);
      const into = facts.mergedOf(graph.departure[node]);
      row("departure", departureText(graph, node) + (into ? `, into a merged node of ${into.stands_for.length}` : ""));
      const score = facts.score(node, spoken);
      const tied = facts.tiedAtCut(spoken);
      if (score !== undefined) {
        row("drop score", `${dotin.number(score)} of all tasks together, in layer ${spoken + 1}: the lowest leave` +
          (tied.includes(node) ? `, and of the ${tied.length} equal ones here those of higher index` : ""));
      }
      return [dotin.element("h2", { id: "node" }, `Node ${node}`), list,
        dotin.table(`In layer ${spoken + 1}, of ${dotin.counted(graph.layers[spoken].nodes.length, "node")}`,
          ["task", "attentiveness", "rank"],
          tasks.map((task) => [task, dotin.number(facts.attentiveness(node, spoken, task)), dotin.number(facts.rank(node, spoken, task))]))];
    };
    const show = () => box.replaceChildren(...about(store.state));
    store.follow(show);
    show();
  };

  const nodeTable = (box, graph, facts, store) => {
    const show = () => {
      const { layer, task, selected } = store.state;
      const byRank = (nodes) => nodes.slice().sort((a, b) =>
        facts.spokenOf(b, layer) - facts.spokenOf(a, layer) ||
        facts.rank(a, facts.spokenOf(a, layer), task) - facts.rank(b, facts.spokenOf(b, layer), task));
      const nodes = selected.size ? [...selected] : graph.layers[layer].nodes;
      const rows = byRank(nodes).slice(0, TABLE_ROWS);
      const caption = selected.size
        ? `${dotin.counted(selected.size, "selected node")}${selected.size > TABLE_ROWS ? `, the first ${TABLE_ROWS}` : ""}`
        : `The ${rows.length} nodes of layer ${layer + 1} that ${task} is most attentive to`;
      const table = dotin.table(caption, ["node", "label", ...tasks.flatMap((name) => [name, "rank"]), "departure"],
        rows.map((node) => {
          const spoken = facts.spokenOf(node, layer);
          return [dotin.element("button", { class: "link", "data-node": node, "aria-pressed": String(selected.has(node)),
            click: () => store.set({ selected: dotin.toggled(selected, node), hovered: node }) }, `${node}`),
            labelText(graph, node),
            ...tasks.flatMap((name) => [dotin.number(facts.attentiveness(node, spoken, name)), dotin.number(facts.rank(node, spoken, name))]),
            departureText(graph, node)];
        }), [1, 2 + 2 * tasks.length]);
      box.replaceChildren(table, ...(selected.size
        ? [dotin.element("button", { id: "clear", click: () => store.set({ selected: new Set() }) }, "Clear selection")] : []));
    };
    store.follow((state, before) => {
      if (["layer", "task", "selected"].some((key) => state[key] !== before[key])) show();
    });
    show();
  };

  /** What the merged nodes of the layer stand for. */
  const mergedList = (box, graph, facts, store) => {
    const show = () => {
      const { layer } = store.state;
      const merged = facts.mergedIn(layer);
      if (!merged.length) {
        box.replaceChildren(dotin.element("p", { class: "muted" }, model.merge ? "No node has been merged before this layer."
          : "This model does not merge: dropped nodes are gone."));
        return;
      }
      box.replaceChildren(...merged.map((node) => {
        const labels = d3.nest().key((member) => labelText(graph, member)).rollup((members) => members.length)
          .entries(node.stands_for).sort((a, b) => b.value - a.value);
        const composition = Object.keys(graph.labels).length
          ? ` (${dotin.listed(labels.map(({ key, value }) => `${value} × ${key}`), 6)})` : "";
        return dotin.element("p", {},
          `Made in layer ${node.layer + 1}, stands for ${dotin.counted(node.stands_for.length, "node")}${composition}: ` +
          `${dotin.listed(node.stands_for, 30)}. `,
          dotin.element("button", { class: "link", "data-merged": node.layer,
            click: () => store.set({ selected: new Set(node.stands_for) }) }, "Select them"));
      }));
    };
    store.follow((state, before) => { if (state.layer !== before.layer) show(); });
    show();
  };

  const layerControl = (graph, store) => {
    const count = graph.layers.length;
    const says = (layer) => {
      const { nodes, dropped, merged } = graph.layers[layer];
      const made = graph.merged.some((node) => node.layer === layer);
      const also = merged.length ? ` and ${dotin.counted(merged.length, "merged node")}` : "";
      const leave = dropped.length ? `${dotin.number(dropped.length)} leave${made ? ", merged into one" : ""}` : "none leaves";
      return `Layer ${layer + 1} of ${count}: ${dotin.counted(nodes.length, "node")}${also} enter, ${leave}`;
    };
    const slider = dotin.element("input", { type: "range", id: "layer", min: "1", max: String(count), value: "1", step: "1",
      "aria-label": "Layer", input: () => store.set({ layer: Number(slider.value) - 1 }) });
    const output = dotin.element("output", { for: "layer", "aria-live": "polite" });
    let timer = null;
    const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
    const play = dotin.element("button", { id: "play", click: () => {
      if (timer) { stop(); return; }
      play.textContent = "Pause";
      if (store.state.layer === count - 1) store.set({ layer: 0 });
      timer = setInterval(() => {
        store.set({ layer: store.state.layer + 1 });
        if (store.state.layer === count - 1) stop();
      }, 1000 * PLAY_SECONDS);
    } }, "Play");
    const show = ({ layer }) => {
      slider.value = String(layer + 1);
      output.textContent = says(layer);
      slider.setAttribute("aria-valuetext", says(layer));
    };
    store.follow(show);
    show(store.state);
    return [dotin.element("div", { class: "layer" }, slider, output), ...(count > 1 ? [play] : [])];
  };

  /** What the colours cannot show: that a task prefers no node, and that the index decided who leaves. */
  const notes = (graph, facts, { layer, task }) => {
    const { nodes, dropped } = graph.layers[layer];
    const [least, most] = d3.extent(nodes, (node) => facts.attentiveness(node, layer, task));
    const percent = 100 * (most / least - 1);
    const apart = percent < 0.1 ? "by less than 0.1%" : `by ${Number(percent.toPrecision(1))}%`;
    const tied = facts.tiedAtCut(layer);
    const leave = tied.filter((node) => dropped.includes(node)).length;
    const stay = tied.length - leave;
    return [
      ...(nodes.length > 1 && percent < ALIKE_PERCENT ? [`No preference: in this layer attention for ${task} differs ${apart}.`] : []),
      ...(tied.length ? [`Chosen by index: of ${tied.length} nodes with equal drop scores the first ${stay === 1 ? "stays" : `${stay} stay`}, ${leave === 1 ? "the last leaves" : `the other ${leave} leave`}.`] : []),
    ];
  };
  const noteList = (graph, facts, store) => {
    const box = dotin.element("div", { id: "notes", "aria-live": "polite" });
    const show = () => box.replaceChildren(...notes(graph, facts, store.state).map((note) => dotin.element("p", {}, note)));
    store.follow((state, before) => { if (state.layer !== before.layer || state.task !== before.task) show(); });
    show();
    return box;
  };

  const mark = (draw) => {
    const svg = d3.create("svg").attr("width", 18).attr("height", 16).attr("aria-hidden", "true");
    draw(svg);
    return svg.node();
  };
  const drawingLegend = (graph, facts, store) => {
    const box = dotin.element("div", { class: "legend" });
    const symbol = (type, filled, stroke = "ink") => mark((svg) => svg.append("path").attr("transform", "translate(9,8)")
      .attr("d", d3.symbol().type(type).size(filled ? 80 : 36)()).attr("fill", filled ? "var(--edge)" : "var(--panel)")
      .attr("stroke", `var(--${stroke})`));
    const show = () => {
      const { layer, task } = store.state;
      const values = graph.layers[layer].nodes.map((node) => facts.attentiveness(node, layer, task));
      const { least, most, position, paint } = dotin.attentivenessColours(values);
      const shade = d3.scaleLinear([0, 21], [position(least), position(most)]);
      const scale = d3.create("svg").attr("width", 110).attr("height", 14).attr("aria-hidden", "true");
      scale.selectAll("rect").data(d3.range(22)).join("rect").attr("x", (i) => 5 * i).attr("width", 5.2).attr("height", 14)
        .attr("fill", (i) => paint(shade(i)));
      const item = (picture, text) => dotin.element("span", {}, picture, text);
      box.replaceChildren(
        dotin.element("span", {}, `attentiveness ${dotin.number(least)}`, scale.node(), `${dotin.number(most)} (larger: more)`),
        item(symbol(d3.symbolCircle, true), "stays"), item(symbol(d3.symbolDiamond, true), "leaves in this layer"),
        item(symbol(d3.symbolCircle, false), "has left"),
        ...(model.merge ? [item(symbol(d3.symbolSquare, true), "merged, with how many it stands for")] : []),
        ...(facts.planted.size ? [item(symbol(d3.symbolCircle, false, "accent"), "ring: planted for this task")] : []),
        item(symbol(d3.symbolCircle, false, "select"), "ring: selected"));
    };
    store.follow((state, before) => { if (state.layer !== before.layer || state.task !== before.task) show(); });
    document.addEventListener("theme", show);
    show();
    return box;
  };

  const RULES = {
    ranks: { label: "ranks", alike: "ranks at most a tenth of the nodes apart", apart: "ranks further apart" },
    ratio: { label: "the paper's ratio", alike: "the smaller attentiveness is at least a quarter of the larger", apart: "matters to one, less to the other" },
  };
  const signed = (value) => Number.isNaN(value) ? "unknown" : value.toFixed(2).replace("-", "−");
  const scatterPanel = (graph, facts, store) => {
    const box = dotin.element("div");
    const save = dotin.scatter(box, graph, facts, store);
    const two = store.state.second !== null;
    const symbol = (classes, type, text) => dotin.element("span", {}, mark((svg) => svg.attr("class", "chart").style("width", "18px")
      .append("path").attr("class", classes).attr("transform", "translate(9,8)").attr("d", d3.symbol().type(type).size(60)())), text);
    const pick = (key, label) => dotin.element("label", {}, `${label} `, dotin.element("select", { id: key,
      change: (event) => store.set({ [key]: event.target.value }) },
      ...tasks.map((task) => dotin.element("option", { value: task, selected: task === store.state[key] }, task))));
    const legend = dotin.element("div", { class: "legend" });
    const counts = dotin.element("p", { class: "muted legend", id: "alike" });
    const show = () => {
      const { layer, first, second, rule } = store.state;
      const { nodes } = graph.layers[layer];
      const [a, b] = [first, second].map((task) => nodes.map((node) => facts.rank(node, layer, task)));
      const alike = nodes.filter(dotin.alikeRules[rule](facts, nodes.length, store.state)).length;
      legend.replaceChildren(symbol("similar", d3.symbolCircle, `alike to both: ${RULES[rule].alike}`), symbol("apart", d3.symbolDiamond, RULES[rule].apart));
      counts.textContent = `${alike} of ${dotin.counted(nodes.length, "node")} ${alike === 1 ? "is" : "are"} alike` +
        (rule === "ranks" ? `; ${dotin.number(Number(dotin.nearByChance(a, b).toPrecision(2)))} would be if the ranks had nothing to do with each other` : "") +
        `. Rank correlation: ${signed(dotin.rankCorrelation(a, b))}.`;
    };
    if (two) {
      store.follow((state, before) => { if (["layer", "first", "second", "rule"].some((key) => state[key] !== before[key])) show(); });
      show();
    } else {
      legend.append(symbol("similar", d3.symbolCircle, "stays"), symbol("apart", d3.symbolDiamond, "leaves in this layer"));
    }
    return dotin.panel(two ? "Ranks by task" : "Attentiveness by rank",
      { save: dotin.saveButton(`${model.dataset}-${graph.graph}-ranks`, save) },
      ...(two ? [dotin.element("div", { class: "bar" }, ...(tasks.length > 2 ? [pick("first", "across"), pick("second", "up")] : []),
        dotin.choice("Alike by", "rule", Object.entries(RULES).map(([value, { label }]) => ({ value, label })), store.state.rule,
          (rule) => store.set({ rule })))] : []),
      box, legend, ...(two ? [counts] : []));
  };

  const show = (graph) => {
    const facts = dotin.facts(graph);
    const store = dotin.store({ layer: 0, task: tasks[0], first: tasks[0], second: tasks[1] ?? null, rule: "ranks", selected: new Set(), hovered: null });
    const [about, picture, node, table, merged] = ["div", "div", "div", "div", "div"].map((tag) => dotin.element(tag));
    picture.className = "drawing";
    node.setAttribute("aria-live", "polite");
    node.id = "details";
    table.id = "nodes";
    merged.id = "merged";
    about.append(answers(graph));
    let save = () => "";
    body.replaceChildren(
      dotin.element("div", { class: "panel" }, dotin.element("div", { class: "bar" },
        ...(tasks.length > 1 ? [dotin.choice("Task", "task", tasks.map((name) => ({ value: name, label: name })), tasks[0],
          (task) => store.set({ task }))] : []),
        ...layerControl(graph, store)), noteList(graph, facts, store)),
      dotin.element("div", { class: "columns" },
        dotin.element("div", { class: "stack" },
          dotin.panel(`Graph ${graph.graph}${graph.id ? ` (${graph.id})` : ""}: ${dotin.counted(graph.nodes, "node")}, ${dotin.counted(graph.edges.length, "edge")}`,
            { save: dotin.saveButton(`${model.dataset}-${graph.graph}`, () => save()) },
            picture, drawingLegend(graph, facts, store),
            dotin.element("p", { class: "muted legend" }, "Drag to move, Ctrl and wheel to zoom, 0 to see all.")),
          dotin.panel("Nodes", { classes: "last" }, table)),
        dotin.element("div", { class: "stack" },
          dotin.element("section", { class: "panel", "aria-label": "Prediction" }, about),
          dotin.element("section", { class: "panel", "aria-label": "Node" }, node),
          scatterPanel(graph, facts, store),
          dotin.panel("What merged nodes stand for", { classes: "last" }, merged))));
    details(node, graph, facts, store);
    nodeTable(table, graph, facts, store);
    mergedList(merged, graph, facts, store);
    save = dotin.drawing(picture, graph, facts, store);
  };

  const body = dotin.element("div");
  const header = dotin.header(`Which nodes mattered in ${model.dataset}`, dotin.aboutModel());
  if (graphs.length > 1) {
    header.insertBefore(dotin.element("label", {}, "Graph ", dotin.element("select", { id: "graph",
      change: (event) => show(graphs[Number(event.target.value)]) },
      ...graphs.map((graph, i) => dotin.element("option", { value: String(i) }, graph.id ? `${graph.graph} (${graph.id})` : `${graph.graph}`)))),
      header.lastChild);
  }
  document.getElementById("page").append(header, body);
  show(graphs[0]);
})();
