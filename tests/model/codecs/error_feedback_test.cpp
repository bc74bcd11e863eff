#include "model/codecs/error_feedback.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Sends one block through `feedback`, and returns what arrives.
Floats send(ErrorFeedback& feedback, const WireOptions& options, const Floats& values) {
  Bytes out;
  REQUIRE(feedback.encode(options, values, out).empty());
  return decoded(options.format, out, values.size());
}

Floats residual(const ErrorFeedback& feedback) {
  const auto view = feedback.residual().view();
  return {view.begin(), view.end()};
}

} // namespace

TEST_CASE("what arrived plus the residual equals all that was sent", "[wire]") {
  constexpr std::size_t n = 300;
  constexpr int rounds = 500;
  for (const auto& options : one_of_each()) {
    ErrorFeedback feedback{n};
    std::vector<double> sent(n), arrived(n);
    for (int round = 0; round < rounds; ++round) {
      const auto values = normal_numbers(n, static_cast<std::uint64_t>(round));
      const auto decoded = send(feedback, options, values);
      for (std::size_t i = 0; i < n; ++i) {
        sent[i] += double{values[i]};
        arrived[i] += double{decoded[i]};
      }
    }
    const auto left = residual(feedback);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(sent[i] - arrived[i] - double{left[i]}));
    INFO(to_string(options.format));
    CHECK(worst < rounds * 1e-6); // one rounding of float32 per round
  }
}

TEST_CASE("the residual stays bounded, so that each element arrives eventually", "[wire]") {
  const WireOptions options{.format = WireFormat::top_k, .keep = 0.1};
  ErrorFeedback feedback{20};
  Floats values(20, 0.01f);
  values[3] = 1;
  values[4] = -1; // these two alone would fill every message
  Floats arrived(20, 0.0f);
  for (int round = 0; round < 1000; ++round) {
    const auto decoded = send(feedback, options, values);
    for (std::size_t i = 0; i < 20; ++i)
      arrived[i] += decoded[i];
  }
  for (auto x : arrived)
    CHECK(std::abs(x) > 1); // without feedback 0 for 18 of them
  for (auto x : residual(feedback))
    CHECK(std::abs(x) < 5);
}

TEST_CASE("steps too small for bfloat16 arrive when they have accumulated", "[wire]") {
  ErrorFeedback feedback{1};
  const WireOptions options{.format = WireFormat::bfloat16};
  double arrived = 0;
  for (int round = 0; round < 256; ++round)
    arrived += double{send(feedback, options, {1 + 0x1p-9f})[0]};
  CHECK(arrived == Approx(256.5).margin(0x1p-8));
}

TEST_CASE("an exact format sends the residual too and leaves none", "[wire]") {
  ErrorFeedback feedback{3};
  send(feedback, {.format = WireFormat::top_k, .keep = 0.3}, {1, 2, 3});
  CHECK(residual(feedback) == Floats{1, 2, 0});
  CHECK(send(feedback, {}, {10, 10, 10}) == Floats{11, 12, 10});
  CHECK(residual(feedback) == Floats{0, 0, 0});
}

TEST_CASE("flushing gives the residual once", "[wire]") {
  ErrorFeedback feedback{3};
  send(feedback, {.format = WireFormat::top_k, .keep = 0.3}, {1, 2, 3});
  CHECK(feedback.flush() == Block::copy_of(Floats{1, 2, 0}));
  CHECK(feedback.flush() == Block{3});
}

TEST_CASE("a saved residual continues the same way in another process", "[wire]") {
  for (const auto& options : one_of_each()) {
    ErrorFeedback one{50};
    send(one, options, normal_numbers(50, 1));
    const auto saved = one.residual();
    ErrorFeedback two;
    two.restore(saved);
    const auto kept = Block::copy_of(saved.view());
    for (std::uint64_t round = 2; round < 5; ++round)
      CHECK(same_bits(send(one, options, normal_numbers(50, round)),
                      send(two, options, normal_numbers(50, round))));
    CHECK(saved == kept); // the checkpoint's copy does not change
  }
}

TEST_CASE("a block that cannot be encoded leaves the residual unchanged", "[wire]") {
  const WireOptions options{.format = WireFormat::top_k, .keep = 0.3};
  ErrorFeedback feedback{3};
  send(feedback, options, {1, 2, 3});
  Bytes out(3);
  CHECK_THAT(feedback.encode(options, Floats{0, not_a_number, 0}, out), Contains("not finite"));
  CHECK(out.empty());
  CHECK_THAT(feedback.encode(options, Floats{1, 2}, out), Contains("residual has 3"));
  CHECK_THAT(feedback.encode({.format = WireFormat::int8, .chunk = 0}, Floats{1, 2, 3}, out),
             Contains("chunks"));
  CHECK(residual(feedback) == Floats{1, 2, 0});
}

TEST_CASE("NaN and overflow arrive once and do not stay in the residual", "[wire]") {
  for (auto format : {WireFormat::float32, WireFormat::bfloat16, WireFormat::float16}) {
    ErrorFeedback feedback{3};
    const auto arrived = send(feedback, {.format = format}, {not_a_number, -infinity, largest});
    CHECK(std::isnan(arrived[0]));
    CHECK(arrived[1] == -infinity);
    CHECK(arrived[2] == (format == WireFormat::float32 ? largest : infinity));
    CHECK(residual(feedback) == Floats{0, 0, 0});
    CHECK(send(feedback, {.format = format}, {1, 2, 3}) == Floats{1, 2, 3});
  }
}
