"""What the tests of pages share. run_tests() of browser.py sets the names in capitals."""
import json
import os
import subprocess
import unittest

DOTIN = None
FOLDER = None
BROWSER = None


def dotin(*arguments):
    return subprocess.run([DOTIN, *arguments], check=True, capture_output=True, text=True, cwd=FOLDER).stdout


def place(name):
    return os.path.join(FOLDER, name)


class PageTest(unittest.TestCase):
    """What must hold for every page, whatever was done with it."""
    page = None

    def setUp(self):
        BROWSER.size(1280, 1000)
        BROWSER.open(place(self.page))

    def tearDown(self):
        self.assertEqual(BROWSER.problems(), [], "the console stays empty")
        pages = tuple("file://" + place(name) for name in [self.page, "changed.html"])
        for address in BROWSER.requests():
            self.assertTrue(address.startswith((*pages, "data:", "blob:")), address)

    def open_with(self, change):
        """Shows the page as it is with other data; change(data) changes that."""
        with open(place(self.page), encoding="utf-8") as file:
            before, rest = file.read().split('id="data">', 1)
        text, after = rest.split("</script>", 1)
        data = json.loads(text)
        change(data)
        with open(place("changed.html"), "w", encoding="utf-8") as file:
            file.write(before + 'id="data">' + json.dumps(data) + "</script>" + after)
        BROWSER.open(place("changed.html"))


class TablesFit:
    """Pages whose tables can be read at once on a usual screen."""

    def test_no_table_is_cut(self):
        BROWSER.size(1300, 1000)
        self.assertEqual(BROWSER.tables_cut(), [])
