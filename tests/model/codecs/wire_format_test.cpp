#include "model/codecs/wire_format.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

struct Outcome {
  std::string sentence;
  bool sound = false; ///< refused without a change, or accepted and complete
};

Outcome outcome(WireFormat format, const Bytes& bytes, std::size_t n) {
  Floats values(n, 0.5f);
  const auto sentence = decode(format, bytes, values);
  if (!sentence.empty())
    return {sentence, values == Floats(n, 0.5f)};
  return {sentence,
          !suits_differences_only(format)
            || std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })};
}

} // namespace

TEST_CASE("each wire format is found by its name, and no other name is accepted", "[wire]") {
  for (const auto& options : one_of_each()) {
    WireFormat found{};
    REQUIRE(from_text(to_string(options.format), found));
    CHECK(found == options.format);
  }
  auto untouched = WireFormat::int8;
  CHECK_FALSE(from_text("float64", untouched));
  CHECK(untouched == WireFormat::int8);
  CHECK(to_string(static_cast<WireFormat>(17)) == "unknown format");
}

TEST_CASE("invalid options are named, and nothing is encoded with them", "[wire]") {
  CHECK(defect({}).empty());
  for (auto keep : {0.0, -0.1, 1.1, std::nan("")}) {
    const WireOptions options{.format = WireFormat::top_k, .keep = keep};
    CHECK_THAT(defect(options), Contains("share"));
    Bytes out(5);
    CHECK(encode(options, Floats{1}, out) == defect(options));
    CHECK(out.empty());
  }
  for (auto chunk : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32})
    CHECK_THAT(defect({.format = WireFormat::int8, .chunk = chunk}), Contains("chunks"));
  const auto unknown = static_cast<WireFormat>(17);
  Floats values{1};
  Bytes out;
  CHECK_THAT(encode({.format = unknown}, values, out), Contains("no wire format 17"));
  CHECK_THAT(decode(unknown, out, values), Contains("no wire format 17"));
}

TEST_CASE("float32 is decoded bit for bit, NaN payloads included", "[wire]") {
  auto values = normal_numbers(1001);
  values.insert(values.end(), {0.0f, -0.0f, infinity, -infinity, not_a_number, smallest, largest,
                               std::bit_cast<float>(0xffc12345u)});
  CHECK(same_bits(round_trip({}, values), values));
}

TEST_CASE("an empty block can be sent in every format", "[wire]") {
  for (const auto& options : one_of_each())
    CHECK(round_trip(options, {}).empty());
}

TEST_CASE("int8, int4 and top_k refuse numbers that are not finite, and name them", "[wire]") {
  for (auto format : {WireFormat::int8, WireFormat::int4, WireFormat::top_k})
    for (auto x : {infinity, -infinity, not_a_number, -not_a_number}) {
      auto values = normal_numbers(100);
      values[37] = x;
      Bytes out(3);
      CHECK_THAT(encode({.format = format, .chunk = 16}, values, out),
                 Contains("element 37 of 100 is not finite") && Contains(to_string(format)));
      CHECK(out.empty());
    }
}

TEST_CASE("a message of any wrong length is refused, and changes nothing", "[wire]") {
  const auto values = normal_numbers(7);
  for (const auto& options : one_of_each()) {
    const auto bytes = encoded(options, values);
    for (std::size_t length = 0; length <= bytes.size() + 9; ++length) {
      if (length == bytes.size())
        continue;
      auto broken = bytes;
      broken.resize(length, std::byte{1});
      broken.shrink_to_fit(); // so that the sanitizer sees a read beyond the end
      Floats back(7, 0.5f);
      INFO(to_string(options.format) << ", " << length << " bytes");
      CHECK_THAT(decode(options.format, broken, back), Contains(" bytes for "));
      CHECK(back == Floats(7, 0.5f));
    }
    for (std::size_t n : {0u, 6u, 9u, 700u}) { // int4 takes as many bytes for 8 as for 7
      Floats others(n, 0.5f);
      CHECK_THAT(decode(options.format, bytes, others), Contains("elements"));
    }
  }
}

TEST_CASE("a message with one changed byte is refused, or decoded to the same number of elements",
          "[wire]") {
  const auto values = normal_numbers(7);
  for (const auto& options : one_of_each()) {
    const auto bytes = encoded(options, values);
    int accepted = 0, refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (int flip = 1; flip < 256; ++flip) {
        auto broken = bytes;
        broken[at] ^= static_cast<std::byte>(flip);
        const auto [sentence, sound] = outcome(options.format, broken, 7);
        ++(sentence.empty() ? accepted : refused);
        if (!sound)
          FAIL(to_string(options.format) << ", byte " << at << " ^ " << flip << ": " << sentence);
      }
    INFO(to_string(options.format));
    CHECK(accepted > 0);
    CHECK((refused > 0) == suits_differences_only(options.format));
  }
}

TEST_CASE("a random message is refused, or decoded to the same number of elements", "[wire]") {
  Random random{{77}};
  for (int round = 0; round < 20'000; ++round) {
    Bytes noise(static_cast<std::size_t>(random.below(60)));
    for (auto& byte : noise) // small numbers, so that lengths and indices are sometimes valid
      byte = static_cast<std::byte>(random.below(2) == 0 ? 0 : random.below(random.below(256) + 1));
    const auto format = static_cast<WireFormat>(random.below(7));
    const auto n = static_cast<std::size_t>(random.below(12));
    const auto [sentence, sound] = outcome(format, noise, n);
    if (!sound)
      FAIL(to_string(format) << ", round " << round << ": " << sentence);
  }
}
