// The report of a run: results, curves, what the test graphs say, what was dropped, the configuration, time and memory.
(() => {
  const { command, model, result, history, tested, drops, config } = dotin.data;
  const cv = command === "cv";
  const RULES = ["validation", "last", "best_mean", "best_test"];

  const seconds = (value) => value < 120 ? `${dotin.number(value)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  const bytes = (value) => `${dotin.number(value / 2 ** 20)} MiB`;

  const resultsPanel = () => {
    const rows = history.metrics.map(({ task, metric }) => {
      const name = `${task} ${metric}`;
      if (!cv) return [name, dotin.number(result.validation[task]?.[metric]), dotin.number(result.test[task]?.[metric])];
      return [name, ...RULES.map((rule) => {
        const { mean, std } = result.tasks[task][metric][rule];
        return dotin.element("span", {}, dotin.number(mean), dotin.element("small", {}, `± ${dotin.number(std)}`));
      })];
    });
    const about = cv ? "Test values, mean over the folds and standard deviation, by the rule that chooses the epoch. " +
      "Best mean and best test look at the test graphs: compare, do not quote." : "Of the best epoch.";
    return dotin.panel("Results", { about, classes: "wide" },
      dotin.table("", ["metric", ...(cv ? RULES.map((rule) => rule.replace("_", " ")) : ["validation", "test"])], rows));
  };

  const factsPanel = () => {
    const list = dotin.element("dl");
    const row = (name, value) => list.append(dotin.element("dt", {}, name), dotin.element("dd", {}, value));
    row("data", result.data);
    if (cv) row("folds", String(result.folds));
    else {
      row("graphs", ["train", "validation", "test"].map((split) => `${dotin.number(result.graphs[split])} ${split}`).join(", "));
      row("parameters", dotin.number(result.parameters));
      row("best epoch", `${result.best_epoch + 1} of ${result.epochs}`);
    }
    row("time", seconds(result.seconds));
    row("peak memory", bytes(result.peak_bytes));
    row("run folder", result.run);
    return dotin.panel("The run", {}, list);
  };

  /** A line per fold and, where there are several, their mean over the epochs that all of them have. */
  const curvePanel = (title, value, name) => {
    const folds = history.folds.map(({ epochs }) => epochs.map((epoch) => [epoch.epoch + 1, value(epoch) ?? null]));
    if (!folds.some((points) => points.some(([, y]) => y !== null))) return [];
    const several = folds.length > 1;
    const shared = d3.min(folds, (points) => points.length);
    const mean = d3.range(shared).map((i) => [folds[0][i][0], folds.some((points) => points[i][1] === null) ? null : d3.mean(folds, (points) => points[i][1])]);
    const series = [...folds.map((points) => ({ points, strong: !several })), ...(several ? [{ points: mean, strong: true }] : [])];
    const last = (points) => dotin.number(points[points.length - 1][1]);
    return [dotin.chartPanel(title, several ? `Thin: each fold. Thick: their mean, at last ${last(mean)}.`
      : `At last ${last(folds[0])}.`, dotin.charts.lines(title, series, { x: "epoch", y: name }))];
  };

  const testPanels = (task) => {
    const title = (what) => `${task.name}: ${what}`;
    if (task.confusion) {
      const total = d3.sum(task.confusion.flat());
      const rows = task.confusion.map((counts, c) => [task.classes[c], ...counts.map((count, p) =>
        dotin.element("span", p === c ? { class: "good" } : {}, p === c ? `✓ ${dotin.number(count)}` : dotin.number(count),
          dotin.element("small", {}, `${dotin.number(100 * count / Math.max(1, d3.sum(counts)))}%`)))]);
      return [dotin.panel(title("confusion matrix"), { about: `${dotin.counted(total, "test graph")}: a row per true class, shares of the row.` },
        dotin.table("", ["true, predicted:", ...task.classes], rows))];
    }
    if (task.answers) {
      return [dotin.panel(title("right and wrong answers"), {}, dotin.table("", ["question", "rightly yes", "wrongly yes", "wrongly no", "rightly no"],
        task.answers.map((counts, i) => [String(i), ...counts.map(dotin.number)])))];
    }
    if (task.pairs) {
      return task.pairs.flatMap((pairs, column) => {
        if (!pairs.length) return [];
        const name = task.pairs.length > 1 ? ` ${column}` : "";
        return [dotin.chartPanel(title(`predicted by true${name}`), dotin.counted(pairs.length, "test graph"),
          dotin.charts.points(title("predicted by true"), pairs, { x: "true", y: "predicted" })),
        dotin.chartPanel(title(`residuals${name}`), `Predicted minus true; mean ${dotin.number(d3.mean(pairs, ([t, p]) => p - t))}.`,
          dotin.charts.histograms(title("residuals"), [pairs.map(([t, p]) => p - t), []], { x: "predicted minus true", y: "graphs" }))];
      });
    }
    if (task.closer?.length) {
      return [dotin.chartPanel(title("distances"), "Squared distances of embeddings. Filled: to the graph with fewer edges substituted. Outline: to the one with more.",
        dotin.charts.histograms(title("distances"), [task.closer, task.farther], { x: "squared distance", y: "graphs" }))];
    }
    return [];
  };

  document.getElementById("page").append(
    dotin.header(cv ? `Cross-validation on ${model.dataset}` : `Training on ${model.dataset}`, dotin.aboutModel()),
    dotin.element("div", { class: "halves" },
      resultsPanel(), factsPanel(), ...(drops.graphs ? [dotin.departurePanel(drops)] : []),
      ...tested.flatMap(testPanels),
      ...curvePanel("Training loss", (epoch) => epoch.train_loss, "loss"),
      ...curvePanel("Validation loss", (epoch) => epoch.validation_loss, "loss"),
      ...history.metrics.flatMap(({ task, metric }, i) => [
        ...curvePanel(`${task} ${metric}, validation`, (epoch) => epoch.validation[i], metric),
        ...curvePanel(`${task} ${metric}, test`, (epoch) => epoch.test[i], metric)]),
      ...curvePanel("Time of an epoch", (epoch) => epoch.seconds, "seconds"),
      dotin.panel("config.toml", { classes: "wide", about: `Runs this again: dotin ${command} --config config.toml` }, dotin.element("pre", { tabindex: "0" }, config))));
})();
