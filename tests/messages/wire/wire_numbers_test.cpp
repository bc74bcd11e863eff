// Floating-point numbers are sent bit for bit, including special ones.
#include "tests/support/every_message.hpp"

#include <bit>

using namespace troupe;
using namespace troupe::test;

namespace {

/// The floating-point numbers in a message, at any depth, except in blocks.
struct Reals {
  std::vector<double*> wide;
  std::vector<float*> narrow;

  void add(double& x) { wide.push_back(&x); }
  void add(float& x) { narrow.push_back(&x); }
  void add(Value& x) {
    if (auto* real = std::get_if<double>(&x))
      add(*real);
  }
  template <class T>
  void add(T& x) {
    if constexpr (HasFields<T>)
      x.with_fields([this](auto&... field) { (this->add(field), ...); });
    else if constexpr (requires { x.second; })
      add(x.second);
    else if constexpr (requires { *x.begin(); })
      for (auto& element : x)
        add(element);
    else if constexpr (requires {
                         *x;
                         x.has_value();
                       })
      x ? add(*x) : void();
  }

  std::size_t size() const { return wide.size() + narrow.size(); }
  std::vector<std::uint64_t> bits() const {
    std::vector<std::uint64_t> all;
    for (const auto* x : wide)
      all.push_back(std::bit_cast<std::uint64_t>(*x));
    for (const auto* x : narrow)
      all.push_back(std::bit_cast<std::uint32_t>(*x));
    return all;
  }
};

/// A message, and how to find its numbers.
struct SampleReals {
  caf::type_erased_value_ptr message;
  Reals (*reals)(caf::type_erased_value&);
};

std::vector<SampleReals> messages_with_reals(DeterministicSystem& world) {
  std::vector<SampleReals> samples;
  each_message(world, [&samples](auto message) {
    using Message = decltype(message);
    samples.push_back({erased(std::move(message)), [](caf::type_erased_value& value) {
                         Reals reals;
                         reals.add(value.get_mutable_as<Message>());
                         return reals;
                       }});
  });
  return samples;
}

} // namespace

TEST_CASE("infinite, NaN and denormal numbers are sent bit for bit", "[wire]") {
  using Wide = std::numeric_limits<double>;
  using Narrow = std::numeric_limits<float>;
  using Number = std::pair<double, float>;
  const auto [wide, narrow] = GENERATE(
    Number{Wide::infinity(), Narrow::infinity()}, Number{-Wide::infinity(), -Narrow::infinity()},
    Number{Wide::quiet_NaN(), Narrow::quiet_NaN()},
    Number{-Wide::quiet_NaN(), -Narrow::quiet_NaN()}, Number{-0.0, -0.0f},
    Number{Wide::denorm_min(), Narrow::denorm_min()}, Number{Wide::lowest(), Narrow::lowest()});
  DeterministicSystem world;
  std::size_t count = 0;
  for (const auto& sample : messages_with_reals(world)) {
    const auto received = sample.message->copy(); // it is read over other numbers
    const auto sent = sample.reals(*sample.message);
    for (auto* x : sent.wide)
      *x = wide;
    for (auto* x : sent.narrow)
      *x = narrow;
    INFO(to_string(*sample.message));
    REQUIRE_FALSE(read_bytes(world, written(world, *sample.message), *received));
    CHECK(sample.reals(*received).bits() == sent.bits());
    count += sent.size();
  }
  CHECK(count > 100);
}
