// Counter-based random numbers: the k-th number of a stream is a function of (key, k), so any
// position of any stream can be computed on any thread and node without replaying the numbers
// before it.
#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"
#include "model/tensor/counter_random.hpp"

#include <array>
#include <string_view>

namespace troupe {

/// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
/// section 3.3.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// A bijective mixer of 64 bits (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
std::uint64_t mix(std::uint64_t x);

/// Names a stream of random numbers. Derived from the run's seed by role, worker and purpose, so
/// that no two parts of a run draw the same numbers:
/// `RandomKey{seed}.derive("shuffle").derive(worker)`.
struct RandomKey {
  std::uint64_t value = 0; ///< equal keys name equal streams

  /// The key of a part with this name. Different names give unrelated streams.
  RandomKey derive(std::string_view role) const;
  /// The key of a part with this number.
  RandomKey derive(std::uint64_t number) const;
  TROUPE_FIELDS(value);
};

/// Draws numbers from the stream of `key` that belongs to `index` (an example, a parameter, a
/// step).
class Random {
public:
  /// @param index which of the key's streams
  explicit Random(RandomKey key, std::uint64_t index = 0) : key_(key.value), index_(index) {}

  std::uint32_t bits();               ///< 32 random bits
  double uniform();                   ///< in [0, 1), 32 bits
  double uniform(double a, double b); ///< in [a, b)
  double normal();                    ///< mean 0, variance 1 (Box and Muller, 1958)
  Index below(Index n);               ///< in 0 .. n - 1, n > 0, bias below 2^-32

private:
  std::uint64_t key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> drawn_{};
  int left_ = 0;
  bool has_spare_ = false;
  double spare_ = 0;
};

/// A pseudo-random permutation of 0 .. size - 1; any element is computed in constant time and
/// memory.
///
/// A Feistel network over a x b >= size, repeated until the result is in range: Black and Rogaway,
/// "Ciphers with arbitrary finite domains", CT-RSA 2002, the generalized Feistel construction; a
/// and b are about sqrt(size), so one step nearly always suffices.
class Permutation {
public:
  /// @throws std::invalid_argument unless 0 <= size < 2^60.
  Permutation(Index size, RandomKey key);

  Index operator()(Index i) const; ///< the i-th element, 0 <= i < size
  /// Elements.
  Index size() const { return static_cast<Index>(keys_.size); }
  /// What a graphics card needs to compute the same elements.
  const PermutationKeys& keys() const { return keys_; }

private:
  PermutationKeys keys_;
};

} // namespace troupe
