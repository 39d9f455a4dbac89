// Tables and figures of the paper beside our own: what `dotin reproduce` found. Pictures come drawn.
(() => {
  const { items } = dotin.data;
  const QUICK = "A quick run. Few folds and epochs, a small model, little data: it shows that everything works, not what the methods reach. Do not quote it.";

  const seconds = (value) => value < 120 ? `${dotin.number(value)} s` : value < 7200 ? `${dotin.number(value / 60)} min` : `${dotin.number(value / 3600)} h`;

  /** A number that leads to its cell; in small what stands below it. */
  const shown = ({ text, notes, cell, below }) => dotin.element("span", {},
    cell ? dotin.element("a", { href: `#${cell}`, click: () => { document.getElementById(cell).closest("details").open = true; } }, text) : text,
    ...notes.map((note) => dotin.element("small", below && note.includes("▼") ? { class: "bad" } : {}, note)));

  const tablePanel = ({ title, about, columns, rows }) => dotin.panel(title, { about, classes: "wide" },
    dotin.table("", columns, rows.map(({ name, entries }) => [name, ...entries.map(shown)])));

  const chartPanel = ({ title, about, file, svg }) => {
    const box = dotin.element("div");
    box.innerHTML = svg;
    const picture = box.firstElementChild;
    return dotin.panel(title, { about, save: dotin.saveButton(file.replace(/\.svg$/, ""), () => dotin.chartSvg(picture)) }, picture);
  };

  const cellRow = (cell) => [
    dotin.element("span", { id: cell.key }, cell.label),
    cell.started, seconds(cell.seconds), String(cell.seed),
    dotin.element("span", { class: "wrapped" }, `${cell.machine.cpu}, ${dotin.counted(cell.machine.cores, "core")}, ${dotin.counted(cell.machine.threads, "thread")} used, ${cell.machine.system}, dotin ${cell.version}`),
    dotin.element("span", { class: "wrapped" }, cell.error ? `failed: ${cell.error}` : cell.protocol),
    dotin.element("span", { class: "command" }, cell.command)];

  const cellsPanel = ({ cells, missing }) => {
    return dotin.panel("Where the numbers come from", { classes: "wide", about: `Cells run: ${cells.length} of ${cells.length + missing.length}. ` +
      "Each is the outcome of a command, with DOTIN_DATA naming the folder of the datasets and RUN any new folder." },
    dotin.element("details", {}, dotin.element("summary", {}, "Commands, machine and protocol"),
      dotin.table("", ["cell", "started", "took", "seed", "machine", "protocol", "command"], cells.map(cellRow), [1, 4, 5, 6])),
    ...(missing.length ? [dotin.element("p", { class: "missing" }, `Not run: ${dotin.listed(missing.map(({ label }) => label), 40)}.`)] : []));
  };

  const itemParts = (item) => [
    ...(item.quick ? [dotin.element("p", { class: "panel notice wide", role: "note" }, dotin.element("strong", {}, QUICK))] : []),
    dotin.panel("How", { classes: "wide" }, ...item.about.map((paragraph) => dotin.element("p", {}, paragraph))),
    ...item.tables.map(tablePanel), ...item.charts.map(chartPanel), cellsPanel(item)];

  const page = document.getElementById("page");
  const one = items.length === 1;
  page.append(dotin.header(one ? items[0].title : "The paper, run again",
    "DOTIN: Dropping Task-Irrelevant Nodes for GNNs. Our numbers beside the paper's; each leads to the command it comes from."));
  for (const item of items) {
    page.append(dotin.element("section", { id: item.item, "aria-label": item.title },
      ...(one ? [] : [dotin.element("h1", { class: "item" }, item.title)]),
      dotin.element("div", { class: "halves" }, ...itemParts(item))));
  }
})();
