// States with a correct checksum whose content no program of ours has written.
#include "messages/checkpoint/saved_header.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

using namespace troupe;
using namespace troupe::test;

namespace {

std::string bytes_of_number(std::uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

SavedRun run_of_two_parameters() {
  SavedTrainer trainer;
  trainer.layout.add("weight", {3});
  trainer.layout.add("bias", {1});
  trainer.parameters = {7, Block::copy_of(std::vector<float>{1, 2, 3, 4})};
  trainer.row = {{"best", Value{true}}};
  SavedRun run;
  run.trainers = {trainer};
  return run;
}

std::string content_of(const SavedRun& run) {
  WorkFolder work;
  save_run(work.path() / "state.bin", run);
  return contents(work.path() / "state.bin").substr(run_magic.size() + SavedHeader{}.bytes());
}

/// The content with the only `from` replaced by `to`.
std::string replaced(std::string content, const std::string& from, const std::string& to) {
  const auto at = content.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(content.find(from, at + 1) == std::string::npos);
  return content.replace(at, from.size(), to);
}

/// The sentence with which a state of this content is refused; "" if it is read.
std::string refusal_of_archive(const std::string& content) {
  WorkFolder work;
  SavedHeader header;
  header.size = content.size();
  header.checksum = XXH3_64bits_withSeed(content.data(), content.size(), 0);
  std::ofstream{work.path() / "state.bin", std::ios::binary} << run_magic << header.packed()
                                                             << content;
  try {
    load_run(work.path() / "state.bin");
    return {};
  } catch (const DataError& e) {
    return e.what();
  }
}

const std::string length_of_weight = bytes_of_number(6) + "weight";
const std::string ten_to_the_twelfth = bytes_of_number(1'000'000'000'000);

} // namespace

TEST_CASE("sizes that exceed the file are refused before memory is allocated", "[R15][B42]") {
  const auto content = content_of(run_of_two_parameters());
  REQUIRE(refusal_of_archive(content).empty());
  auto trainers = content, parameters = content; // after the byte with the byte order
  trainers.replace(1, 8, ten_to_the_twelfth);
  parameters.replace(9, 8, ten_to_the_twelfth);
  const auto text = replaced(content, length_of_weight, ten_to_the_twelfth + "weight");
  for (const auto& wrong : {trainers, parameters, text})
    CHECK_THAT(refusal_of_archive(wrong),
               Catch::Contains("a list has 1000000000000 elements, for which"));
  const float first = 1;
  const std::string number{reinterpret_cast<const char*>(&first), sizeof first};
  const auto block
    = replaced(content, bytes_of_number(4) + number, bytes_of_number(1 << 29) + number);
  CHECK_THAT(refusal_of_archive(block),
             Catch::Contains("a block has 536870912 numbers, for which"));
}

TEST_CASE("a flag that is neither 0 nor 1 is refused", "[R15][B42]") {
  using namespace std::string_literals;
  const auto content = content_of(run_of_two_parameters());
  CHECK(refusal_of_archive(replaced(content, "best\0\1"s, "best\0\0"s)).empty());
  CHECK_THAT(refusal_of_archive(replaced(content, "best\0\1"s, "best\0\7"s)),
             Catch::Contains("a flag is 7"));
}

TEST_CASE("parameters that do not match their layout are refused", "[R15][B42]") {
  auto run = run_of_two_parameters();
  run.trainers[0].parameters.values = Block{3};
  CHECK_THAT(refusal_of_archive(content_of(run)),
             Catch::Contains("it has 3 parameters for a layout of 4"));
  const auto content = content_of(run_of_two_parameters());
  const auto shape_of_weight = length_of_weight + bytes_of_number(1);
  CHECK_THAT(refusal_of_archive(replaced(content, shape_of_weight + bytes_of_number(3),
                                         shape_of_weight + bytes_of_number(2))),
             Catch::Contains("its layout is unsound: parameter 'bias' begins at 3 instead of 2"));
}
