#include "troupe/apps/config/settings.hpp"
#include "troupe/apps/config/yaml.hpp"

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
           "merged");
  CHECK(errors[1]
        == "a is '7' (run.yaml:2:1), but a map (base.yaml:1:1); a map and a single value cannot be "
           "merged");
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

TEST_CASE("the user's values win over defaults whatever the order of the calls",
          "[config_tree][M1]") {
  const auto apply = [](const std::string& order) {
    Settings settings;
    for (char c : order) {
      if (c == 'd')
        settings.root().add_defaults(tree("a: {x: 1, y: 1}\nb: [1, 1]"));
      else
        settings.root().add_config(tree("a: {y: 2}\nb: [2]"));
    }
    return settings.effective();
  };
  CHECK(apply("dc") == tree("a: {x: 1, y: 2}\nb: [2]"));
  for (auto order : {"cd", "dcd", "cdc", "ddc", "ccd"}) {
    auto other = apply(order);
    CHECK(get(other, {"a", "x"})->text() == "1");
    CHECK(get(other, {"a", "y"})->text() == "2");
    CHECK(get(other, {"b"})->items().size() == 1);
  }
}

TEST_CASE("among equals the last call wins", "[config_tree][M1]") {
  Settings settings;
  settings.root().add_config(tree("a: 1\nb: 1"));
  settings.root().add_config(tree("a: 2"));
  CHECK(settings.effective() == tree("a: 2\nb: 1"));
}

TEST_CASE("values that clash with defaults leave the settings as they were", "[config_tree][M1]") {
  Settings settings;
  settings.root().add_defaults(tree("a: {b: 1}"));
  CHECK_THROWS_AS(settings.root().add_config(tree("c: 1\na: 2")), ConfigError);
  CHECK(settings.effective() == tree("a: {b: 1}"));
}

TEST_CASE("a component sees only its section, and writes through its view", "[config_tree][M2]") {
  Settings settings;
  settings.root().add_defaults(
    tree("training: {loader: {workers: 0}, epochs: 10}\nmodel: {name: mlp}"));
  auto loader = settings.root().view("training").view("loader");
  CHECK(loader.effective() == tree("workers: 0"));
  CHECK_FALSE(loader.get("epochs"));
  loader.add_defaults(tree("shuffle: true"));
  loader.add_config(tree("workers: 4"));
  CHECK(settings.effective()
        == tree("training: {loader: {workers: 4, shuffle: true}, epochs: 10}\nmodel: {name: mlp}"));
  CHECK(settings.root().get("training.loader.workers")->text() == "4");
}

TEST_CASE("two runs in one process have settings of their own", "[config_tree][M2]") {
  Settings one, two;
  one.root().add_config(tree("a: 1"));
  CHECK(two.effective().entries().empty());
}

TEST_CASE("a value is deleted from the defaults or the user's values", "[config_tree][M3]") {
  Settings settings;
  auto view = settings.root().view("a");
  view.add_defaults(tree("b: 1\nc: 1"));
  view.add_config(tree("b: 2"));
  view.delete_config("b");
  CHECK(view.effective() == tree("b: 1\nc: 1"));
  view.delete_default("b");
  CHECK(view.effective() == tree("c: 1"));
}

TEST_CASE("to delete what is not there is an error with the nearest key", "[config_tree][M3]") {
  auto node = tree("training: {epochs: 3}");
  CHECK_THROWS_WITH(remove(node, {"training", "epoch"}),
                    Catch::Contains("no training.epoch")
                      && Catch::Contains("did you mean 'epochs'?"));
  CHECK_THROWS_AS(remove(node, {"model"}), ConfigError);
  CHECK_THROWS_AS(remove(node, {}), ConfigError);
  CHECK(node == tree("training: {epochs: 3}"));
}

TEST_CASE("leaves are listed depth first in the order of their keys", "[config_tree][M3]") {
  const auto leaves = leafs(tree("b: {y: 1, x: [1, 2]}\na: 3\nc: {}"));
  REQUIRE(leaves.size() == 3);
  CHECK(to_string(leaves[0].path) == "b.y");
  CHECK(to_string(leaves[1].path) == "b.x");
  CHECK(to_string(leaves[2].path) == "a");
}

TEST_CASE("a leaf is set by its last key alone", "[config_tree][M3]") {
  Settings settings;
  settings.root().add_defaults(tree("a: {b: {epochs: 1}, c: 2}"));
  auto view = settings.root().view("a");
  CHECK(to_string(view.set_leaf("epochs", Node::scalar("7"))) == "b.epochs");
  CHECK(settings.effective() == tree("a: {b: {epochs: 7}, c: 2}"));
}

TEST_CASE("an ambiguous leaf is reported with all its paths", "[config_tree][M3]") {
  auto node = tree("training: {seed: 1}\ntesting: {seed: 2}");
  CHECK_THROWS_WITH(set_leaf(node, "seed", Node::scalar("7")),
                    "'seed' is ambiguous: give one of training.seed, testing.seed");
  CHECK_THROWS_WITH(set_leaf(node, "sed", Node::scalar("7")),
                    "no value is called 'sed'; did you mean 'seed'?");
  CHECK(node == tree("training: {seed: 1}\ntesting: {seed: 2}"));
}

TEST_CASE("to set a value creates the maps on the way", "[config_tree]") {
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

TEST_CASE("quotes tell a text only from what looks like something else", "[config_tree]") {
  CHECK(tree("a: 'mnist'") == tree("a: mnist"));
  CHECK_FALSE(tree("a: '12'") == tree("a: 12"));
  CHECK(tree("a: {x: 1, y: 2}").find("a")->keys() == std::vector<std::string>{"x", "y"});
  CHECK(text_at(tree("a: 1"), "a") == "1");
}
