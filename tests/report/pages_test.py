"""Drives the pages of `dotin explain` as a reader would: pages_test.py DOTIN"""
import json

import page_case
from browser import run_tests
from page_case import PageTest, TablesFit, dotin
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

BROWSER = None


def setUpModule():
    dotin("data", "generate", "motif", "--graphs", "60", "--nodes", "40", "--tasks", "2", "-o", "motif.jsonl")
    dotin("train", "motif.jsonl", "--tasks", "one=classify,two=classify:label2,ged", "--layers", "3", "--drop-ratio",
          "0.5", "--epochs", "3", "--hidden", "16", "--threads", "1", "--out", "run")
    dotin("explain", "run/model.safetensors", "motif.jsonl", "--graph", "3,7", "-o", "graphs.html")
    dotin("explain", "run/model.safetensors", "motif.jsonl", "--verify", "-o", "dataset.html")


class GraphsPage(TablesFit, PageTest):
    page = "graphs.html"

    @classmethod
    def setUpClass(cls):
        lines = dotin("predict", "run/model.safetensors", "motif.jsonl", "--explain").splitlines()
        cls.predicted = [json.loads(line) for line in lines]

    def shown_layer(self):
        return BROWSER.text("output[for=layer]")

    def selected_in_scatter(self):
        return sorted(int(point.get_attribute("data-node")) for point in BROWSER.all(".point.selected"))

    def selected_in_table(self):
        return sorted(int(button.text) for button in BROWSER.all("#nodes button[aria-pressed=true]"))

    def hover_by_keys(self, node):
        """Walks to a node with the arrow keys."""
        BROWSER.press("canvas", Keys.ESCAPE, *[Keys.ARROW_RIGHT] * (node + 1))
        self.assertEqual(BROWSER.text("#details h2"), "Node %d" % node)

    def assert_close(self, shown, said, scale):
        """Products in float depend on which graphs share a batch, in the last digits of what they add up (scale)."""
        for one, other in zip(shown, said, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-5 * max(scale, abs(other)))

    def test_data_is_what_predict_explains(self):
        data = json.loads(BROWSER.run("return document.getElementById('data').textContent"))
        self.assertEqual([graph["graph"] for graph in data["graphs"]], [3, 7])
        for graph in data["graphs"]:
            predicted = self.predicted[graph["graph"]]
            for shown, said in zip(graph["layers"], predicted["layers"], strict=True):
                for key in ["nodes", "kept", "dropped"]:
                    self.assertEqual(shown[key], said[key])
                for task in ["one", "two", "ged"]:
                    self.assert_close(shown["attentiveness"][task], said["attentiveness"][task], 1e-2)
            for task in ["one", "two"]:
                self.assertEqual(graph["tasks"][task]["predicted"]["label"], predicted[task]["label"])
                self.assert_close(graph["tasks"][task]["predicted"]["logits"], predicted[task]["logits"], 1)
            self.assert_close(graph["tasks"]["ged"]["predicted"]["embedding"], predicted["ged"]["embedding"], 1)

    def test_details_show_the_numbers_of_predict(self):
        for task_row, task in enumerate(["one", "two", "ged"]):
            for node in [0, 5]:
                self.hover_by_keys(node)
                cells = BROWSER.all("#details tbody tr")[task_row].text.split()
                values = self.predicted[3]["layers"][0]["attentiveness"][task]
                self.assertEqual(cells[0], task)
                self.assertAlmostEqual(float(cells[1]) / values[node], 1, delta=6e-4)
                tied = [other for other in values if abs(other - values[node]) <= 1e-6 * max(other, values[node])]
                larger = [other for other in values if other > values[node] and other not in tied]
                self.assertEqual(float(cells[2]), len(larger) + (len(tied) + 1) / 2)

    def test_slider_shows_nodes_leaving_and_merging(self):
        layers = self.predicted[3]["layers"]
        first = self.shown_layer()
        self.assertIn("Layer 1 of 3: %d nodes enter, %d leave, merged into one" % (
            len(layers[0]["nodes"]), len(layers[0]["dropped"])), first)
        points = len(BROWSER.all(".point"))
        self.assertEqual(points, len(layers[0]["nodes"]))
        before = BROWSER.run("return document.querySelector('canvas').toDataURL()")
        BROWSER.press("#layer", Keys.ARROW_RIGHT)
        self.assertIn("Layer 2 of 3: %d nodes and 1 merged node enter" % len(layers[1]["nodes"]), self.shown_layer())
        self.assertEqual(BROWSER.find("#layer").get_attribute("aria-valuetext"), self.shown_layer())
        self.assertEqual(len(BROWSER.all(".point")), len(layers[1]["nodes"]), "who has left has no rank any more")
        BROWSER.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertNotEqual(BROWSER.run("return document.querySelector('canvas').toDataURL()"), before)

        self.assertIn("stands for %d nodes" % len(layers[0]["dropped"]), BROWSER.text("#merged"))
        BROWSER.find("#merged button").click()
        BROWSER.press("#layer", Keys.HOME)
        self.assertEqual(self.selected_in_scatter(), layers[0]["dropped"])

    def test_play_walks_to_the_last_layer(self):
        BROWSER.find("#play").click()
        for _ in range(200):
            if "Layer 3 of 3" in self.shown_layer():
                break
            ActionChains(BROWSER.driver).pause(0.05).perform()
        self.assertIn("Layer 3 of 3", self.shown_layer())
        self.assertEqual(BROWSER.text("#play"), "Play")

    def test_task_switch_ranks_by_the_other_task(self):
        for task in ["two", "one"]:
            BROWSER.find("input[name=task][value=%s]" % task).click()
            self.assertIn("that %s is most attentive to" % task, BROWSER.text("#nodes caption"))
            values = self.predicted[3]["layers"][0]["attentiveness"][task]
            first = int(BROWSER.all("#nodes tbody button")[0].text)
            self.assertAlmostEqual(values[first] / max(values), 1, delta=2e-6)

    def test_selection_in_the_scatter_shows_in_drawing_and_table(self):
        unselected = BROWSER.run("return document.querySelector('canvas').toDataURL()")
        point = BROWSER.find(".point[data-node='5']")
        BROWSER.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", point)
        BROWSER.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual(self.selected_in_table(), [5])
        self.assertNotEqual(BROWSER.run("return document.querySelector('canvas').toDataURL()"), unselected)

        # A frame drawn over nearly all of the scatter, from a corner where no point is in the way.
        overlay = BROWSER.find(".brush .overlay")
        x, y = BROWSER.run("""
            arguments[0].scrollIntoView({block: "center"});
            const { left, right, top, bottom } = arguments[0].getBoundingClientRect();
            return [[left + 3, top + 3], [right - 3, top + 3], [left + 3, bottom - 3], [right - 3, bottom - 3]]
              .find(([x, y]) => document.elementFromPoint(x, y) === arguments[0])
              .map((value, i) => value - (i === 0 ? left + right : top + bottom) / 2);""", overlay)
        ActionChains(BROWSER.driver).move_to_element_with_offset(overlay, x, y).click_and_hold().move_by_offset(
            -2 * x, -2 * y).release().perform()
        self.assertGreater(len(self.selected_in_scatter()), 0.8 * len(BROWSER.all(".point")))
        self.assertIn("selected nodes", BROWSER.text("#nodes caption"))
        BROWSER.find("#clear").click()
        self.assertEqual(self.selected_in_scatter(), [])

    def test_selection_in_the_drawing_shows_in_scatter_and_table(self):
        self.hover_by_keys(4)
        ring = BROWSER.find(".ring")
        left, top = (BROWSER.run("return parseFloat(arguments[0].style[arguments[1]])", ring, side)
                     for side in ["left", "top"])
        canvas = BROWSER.find("canvas")
        ActionChains(BROWSER.driver).move_to_element_with_offset(
            canvas, left - canvas.size["width"] / 2, top - canvas.size["height"] / 2).click().perform()
        self.assertEqual(self.selected_in_scatter(), [4])
        self.assertEqual(self.selected_in_table(), [4])
        self.assertIn("node 4", BROWSER.text(".tip"))
        BROWSER.press("canvas", Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertEqual(self.selected_in_scatter(), [4, 5])
        BROWSER.press("canvas", Keys.ESCAPE)
        self.assertEqual(self.selected_in_scatter(), [])

    def test_orange_means_a_ratio_of_at_least_a_quarter(self):
        for layer in range(3):
            attentiveness = self.predicted[3]["layers"][layer]["attentiveness"]
            nodes = self.predicted[3]["layers"][layer]["nodes"]
            for point in BROWSER.all(".point"):
                at = nodes.index(int(point.get_attribute("data-node")))
                less, more = sorted([attentiveness["one"][at], attentiveness["two"][at]])
                self.assertEqual("similar" in point.get_attribute("class").split(), less >= 0.25 * more)
            BROWSER.press("#layer", Keys.ARROW_RIGHT)

    def test_scatter_takes_any_two_tasks(self):
        Select(BROWSER.find("#second")).select_by_value("ged")
        self.assertIn("rank by ged", BROWSER.text("svg[role=application]"))

    def test_graphs_can_be_chosen(self):
        Select(BROWSER.find("#graph")).select_by_visible_text("7")
        self.assertIn("%d nodes enter" % len(self.predicted[7]["layers"][0]["nodes"]), self.shown_layer())

    def test_keyboard_reaches_everything(self):
        stops = BROWSER.tab_stops()
        for wanted in ["graph", "theme", "layer", "play", "CANVAS", "svg", "INPUT", "first", "second", "BUTTON"]:
            self.assertIn(wanted, stops)

    def test_text_and_marks_have_contrast_in_both_themes(self):
        self.hover_by_keys(4)
        for theme in ["light", "dark"]:
            BROWSER.use_theme(theme)
            self.assertEqual(BROWSER.contrasts_too_low(), [], theme)

    def test_pictures_are_saved_as_svg(self):
        drawing, ranks = [BROWSER.saved(button) for button in BROWSER.all(".save")]
        edges = BROWSER.run("return dotin.data.graphs[0].edges.length")
        self.assertEqual(len(drawing.findall(".//{*}line")), edges)
        self.assertGreaterEqual(len(drawing.findall(".//{*}path")), len(self.predicted[3]["layers"][0]["nodes"]))
        self.assertGreaterEqual(len(ranks.findall(".//{*}path")), len(self.predicted[3]["layers"][0]["nodes"]))
        self.assertIn("rank by one", "".join(ranks.itertext()))

    def test_a_phone_needs_no_scrolling_sideways(self):
        BROWSER.size(390, 800)
        self.assertLessEqual(BROWSER.run("return document.documentElement.scrollWidth"), 390)


class LargeGraph(PageTest):
    page = "large.html"

    @classmethod
    def setUpClass(cls):
        dotin("data", "generate", "motif", "--graphs", "1", "--nodes", "5748", "--tasks", "2", "-o", "large.jsonl")
        dotin("explain", "run/model.safetensors", "large.jsonl", "--graph", "0", "-o", "large.html")

    def test_stays_usable(self):
        nodes = BROWSER.run("return dotin.data.graphs[0].nodes")
        self.assertGreater(nodes, 2800)
        self.assertIn("Layer 1 of 3: {:,} nodes enter".format(nodes), BROWSER.text("output[for=layer]"))
        BROWSER.press("#layer", Keys.END)
        self.assertIn("Layer 3 of 3", BROWSER.text("output[for=layer]"))
        BROWSER.press("canvas", Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertIn("Node 0", BROWSER.text("#details"))


class DatasetPage(TablesFit, PageTest):
    page = "dataset.html"

    def test_shows_what_json_says(self):
        told = json.loads(dotin("explain", "run/model.safetensors", "motif.jsonl", "--verify", "--json"))
        self.assertEqual(json.loads(BROWSER.run("return document.getElementById('data').textContent")), told)
        departures = BROWSER.all("section[aria-label='Where nodes leave'] g text:last-child")
        for text, count in zip(departures, told["summary"]["departures"], strict=True):
            self.assertAlmostEqual(float(text.text.rstrip("%")) / 100, count / told["summary"]["nodes"], delta=1e-4)

    def test_task_switch_shows_what_that_task_would_keep(self):
        shown = []
        for choice in BROWSER.all("input[name=retention]"):
            choice.click()
            shown.append(BROWSER.all("section[aria-label='Kept more often than chance'] table")[-1].text)
        self.assertEqual(len(set(shown)), 4, "all together, and each of three tasks")

    def test_labels_and_numbers_of_bars_lie_apart(self):
        def rare(data):
            label = data["summary"]["retention"][0]["labels"][0]
            label.update(kept=0.01234 * label["expected"], value="a longer label", z=-99)
        self.open_with(rare)
        rows = BROWSER.run("""return [...document.querySelectorAll("section[aria-label='Kept more often than chance'] svg > g")].map((row) => {
            const [label, number] = [...row.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
            return [label.right, number.left];
        });""")
        self.assertGreater(len(rows), 3)
        for label, number in rows:
            self.assertLess(label, number)

    def test_contrast_keyboard_and_svg(self):
        BROWSER.find("details summary").click()
        for theme in ["light", "dark"]:
            BROWSER.use_theme(theme)
            self.assertEqual(BROWSER.contrasts_too_low(), [], theme)
        stops = BROWSER.tab_stops()
        for wanted in ["theme", "INPUT", "SUMMARY", "BUTTON"]:
            self.assertIn(wanted, stops)
        buttons = BROWSER.all(".save")
        self.assertEqual(len(buttons), 5)
        for button in buttons:
            self.assertTrue(BROWSER.saved(button).tag.endswith("svg"))


if __name__ == "__main__":
    run_tests(globals(), vars(page_case))
