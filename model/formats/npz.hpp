// Parameters as an archive of NumPy arrays: numpy.load("model.npz")["linear0.weight"].
#pragma once

#include "model/formats/byte_sink.hpp"
#include "model/formats/named_parameters.hpp"

namespace troupe {

/// Reads all arrays, written by numpy.savez or savez_compressed; types as in read_npy.
/// @throws IoError if the file cannot be read; DataError, naming the array, if it is
///         damaged
NamedParameters read_npz(const std::string& path);

/// Writes all parameters as float32, uncompressed; the format cannot hold metadata.
/// @throws DataError for 4 GiB and more
void write_npz(const ByteSink& sink, const NamedParameters& parameters);

} // namespace troupe
