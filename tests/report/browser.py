"""One headless Chromium for all page tests, and what they ask it."""
import json
import math
import os
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Every text that can be seen, with the contrast between it and what it stands on, as WCAG 2.1 computes it.
CONTRASTS = """
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const parse = (text) => text.match(/[0-9.]+/g).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
const background = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
const result = [];
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim();
  const element = walker.currentNode.parentElement;
  if (!text || !element.checkVisibility() || element.tagName === "title" || element.tagName === "OPTION") continue;
  const style = getComputedStyle(element);
  const [a, b] = [parse(element instanceof SVGElement ? style.fill : style.color), background(element)].map(luminance);
  const large = parseFloat(style.fontSize) >= 24;
  result.push({ text, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), wanted: large ? 3 : 4.5 });
}
return result;
"""

# The same for colours of style.css that mark something: edges of controls, points of a scatter.
MARK_CONTRAST = """
const probe = document.body.appendChild(document.createElement("i"));
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = (name) => {
  probe.style.color = `var(--${name})`;
  const [r, g, b] = getComputedStyle(probe).color.match(/[0-9.]+/g).map((value) => channel(value / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const [a, b] = [luminance(arguments[0]), luminance("panel")];
probe.remove();
return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
"""


class Browser:
    def __init__(self, folder):
        self.downloads = os.path.join(folder, "downloads")
        os.makedirs(self.downloads)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1280,1000", "--force-prefers-reduced-motion",
                         "--user-data-dir=" + os.path.join(folder, "profile")]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                                    {"behavior": "allow", "downloadPath": self.downloads})

    def open(self, path):
        for log in ["browser", "performance"]:
            self.driver.get_log(log)
        self.driver.get("file://" + path)

    def close(self):
        self.driver.quit()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector).text

    def press(self, selector, *keys):
        self.find(selector).send_keys(*keys)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self):
        return self.run("return document.documentElement.dataset.theme")

    def use_theme(self, theme):
        if self.theme() != theme:
            self.run("document.getElementById('theme').click()")

    def problems(self):
        """Console messages since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def contrasts_too_low(self):
        texts = self.run(CONTRASTS)
        assert len(texts) > 10, "there is text to look at"
        low = ["%s: %.2f" % (text["text"], text["ratio"]) for text in texts if text["ratio"] < text["wanted"]]
        for mark in ["control", "similar", "apart", "select", "accent", "edge"]:
            ratio = self.run(MARK_CONTRAST, mark)
            if ratio < 3:
                low.append("--%s: %.2f" % (mark, ratio))
        return low

    def axis(self, chart, name, log=False):
        """A function from a place on an axis of a chart to the value that its labels give to it, and the axis's ends."""
        ticks, ends = self.run("""
            const axis = arguments[0].querySelector(`g.${arguments[1]}`);
            const [along, side] = arguments[1] === "x" ? ["e", "width"] : ["f", "height"];
            const at = ({ transform }) => transform.baseVal[0].matrix[along] - 0.5;  // D3 puts ticks between pixels
            const ticks = [...axis.querySelectorAll(".tick")].filter((tick) => tick.textContent);
            return [ticks.map((tick) => [at(tick), Number(tick.textContent.replace("−", "-"))]),
              [0, axis.querySelector(".domain").getBBox()[side]]];""", chart, name)
        (first, low), (last, high) = ticks[0], ticks[-1]
        assert first != last, "an axis has two labels"
        if log:
            low, high = math.log(low), math.log(high)

        def value(place):
            result = low + (place - first) / (last - first) * (high - low)
            return math.exp(result) if log else result
        return value, [value(end) for end in ends]

    def tables_cut(self):
        """Tables that must be scrolled sideways to be read."""
        return self.run("""return [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth)
            .map((box) => box.closest("section").getAttribute("aria-label"));""")

    def tab_stops(self, at_most=120):
        """What the Tab key reaches from the top: ids where there are any, else tag names."""
        self.driver.refresh()  # what was clicked last is where Tab would go on
        stops = []
        for _ in range(at_most):
            webdriver.ActionChains(self.driver).send_keys(Keys.TAB).perform()
            stop = self.run("const at = document.activeElement; return at === document.body ? '' : at.id || at.tagName")
            if not stop:
                break
            stops.append(stop)
        return stops

    def saved(self, button):
        """What a save button saves, read as XML."""
        self.run("arguments[0].click()", button)
        for _ in range(200):
            new = [os.path.join(self.downloads, name) for name in os.listdir(self.downloads) if name.endswith(".svg")]
            try:
                picture = xml.etree.ElementTree.parse(new[0]).getroot() if new else None
            except xml.etree.ElementTree.ParseError:  # the browser is still writing it
                picture = None
            if picture is not None:
                os.remove(new[0])
                return picture
            time.sleep(0.05)
        raise AssertionError("nothing was saved")


def run_tests(*modules):
    """Runs the tests of the program, and sets in modules the program under test, a folder for its files and a browser."""
    program = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        for module in modules:
            module.update(DOTIN=program, FOLDER=folder, BROWSER=browser)
        try:
            outcome = unittest.main(exit=False, verbosity=1).result
        finally:
            browser.close()
    sys.exit(0 if outcome.wasSuccessful() else 1)
