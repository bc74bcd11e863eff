#include "apps/manual/man_page.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

using namespace troupe;

namespace {

struct Values {
  std::string shape, file;
  std::vector<std::string> files;
  bool quiet = false;
};

void declare(CLI::App& app, Values& values) {
  auto* draw = app.add_subcommand("draw", "Draw a shape");
  draw->add_option("files", values.files, "what to draw")->required();
  draw->add_option("--shape,-s", values.shape, "the outline")
    ->check(CLI::IsMember({"disc", "square"}));
  draw->add_flag("-q,--quiet", values.quiet, "print no dots: .");
  draw->footer("\nExamples:\n  .draw \\x\n\nExit codes: 0 done;\n  2 usage.\n");
}

CommandDescription described_drawing() {
  CLI::App app{"Draws."};
  Values values;
  declare(app, values);
  return describe_command(app, "paint");
}

} // namespace

TEST_CASE("a command is described with its positionals, options and choices", "[manual]") {
  const auto draw = described_drawing().commands.at(0);
  CHECK(draw.name == "paint draw");
  CHECK(draw.text == "Draw a shape");
  REQUIRE(draw.positionals.size() == 1);
  CHECK(draw.positionals[0].names == std::vector<std::string>{"files"});
  CHECK(draw.positionals[0].required);
  CHECK(draw.positionals[0].repeats);
  REQUIRE(draw.options.size() == 3); // help comes first
  CHECK(draw.options[1].names == std::vector<std::string>{"--shape", "-s"});
  CHECK(draw.options[1].value == "TEXT");
  CHECK(draw.options[1].choices == std::vector<std::string>{"disc", "square"});
  CHECK_FALSE(draw.options[1].repeats);
  CHECK(draw.options[2].value.empty());
}

TEST_CASE("a manual page has name, synopsis, arguments, options and the help's sections",
          "[manual]") {
  const auto page = man_page(described_drawing().commands.at(0), "paint 1");
  for (const auto* part :
       {".TH PAINT-DRAW 1", "paint\\-draw \\- Draw a shape", ".SH SYNOPSIS", "\\fIfiles\\fR ...\n",
        "\\fB\\-\\-shape\\fR, \\fB\\-s\\fR \\fITEXT\\fR\nthe outline; one of disc, square",
        ".SH EXAMPLES\n.nf\n  .draw \\ex\n.fi", ".SH EXIT CODES\n.nf\n0 done;\n  2 usage"})
    CHECK_THAT(page, Catch::Contains(part));
}

TEST_CASE("a line that roff would take for a request is escaped", "[manual]") {
  CommandDescription command{"paint", ".first", {}, {}, "Notes:\n.second\n'third\n", {}};
  const auto page = man_page(command, "paint 1");
  CHECK_THAT(page, Catch::Contains("\n\\&.second\n\\&'third\n"));
}

TEST_CASE("the page of a program lists its commands", "[manual]") {
  CHECK_THAT(man_page(described_drawing(), "paint 1"),
             Catch::Contains(".TP\n\\fBpaint\\-draw\\fR(1)\nDraw a shape"));
  CHECK(man_page_file(described_drawing().commands.at(0)) == "paint-draw.1");
}
