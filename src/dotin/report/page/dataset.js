// The page of a dataset: which nodes are kept more often than chance, how much the tasks agree, where nodes leave, and
// whether explanations can be believed.
(() => {
  const { model, summary, verification } = dotin.data;
  const CHART_ROWS = 24;
  const CERTAIN = 2;  // standard deviations beyond which a difference is drawn as one

  const TAKEN = ["kept", "dropped", "random"];

  const signed = (value) => `${value > 0 ? "+" : ""}${dotin.number(value)}`;

  const retentionPanel = () => {
    const chart = dotin.element("div");
    const tables = dotin.element("div");
    let shown = summary.retention[0];
    const labelled = ({ column, value }) => shown.labels.some((label) => label.column !== column) ? `${column} ${value}` : value;
    const show = () => {
      const { labels, numbers } = shown;
      const strongest = labels.slice().sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, CHART_ROWS)
        .sort((a, b) => b.kept / b.expected - a.kept / a.expected);
      const positive = strongest.filter(({ kept, expected }) => kept > 0 && expected > 0);
      const rows = positive.map((label) => ({ label: labelled(label), value: label.kept / label.expected,
        text: `${dotin.number(label.kept / label.expected)}×`, quiet: Math.abs(label.z) < CERTAIN }));
      chart.replaceChildren(...(rows.length ? [dotin.charts.bars("Nodes kept by label, as a multiple of chance", rows, { from: 1, log: true })] : []));
      tables.replaceChildren(
        ...(labels.length ? [dotin.element("details", {}, dotin.element("summary", {}, `All ${labels.length} labels in numbers`),
          dotin.table("z: difference in standard deviations of chance", ["label", "nodes", "kept", "by chance", "times", "z"],
            labels.slice().sort((a, b) => b.z - a.z).map((label) => [labelled(label), dotin.number(label.nodes), dotin.number(label.kept),
              dotin.number(label.expected), dotin.number(label.kept / label.expected), signed(label.z)])))] : []),
        dotin.table("Means over the nodes kept, against chance", ["number", "kept", "by chance", "z"],
          numbers.map((number) => [number.name, dotin.number(number.kept_mean), dotin.number(number.expected_mean), signed(number.z)])));
    };
    show();
    const options = summary.retention.map(({ task }, i) => ({ value: String(i), label: task === null ? "all together" : task }));
    return dotin.panel("Kept more often than chance", {
      classes: "wide",
      about: "Chance draws as many nodes of each graph at random. All together: the nodes that stay to the end. A task: as many " +
        "nodes, but those it is most attentive to in the first layer. Grey bars are within two standard deviations of chance.",
      save: dotin.saveButton("kept-by-label", () => chart.firstChild ? dotin.chartSvg(chart.firstChild) : ""),
    }, dotin.choice("Kept by", "retention", options, "0", (value) => { shown = summary.retention[Number(value)]; show(); }), chart, tables);
  };

  const agreementPanel = () => {
    if (!summary.agreement.length) return [];
    const rows = summary.agreement.map(({ tasks, correlation, correlation_error: error }) => ({ label: tasks.join(", "),
      mean: correlation, low: correlation - 1.96 * error, high: correlation + 1.96 * error, strong: true }))
      .filter(({ mean }) => mean !== null);
    const table = dotin.table("", ["tasks", "rank correlation", "overlap", "alike by ratio"], summary.agreement.map((pair) =>
      [pair.tasks.join(", "), dotin.number(pair.correlation), `${dotin.number(100 * pair.overlap)}%`, `${dotin.number(100 * pair.similar)}%`]));
    const about = "In the first layer. Overlap: of the nodes that two tasks would keep, those both would. " +
      "Alike by ratio, the paper's rule: nodes whose smaller attentiveness is at least a quarter of the larger. It holds for nearly all where attention is even, whatever the order.";
    return [rows.length ? dotin.chartPanel("Agreement between tasks", about,
      dotin.charts.intervals("Rank correlation of tasks", rows, "rank correlation, mean over graphs with its 95% interval"), table)
      : dotin.panel("Agreement between tasks", { about }, table)];
  };

  const verificationPanels = () => {
    if (!verification) return [];
    const { fidelity, planted, graphs, left_out: leftOut } = verification;
    const short = (value) => value === null ? "unknown" : String(Number(value.toPrecision(3)));
    const show = ({ mean, low, high }) => dotin.element("span", {}, short(mean), dotin.element("small", {}, `${short(low)} to ${short(high)}`));
    const panel = (title, key, gain, about) => {
      const rows = Object.entries(fidelity).flatMap(([task, values]) => TAKEN.map((taken) =>
        ({ label: `${task}: ${taken}`, ...values[key][taken], strong: taken === "kept" }))).filter(({ mean }) => mean !== null);
      const table = dotin.table("", ["task", ...TAKEN, "gain"], Object.entries(fidelity)
        .map(([task, values]) => [task, ...TAKEN.map((taken) => show(values[key][taken])), show(values[gain])]));
      return rows.length ? dotin.chartPanel(title, about, dotin.charts.intervals(title, rows, "change of the output"), table)
        : dotin.panel(title, { about }, table);
    };
    const of = `${dotin.counted(graphs, "graph")}; ${leftOut} left out, of which nothing was kept or nothing dropped. Gain: better than random by. 95% bootstrap intervals.`;
    const plantedTable = planted.length ? [dotin.panel("Planted nodes found", { about: "Mean over graphs, with 95% bootstrap intervals.", classes: "wide" },
      dotin.table("", ["target", "after layer", "precision", "by chance", "recall", "by chance"], planted.map((match) =>
        [match.target, String(match.layer + 1), show(match.precision), dotin.number(match.chance_precision), show(match.recall), dotin.number(match.chance_recall)])))] : [];
    return [
      panel("Fidelity+: without these nodes", "plus", "plus_gain", `High where the nodes were needed. ${of}`),
      panel("Fidelity−: with these nodes only", "minus", "minus_gain", `Low where the nodes suffice. ${of}`), ...plantedTable];
  };

  document.getElementById("page").append(
    dotin.header(`What is kept in ${model.dataset}`, dotin.aboutModel()),
    dotin.element("div", { class: "halves" }, dotin.departurePanel(summary), ...agreementPanel(), retentionPanel(), ...verificationPanels()));
})();
