#!/usr/bin/env python3
"""Tests of the scripts that make the site.

usage: site_test.py
"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
import check # noqa: E402
import comments # noqa: E402
import pictures # noqa: E402

HEADER = """// The alarm.
/// Rings once.
struct Alarm {
  int id = 0;
  double used = 0; ///< seconds,
                   ///< not minutes
  double due = 0;  ///< when
};
/// Adds.
/// @throws std::invalid_argument for `x` below 0
int add(int x,
        int y = {2}) { return x + y; }
explicit Thing(int x) : x_(x) {}
""".splitlines()


class Comments(unittest.TestCase):
    def text(self, line):
        first = comments.first_line(HEADER, line)
        declaration, last = comments.declaration(HEADER, first)
        return declaration, comments.comment(HEADER, first, last)

    def test_a_comment_behind_a_member_is_its_own(self):
        self.assertEqual(self.text(3), ("int id = 0", ""))
        self.assertEqual(self.text(4), ("double used = 0", "seconds,\nnot minutes"))
        self.assertEqual(self.text(6), ("double due = 0", "when"))

    def test_a_declaration_ends_before_its_body(self):
        self.assertEqual(self.text(2), ("struct Alarm", "Rings once."))
        self.assertEqual(self.text(10)[0], "int add(int x,\n        int y = {2})")
        self.assertEqual(self.text(12)[0], "explicit Thing(int x)")

    def test_tags_become_a_list_and_indented_lines_stay(self):
        self.assertEqual(comments.markdown("Adds.\n@returns the sum\n@throws E for `x` < 0"),
                         "Adds.\n\n- **Returns** the sum\n- **Throws** E for `x` \\< 0")
        self.assertEqual(comments.markdown("A formula:\n\n  y = x W\n\nEnd."), "A formula:\n\n```text\ny = x W\n```\n\nEnd.")

    def test_names_in_backticks_lead_to_their_pages(self):
        self.assertEqual(comments.markdown("See `Block`.", {"Block": "block.md#Block"}.get), "See [`Block`](block.md#Block).")


class Pictures(unittest.TestCase):
    def test_a_diagram_has_actors_and_messages(self):
        names, rows = pictures.read_conversation([
            "  worker                 holder             log",
            "    | ---- Push ----------> |                 |   a rule",
            "    |                       | ---- Write ---> |",
            "    | <--- Applied -------- |"])
        self.assertEqual(names, ["worker", "holder", "log"])
        self.assertEqual(rows, [([(0, 1, "Push")], "a rule"), ([(1, 2, "Write")], ""), ([(1, 0, "Applied")], "")])

    def test_other_indented_lines_are_no_diagram(self):
        self.assertIsNone(pictures.read_conversation(["  0          a round", "  unbounded  answered at once"]))


class Check(unittest.TestCase):
    def report(self, page):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            (pathlib.Path(folder) / "a.html").write_text(page)
            (pathlib.Path(folder) / "b.html").write_text('<h1 id="top">b</h1>')
            return check.report(pathlib.Path(folder).resolve()), said.getvalue()

    def test_a_broken_link_and_a_missing_anchor_are_defects(self):
        self.assertEqual(self.report('<a href="b.html#top">b</a><a href="https://troupe.example/">t</a>')[0], 0)
        self.assertIn("a.html: there is no c.html", self.report('<a href="c.html">c</a>')[1])
        self.assertIn("a.html: b.html#end has no such anchor", self.report('<a href="b.html#end">b</a>')[1])

    def test_a_page_that_loads_from_elsewhere_is_refused(self):
        self.assertEqual(self.report('<script src="https://cdn.example/x.js"></script>')[0], 1)
        self.assertEqual(self.report('<link rel="stylesheet" href="//cdn.example/x.css">')[0], 1)


if __name__ == "__main__":
    unittest.main()
