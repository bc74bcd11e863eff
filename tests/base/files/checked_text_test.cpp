#include "base/failure.hpp"
#include "base/files/checked_text.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

const std::string yaml = "training:\n  epochs: 3\n  seed: 7\n";
const std::string json = "{\n  \"problem\": \"csv\",\n  \"mean\": 0.5\n}\n";

std::string flipped(std::string text, std::size_t bit) {
  text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  return text;
}

} // namespace

TEST_CASE("a text with a checksum is whole, and its content is unchanged", "[checked_text]") {
  CHECK(state_of(yaml_with_checksum(yaml)) == TextState::whole);
  CHECK(yaml_with_checksum(yaml).starts_with(yaml + "# checksum: "));
  CHECK(state_of(json_with_checksum(json)) == TextState::whole);
  auto read = nlohmann::json::parse(json_with_checksum(json));
  read.erase("checksum");
  CHECK(read == nlohmann::json::parse(json));
  CHECK(state_of(json_with_checksum("{}")) == TextState::whole);
  CHECK(nlohmann::json::parse(json_with_checksum("{}")).size() == 1);
}

TEST_CASE("a text without a checksum is not refused", "[checked_text]") {
  for (const auto& text : {yaml, json, std::string{}, std::string{"# checksum"}})
    CHECK(state_of(text) == TextState::unmarked);
}

TEST_CASE("a flipped bit in a text is detected, unless it turns the mark into a comment",
          "[checked_text]") {
  for (const auto& text : {yaml_with_checksum(yaml), json_with_checksum(json)}) {
    const auto mark = text.rfind("checksum");
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
      INFO(flipped(text, bit));
      if (bit / 8 < mark)
        CHECK(state_of(flipped(text, bit)) == TextState::changed);
      else if (state_of(flipped(text, bit)) != TextState::changed)
        CHECK(flipped(text, bit).starts_with(text.substr(0, mark)));
    }
  }
}

TEST_CASE("text after a checksum is a change", "[checked_text]") {
  CHECK(state_of(yaml_with_checksum(yaml) + "run: {tag: mine}\n") == TextState::changed);
}

TEST_CASE("a changed configuration is refused until its checksum is deleted", "[checked_text]") {
  WorkFolder work;
  const auto file = work.path() / "config.yaml";
  CHECK_NOTHROW(check_yaml_file(file)); // no such file
  auto text = yaml_with_checksum(yaml);
  text.replace(text.find('3'), 1, "4");
  std::ofstream{file} << text;
  CHECK_THROWS_WITH(check_yaml_file(file), Catch::Contains("its checksum is wrong")
                                             && Catch::Contains("delete its last line"));
  std::ofstream{file} << text.substr(0, text.rfind("# checksum"));
  CHECK_NOTHROW(check_yaml_file(file));
}
