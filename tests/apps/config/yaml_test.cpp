#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <random>

using namespace troupe;
using namespace troupe::config;

namespace {

const std::string valid
  = "# a run\ntraining: &t\n  epochs: 3\n  hidden: [64, 'x, y', {a: \"b\\n\"}]\n"
    "  text: |\n    two\n    lines\nvalidation:\n  <<: *t\n  epochs: ~\n"
    "list:\n- a\n- - 1\n  - 2\n- k: v\n";

} // namespace

TEST_CASE("scalars stay texts, quoted or not, with their positions", "[yaml]") {
  const auto tree = test::read("a: NO\nb: 010\nc:\n  d: .inf\n  e: '12'\nf: 1e3\n");
  CHECK(tree.find("a")->text() == "NO");
  CHECK(tree.find("b")->text() == "010");
  CHECK(get(tree, {"c", "d"})->text() == ".inf");
  CHECK(get(tree, {"c", "e"})->quoted());
  CHECK_FALSE(tree.find("f")->quoted());
  CHECK(get(tree, {"c", "e"})->source() == "run.yaml:5:3");
}

TEST_CASE("anchors, aliases and << are resolved", "[yaml]") {
  const auto tree = test::read("base: &b {x: 1, y: 2}\nother: {<<: *b, y: 3}\nlist: [*b, *b]\n");
  CHECK(*tree.find("other") == test::read("y: 3\nx: 1"));
  CHECK(tree.find("list")->items()[1] == test::read("x: 1\ny: 2"));
  CHECK(test::read("'<<': {x: 1}").keys() == std::vector<std::string>{"<<"});
}

TEST_CASE("an empty document is an empty map", "[yaml]") {
  for (auto text : {"", "\n", "# nothing\n", "---\n", "~"})
    CHECK(test::read(text) == Node::map());
}

TEST_CASE("an error names file, line and column", "[yaml][M6]") {
  CHECK_THROWS_WITH(test::read("a: 1\nb: [1, 2\nc: 3\n"), Catch::StartsWith("run.yaml:"));
  CHECK_THROWS_WITH(test::read("a: 1\na: 2\n"),
                    "run.yaml:2:1: the key 'a' is given twice in one map; leave one out");
  CHECK_THROWS_WITH(test::read("- 1\n"),
                    "run.yaml:1:1: a configuration is a map of keys and values, and "
                    "this is a list");
  CHECK_THROWS_WITH(test::read("text"), Catch::Contains("this is 'text'"));
  CHECK_THROWS_WITH(test::read("a: 1\n---\nb: 2\n"), Catch::Contains("a second document"));
  CHECK_THROWS_WITH(test::read("a: !include x"),
                    Catch::Contains("the tag '!include' means nothing"));
  CHECK_THROWS_WITH(test::read("[1, 2]: x"), Catch::Contains("a key must be a text"));
  CHECK_THROWS_WITH(test::read("a: &x [*x]"), Catch::StartsWith("run.yaml:1:8: "));
  CHECK_THROWS_WITH(test::read("a: *missing"), Catch::StartsWith("run.yaml:1:"));
}

TEST_CASE("a written tree is read back unchanged", "[yaml][M7]") {
  const auto tree = test::read(valid);
  CHECK(test::read(to_yaml(tree)) == tree);
  const auto texts
    = test::read("a: 'NO'\nb: NO\nc: '010'\nd: ''\ne: ~\nf: '~'\n'on': 'a: b'\n'': 1\n"
                 "'null': \"tab\\t\"\ng: {}\nh: []\ni: [[], {}]\nj: '# no'\nk: '- a'\n"
                 "l: '---'\nm: 12:00:00\nn: http://x:1/y\no: ' a '\np: 'a:'\nq: \"\\x7f\"\n");
  CAPTURE(to_yaml(texts));
  CHECK(test::read(to_yaml(texts)) == texts);
}

TEST_CASE("quotes are written only where they are needed", "[yaml]") {
  auto tree = Node::map();
  tree.put("name", Node::scalar("mnist", default_source, true));
  tree.put("country", Node::scalar("NO", default_source, true));
  tree.put("shuffle", Node::scalar("no"));
  tree.put("rate", Node::scalar("3e-04"));
  CHECK(to_yaml(tree) == "name: mnist\ncountry: \"NO\"\nshuffle: no\nrate: 3e-04\n");
}

TEST_CASE("a number stays a number, however it is written", "[yaml][M7][R15]") {
  for (const std::string number : {"+.5", "+.inf", "-.5", ".5", "5.", "+5", "1_000", "1e+3"}) {
    const auto text = "a: " + number + "\n";
    CHECK(to_yaml(test::read(text)) == text);
  }
}

TEST_CASE("texts that start like a number are read back unchanged", "[yaml][M7][R15]") {
  const auto tree = test::read("a: 2\xc3\xa9\nb: 3 %\nc: 1e5, 2\nd: 7\xc3\xbf\ne: 1 -2\n");
  CAPTURE(to_yaml(tree));
  CHECK(test::read(to_yaml(tree)) == tree);
}

TEST_CASE("random trees survive writing and reading", "[yaml][M7]") {
  std::mt19937 random{4};
  const std::vector<std::string> pieces{"a",  "B7", " ",  ":", "#", "-", "'",  "\"",  "\\",
                                        "\n", "\t", ",",  "[", "}", "~", "no", "1",   "\xc3\xa9",
                                        ".",  "&",  "*",  "!", "%", "@", "`",  "|",   ">",
                                        "?",  "=",  "<<", "/", "_", "+", "\r", "\x01"};
  const auto text = [&] {
    std::string result;
    for (auto n = random() % 5; n > 0; --n)
      result += pieces[random() % pieces.size()];
    return result;
  };
  const std::function<Node(int)> node = [&](int depth) {
    const auto kind = random() % (depth > 0 ? 5 : 3);
    if (kind == 0)
      return Node::null();
    if (kind < 3)
      return Node::scalar(text(), "", true);
    auto result = kind == 3 ? Node::list() : Node::map();
    for (auto n = random() % 4; n > 0; --n) {
      if (kind == 3)
        result.append(node(depth - 1));
      else
        result.put(text(), node(depth - 1));
    }
    return result;
  };
  for (int i = 0; i < 3000; ++i) {
    auto tree = Node::map();
    for (auto n = random() % 4; n > 0; --n)
      tree.put(text(), node(3));
    const auto written = to_yaml(tree);
    CAPTURE(written);
    REQUIRE(test::read(written) == tree);
  }
}

TEST_CASE("with sources every leaf shows its source", "[yaml]") {
  auto tree = test::read("training:\n  epochs: 3\n  hidden: [64, 32]\n  units:\n  - a: 1\n");
  get(tree, {"training", "epochs"})->set_source("command line: training.epochs=3\n");
  CHECK(to_yaml_with_sources(tree)
        == "training:\n"
           "  epochs: 3         # command line: training.epochs=3 \n"
           "  hidden: [64, 32]  # run.yaml:3:3\n"
           "  units:\n"
           "    - a: 1          # run.yaml:5:5\n");
  CHECK(test::read(to_yaml_with_sources(tree)) == tree);
}

TEST_CASE("every prefix of a valid file is read or refused", "[yaml]") {
  for (std::size_t length = 0; length <= valid.size(); ++length) {
    try {
      test::read(std::string_view{valid}.substr(0, length));
    } catch (const ConfigError& error) {
      REQUIRE_THAT(error.what(), Catch::StartsWith("run.yaml"));
    }
  }
}

TEST_CASE("any bytes are a configuration or refused", "[yaml]") {
  std::mt19937 random{5};
  const std::string_view letters = "ab:- \n[]{},'\"&*!|>%@#?~<\t\r\\0.\xef\xbb\xbf\xff\xfe";
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    const bool any = i % 3 == 0;
    for (auto n = random() % 40; n > 0; --n)
      text += any ? static_cast<char>(random()) : letters[random() % letters.size()];
    try {
      test::read(text);
    } catch (const ConfigError& error) {
      REQUIRE_THAT(error.what(), Catch::StartsWith("run.yaml"));
    }
  }
}

TEST_CASE("a damaged file is read or refused", "[yaml]") {
  std::mt19937 random{6};
  for (int i = 0; i < test::rounds(10'000); ++i) {
    auto text = valid;
    for (auto n = 1 + random() % 4; n > 0; --n)
      text[random() % text.size()] = static_cast<char>(random());
    try {
      test::read(text);
    } catch (const ConfigError&) {
    }
  }
}

TEST_CASE("a file cannot exhaust time, stack or memory", "[yaml]") {
  const auto many = [](std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
      text += piece;
    return text;
  };
  const auto pieces = test::rounds(100'000) + 1;
  for (auto piece :
       {"[", "{", "- ", "? ", "{a: ", "[{", "a: ", "&a ", "!a ", "* ", "[a, ", "'", "\""}) {
    CAPTURE(piece);
    CHECK_THROWS_AS(test::read(many(piece, pieces)), ConfigError);
    CHECK_THROWS_AS(test::read("a: " + many(piece, pieces)), ConfigError);
  }
  std::string laughs = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i)
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1)
              + ", *a" + std::to_string(i - 1) + "]\n";
  CHECK_THROWS_WITH(test::read(laughs), Catch::Contains("more than 100000 values"));
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1)
             + "]\n";
  CHECK_THROWS_WITH(test::read(chain), Catch::Contains("deeper than 64 levels"));
  CHECK_THROWS_WITH(test::read(many("x", 5 << 20)), Catch::Contains("larger than 4 MiB"));
  std::string keys;
  for (int i = 0; i < 10'001; ++i)
    keys += "k" + std::to_string(i) + ": 1\n";
  CHECK_THROWS_WITH(test::read(keys), Catch::Contains("more than 10000 keys"));
}

TEST_CASE("the error for a common mistake in YAML says what to do", "[yaml][M6]") {
  const auto told = [](const std::string& text, const std::string& sentence) {
    CHECK_THROWS_WITH(test::read(text), Catch::Contains(sentence));
  };
  told("a:\n\tb: 3\n", "line 2 is indented with a tab; use spaces instead");
  told("a:\n  b: 3\n c: 4\n", "run.yaml:3:2: this line is not indented as the other keys");
  told("a:\n\xC2\xA0 b: 3\n",
       "run.yaml:2:1: the line is indented with no-break spaces; use spaces");
  told("a: {b: 3\n", "close it with }");
  told("a: \"x\nb: 3\n", "run.yaml:1:4: a quote is not closed; close it");
  told("b: 3\na: 'it''s\n", "run.yaml:2:4: a quote is not closed; close it");
  told("a: [3\n", "close it with ]");
  told("a: @b\n", "run.yaml:1:4: a text cannot begin with this character; put it into quotes");
  told("a: *b\n", "a text that begins with * is an alias");
}

TEST_CASE("a configuration that is not UTF-8 is refused with its position", "[yaml]") {
  CHECK_THROWS_WITH(test::read("a: 1\nrun: {tag: caf\xE9}\n"),
                    Catch::Contains("run.yaml:2:15: the byte 0xE9 is not UTF-8")
                      && Catch::Contains("iconv -f LATIN1 -t UTF-8"));
  CHECK_THROWS_WITH(read_value("caf\xE9", "command line"), Catch::Contains("not UTF-8"));
  const auto tree = test::read("\xEF\xBB\xBF"
                               "a: caf\xC3\xA9  \r\n");
  CHECK(tree.find("a")->text() == "caf\xC3\xA9");
}
