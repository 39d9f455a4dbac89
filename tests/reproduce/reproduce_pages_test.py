"""Drives the pages and pictures of `dotin reproduce` as a reader would: reproduce_pages_test.py DOTIN"""
import json
import os
import subprocess
import unittest

from browser import run_tests

DOTIN = None
FOLDER = None
BROWSER = None


def setUpModule():
    def dotin(*arguments):
        subprocess.run([DOTIN, *arguments], check=True, capture_output=True, cwd=FOLDER)

    dotin("data", "generate", "motif", "--graphs", "45", "--nodes", "20", "-o", "own.jsonl")
    dotin("reproduce", "all", "--quick", "--datasets", "own.jsonl", "--methods", "gpool,dotin,gat-drop-0.5", "--epochs", "2",
          "--hidden", "8", "--out", "out")


def items():
    listed = subprocess.run([DOTIN, "reproduce", "--list"], check=True, capture_output=True, text=True, cwd=FOLDER).stdout
    return [line.split()[0] for line in listed.splitlines()[1:]]


class ReproducePage(unittest.TestCase):
    """What must hold for every page."""

    def show(self, item):
        path = os.path.join(FOLDER, "out", item)
        with open(path + ".json", encoding="utf-8") as file:
            self.told = json.load(file)
        self.page = path + ".html"
        BROWSER.size(1280, 1000)
        BROWSER.open(self.page)

    def tearDown(self):
        self.assertEqual(BROWSER.problems(), [], "the console stays empty")
        for address in BROWSER.requests():
            self.assertTrue(address.startswith(("file://" + self.page, "data:", "blob:")), address)

    def marks(self, selector="svg.chart"):
        """The values of a chart's marks, by their titles."""
        return BROWSER.run("""
            return [...document.querySelector(arguments[0]).querySelectorAll(".mark[data-y]")].map((mark) => {
              const { width, height } = mark.getBoundingClientRect();
              const { x, y } = mark.dataset;
              return { x: x === undefined ? null : Number(x), y: Number(y), title: mark.querySelector("title").textContent, drawn: width > 3 && height > 3 };
            });""", selector)

    def shown(self):
        """What the page was made from, without its pictures."""
        shown = json.loads(BROWSER.run("return document.getElementById('data').textContent"))["items"]
        for item in shown:
            for chart in item["charts"]:
                self.assertTrue(chart.pop("svg").startswith("<svg "))
        return shown

    def test_every_page_holds_its_json_and_draws_its_charts(self):
        self.assertEqual(len(items()), 12)
        for item in items():
            with self.subTest(item):
                self.show(item)
                self.assertEqual(self.shown(), [self.told])
                self.assertEqual(len(BROWSER.all("svg.chart")), len(self.told["charts"]))
                drawn = BROWSER.run("""return [...document.querySelectorAll("svg.chart")].map((chart) =>
                    [...chart.querySelectorAll(".mark")].some((mark) => mark.getBoundingClientRect().width > 0))""")
                self.assertTrue(all(drawn))
                self.assertIn(self.told["command"], BROWSER.text("section[aria-label=How]"))
                self.assertEqual(BROWSER.problems(), [])

    def test_the_page_of_all_has_every_item_and_no_name_twice(self):
        self.page = os.path.join(FOLDER, "out", "all.html")
        BROWSER.open(self.page)
        self.assertEqual([item["item"] for item in self.shown()], items())
        names = BROWSER.run("return [...document.querySelectorAll('[id]')].map(({ id }) => id)")
        self.assertEqual(len(names), len(set(names)))
        targets = BROWSER.run("return [...document.querySelectorAll('nav a')].map((link) => link.hash.slice(1))")
        self.assertEqual(targets, items())
        self.assertLessEqual(set(targets), set(names))

    def test_table_shows_the_values(self):
        self.show("table-classification")
        scores = {value["row"]: value["rules"] for value in self.told["values"] if "rules" in value}
        rows = BROWSER.all("section[aria-label=Scores] tbody tr")
        self.assertEqual(len(rows), 2)
        for row in rows:
            name, score = [cell.text for cell in row.find_elements("css selector", "td")]
            rules = scores[name]
            self.assertEqual(score, "%.2f ± %.2f" % (rules["validation"]["mean"], rules["validation"]["std"]))
        for row in BROWSER.all("section[aria-label='Other rules for the epoch'] tbody tr"):
            name, means = [cell.text for cell in row.find_elements("css selector", "td")]
            self.assertEqual(means, " / ".join("%.2f" % scores[name][rule]["mean"] for rule in ["last", "best_mean", "best_test"]))
        best = max(scores, key=lambda name: scores[name]["validation"]["mean"])
        bold = [row.text.split("\n")[0].rsplit(" ", 3)[0] for row in rows if row.find_elements("css selector", ".highest")]
        self.assertEqual(bold, [best])
        self.assertCountEqual([mark["y"] for mark in self.marks()],
                              [rules[rule]["mean"] for rules in scores.values() for rule in ["validation", "best_test"]])

    def test_figures_begin_with_charts_and_tables_with_numbers(self):
        for item, first in [("figure-drop-ratio", "svg.chart"), ("table-classification", "table")]:
            self.show(item)
            panels = BROWSER.all(".halves > section")
            self.assertEqual(len(panels[0].find_elements("css selector", first)), 1, item)
            labels = [panel.get_attribute("aria-label") for panel in panels]
            charts = [i for i, panel in enumerate(panels) if panel.find_elements("css selector", "svg.chart")]
            self.assertEqual(labels[charts[-1] + 1], "How")

    def test_a_number_leads_to_its_command(self):
        self.show("table-classification")
        link = BROWSER.find("section[aria-label=Scores] tbody a")
        name = link.get_attribute("href").split("#")[1]
        cell = next(cell for cell in self.told["cells"] if name.endswith(cell["key"]))
        self.assertFalse(BROWSER.find("details").get_property("open"))
        link.click()
        self.assertTrue(BROWSER.find("details").get_property("open"))
        row = BROWSER.run("return document.getElementById(arguments[0]).closest('tr')", name)
        for said in [cell["command"], cell["protocol"], cell["started"], cell["machine"]["cpu"], "dotin " + cell["version"]]:
            self.assertIn(said, row.text)

    def test_lines_are_drawn_with_band_and_values(self):
        self.show("figure-drop-ratio")
        marks = self.marks()
        self.assertTrue(all(mark["drawn"] for mark in marks))
        self.assertCountEqual([(mark["x"], mark["y"]) for mark in marks],
                              [(value["x"], value["y"]) for value in self.told["values"]])
        for value in self.told["values"]:
            self.assertTrue(any(mark["title"].startswith(value["line"]) and mark["y"] == value["y"] for mark in marks))
        for line in BROWSER.all("svg.chart path.line"):
            self.assertGreater(BROWSER.run("return arguments[0].getTotalLength()", line), 50)
        self.assertEqual(len(BROWSER.all("svg.chart .band")), 2)
        styles = BROWSER.run("""return [...document.querySelectorAll("svg.chart path.line")].map((line) =>
            getComputedStyle(line).stroke + getComputedStyle(line).strokeDasharray)""")
        self.assertEqual(len(set(styles)), 3, "each line has a colour and dashes of its own")

    def test_importance_has_a_point_per_node(self):
        self.show("figure-importance")
        self.assertEqual(len(self.told["values"]), 2, "two test graphs")
        nodes = self.told["values"][0]["nodes"]
        marks = self.marks()
        self.assertCountEqual([(mark["x"], mark["y"]) for mark in marks],
                              [(node["ged_rank"], node["classify_rank"]) for node in nodes])
        alike = BROWSER.run("return document.querySelector('svg.chart').querySelectorAll('.mark.s1[data-y]').length")
        self.assertEqual(alike, sum(node["alike"] for node in nodes))

    def test_says_that_the_run_was_quick(self):
        self.show("figure-drop-ratio")
        self.assertIn("A quick run.", BROWSER.text("[role=note]"))

    def test_contrast_phone_and_saved_pictures(self):
        for item in ["table-classification", "figure-drop-ratio"]:
            self.show(item)
            BROWSER.find("details summary").click()
            for theme in ["light", "dark"]:
                BROWSER.use_theme(theme)
                self.assertEqual(BROWSER.contrasts_too_low(), [], theme)
            picture = BROWSER.saved(BROWSER.find(".save"))
            self.assertGreater(len(picture.findall(".//{*}title")), 3)
            BROWSER.size(390, 800)
            self.assertLessEqual(BROWSER.run("return document.documentElement.scrollWidth"), 390)

    def test_picture_files_follow_the_theme(self):
        self.show("figure-drop-ratio")
        self.page = os.path.join(FOLDER, "out", self.told["charts"][0]["file"])
        BROWSER.open(self.page)
        backgrounds = set()
        for scheme in ["light", "dark"]:
            BROWSER.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                           {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            backgrounds.add(BROWSER.run("return getComputedStyle(document.documentElement).backgroundColor"))
        BROWSER.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assertEqual(len(backgrounds), 2)
        self.assertEqual(len(self.marks("svg")), len(self.told["values"]))


if __name__ == "__main__":
    run_tests(globals())
