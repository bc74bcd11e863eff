// Predictions of a trained model for the rows of a table, in the terms of its training table.
#pragma once

#include <string>

namespace troupe {

/// Reads `input` as the run read its own table (problem_file.hpp) and writes a table with one line
/// per row: the class and the probability of each class, or the value in the target's own unit,
/// also if the loss works on its logarithm or log odds. With another loss for classes than
/// softmax_cross_entropy, the model's outputs stand in place of probabilities.
/// @throws ConfigError for a run without a table; IoError, DataError for files.
void predict_table(const std::string& run, const std::string& input, const std::string& output);

} // namespace troupe
