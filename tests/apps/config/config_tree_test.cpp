#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::config;

namespace {

Node tree(std::string_view text, const std::string& name = "run.yaml") {
  return read_yaml(text, name);
}

std::string text_at(const Node& node, std::string_view path) {
  const auto* found = get(node, parse_path(path));
  return found == nullptr ? "absent" : found->text();
}

} // namespace

TEST_CASE("maps are merged key by key, lists and scalars replaced whole", "[config_tree][M1]") {
  auto under = tree("a: {b: 1, c: 2, d: [1, 2, 3]}\ne: 5");
  CHECK(merge(under, tree("a: {c: 3, d: [9], f: 4}")).empty());
  CHECK(under == tree("a: {b: 1, c: 3, d: [9], f: 4}\ne: 5"));
}

TEST_CASE("a map over a single value is refused, and the reverse, with both sources",
          "[config_tree][M1]") {
  auto under = tree("a: {b: 1}\nc: 2", "base.yaml");
  const auto errors = merge(under, tree("c: {x: 1}\na: 7"));
  REQUIRE(errors.size() == 2);
  CHECK(errors[0]
        == "c is a map (run.yaml:1:1), but '2' (base.yaml:2:1); a map and a single value cannot be "
           "merged; put a text with a colon into quotes of its own, like '\"a: b\"'");
  CHECK(errors[1]
        == "a is '7' (run.yaml:2:1), but a map (base.yaml:1:1); a map and a single value cannot be "
           "merged; give it keys and values, each key with a colon and a space after it, like {b: "
           "1}");
  CHECK(under == tree("a: {b: 1}\nc: 2"));
}

TEST_CASE("an extension's switch and its options replace each other", "[config_tree][M1]") {
  auto under = tree("extensions: {a: {b: 1}, c: false, d: {e: 2}, f: yes}");
  CHECK(merge(under, tree("extensions: {a: Off, c: {x: 1}, d: true, f: no}")).empty());
  CHECK(under == tree("extensions: {a: Off, c: {x: 1}, d: {e: 2}, f: no}"));
  set(under, {"extensions", "a", "b"}, Node::scalar("3"));
  CHECK(under == tree("extensions: {a: {b: 3}, c: {x: 1}, d: {e: 2}, f: no}"));
  CHECK(merge(under, tree("extensions: {a: 5}")).size() == 1);
  CHECK(merge(under, tree("extensions: {c: {x: {y: 1}}}")).size() == 1);
  auto elsewhere = tree("training: {clipping: {norm: 1}}");
  CHECK(merge(elsewhere, tree("training: {clipping: false}")).size() == 1);
}

TEST_CASE("a key can be deleted, and the whole configuration cannot", "[config_tree][M1]") {
  auto under = tree("a: {b: 1}\nc: 2");
  CHECK_THROWS_WITH(remove(under, {}), Catch::Contains("cannot be deleted; name a key"));
  // cure: whole configuration cannot be deleted; name a key
  remove(under, {"a"});
  CHECK(under == tree("c: 2"));
}

TEST_CASE("an empty section changes nothing", "[config_tree][M1]") {
  auto under = tree("a: {b: 1}");
  CHECK(merge(under, tree("a:\n  # b: 2\n")).empty());
  CHECK(under == tree("a: {b: 1}"));
}

TEST_CASE("every value remembers the place that set it last", "[config_tree][M1]") {
  auto under = tree("a: {b: 1, c: 2}", "base.yaml");
  merge(under, tree("a:\n  c: 3"));
  CHECK(get(under, {"a", "b"})->source() == "base.yaml:1:5");
  CHECK(get(under, {"a", "c"})->source() == "run.yaml:2:3");
}

TEST_CASE("deleting a missing key is an error with the nearest key", "[config_tree][M3]") {
  auto node = tree("training: {epochs: 3}");
  CHECK_THROWS_WITH(remove(node, {"training", "epoch"}),
                    Catch::Contains("no training.epoch")
                      && Catch::Contains("did you mean 'epochs'?"));
  CHECK_THROWS_AS(remove(node, {"model"}), ConfigError);
  CHECK_THROWS_AS(remove(node, {}), ConfigError);
  CHECK(node == tree("training: {epochs: 3}"));
}

TEST_CASE("leaves are listed depth first in the order of their keys", "[config_tree][M3]") {
  const auto found = leaves(tree("b: {y: 1, x: [1, 2]}\na: 3\nc: {}"));
  REQUIRE(found.size() == 3);
  CHECK(to_string(found[0].path) == "b.y");
  CHECK(to_string(found[1].path) == "b.x");
  CHECK(to_string(found[2].path) == "a");
}

TEST_CASE("a leaf is found by its last key alone; an ambiguous key is reported with all its paths",
          "[config_tree][M3]") {
  const auto node = tree("training: {seed: 1, epochs: 3}\ntesting: {seed: 2}");
  CHECK(to_string(find_leaf(node, "epochs")) == "training.epochs");
  CHECK_THROWS_WITH(find_leaf(node, "seed"),
                    "'seed' is ambiguous: give one of training.seed, testing.seed");
  CHECK_THROWS_WITH(find_leaf(node, "sed"), "no value is called 'sed'; did you mean 'seed'?");
}

TEST_CASE("setting a value creates missing maps", "[config_tree]") {
  auto node = Node::map();
  set(node, {"a", "b", "c"}, Node::scalar("1"));
  CHECK(node == tree("a: {b: {c: 1}}"));
  CHECK_THROWS_WITH(set(node, parse_path("a.b.c.d.e"), Node::scalar("2")),
                    Catch::Contains("a.b.c is '1' (default), not a map"));
  CHECK(node == tree("a: {b: {c: 1}}"));
}

TEST_CASE("a path is split at dots that are not escaped", "[config_tree]") {
  CHECK(parse_path("a.b") == Path{"a", "b"});
  CHECK(parse_path("a\\.b.c") == Path{"a.b", "c"});
  CHECK(parse_path("a\\\\.b") == Path{"a\\", "b"});
  CHECK(parse_path("").empty());
  for (const auto& path : {Path{"a"}, Path{"a.b", "c\\"}, Path{"\\.", "x"}})
    CHECK(parse_path(to_string(path)) == path);
  for (auto bad : {".", "a.", ".a", "a..b"})
    CHECK_THROWS_AS(parse_path(bad), UsageError);
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i)
    deep += ".a";
  CHECK_THROWS_WITH(parse_path(deep), Catch::Contains("deeper than 64 levels"));
}

TEST_CASE("quotes distinguish a text only from values of other types", "[config_tree]") {
  CHECK(tree("a: 'mnist'") == tree("a: mnist"));
  CHECK_FALSE(tree("a: '12'") == tree("a: 12"));
  CHECK(tree("a: {x: 1, y: 2}").find("a")->keys() == std::vector<std::string>{"x", "y"});
  CHECK(text_at(tree("a: 1"), "a") == "1");
}
