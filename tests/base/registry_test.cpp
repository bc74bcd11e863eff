#include "base/registry.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

struct Instrument {
  std::string name;
  int strings = 0;
};

} // namespace

TEST_CASE("a registry finds what was added by its name, and names all of it sorted", "[registry]") {
  Registry<Instrument> instruments;
  instruments.add({"viola", 4});
  instruments.add({"harp", 47});
  REQUIRE(instruments.find("harp") != nullptr);
  CHECK(instruments.find("harp")->strings == 47);
  CHECK(instruments.find("flute") == nullptr);
  CHECK(instruments.names() == std::vector<std::string>{"harp", "viola"});
}

TEST_CASE("a registry keeps the first of two with one name, and says which name that is",
          "[registry]") {
  Registry<Instrument> instruments;
  instruments.add({"lute", 15});
  CHECK(instruments.repeated().empty());
  instruments.add({"lute", 24});
  CHECK(instruments.find("lute")->strings == 15);
  CHECK(instruments.repeated() == std::vector<std::string>{"lute"});
}

TEST_CASE("what a registry has found stays there when others are added", "[registry]") {
  Registry<Instrument> instruments;
  instruments.add({"m", 1});
  const auto* found = instruments.find("m");
  for (char c = 'a'; c <= 'z'; ++c)
    instruments.add({std::string{c}, 2});
  CHECK(instruments.find("m") == found);
}
