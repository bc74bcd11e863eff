#include "model/codecs/top_k.hpp"

#include "model/tensor/buffer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace troupe {

namespace {

constexpr std::size_t top_k_header = 2 * sizeof(std::uint32_t); ///< bytes: n and k

/// The least magnitude that is sent, and how many elements of exactly that magnitude are sent.
/// Nothing if an element is not finite.
struct Threshold {
  std::int32_t magnitude = 0;
  std::size_t equals = 0;
};

/// A histogram over the exponent and four bits of the mantissa reduces the candidates for
/// nth_element to one sixteenth of an octave; over all elements it takes ten times as long.
Threshold find_threshold(std::span<const float> values, std::size_t k) {
  constexpr int shift = 19;
  const auto bucket_of = [](float x) { return static_cast<std::size_t>(magnitude(x) >> shift); };
  constexpr std::size_t finite_buckets = infinite_magnitude >> shift;
  std::array<std::uint32_t, finite_buckets + 16> count{};
  for (auto x : values)
    ++count[bucket_of(x)];
  if (std::any_of(count.begin() + finite_buckets, count.end(), [](auto c) { return c > 0; }))
    return {};
  auto bucket = finite_buckets - 1;
  for (; k > count[bucket]; --bucket)
    k -= count[bucket];
  Buffer<std::int32_t> candidates;
  candidates.reserve(count[bucket]);
  for (auto x : values)
    if (bucket_of(x) == bucket)
      candidates.push_back(magnitude(x));
  const auto kth = candidates.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates.begin(), kth, candidates.end(), std::greater<>{});
  const auto least = *kth;
  const auto above = std::count_if(candidates.begin(), kth, [=](auto m) { return m > least; });
  return {least, k - static_cast<std::size_t>(above)};
}

} // namespace

std::size_t top_k_size(std::size_t k) {
  return top_k_header + k * (sizeof(std::uint32_t) + sizeof(float));
}

std::size_t top_k_count(double keep, std::size_t n) {
  // The product of 0.07 and 100 is 7.000000000000001: rounding must not add an eighth element.
  const auto product = keep * static_cast<double>(n) * (1 - 0x1p-51);
  return std::min(n, static_cast<std::size_t>(std::ceil(product)));
}

bool encode_top_k(std::size_t k, std::span<const float> values, std::byte* to) {
  store(to, static_cast<std::uint32_t>(values.size()));
  store(to + 4, static_cast<std::uint32_t>(k));
  if (k == 0)
    return true;
  auto [least, equals] = find_threshold(values, k);
  if (equals == 0)
    return false;
  auto* indices = to + top_k_header;
  auto* numbers = indices + k * sizeof(std::uint32_t);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto m = magnitude(values[i]);
    if (m < least || (m == least && equals == 0))
      continue;
    equals -= m == least;
    store(indices, static_cast<std::uint32_t>(i));
    store(numbers, values[i]);
    indices += sizeof(std::uint32_t);
    numbers += sizeof(float);
  }
  return true;
}

std::string decode_top_k(std::span<const std::byte> bytes, std::span<float> values) {
  const auto n = values.size();
  const std::size_t k = bytes.size() < top_k_header ? 0 : load<std::uint32_t>(bytes.data() + 4);
  if (bytes.size() != top_k_size(k))
    return "a top_k message of " + std::to_string(bytes.size()) + " bytes for " + std::to_string(k)
           + " elements, which take " + std::to_string(top_k_size(k));
  if (load<std::uint32_t>(bytes.data()) != n)
    return "a top_k message of " + std::to_string(load<std::uint32_t>(bytes.data()))
           + " elements, where there are " + std::to_string(n);
  const auto* indices = bytes.data() + top_k_header;
  const auto* numbers = indices + k * sizeof(std::uint32_t);
  const auto index = [=](std::size_t j) { return load<std::uint32_t>(indices + 4 * j); };
  const auto number = [=](std::size_t j) { return load<float>(numbers + 4 * j); };
  for (std::size_t j = 0; j < k; ++j) {
    if (index(j) >= n)
      return "a top_k message with index " + std::to_string(index(j)) + ", where there are "
             + std::to_string(n) + " elements";
    if (j > 0 && index(j) <= index(j - 1))
      return "a top_k message with index " + std::to_string(index(j)) + " after "
             + std::to_string(index(j - 1)) + "; they must ascend";
    if (!std::isfinite(number(j)))
      return "a top_k message whose element " + std::to_string(index(j)) + " is not finite";
  }
  std::fill(values.begin(), values.end(), 0.0f);
  for (std::size_t j = 0; j < k; ++j)
    values[index(j)] = number(j);
  return "";
}

} // namespace troupe
