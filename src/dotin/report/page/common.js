"use strict";
// What the pages share: small helpers for elements and numbers, the theme, and saving pictures as SVG.
const dotin = {};

dotin.data = JSON.parse(document.getElementById("data").textContent);

/** An element with attributes (functions become listeners) and children (text or elements). */
dotin.element = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

/** Four significant digits, as short as they can be; "unknown" for a number that does not exist. */
dotin.number = (value) => {
  if (value === null || value === undefined || Number.isNaN(value)) return "unknown";
  if (typeof value !== "number") return String(value);
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(2);
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
};

dotin.counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** The first of a list, and how many more there are. */
dotin.listed = (items, atMost) =>
  items.slice(0, atMost).join(", ") + (items.length > atMost ? ` and ${(items.length - atMost).toLocaleString("en")} more` : "");

/** A colour of style.css in the theme now shown. */
dotin.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

dotin.dark = () => document.documentElement.dataset.theme === "dark";

/** State that views follow: set() merges a change and tells all of them what was before. */
dotin.store = (initial) => {
  const listeners = [];
  const store = {
    state: initial,
    set(change) {
      const before = store.state;
      store.state = { ...before, ...change };
      for (const listener of listeners) listener(store.state, before);
    },
    follow(listener) { listeners.push(listener); },
  };
  return store;
};

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const setTheme = (dark) => {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.dispatchEvent(new Event("theme"));
};
setTheme(systemDark.matches);
systemDark.addEventListener("change", () => setTheme(systemDark.matches));

dotin.header = (title, about) => {
  const button = dotin.element("button", { id: "theme", click: () => setTheme(!dotin.dark()) });
  const name = () => { button.textContent = dotin.dark() ? "Light theme" : "Dark theme"; };
  document.addEventListener("theme", name);
  name();
  return dotin.element("header", {},
    dotin.element("div", {}, dotin.element("h1", {}, title), dotin.element("p", { class: "muted" }, about)), button);
};

/** How the model drops, in a few words. */
dotin.aboutModel = () => {
  const { tasks, backbone, layers, drop, drop_ratio: ratios, merge } = dotin.data.model;
  const names = tasks.map((task) => task.name).join(", ");
  const dropping = ratios.every((ratio) => ratio === 0) ? `drop: ${drop}`
    : `${drop} drops ${ratios.slice(0, -1).map((ratio) => `${dotin.number(100 * ratio)}%`).join(", ")}${merge ? ", merged" : ", not merged"}`;
  return `Tasks ${names} · ${backbone}, ${dotin.counted(layers, "layer")} · ${dropping}`;
};

// A picture for a paper is dark on white, whatever the theme on the screen. Nothing is painted in between.
const inLightTheme = (work) => {
  const theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  try {
    return work();
  } finally {
    document.documentElement.dataset.theme = theme;
  }
};

const PAINTED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity",
  "font-size", "font-family", "font-weight", "text-anchor", "paint-order"];

/** A chart as a file of its own: what style.css says is written onto every element. */
dotin.chartSvg = (chart) => {
  const copy = chart.cloneNode(true);
  const originals = [chart, ...chart.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of PAINTED) copies[i].style.setProperty(name, style.getPropertyValue(name));
  });
  for (const unwanted of copy.querySelectorAll(".brush")) unwanted.remove();
  const { width, height } = chart.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
};

/** A button that saves what make() gives as NAME.svg. */
dotin.saveButton = (name, make) => dotin.element("button", {
  class: "save",
  "aria-label": `Save as SVG: ${name}`,
  click: () => {
    const address = URL.createObjectURL(new Blob([inLightTheme(make)], { type: "image/svg+xml" }));
    dotin.element("a", { href: address, download: `${name}.svg` }).click();
    URL.revokeObjectURL(address);
  },
}, "Save SVG");

/** A panel with a title and, where there is a picture, the button that saves it. */
dotin.panel = (title, { save, about, classes = "" } = {}, ...children) => dotin.element("section",
  { class: `panel ${classes}`, "aria-label": title },
  dotin.element("div", { class: "bar between" }, dotin.element("h2", {}, title), ...(save ? [save] : [])),
  ...(about ? [dotin.element("p", { class: "muted" }, about)] : []), ...children);

/** A row of radio buttons. options: [{value, label}]; choose(value) is called when one is chosen. */
dotin.choice = (legend, name, options, chosen, choose) => dotin.element("fieldset", { class: "switch" },
  dotin.element("legend", {}, legend),
  ...options.map(({ value, label }) => dotin.element("label", {},
    dotin.element("input", { type: "radio", name, value, checked: value === chosen, change: () => choose(value) }),
    label)));

/** A table from rows of text or elements; the first column, and those named in text, are aligned to the left. */
dotin.table = (caption, head, rows, text = []) => {
  const cell = (tag, content, i) => dotin.element(tag, text.includes(i) ? { class: "text" } : {}, content);
  return dotin.element("div", { class: "scroll" }, dotin.element("table", {},
    ...(caption ? [dotin.element("caption", {}, caption)] : []),
    dotin.element("thead", {}, dotin.element("tr", {}, ...head.map((content, i) => cell("th", content, i)))),
    dotin.element("tbody", {}, ...rows.map((row) => dotin.element("tr", {}, ...row.map((content, i) => cell("td", content, i)))))));
};
