#pragma once

#include "model/codecs/bytes.hpp"

#include <span>
#include <string>

namespace troupe {

/// 8 bytes for each element that is sent: `uint32 n, uint32 k, uint32 index[k] ascending, float32
/// x[k]`.
///
/// The elements of largest magnitude are sent, exactly; among equals the lowest index first. The
/// others arrive as 0. Aji & Heafield, "Sparse Communication for Distributed Gradient Descent",
/// EMNLP 2017, arXiv:1704.05021, section 3.
std::size_t top_k_size(std::size_t k); ///< bytes

/// ceil(keep n), with keep in (0, 1]: the k of n elements.
std::size_t top_k_count(double keep, std::size_t n);

/// @param to top_k_size(k) bytes; k <= values.size() < 2^32, and k > 0 unless there are no values.
/// @returns false if an element is not finite; the content of `to` is then undefined
bool encode_top_k(std::size_t k, std::span<const float> values, std::byte* to);

/// @returns "", or the defect as a sentence; `values` are then unchanged
std::string decode_top_k(std::span<const std::byte> bytes, std::span<float> values);

} // namespace troupe
