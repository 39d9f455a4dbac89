"""Drives the reports of `dotin train` and `dotin cv` as a reader would: run_pages_test.py DOTIN"""
import json
import os

import page_case
from browser import run_tests
from page_case import PageTest, TablesFit, dotin, place

BROWSER = None


def setUpModule():
    dotin("data", "generate", "motif", "--graphs", "60", "--nodes", "40", "--tasks", "2", "-o", "motif.jsonl")
    dotin("train", "motif.jsonl", "--tasks", "one=classify,two=classify:label2,ged", "--layers", "3", "--drop-ratio",
          "0.5", "--epochs", "3", "--hidden", "16", "--threads", "1", "--out", "run")
    dotin("cv", "motif.jsonl", "--tasks", "one=classify,size=regress:label2", "--folds", "3", "--epochs", "3", "--hidden", "8",
          "--threads", "1", "--out", "cv")


class RunReport:
    """What the reports of train and cv share."""

    def result(self):
        with open(os.path.join(os.path.dirname(place(self.page)), "result.json"), encoding="utf-8") as file:
            return json.load(file)

    def section(self, title):
        return BROWSER.find("section[aria-label='%s']" % title)

    def test_contrast_and_svg(self):
        for theme in ["light", "dark"]:
            BROWSER.use_theme(theme)
            self.assertEqual(BROWSER.contrasts_too_low(), [], theme)
        chart = BROWSER.saved(BROWSER.find("section[aria-label='Loss'] .save"))
        for text in ["epoch", "training", "validation"]:
            self.assertIn(text, "".join(chart.itertext()))

    def test_has_the_configuration(self):
        with open(os.path.join(os.path.dirname(place(self.page)), "config.toml"), encoding="utf-8") as file:
            self.assertEqual(BROWSER.find("pre").get_property("textContent"), file.read())

    def confusion(self, task):
        """Counts by true and predicted class."""
        rows = self.section(task + ": confusion matrix").find_elements("css selector", "tbody tr")
        return [[int(cell.text.split("\n")[0].strip("✓ ")) for cell in row.find_elements("css selector", "td span")]
                for row in rows]


class TrainReport(RunReport, TablesFit, PageTest):
    page = "run/report.html"

    def test_shows_the_result(self):
        result = self.result()
        for row in self.section("Results").find_elements("css selector", "tbody tr"):
            task, metric, validation, test = row.text.split()
            self.assertAlmostEqual(float(validation), result["validation"][task][metric], delta=1e-3)
            self.assertAlmostEqual(float(test), result["test"][task][metric], delta=1e-3)
        counts = self.confusion("one")
        self.assertEqual(sum(map(sum, counts)), result["graphs"]["test"])
        self.assertAlmostEqual((counts[0][0] + counts[1][1]) / result["graphs"]["test"], result["test"]["one"]["accuracy"])
        self.section("Where nodes leave")

    def test_curves_have_a_point_per_epoch(self):
        line = self.section("one accuracy, validation").find_element("css selector", "path.line")
        self.assertEqual(line.get_attribute("d").count("L"), 2, "three epochs")
        labels = self.section("one accuracy, validation").find_elements("css selector", "g.x .tick")
        self.assertEqual([label.text for label in labels], ["1", "2", "3"])

    def test_training_and_validation_loss_are_two_lines_of_one_chart(self):
        lines = self.section("Loss").find_elements("css selector", "path.line")
        self.assertEqual(len(lines), 2)
        self.assertEqual(len({line.value_of_css_property("stroke") for line in lines}), 2)
        history = BROWSER.run("return dotin.data.history.folds[0].epochs")
        value, _ = BROWSER.axis(self.section("Loss"), "y")
        for line, key in zip(lines, ["train_loss", "validation_loss"], strict=True):
            places = [float(point.split(",")[1]) for point in line.get_attribute("d")[1:].split("L")]
            for at, epoch in zip(places, history, strict=True):
                self.assertAlmostEqual(value(at), epoch[key], delta=1e-3)

    def test_axes_of_shares_end_at_0_and_1(self):
        def all_right(data):
            for epoch in data["history"]["folds"][0]["epochs"]:
                epoch["validation"] = [1.0 if "a" in metric["metric"] else 0.0 for metric in data["history"]["metrics"]]
        self.open_with(all_right)
        for metric, end in [("one accuracy", 1), ("one f1", 0), ("ged triplet_accuracy", 1)]:
            _, ends = BROWSER.axis(self.section(metric + ", validation"), "y")
            self.assertAlmostEqual(max(ends) if end else min(ends), end)

    def test_distances_are_named_as_they_were_taken(self):
        self.assertIn("Distances of embeddings times their graph's nodes.", self.section("ged: distances").text)
        self.assertIn("euclidean distance times nodes", self.section("ged: distances").text)

        def square(data):
            data["model"]["tasks"][2].update(distance="squared", scale="none")
        self.open_with(square)
        self.assertIn("Squared distances of embeddings.", self.section("ged: distances").text)
        self.assertIn("squared distance\n", self.section("ged: distances").text + "\n")


class CvReport(RunReport, TablesFit, PageTest):
    page = "cv/report.html"

    def test_counts_every_graph_once(self):
        self.assertEqual(sum(map(sum, self.confusion("one"))), 60)
        self.assertIn("60 graphs", self.section("Where nodes leave").text)
        self.section("size: residuals")

    def test_shows_every_fold_and_their_mean(self):
        lines = self.section("one accuracy, test").find_elements("css selector", "path.line")
        self.assertEqual(len(lines), 4)
        self.assertEqual(len(self.section("Loss").find_elements("css selector", "path.line")), 8)

    def test_shows_every_rule(self):
        result = self.result()["tasks"]["one"]["accuracy"]
        row = self.section("Results").find_elements("css selector", "tbody tr")[0]
        means = [float(cell.text.split("\n")[0]) for cell in row.find_elements("css selector", "td span")]
        for mean, rule in zip(means, ["validation", "last", "best_mean", "best_test"], strict=True):
            self.assertAlmostEqual(mean, result[rule]["mean"], delta=1e-3)


if __name__ == "__main__":
    run_tests(globals(), vars(page_case))
