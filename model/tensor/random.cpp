#include "model/tensor/random.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace troupe {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const auto product0 = std::uint64_t{0xD2511F53} * counter[0];
    const auto product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

RandomKey RandomKey::derive(std::string_view role) const {
  std::uint64_t hash = 0xCBF29CE484222325; // FNV-1a
  for (unsigned char c : role)
    hash = (hash ^ c) * 0x100000001B3;
  return {mix(value ^ mix(hash))};
}

RandomKey RandomKey::derive(std::uint64_t number) const {
  return {mix(value + mix(number + 0x9E3779B97F4A7C15))};
}

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

Permutation::Permutation(Index size, RandomKey key) : size_(size) {
  if (size < 0 || size >= Index{1} << 60)
    throw std::invalid_argument("a permutation of " + std::to_string(size) + " elements");
  while (a_ * a_ < static_cast<std::uint64_t>(size))
    a_ = a_ < 8 ? a_ + 1 : static_cast<std::uint64_t>(std::ceil(std::sqrt(double(size)))) + 1;
  b_ = size == 0 ? 1 : (static_cast<std::uint64_t>(size) + a_ - 1) / a_;
  for (std::size_t i = 0; i < round_keys_.size(); ++i)
    round_keys_[i] = key.derive("permutation").derive(i).value;
}

Index Permutation::operator()(Index i) const {
  auto x = static_cast<std::uint64_t>(i);
  do {
    // x = left + a right; each round adds a hash of one half to the other, modulo that half's size.
    auto left = x % a_, right = x / a_;
    for (std::size_t r = 0; r < round_keys_.size(); r += 2) {
      left += ((mix(right ^ round_keys_[r]) >> 32) * a_) >> 32;
      left = left >= a_ ? left - a_ : left;
      right += ((mix(left ^ round_keys_[r + 1]) >> 32) * b_) >> 32;
      right = right >= b_ ? right - b_ : right;
    }
    x = left + a_ * right;
  } while (x >= static_cast<std::uint64_t>(size_));
  return static_cast<Index>(x);
}

} // namespace troupe
