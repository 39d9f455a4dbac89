// The report of a run: results, curves, what the test graphs say, what was dropped, the configuration, time and memory.
(() => {
  const { command, model, result, history, tested, drops, config } = dotin.data;
  const cv = command === "cv";
  const MEASURES = { euclidean: "Distances", squared: "Squared distances" };
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

  const several = history.folds.length > 1;

  /** A line per fold and, where there are several, their mean over the epochs that all of them have; nothing where no
      epoch has a value. */
  const foldLines = (name, value) => {
    const folds = history.folds.map(({ epochs }) => epochs.map((epoch) => [epoch.epoch + 1, value(epoch) ?? null]));
    if (!folds.some((points) => points.some(([, y]) => y !== null))) return [];
    if (!several) return [{ name, points: folds[0], strong: true }];
    const shared = d3.min(folds, (points) => points.length);
    const mean = d3.range(shared).map((i) => [folds[0][i][0], folds.some((points) => points[i][1] === null) ? null : d3.mean(folds, (points) => points[i][1])]);
    return [...folds.map((points) => ({ name, points, strong: false })), { name, points: mean, strong: true }];
  };

  /** values: per name what it shows of an epoch. */
  const curvePanel = (title, values, y, options) => {
    const series = Object.entries(values).flatMap(([name, value]) => foldLines(name, value));
    if (!series.length) return [];
    const strong = series.filter((line) => line.strong);
    const last = strong.map(({ name, points }) => `${strong.length > 1 ? `${name} ` : ""}${dotin.number(points[points.length - 1][1])}`).join(", ");
    return [dotin.chartPanel(title, several ? `Thin: each fold. Thick: their mean, at last ${last}.` : `At last ${last}.`,
      dotin.charts.lines(title, series, { x: "epoch", y }, options))];
  };
  const LARGEST = { rmse: Infinity, mae: Infinity };  // all other metrics are at most 1

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
      const { distance, scale } = model.tasks.find(({ name }) => name === task.name);
      const measure = `${distance} distance${scale === "nodes" ? " times nodes" : ""}`;
      return [dotin.chartPanel(title("distances"), `${MEASURES[distance]} of embeddings${scale === "nodes" ? " times their graph's nodes" : ""}. Filled: to the graph with fewer edges substituted. Outline: to the one with more.`,
        dotin.charts.histograms(title("distances"), [task.closer, task.farther], { x: measure, y: "graphs" }))];
    }
    return [];
  };

  document.getElementById("page").append(
    dotin.header(cv ? `Cross-validation on ${model.dataset}` : `Training on ${model.dataset}`, dotin.aboutModel()),
    dotin.element("div", { class: "halves" },
      resultsPanel(), factsPanel(), ...(drops.graphs ? [dotin.departurePanel(drops)] : []),
      ...tested.flatMap(testPanels),
      ...curvePanel("Loss", { training: (epoch) => epoch.train_loss, validation: (epoch) => epoch.validation_loss }, "loss"),
      ...history.metrics.flatMap(({ task, metric }, i) => [
        ...curvePanel(`${task} ${metric}, validation`, { validation: (epoch) => epoch.validation[i] }, metric, { most: LARGEST[metric] ?? 1 }),
        ...curvePanel(`${task} ${metric}, test`, { test: (epoch) => epoch.test[i] }, metric, { most: LARGEST[metric] ?? 1 })]),
      ...curvePanel("Time of an epoch", { time: (epoch) => epoch.seconds }, "seconds"),
      dotin.panel("config.toml", { classes: "wide", about: `Runs this again: dotin ${command} --config config.toml` }, dotin.element("pre", { tabindex: "0" }, config))));
})();
