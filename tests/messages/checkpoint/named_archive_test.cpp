// States with a right checksum whose content none of our programs has written.
#include "messages/checkpoint/named_archive.hpp"
#include "messages/checkpoint/saved_header.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/parameters/parameters.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

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
  return contents(work.path() / "state.bin").substr(run_magic.size() + SavedHeader::bytes);
}

/// With which sentence a state of this content is refused; "" where it is read.
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

/// The content with another JSON; what `change` does to it.
template <class Change>
std::string with_json(const std::string& content, Change change) {
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), sizeof length);
  auto json = nlohmann::json::parse(content.substr(sizeof length, length));
  change(json);
  const auto text = json.dump();
  return bytes_of_number(text.size()) + text + content.substr(sizeof length + length);
}

template <class T>
T there_and_back(const T& x) {
  NamedArchiveWriter writer;
  const auto text = writer.describe(x).dump();
  std::string floats;
  for (const auto& block : writer.blocks())
    floats.append(reinterpret_cast<const char*>(block.view().data()), block.view().size_bytes());
  NamedArchiveReader reader{std::as_bytes(std::span{floats})};
  T read;
  reader.read(nlohmann::json::parse(text), read);
  reader.finish();
  return read;
}

} // namespace

TEST_CASE("values of each type come back from a named archive to the bits", "[B42]") {
  std::mt19937_64 random{1};
  for (auto round = 0; round < 1000; ++round) {
    const auto bits = std::bit_cast<double>(random());
    const auto read = there_and_back(bits);
    CHECK((read == bits || (std::isnan(read) && std::isnan(bits))));
  }
  for (const auto x : {0.0, -0.0, 5e-324, 1e308, -std::numeric_limits<double>::infinity()})
    CHECK(std::bit_cast<std::uint64_t>(there_and_back(x)) == std::bit_cast<std::uint64_t>(x));
  CHECK(there_and_back(std::numeric_limits<std::uint64_t>::max())
        == std::numeric_limits<std::uint64_t>::max());
  CHECK(there_and_back(std::numeric_limits<std::int64_t>::min())
        == std::numeric_limits<std::int64_t>::min());
  std::string all_bytes;
  for (auto byte = 0; byte < 256; ++byte)
    all_bytes += static_cast<char>(byte);
  for (const auto& text : {std::string{}, std::string{"50 %41 \u00fc"}, all_bytes}) {
    CHECK(there_and_back(text) == text);
    CHECK(there_and_back(std::map<std::string, bool>{{text, true}}).contains(text));
  }
  CHECK_FALSE(there_and_back(std::optional<bool>{}));
  CHECK(there_and_back(std::vector<Step>{3, 1, 2}) == std::vector<Step>{3, 1, 2});
}

TEST_CASE("one of several types comes back as that type", "[B42]") {
  const SavedFields fields{{"flag", Value{true}},
                           {"count", Value{std::int64_t{1}}},
                           {"whole", Value{1.0}},
                           {"infinite", Value{-std::numeric_limits<double>::infinity()}},
                           {"word", Value{std::string{"nan"}}},
                           {"empty", Block{}},
                           {"block", Block::copy_of(std::vector<float>{1, -0.0f})}};
  CHECK(there_and_back(fields) == fields);
  const auto read = there_and_back(SavedFields{{"x", Value{std::nan("")}}});
  CHECK(std::isnan(std::get<double>(read.at("x"))));
}

TEST_CASE("what announces more than the file holds is refused before it takes memory",
          "[R15][B42]") {
  auto content = content_of(run_of_two_parameters());
  REQUIRE(refusal_of_archive(content).empty());
  const auto block = with_json(
    content, [](auto& json) { json["trainers"][0]["parameters"]["values"]["floats"] = 1 << 29; });
  CHECK_THAT(refusal_of_archive(block),
             Catch::Contains("'trainers.0.parameters.values' has 536870912 floats"));
  const auto begin = with_json(content, [](auto& json) {
    json["trainers"][0]["parameters"]["values"]["begin"] = std::uint64_t{1} << 63;
  });
  CHECK_THAT(refusal_of_archive(begin), Catch::Contains("and the file has 0 for it"));
  const auto twice
    = with_json(content, [](auto& json) { json["trainers"].push_back(json["trainers"][0]); });
  CHECK_THAT(refusal_of_archive(twice), Catch::Contains("'trainers.1.parameters.values' has 4"));
  content.replace(0, 8, bytes_of_number(1'000'000'000'000));
  CHECK_THAT(refusal_of_archive(content), Catch::Contains("announces 1000000000000 bytes of JSON"));
}

TEST_CASE("a field of another type, an unknown and a missing one are refused with their names",
          "[R15][B42]") {
  const auto content = content_of(run_of_two_parameters());
  const auto refusal
    = [&content](auto change) { return refusal_of_archive(with_json(content, change)); };
  CHECK_THAT(refusal([](auto& json) { json["trainers"][0]["epoch_started"] = 7; }),
             Catch::Contains("'trainers.0.epoch_started' is not a flag"));
  CHECK_THAT(refusal([](auto& json) { json["trainers"][0]["cursor"] = -1; }),
             Catch::Contains("'trainers.0.cursor' is -1, which is out of range"));
  CHECK_THAT(refusal([](auto& json) { json["log"] = 1; }), Catch::Contains("'log' is not a text"));
  CHECK_THAT(refusal([](auto& json) { json["trainers"][0]["row"]["best"] = nullptr; }),
             Catch::Contains("'trainers.0.row.best' is of no known type"));
  CHECK_THAT(refusal([](auto& json) { json["trainers"][0]["totals"].erase("weight"); }),
             Catch::Contains("'trainers.0.totals' lacks its field 'weight'"));
  CHECK_THAT(refusal([](auto& json) { json["trainers"][0]["colour"] = 1; }),
             Catch::Contains("'trainers.0' has a field that this program does not know"));
  CHECK_THAT(refusal_of_archive(content + "1234"), Catch::Contains("1 floats that no field names"));
}

TEST_CASE("what is nested without end is refused", "[R15][B42]") {
  const std::string text(1'000'000, '[');
  CHECK_THAT(refusal_of_archive(bytes_of_number(text.size()) + text),
             Catch::Contains("cannot be read"));
}

TEST_CASE("a state without one of its fields is refused", "[B42]") {
  const auto json = nlohmann::json::parse(R"({"batches": 3})");
  EpochSize size{1, 2};
  CHECK_THROWS_WITH(NamedArchiveReader({}).read(json, size),
                    Catch::Contains("it lacks its field 'examples'"));
}

TEST_CASE("a field that was added later has its default in a file without it", "[B42]") {
  SavedHolder saved;
  saved.pushes = 3;
  saved.rule = "easgd";
  NamedArchiveWriter writer;
  auto json = nlohmann::json::parse(writer.describe(saved).dump());
  CHECK(there_and_back(saved).rule == "easgd");
  json.erase("rule");
  SavedHolder read;
  NamedArchiveReader({}).read(json, read);
  CHECK(read.pushes == 3);
  CHECK(read.rule.empty());
  json["rul"] = "easgd";
  CHECK_THROWS_WITH(NamedArchiveReader({}).read(json, read),
                    Catch::Contains("has a field that this program does not know"));
  json.erase("rul");
  json.erase("mark");
  CHECK_THROWS_WITH(NamedArchiveReader({}).read(json, read),
                    Catch::Contains("it lacks its field 'mark'"));
}

TEST_CASE("parameters that are not those of their layout are refused", "[R15][B42]") {
  auto run = run_of_two_parameters();
  run.trainers[0].parameters.values = Block{3};
  CHECK_THAT(refusal_of_archive(content_of(run)),
             Catch::Contains("it has 3 parameters for a layout of 4"));
  const auto shape = with_json(content_of(run_of_two_parameters()), [](auto& json) {
    json["trainers"][0]["layout"]["parameters"][0]["shape"][0] = 2;
  });
  CHECK_THAT(refusal_of_archive(shape),
             Catch::Contains("its layout is unsound: parameter 'bias' begins at 3 instead of 2"));
}
