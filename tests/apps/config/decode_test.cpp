#include "apps/config/print.hpp"
#include "apps/config/source_layers.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "base/config/decode.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace troupe;
using namespace troupe::config;
using namespace std::chrono_literals;

namespace troupe::decode_test {

using troupe::operator==; // for TROUPE_FIELDS; tuples look it up only here

enum class Policy : std::uint8_t { stop, skip, ignore };

std::string to_string(Policy policy) {
  switch (policy) {
  case Policy::stop: return "stop";
  case Policy::skip: return "skip";
  case Policy::ignore: return "ignore";
  }
  return "unknown policy";
}

bool from_text(std::string_view text, Policy& policy) {
  for (auto known : {Policy::stop, Policy::skip, Policy::ignore})
    if (text == to_string(known)) {
      policy = known;
      return true;
    }
  return false;
}

struct Limits {
  int epoch_limit = 10;
  double loss_stop = 1e-5;
  TROUPE_FIELDS(epoch_limit, loss_stop);
};

struct Layer {
  std::string name = "linear";
  std::uint8_t units = 10;
  TROUPE_FIELDS(name, units);
};

struct Options {
  bool shuffle = true;
  int batch_size = 64;
  std::uint64_t seed = 1;
  std::int64_t first = -1;
  float rate = 0.1f;
  double decay = 0;
  std::string name = "run";
  Policy nan = Policy::stop;
  std::chrono::duration<double> limit{3600};
  std::chrono::milliseconds wait{250};
  std::filesystem::path folder = "runs";
  std::vector<int> hidden{64, 32};
  std::vector<bool> flags;
  std::vector<Layer> layers;
  std::map<std::string, double> settings{{"momentum", 0.9}};
  Limits limits;
  TROUPE_FIELDS(shuffle, batch_size, seed, first, rate, decay, name, nan, limit, wait, folder,
                hidden, flags, layers, settings, limits);
};

struct Training {
  Options training;
  TROUPE_FIELDS(training);
};

struct Nothing {
  TROUPE_FIELDS();
};

} // namespace troupe::decode_test

namespace {

using decode_test::Options;

Options decoded(std::string_view text) {
  Options options;
  const auto errors = decode(test::read(text), options);
  CAPTURE(text, errors);
  REQUIRE(errors.empty());
  return options;
}

std::string complaint_of_decoding(std::string_view text) {
  Options options;
  const auto errors = decode(test::read(text), options);
  CAPTURE(text, errors);
  REQUIRE(errors.size() == 1);
  CHECK(options == Options{}); // wrong values are not stored
  return errors.front();
}

} // namespace

TEST_CASE("members are filled by name, and absent ones stay", "[decode]") {
  const auto options = decoded("batch_size: 128\nname: mnist\nlimits: {epoch_limit: 3}\n");
  CHECK(options.batch_size == 128);
  CHECK(options.name == "mnist");
  CHECK(options.limits.epoch_limit == 3);
  CHECK(options.limits.loss_stop == 1e-5);
  CHECK(options.shuffle);
}

TEST_CASE("the member's type decides what a text means", "[decode]") {
  CHECK(decoded("name: NO").name == "NO");
  CHECK_FALSE(decoded("shuffle: NO").shuffle);
  CHECK(decoded("shuffle: On").shuffle);
  CHECK(decoded("name: 010").name == "010");
  CHECK(decoded("batch_size: 010").batch_size == 10);
  CHECK(decoded("name: .inf").name == ".inf");
  CHECK(std::isinf(decoded("decay: .inf").decay));
  CHECK(decoded("decay: -inf").decay < 0);
  CHECK(std::isnan(decoded("rate: NaN").rate));
  CHECK(decoded("rate: 3e-4").rate == 3e-4f);
  CHECK(decoded("decay: .5").decay == 0.5);
  CHECK(decoded("batch_size: 50_000").batch_size == 50'000);
  CHECK(decoded("batch_size: +7").batch_size == 7);
  CHECK(decoded("name: ''").name.empty());
  CHECK(decoded("nan: skip").nan == decode_test::Policy::skip);
  CHECK(decoded("limit: 1.5h").limit == 90min);
  CHECK(decoded("limit: 12:00:00").limit == 12h);
  CHECK(decoded("wait: 2s").wait == 2s);
  CHECK(decoded("folder: a b/c").folder == "a b/c");
}

TEST_CASE("lists and maps are replaced whole", "[decode]") {
  CHECK(decoded("hidden: [7]").hidden == std::vector{7});
  CHECK(decoded("hidden: []").hidden.empty());
  CHECK(decoded("flags: [yes, off]").flags == std::vector{true, false});
  CHECK(decoded("settings: {a: 1}").settings == std::map<std::string, double>{{"a", 1}});
  CHECK(decoded("layers: [{units: 3}, {name: relu}]").layers.at(1).name == "relu");
}

TEST_CASE("the limits of integer types are reached and not passed", "[decode]") {
  CHECK(decoded("batch_size: -2147483648").batch_size == std::numeric_limits<int>::min());
  CHECK(decoded("seed: 18446744073709551615").seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(decoded("first: -9223372036854775808").first == std::numeric_limits<std::int64_t>::min());
  CHECK(decoded("layers: [{units: 255}]").layers[0].units == 255);
  CHECK_THAT(
    complaint_of_decoding("batch_size: 2147483648"),
    Catch::Contains("is out of range; give a whole number from -2147483648 to 2147483647"));
  CHECK_THAT(complaint_of_decoding("layers: [{units: 256}]"),
             Catch::StartsWith("layers[0].units = '256' (run.yaml:1:11) is out of range"));
  CHECK_THAT(complaint_of_decoding("seed: -1"), Catch::Contains("from 0 to 18446744073709551615"));
  CHECK_THAT(complaint_of_decoding("seed: 99999999999999999999"), Catch::Contains("out of range"));
  CHECK_THAT(complaint_of_decoding("rate: 1e39"), Catch::Contains("out of range"));
  CHECK_THAT(complaint_of_decoding("rate: 1e-60"), Catch::Contains("out of range"));
  CHECK_THAT(complaint_of_decoding("decay: 1e999"), Catch::Contains("out of range"));
}

TEST_CASE("a value of a wrong type is a sentence with path, source and cure", "[decode]") {
  decode_test::Training options;
  auto tree = encode(options);
  set(tree, {"training", "batch_size"},
      Node::scalar("many", "command line: training.batch_size=many"));
  CHECK(
    decode(tree, options)
    == Sentences{"training.batch_size = 'many' (command line: training.batch_size=many) is not a "
                 "whole number; give it like 64"});
  for (auto text : {"batch_size: 1e6", "batch_size: 20k", "batch_size: 1.0", "batch_size: 0x10",
                    "batch_size: _1", "batch_size: 1__0", "batch_size: '64'", "batch_size: [64]",
                    "batch_size: {a: 1}", "batch_size:", "batch_size: --1", "batch_size: '-'"})
    CHECK_THAT(complaint_of_decoding(text),
               Catch::Contains("is not a whole number; give it like 64"));
  for (auto text : {"decay: a", "decay: 1,5", "decay: '0.1'", "decay: 1e", "decay: --1",
                    "decay: +-1", "decay: [1]", "decay: nan(1)", "decay: infinite", "decay: ."})
    CHECK_THAT(complaint_of_decoding(text), Catch::Contains("is not a number; give it like"));
  for (auto text : {"shuffle: 1", "shuffle: 'true'", "shuffle: maybe", "shuffle:", "shuffle: []"})
    CHECK_THAT(complaint_of_decoding(text), Catch::Contains("is neither true nor false"));
  for (auto text : {"limit: soon", "limit: -1", "limit: 12:00", "limit: []"})
    CHECK_THAT(complaint_of_decoding(text),
               Catch::Contains("is not a duration; write it like 90s"));
  CHECK_THAT(complaint_of_decoding("wait: 0.1ms"), Catch::Contains("no whole multiple of 1ms"));
  // cure: ; give such a multiple
  CHECK(decoded("wait: 2ms").wait == 2ms);
  CHECK_THAT(complaint_of_decoding("wait: inf"), Catch::Contains("is too long"));
  CHECK_THAT(complaint_of_decoding("name: [a]"),
             Catch::Contains("name is a list (run.yaml:1:1) and is not a text"));
  CHECK_THAT(complaint_of_decoding("name:"), Catch::Contains("name (run.yaml:1:1) has no value"));
  CHECK_THAT(complaint_of_decoding("hidden: 8"), Catch::EndsWith("not a list; give it like [8]"));
  CHECK_THAT(complaint_of_decoding("hidden: x"), Catch::EndsWith("give it like [64, 32]"));
  CHECK_THAT(complaint_of_decoding("layers: x"), Catch::EndsWith("give it like [{name: ...}]"));
  CHECK_THAT(complaint_of_decoding("hidden: [1, x]"),
             Catch::StartsWith("hidden[1] = 'x' (run.yaml:1:13)"));
  CHECK_THAT(complaint_of_decoding("settings: [1]"), Catch::Contains("is not a map"));
  CHECK_THAT(complaint_of_decoding("settings: {a: x}"), Catch::StartsWith("settings.a = 'x'"));
  CHECK_THAT(complaint_of_decoding("limits: 3"),
             Catch::Contains("is not a map; give it keys and values"));
  // cure: is not a map; give it keys and values
  CHECK(decoded("limits: {epoch_limit: 3}").limits.epoch_limit == 3);
}

TEST_CASE("an unknown enumerator is reported with the known ones", "[decode]") {
  CHECK(complaint_of_decoding("nan: skpi")
        == "nan = 'skpi' (run.yaml:1:1) is not known; did you mean 'skip'? Give one of stop, skip, "
           "ignore");
  CHECK(complaint_of_decoding("nan: 7")
        == "nan = '7' (run.yaml:1:1) is not known; give one of stop, skip, ignore");
}

TEST_CASE("an unknown key is an error with the nearest member", "[decode][M4]") {
  CHECK_THAT(complaint_of_decoding("limits:\n  epochs_limit: 3"),
             Catch::StartsWith("unknown key 'epochs_limit' in limits (run.yaml:2:3); did you mean "
                               "'epoch_limit'? known keys: epoch_limit, loss_stop"));
  CHECK_THAT(complaint_of_decoding("bach_size: 3"),
             Catch::Contains("at the top level") && Catch::Contains("did you mean 'batch_size'?"));
}

TEST_CASE("all defects of a document are reported", "[decode][M4]") {
  Options options;
  const auto errors = decode(
    test::read(
      "batch_size: x\nshufle: no\nlimits: {epoch_limit: y, z: 1}\nhidden: [a, 1, b]\nname: ok"),
    options);
  CHECK(errors.size() == 6);
  CHECK(options.name == "ok");
}

TEST_CASE("an empty section leaves the options as they are", "[decode]") {
  CHECK(decoded("limits:\n  # epoch_limit: 3\n") == Options{});
  CHECK(decoded("") == Options{});
}

TEST_CASE("the encoded options have every member, from the default", "[decode][M7]") {
  const auto tree = encode(Options{});
  CHECK(tree.keys().size() == 16);
  CHECK(get(tree, {"limits", "epoch_limit"})->source() == "default");
  CHECK(get(tree, {"rate"})->text() == "0.1");
  CHECK(get(tree, {"nan"})->text() == "stop");
  CHECK(get(tree, {"limit"})->text() == "1h");
  CHECK(encode(decode_test::Nothing{}).is_map());
}

TEST_CASE("encoded options are decoded unchanged, in memory and through a file", "[decode][M7]") {
  std::mt19937_64 random{7};
  const auto text = [&] {
    std::string result;
    const std::string_view letters = "abNO01:#-, '\"\n~[]{}.\\e";
    for (auto n = random() % 8; n > 0; --n)
      result += letters[random() % letters.size()];
    return result;
  };
  const auto real = [&] {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                      static_cast<int>(random() % 120) - 100);
  };
  for (int i = 0; i < 500; ++i) {
    Options x;
    x.shuffle = random() % 2;
    x.batch_size = static_cast<int>(random());
    x.seed = random();
    x.first = static_cast<std::int64_t>(random());
    x.rate
      = random() % 9 == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(real());
    x.decay = real();
    x.name = text();
    x.nan = static_cast<decode_test::Policy>(random() % 3);
    x.limit = std::chrono::duration<double>{std::abs(real())};
    x.wait = std::chrono::milliseconds{random() % (1ull << 50)};
    x.folder = text();
    x.hidden.assign(random() % 4, static_cast<int>(random()));
    x.flags.assign(random() % 4, random() % 2);
    for (auto n = random() % 3; n > 0; --n)
      x.layers.push_back({text(), static_cast<std::uint8_t>(random())});
    x.settings.clear();
    for (auto n = random() % 3; n > 0; --n)
      x.settings[text()] = real();
    x.limits = {static_cast<int>(random()), real()};
    const auto written = to_yaml(encode(x));
    CAPTURE(written);
    Options y, z;
    REQUIRE(decode(encode(x), y).empty());
    REQUIRE(y == x);
    REQUIRE(decode(test::read(written), z).empty());
    REQUIRE(z == x);
  }
}

TEST_CASE("a run from its own exported configuration has the same options", "[decode][M7]") {
  Options first;
  const auto tree
    = merge_layers({.defaults = encode(Options{}),
                    .environment = {"TROUPE__LIMITS__EPOCH_LIMIT=7"},
                    .overrides = {"batch_size=1_000", "settings={a: 2}", "limit=1:00:01"}});
  REQUIRE(decode(tree, first).empty());
  CHECK(first.settings.size() == 2);
  Options second;
  REQUIRE(decode(test::read(to_yaml(encode(first))), second).empty());
  CHECK(second == first);
}
