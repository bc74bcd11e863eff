#include "model/tensor/random.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace troupe {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  std::uint32_t drawn[4]{counter[0], counter[1], counter[2], counter[3]};
  philox_rounds(drawn, key[0], key[1]);
  return {drawn[0], drawn[1], drawn[2], drawn[3]};
}

std::uint64_t mix(std::uint64_t x) { return mixed(x); }

RandomKey RandomKey::derive(std::string_view role) const {
  return {key_of_role(value, role_hash(role.data(), role.size()))};
}

RandomKey RandomKey::derive(std::uint64_t number) const { return {key_of_number(value, number)}; }

std::uint32_t Random::bits() {
  if (left_ == 0) {
    drawn_ = philox({static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32),
                     static_cast<std::uint32_t>(index_), static_cast<std::uint32_t>(index_ >> 32)},
                    {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    ++block_;
    left_ = 4;
  }
  return drawn_[--left_];
}

double Random::uniform() { return bits() * 0x1p-32; }

double Random::uniform(double a, double b) { return a + (b - a) * uniform(); }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto radius = std::sqrt(-2 * std::log((bits() + 0.5) * 0x1p-32));
  const auto angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Index Random::below(Index n) {
  const auto wide = (std::uint64_t{bits()} << 32) | bits();
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((Wide{wide} * static_cast<std::uint64_t>(n)) >> 64);
}

Permutation::Permutation(Index size, RandomKey key) {
  if (size < 0 || size >= Index{1} << 60)
    throw std::invalid_argument("a permutation of " + std::to_string(size) + " elements");
  auto& a = keys_.a;
  keys_.size = static_cast<std::uint64_t>(size);
  while (a * a < keys_.size)
    a = a < 8 ? a + 1 : static_cast<std::uint64_t>(std::ceil(std::sqrt(double(size)))) + 1;
  keys_.b = size == 0 ? 1 : (keys_.size + a - 1) / a;
  set_rounds(keys_, key.value);
}

Index Permutation::operator()(Index i) const {
  return static_cast<Index>(permuted(keys_, static_cast<std::uint64_t>(i)));
}

} // namespace troupe
