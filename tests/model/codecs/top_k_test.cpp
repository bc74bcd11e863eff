#include "model/codecs/top_k.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("top_k gives the largest elements exactly and zeros for the rest", "[wire]") {
  Random random{{9}};
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(1 + random.below(300));
    auto values = normal_numbers(n, static_cast<std::uint64_t>(round) + 100);
    if (round % 2 == 0) // so that many are equal
      for (auto& x : values)
        x = std::round(2 * x);
    const auto keep = std::max(1e-9, random.uniform());
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return std::abs(values[a]) > std::abs(values[b]); });
    Floats expected(n, 0.0f);
    const auto k = static_cast<std::size_t>(std::ceil(keep * static_cast<double>(n)));
    for (std::size_t j = 0; j < k; ++j)
      expected[order[j]] = values[order[j]];
    const WireOptions options{.format = WireFormat::top_k, .keep = keep};
    REQUIRE(encoded_size(options, n) == 8 + 8 * k);
    REQUIRE(round_trip(options, values) == expected);
  }
}

TEST_CASE("top_k keeps the exact share, and at least one element", "[wire]") {
  const auto elements = [](double keep, std::size_t n) {
    return (encoded_size({.format = WireFormat::top_k, .keep = keep}, n) - 8) / 8;
  };
  CHECK(elements(0.07, 100) == 7); // although 0.07 * 100 > 7
  CHECK(elements(0.01, 100) == 1);
  CHECK(elements(0.01, 101) == 2);
  CHECK(elements(1, 12345) == 12345);
  CHECK(elements(1e-300, 5) == 1);
  CHECK(elements(0.5, 0) == 0);
  CHECK(round_trip({.format = WireFormat::top_k, .keep = 1}, {0, -1, smallest})
        == Floats{0, -1, smallest});
}

TEST_CASE("top_k reports what is broken: count, index, order or element", "[wire]") {
  const WireOptions options{.format = WireFormat::top_k, .keep = 0.4};
  const auto good = encoded(options, {0, 5, 0, 7, 0}); // k = 2, indices 1 and 3, elements 5 and 7
  const auto sentence = [&good](std::size_t at, auto number) {
    auto bytes = good;
    store(bytes.data() + at, number);
    Floats values(5, 0.5f);
    const auto broken = decode(WireFormat::top_k, bytes, values);
    CHECK(values == Floats(5, 0.5f));
    return broken;
  };
  CHECK_THAT(sentence(4, std::uint32_t{1}), Contains("24 bytes for 1 elements"));
  CHECK_THAT(sentence(4, ~std::uint32_t{0}), Contains("24 bytes for 4294967295 elements"));
  CHECK_THAT(sentence(0, std::uint32_t{6}), Contains("of 6 elements, where there are 5"));
  CHECK_THAT(sentence(12, std::uint32_t{5}), Contains("index 5, where there are 5"));
  CHECK_THAT(sentence(12, ~std::uint32_t{0}), Contains("index 4294967295"));
  CHECK_THAT(sentence(12, std::uint32_t{1}), Contains("index 1 after 1"));
  CHECK_THAT(sentence(12, std::uint32_t{0}), Contains("index 0 after 1"));
  for (auto x : {infinity, not_a_number})
    CHECK_THAT(sentence(20, x), Contains("element 3 is not finite"));
}
