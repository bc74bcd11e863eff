// Parameters in the safetensors format: a JSON header with names, types, shapes and offsets, then
// the numbers, little-endian. https://huggingface.co/docs/safetensors, format 0.x.
#pragma once

#include "model/formats/byte_sink.hpp"
#include "model/formats/named_parameters.hpp"

namespace troupe {

/// Reads all arrays; F64, F32, F16, BF16, BOOL and integers become float. The header may have at
/// most 100 MB, and the arrays must fill the rest of the file without gap or overlap.
/// @throws IoError if the file cannot be read; DataError, naming the array, if it is
///         damaged or has another type
NamedParameters read_safetensors(const std::string& path);

/// Writes all parameters as F32, in the order of their layout; they begin at a multiple of 8.
void write_safetensors(const ByteSink& sink, const NamedParameters& parameters);

} // namespace troupe
