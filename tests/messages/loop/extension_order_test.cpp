#include "messages/loop/extension_order.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace troupe;

namespace {

using Names = std::vector<std::string>;

Names ordered(const std::vector<OrderedExtension>& extensions) {
  Names names;
  for (auto number : extension_order(extensions))
    names.push_back(extensions[number].name);
  return names;
}

} // namespace

TEST_CASE("extensions without requirements keep their place", "[extension order][P13]") {
  CHECK(ordered({{.name = "b"}, {.name = "a"}, {.name = "c"}}) == Names{"b", "a", "c"});
}

TEST_CASE("an extension comes after the one that writes the record it needs",
          "[extension order][B41]") {
  const OrderedExtension stop{.name = "early_stopping", .needs = {"validation_loss"}},
    monitor{.name = "monitor", .writes = {"validation_*"}}, print{.name = "print"};
  CHECK(ordered({stop, print, monitor}) == Names{"monitor", "early_stopping", "print"});
  CHECK(ordered({print, monitor, stop}) == Names{"print", "monitor", "early_stopping"});
}

TEST_CASE("a last extension stays last even if another needs its record",
          "[extension order][P13]") {
  const OrderedExtension save{.name = "save", .writes = {"saved_to"}, .last = true},
    tell{.name = "tell", .needs = {"saved_to"}};
  CHECK(ordered({save, tell}) == Names{"tell", "save"});
}

TEST_CASE("a record without a writer is accepted", "[extension order]") {
  CHECK(ordered({{.name = "a", .needs = {"mine"}}, {.name = "b"}}) == Names{"a", "b"});
}

TEST_CASE("an extension may name another that comes before it", "[extension order]") {
  CHECK(ordered({{.name = "a", .after = {"b"}}, {.name = "b"}}) == Names{"b", "a"});
  CHECK_THROWS_WITH(extension_order({{.name = "a", .after = {"x"}}}),
                    Catch::Contains("'a'") && Catch::Contains("'x', which does not exist"));
}

TEST_CASE("checkpoints come last, and after what they need", "[extension order][B45]") {
  CHECK(
    ordered({{.name = "checkpoint", .last = true}, {.name = "a"}, {.name = "b", .after = {"a"}}})
    == Names{"a", "b", "checkpoint"});
}

TEST_CASE(
  "an extension that reads the row comes after all that write to it, and before a checkpoint",
  "[extension order][B31]") {
  const OrderedExtension print{.name = "print", .late = true},
    save{.name = "checkpoint", .last = true};
  CHECK(ordered({{.name = "a"}, print, save, {.name = "b"}})
        == Names{"a", "b", "print", "checkpoint"});
  CHECK(ordered({print, {.name = "behind", .after = {"print"}}, {.name = "a"}})
        == Names{"print", "behind", "a"});
}

TEST_CASE("a load comes first, but after what it needs", "[extension order][B44]") {
  CHECK(ordered({{.name = "a"}, {.name = "load", .first = true}}) == Names{"load", "a"});
  CHECK(ordered({{.name = "a"}, {.name = "b"}, {.name = "load", .after = {"b"}, .first = true}})
        == Names{"b", "load", "a"});
}

TEST_CASE("a cycle is refused with the names in it, and no others", "[extension order]") {
  CHECK_THROWS_WITH(extension_order({{.name = "x", .after = {"a"}},
                                     {.name = "a", .writes = {"r"}, .needs = {"s"}},
                                     {.name = "b", .writes = {"s"}, .needs = {"r"}}}),
                    Catch::Contains("'a' after 'b' after 'a'") && !Catch::Contains("'x'"));
}

TEST_CASE("any acyclic requirements are met", "[extension order]") {
  std::mt19937 random{1};
  for (auto round = 0; round < 200; ++round) {
    std::vector<OrderedExtension> extensions(8);
    std::vector<std::size_t> rank{0, 1, 2, 3, 4, 5, 6, 7}; // requirements go from high to low ranks
    std::shuffle(rank.begin(), rank.end(), random);
    for (std::size_t i = 0; i < rank.size(); ++i)
      extensions[i].name = std::to_string(i);
    for (std::size_t i = 0; i < rank.size(); ++i)
      for (std::size_t j = 0; j < rank.size(); ++j)
        if (rank[j] < rank[i] && random() % 3 == 0)
          extensions[i].after.push_back(std::to_string(j));
    const auto order = extension_order(extensions);
    REQUIRE(order.size() == extensions.size());
    const auto place = [&](const std::string& name) {
      return std::find(order.begin(), order.end(), std::stoul(name)) - order.begin();
    };
    for (const auto& extension : extensions)
      for (const auto& before : extension.after)
        CHECK(place(before) < place(extension.name));
  }
}
