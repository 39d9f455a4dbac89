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
    # Hardly trained, and without what tells a node's neighbours: attention is even, and nodes of one label are alike.
    dotin("train", "motif.jsonl", "--preset", "paper", "--tasks", "one=classify", "--layers", "3", "--drop-ratio", "0.5",
          "--epochs", "1", "--hidden", "8", "--threads", "1", "--out", "even")
    dotin("explain", "even/model.safetensors", "motif.jsonl", "--graph", "3", "-o", "even.html")
    dotin("explain", "run/model.safetensors", "motif.jsonl", "--graph", "3,7", "-o", "graphs.html")
    dotin("explain", "run/model.safetensors", "motif.jsonl", "--verify", "-o", "dataset.html")


def marks():
    """The marks of the scatter: (their nodes, x, y, classes)."""
    return BROWSER.run("""return [...document.querySelectorAll(".point")].map((mark) =>
        [mark.dataset.nodes.split(" ").map(Number), mark.transform.baseVal[0].matrix.e, mark.transform.baseVal[0].matrix.f,
         [...mark.classList]]);""")


class GraphsPage(TablesFit, PageTest):
    page = "graphs.html"

    @classmethod
    def setUpClass(cls):
        lines = dotin("predict", "run/model.safetensors", "motif.jsonl", "--explain").splitlines()
        cls.predicted = [json.loads(line) for line in lines]

    def shown_layer(self):
        return BROWSER.text("output[for=layer]")

    def selected_in_scatter(self):
        return sorted(node for nodes, _, _, classes in marks() if "selected" in classes for node in nodes)

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
        self.assertEqual(sorted(node for nodes, *_ in marks() for node in nodes), layers[0]["nodes"])
        before = BROWSER.run("return document.querySelector('canvas').toDataURL()")
        BROWSER.press("#layer", Keys.ARROW_RIGHT)
        self.assertIn("Layer 2 of 3: %d nodes and 1 merged node enter" % len(layers[1]["nodes"]), self.shown_layer())
        self.assertEqual(BROWSER.find("#layer").get_attribute("aria-valuetext"), self.shown_layer())
        self.assertEqual(sorted(node for nodes, *_ in marks() for node in nodes), layers[1]["nodes"],
                         "who has left has no rank any more")
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
        point = BROWSER.find(".point[data-nodes='5']")
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
        self.assertGreater(len(self.selected_in_scatter()), 0.8 * len(marks()))
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

    def test_marks_stand_at_their_ranks(self):
        shared = 0
        for layer in BROWSER.run("return dotin.data.graphs[0].layers"):
            at = {node: i for i, node in enumerate(layer["nodes"])}
            chart = BROWSER.find("svg[role=application]")
            (x, _), (y, _) = BROWSER.axis(chart, "x"), BROWSER.axis(chart, "y")
            for nodes, left, top, _ in marks():
                shared += len(nodes) > 1
                for node in nodes:
                    self.assertAlmostEqual(x(left), layer["rank"]["one"][at[node]], delta=0.05)
                    self.assertAlmostEqual(y(top), layer["rank"]["two"][at[node]], delta=0.05)
            BROWSER.press("#layer", Keys.ARROW_RIGHT)
        self.assertGreater(shared, 0, "nodes that share both ranks are one mark")

    def test_a_mark_of_several_nodes_selects_them_all(self):
        nodes = max((nodes for nodes, *_ in marks()), key=len)
        self.assertGreater(len(nodes), 1)
        mark = BROWSER.find(".point[data-nodes='%s']" % " ".join(map(str, nodes)))
        for shift, selected in [("false", nodes), ("true", [])]:
            BROWSER.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: %s}))" % shift, mark)
            self.assertEqual(self.selected_in_table(), selected)

    def test_circles_have_near_ranks(self):
        for layer in BROWSER.run("return dotin.data.graphs[0].layers"):
            ranks = list(zip(layer["rank"]["one"], layer["rank"]["two"], strict=True))
            near = 0.1 * len(ranks)
            for nodes, _, _, classes in marks():
                one, two = ranks[layer["nodes"].index(nodes[0])]
                self.assertEqual("similar" in classes, abs(one - two) <= near)
            alike = sum(abs(one - two) <= near for one, two in ranks)
            chance = sum(abs(one - two) <= near for one, _ in ranks for _, two in ranks) / len(ranks)
            said = BROWSER.text("#alike")
            self.assertIn("%d of %d nodes are alike" % (alike, len(ranks)), said)
            self.assertAlmostEqual(float(said.split("; ")[1].split()[0]), chance, delta=0.06 * chance)
            BROWSER.press("#layer", Keys.ARROW_RIGHT)

    def test_opposed_ranks_are_not_alike(self):
        def oppose(data):
            for layer in data["graphs"][0]["layers"]:
                layer["rank"]["two"] = [len(layer["nodes"]) + 1 - rank for rank in layer["rank"]["one"]]
        self.open_with(oppose)
        self.assertLess(int(BROWSER.text("#alike").split()[0]), 0.2 * len(self.predicted[3]["layers"][0]["nodes"]))
        self.assertIn("Rank correlation: −1.00", BROWSER.text("#alike"))

    def test_the_papers_rule_is_a_choice(self):
        BROWSER.find("input[name=rule][value=ratio]").click()
        for layer in self.predicted[3]["layers"]:
            pairs = list(zip(layer["attentiveness"]["one"], layer["attentiveness"]["two"], strict=True))
            alike = [min(pair) >= 0.25 * max(pair) for pair in pairs]
            for nodes, _, _, classes in marks():
                self.assertEqual("similar" in classes, alike[layer["nodes"].index(nodes[0])])
            self.assertIn("%d of %d nodes are alike" % (sum(alike), len(alike)), BROWSER.text("#alike"))
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


class EvenAttention(PageTest):
    """A graph to whose nodes a model of one task is about equally attentive."""
    page = "even.html"

    def legend(self):
        """Colours of the least and of the largest attentiveness, as red, green and blue."""
        return BROWSER.run("""const parts = document.querySelectorAll(".legend rect");
            return [parts[0], parts[parts.length - 1]].map((part) => { const { r, g, b } = d3.rgb(part.getAttribute("fill")); return [r, g, b]; });""")

    def test_points_stand_at_their_attentiveness(self):
        for layer in BROWSER.run("return dotin.data.graphs[0].layers"):
            values = dict(zip(layer["nodes"], layer["attentiveness"]["one"], strict=True))
            chart = BROWSER.find("svg[role=application]")
            y, _ = BROWSER.axis(chart, "y", log=True)
            for (node,), _, top, classes in marks():
                self.assertAlmostEqual(y(top) / values[node], 1, delta=1e-3)
                self.assertEqual("similar" in classes, node not in layer["dropped"])
            x, _ = BROWSER.axis(chart, "x")
            order = [node for (node,), *_ in sorted(marks(), key=lambda mark: mark[1])]
            self.assertEqual([round(x(left)) for left in sorted(left for _, left, *_ in marks())], list(range(1, len(order) + 1)))
            ranks = dict(zip(layer["nodes"], layer["rank"]["one"], strict=True))
            self.assertEqual(order, sorted(order, key=lambda node: (ranks[node], node)))
            BROWSER.press("#layer", Keys.ARROW_RIGHT)

    def test_nodes_that_are_alike_look_alike(self):
        def even(data):
            values = data["graphs"][0]["layers"][0]["attentiveness"]["one"]
            values[:] = [0.035 * 1.04 ** (i / (len(values) - 1)) for i in range(len(values))]
        self.open_with(even)
        self.assertIn("No preference: in this layer attention for one differs by 4%.", BROWSER.text("#notes"))
        for theme in ["light", "dark"]:
            BROWSER.use_theme(theme)
            for one, other in zip(*self.legend(), strict=True):
                self.assertLess(abs(one - other), 30, "of 255")

    def test_says_where_the_index_decided(self):
        layer = BROWSER.run("return dotin.data.graphs[0].layers[0]")
        scores = dict(zip(layer["nodes"], layer["score"], strict=True))
        cut = max(scores[node] for node in layer["dropped"])
        tied = [node for node in layer["nodes"] if abs(scores[node] - cut) <= 1e-6 * max(map(abs, layer["score"]))]
        stay = [node for node in tied if node in layer["kept"]]
        self.assertEqual(stay, tied[:len(stay)])
        self.assertIn("Chosen by index: of %d nodes with equal drop scores the first %s, the other %d leave." % (
            len(tied), "stays" if len(stay) == 1 else "%d stay" % len(stay), len(tied) - len(stay)), BROWSER.text("#notes"))
        BROWSER.press("canvas", *[Keys.ARROW_RIGHT] * (tied[0] + 1))
        self.assertIn("of the %d equal ones here those of higher index" % len(tied), BROWSER.text("#details"))

    def test_a_preference_is_shown_in_full_colours(self):
        def prefer(data):
            layer = data["graphs"][0]["layers"][0]
            layer["attentiveness"]["one"][0] *= 8
            layer["score"] = [-i for i in range(len(layer["nodes"]))]
        self.open_with(prefer)
        self.assertEqual(BROWSER.text("#notes"), "")
        self.assertGreater(max(abs(one - other) for one, other in zip(*self.legend(), strict=True)), 120)


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
