// Tables and figures of the paper beside our own: what `dotin reproduce` found. Pictures come drawn.
(() => {
  const { items } = dotin.data;
  const QUICK = "A quick run. Few folds and epochs, a small model, little data: it shows that everything works, not what the methods reach. Do not quote it.";

  const seconds = (value) => value < 120 ? `${dotin.number(value)} s` : value < 7200 ? `${dotin.number(value / 60)} min` : `${dotin.number(value / 3600)} h`;

  /** Items share cells, and a page may have several items. */
  const idOf = (item, key) => `${item.item}-${key}`;

  /** A number that leads to its cell; in small what stands below it. */
  const shown = (item) => ({ text, notes, cell, below, highest }) => dotin.element("span", highest ? { class: "highest" } : {},
    cell ? dotin.element("a", { href: `#${idOf(item, cell)}`, click: () => { document.getElementById(idOf(item, cell)).closest("details").open = true; } }, text) : text,
    ...notes.map((note) => dotin.element("small", below && note.includes("▼") ? { class: "bad" } : {}, note)));

  const tablePanel = (item) => ({ title, about, columns, rows }) => dotin.panel(title, { about, classes: "wide named" },
    dotin.table("", columns, rows.map(({ name, entries }) => [name, ...entries.map(shown(item))])));

  const chartPanel = ({ title, about, file, svg }) => {
    const box = dotin.element("div");
    box.innerHTML = svg;
    const picture = box.firstElementChild;
    return dotin.panel(title, { about, save: dotin.saveButton(file.replace(/\.svg$/, ""), () => dotin.chartSvg(picture)) }, picture);
  };

  const cellRow = (item) => (cell) => [
    dotin.element("span", { id: idOf(item, cell.key) }, cell.label),
    cell.started, `${seconds(cell.seconds)}${cell.resumed ? ", went on" : ""}`, String(cell.seed),
    dotin.element("span", { class: "wrapped" }, `${cell.machine.cpu}, ${dotin.counted(cell.machine.cores, "core")}, ${dotin.counted(cell.machine.threads, "thread")} used, ${cell.machine.system}, dotin ${cell.version}`),
    dotin.element("span", { class: "wrapped" }, cell.error ? `failed: ${cell.error}` : cell.protocol),
    dotin.element("span", { class: "command" }, cell.command)];

  /** "D&D: no drop, gPool. NCI1: ..." of labels that begin with the dataset. */
  const byDataset = (labels) => {
    const rows = new Map();
    for (const label of labels) {
      const [dataset] = label.split(", ", 1);
      rows.set(dataset, [...(rows.get(dataset) ?? []), label.slice(dataset.length + 2)]);
    }
    return [...rows].map(([dataset, names]) => dotin.element("li", {}, dotin.element("strong", {}, dataset), ` ${names.filter(Boolean).join("; ")}`));
  };

  const cellsPanel = (item) => {
    const { cells, missing } = item;
    return dotin.panel("Where the numbers come from", { classes: "wide", about: `Cells run: ${cells.length} of ${cells.length + missing.length}. ` +
      "Each is the outcome of a command, with DOTIN_DATA naming the folder of the datasets and RUN any new folder." },
    dotin.element("details", {}, dotin.element("summary", {}, "Commands, machine and protocol"),
      dotin.table("", ["cell", "started", "took", "seed", "machine", "protocol", "command"], cells.map(cellRow(item)), [1, 4, 5, 6])),
    ...(missing.length ? [dotin.element("details", { class: "missing" }, dotin.element("summary", {}, `Not run: ${dotin.counted(missing.length, "cell")}`),
      dotin.element("ul", {}, ...byDataset(missing.map(({ label }) => label))))] : []));
  };

  const howPanel = (item) => dotin.panel("How", { classes: "wide" }, ...item.about.map((paragraph) => dotin.element("p", {}, paragraph)),
    dotin.element("p", {}, "Written by ", dotin.element("code", {}, item.command), "."));

  /** A figure begins with its pictures, a table with its numbers; then how they came about. */
  const contents = (item) => {
    const [tables, charts] = [item.tables.map(tablePanel(item)), item.charts.map(chartPanel)];
    const before = item.item.startsWith("figure-") ? 0 : 1;
    return [...tables.slice(0, before), ...charts, howPanel(item), ...tables.slice(before)];
  };

  const itemParts = (item) => [
    ...(item.quick ? [dotin.element("p", { class: "panel notice wide", role: "note" }, dotin.element("strong", {}, QUICK))] : []),
    ...contents(item), cellsPanel(item)];

  const page = document.getElementById("page");
  const one = items.length === 1;
  page.append(dotin.header(one ? items[0].title : "The paper, run again",
    "DOTIN: Dropping Task-Irrelevant Nodes for GNNs. Our numbers beside the paper's; each leads to the command it comes from."));
  if (!one) page.append(dotin.element("nav", { class: "panel", "aria-label": "Contents" }, ...items.map((item) => dotin.element("a", { href: `#${item.item}` }, item.title))));
  for (const item of items) {
    page.append(dotin.element("section", { id: item.item, "aria-label": item.title },
      ...(one ? [] : [dotin.element("h1", { class: "item" }, item.title)]),
      dotin.element("div", { class: "halves" }, ...itemParts(item))));
  }
})();
