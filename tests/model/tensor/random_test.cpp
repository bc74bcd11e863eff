#include "model/tensor/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace troupe;

TEST_CASE("Philox gives the numbers that its authors published", "[random]") {
  using Four = std::array<std::uint32_t, 4>;
  constexpr auto ones = 0xffffffffu;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({ones, ones, ones, ones}, {ones, ones})
        == Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})
        == Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a permutation contains each element exactly once", "[random]") {
  const auto is_bijection = [](Index size) {
    const Permutation permutation{size, RandomKey{17}.derive(static_cast<std::uint64_t>(size))};
    std::vector<bool> reached(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) {
      const auto x = permutation(i);
      if (x < 0 || x >= size || reached[static_cast<std::size_t>(x)])
        return false;
      reached[static_cast<std::size_t>(x)] = true;
    }
    return true;
  };
  for (Index size = 0; size <= 300; ++size) {
    INFO(size);
    CHECK(is_bijection(size));
  }
  for (Index size : {4096, 60'000, 65'537, 99'991, 250'000}) {
    INFO(size);
    CHECK(is_bijection(size));
  }
}

TEST_CASE("two keys give two permutations, and one key the same again", "[random]") {
  const Permutation a{1000, {1}}, again{1000, {1}}, b{1000, {2}};
  int same = 0;
  for (Index i = 0; i < 1000; ++i) {
    CHECK(a(i) == again(i));
    same += a(i) == b(i);
  }
  CHECK(same < 20);
}

TEST_CASE("all orders of a few elements occur about equally often", "[random]") {
  std::vector<int> count(24);
  constexpr int draws = 24'000;
  for (int k = 0; k < draws; ++k) {
    const Permutation p{4, RandomKey{5}.derive(static_cast<std::uint64_t>(k))};
    int code = 0;
    for (Index i = 0; i < 4; ++i) {
      Index smaller = 0;
      for (Index j = i + 1; j < 4; ++j)
        smaller += p(j) < p(i);
      code = code * static_cast<int>(4 - i) + static_cast<int>(smaller);
    }
    ++count[static_cast<std::size_t>(code)];
  }
  double chi_square = 0;
  for (auto n : count)
    chi_square += (n - draws / 24.0) * (n - draws / 24.0) / (draws / 24.0);
  CHECK(chi_square < 60); // 23 degrees of freedom: 1 in 30,000 for a fair one
}

TEST_CASE("a permutation of a negative or enormous size is refused", "[random]") {
  CHECK_THROWS_AS(Permutation(-1, {}), std::invalid_argument);
  CHECK_THROWS_AS(Permutation(Index{1} << 60, {}), std::invalid_argument);
  const Permutation large{(Index{1} << 60) - 1, {3}};
  CHECK(large(12345) < large.size());
}

TEST_CASE("streams with other keys, roles, numbers and indices differ", "[random]") {
  const RandomKey key{7};
  std::set<std::uint64_t> keys{key.value};
  for (const char* role : {"shuffle", "worker", "initialize", ""})
    keys.insert(key.derive(role).value);
  for (std::uint64_t i = 0; i < 100; ++i)
    keys.insert(key.derive(i).value);
  CHECK(keys.size() == 105);
  CHECK(Random{key, 0}.bits() != Random{key, 1}.bits());
  CHECK(key.derive("a").derive("b").value != key.derive("b").derive("a").value);
}

TEST_CASE("uniform numbers fill their interval evenly", "[random]") {
  Random random{{11}};
  double sum = 0, squares = 0, least = 1, most = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const auto x = random.uniform();
    sum += x;
    squares += x * x;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  CHECK(sum / n == Approx(0.5).margin(0.005));
  CHECK(squares / n == Approx(1 / 3.0).margin(0.005));
  CHECK(least >= 0);
  CHECK(most < 1);
  for (int i = 0; i < 1000; ++i) {
    const auto x = random.uniform(-2, 3);
    CHECK((x >= -2 && x < 3));
  }
}

TEST_CASE("normal numbers have mean 0, variance 1 and the right tails", "[random]") {
  Random random{{12}};
  double sum = 0, squares = 0;
  int beyond_two = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const auto x = random.normal();
    sum += x;
    squares += x * x;
    beyond_two += std::abs(x) > 2;
  }
  CHECK(sum / n == Approx(0).margin(0.015));
  CHECK(squares / n == Approx(1).margin(0.02));
  CHECK(beyond_two / double(n) == Approx(0.0455).margin(0.003));
}

TEST_CASE("numbers below n are all drawn, and none beyond", "[random]") {
  Random random{{13}};
  std::vector<int> count(7);
  for (int i = 0; i < 7000; ++i) {
    const auto x = random.below(7);
    REQUIRE((x >= 0 && x < 7));
    ++count[static_cast<std::size_t>(x)];
  }
  for (auto n : count)
    CHECK(n == Approx(1000).margin(150));
  CHECK(random.below(1) == 0);
}
