// Numbers with a fraction cross a node bit for bit, whatever they are.
#include "troupe/tests/support/every_message.hpp"

#include <bit>
#include <typeinfo>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Calls `f` with each number with a fraction that a message holds, however deep, but in blocks.
template <class T, class F>
void each_real(T& x, F f) {
  if constexpr (std::is_floating_point_v<std::remove_const_t<T>>)
    f(x);
  else if constexpr (std::is_same_v<std::remove_const_t<T>, Value>)
    std::visit([&](auto& value) { each_real(value, f); }, x);
  else if constexpr (HasFields<std::remove_const_t<T>>)
    std::apply([&](auto&... field) { (each_real(field, f), ...); }, x.fields());
  else if constexpr (requires { x.second; })
    each_real(x.second, f);
  else if constexpr (requires { *x.begin(); })
    for (auto& element : x)
      each_real(element, f);
  else if constexpr (requires {
                       *x;
                       x.has_value();
                     })
    x ? each_real(*x, f) : void();
}

template <class T>
std::vector<std::uint64_t> bits_of_reals(const T& message) {
  std::vector<std::uint64_t> bits;
  each_real(message, [&](auto x) {
    using Bits = std::conditional_t<sizeof x == 4, std::uint32_t, std::uint64_t>;
    bits.push_back(std::bit_cast<Bits>(x));
  });
  return bits;
}

} // namespace

TEST_CASE("numbers that are infinite, none or hardly any cross the wire bit for bit", "[wire]") {
  using Wide = std::numeric_limits<double>;
  using Narrow = std::numeric_limits<float>;
  using Number = std::pair<double, float>;
  const auto [wide, narrow] = GENERATE(
    Number{Wide::infinity(), Narrow::infinity()}, Number{-Wide::infinity(), -Narrow::infinity()},
    Number{Wide::quiet_NaN(), Narrow::quiet_NaN()},
    Number{-Wide::quiet_NaN(), -Narrow::quiet_NaN()}, Number{-0.0, -0.0f},
    Number{Wide::denorm_min(), Narrow::denorm_min()}, Number{Wide::lowest(), Narrow::lowest()});
  DeterministicSystem world;
  std::size_t reals = 0;
  each_message(world, [&, wide = wide, narrow = narrow](auto message) {
    each_real(message, [&](auto& x) {
      if constexpr (sizeof x == sizeof wide)
        x = wide;
      else
        x = narrow;
    });
    auto received = std::decay_t<decltype(message)>{};
    INFO(typeid(message).name());
    REQUIRE_FALSE(read_bytes(world, written(world, message), received));
    const auto bits = bits_of_reals(message);
    reals += bits.size();
    CHECK(bits_of_reals(received) == bits);
  });
  CHECK(reals > 100);
}
