// The formulas behind random.hpp, for processor and graphics card.
#pragma once

#include "base/host_device.hpp"

#include <cstdint>

namespace troupe {

/// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
/// section 3.3. Replaces the four counters by random numbers.
TROUPE_HOST_DEVICE constexpr void philox_rounds(std::uint32_t (&counter)[4], std::uint32_t key0,
                                                std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const auto product0 = std::uint64_t{0xD2511F53} * counter[0];
    const auto product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter[0] = static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0;
    counter[2] = static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1;
    counter[1] = static_cast<std::uint32_t>(product1);
    counter[3] = static_cast<std::uint32_t>(product0);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

/// A bijective mixer of 64 bits (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
TROUPE_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// The mixed hash (FNV-1a) of a role's `length` characters.
TROUPE_HOST_DEVICE constexpr std::uint64_t role_hash(const char* role, std::uint64_t length) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (std::uint64_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(role[i])) * 0x100000001B3;
  return mixed(hash);
}

/// The values of RandomKey::derive().
TROUPE_HOST_DEVICE constexpr std::uint64_t key_of_role(std::uint64_t key, std::uint64_t role) {
  return mixed(key ^ role);
}
TROUPE_HOST_DEVICE constexpr std::uint64_t key_of_number(std::uint64_t key, std::uint64_t number) {
  return mixed(key + mixed(number + 0x9E3779B97F4A7C15));
}

/// Number i of the stream of a key, Random's i-th bits().
TROUPE_HOST_DEVICE constexpr std::uint32_t bits_at(std::uint64_t key, std::uint64_t i) {
  const auto block = i / 4;
  std::uint32_t drawn[4]{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                         0, 0};
  philox_rounds(drawn, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32));
  return drawn[3 - i % 4];
}

/// The numbers that make a Permutation.
struct PermutationKeys {
  std::uint64_t size = 0, a = 1, b = 1;
  std::uint64_t rounds[6] = {};
};

/// @param key of the permutation
TROUPE_HOST_DEVICE constexpr void set_rounds(PermutationKeys& keys, std::uint64_t key) {
  const auto base = key_of_role(key, role_hash("permutation", 11));
  for (std::uint64_t i = 0; i < 6; ++i)
    keys.rounds[i] = key_of_number(base, i);
}

/// Permutation's i-th element, i < size.
TROUPE_HOST_DEVICE constexpr std::uint64_t permuted(const PermutationKeys& keys, std::uint64_t i) {
  auto x = i;
  do {
    // x = left + a right; each round adds a hash of one half to the other, modulo that half's size.
    auto left = x % keys.a, right = x / keys.a;
    for (int r = 0; r < 6; r += 2) {
      left += ((mixed(right ^ keys.rounds[r]) >> 32) * keys.a) >> 32;
      left = left >= keys.a ? left - keys.a : left;
      right += ((mixed(left ^ keys.rounds[r + 1]) >> 32) * keys.b) >> 32;
      right = right >= keys.b ? right - keys.b : right;
    }
    x = left + keys.a * right;
  } while (x >= keys.size);
  return x;
}

} // namespace troupe
