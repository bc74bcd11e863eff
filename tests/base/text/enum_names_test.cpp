#include "base/text/enum_names.hpp"

#include <catch2/catch.hpp>

namespace troupe {

namespace {

enum class Colour { red, green };
constexpr auto enum_names(Colour) { return name_list("red", "green"); }

} // namespace

TEST_CASE("an enumeration with a list of names has a text for each value", "[enum_names]") {
  CHECK(to_string(Colour::red) == "red");
  CHECK(to_string(Colour::green) == "green");
  CHECK(to_string(static_cast<Colour>(2)) == "unknown");
}

TEST_CASE("a value is read by its name, and stays for another one", "[enum_names]") {
  auto colour = Colour::red;
  CHECK(from_text("green", colour));
  CHECK(colour == Colour::green);
  for (const auto* name : {"", "Red", "unknown", "gree"})
    CHECK_FALSE(from_text(name, colour));
  CHECK(colour == Colour::green);
}

} // namespace troupe
