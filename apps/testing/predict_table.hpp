// What a trained model makes of the rows of a table, in the words of the table that it was trained
// on.
#pragma once

#include <string>

namespace troupe {

/// Reads `input` as the run read its own table (problem_file.hpp) and writes a table with a line
/// for each of its rows: the class and the probability of each, or the value in the target's own
/// unit, also where the loss takes its logarithm or log odds for the model's output. Of classes,
/// with another loss than softmax_cross_entropy the model's outputs are in the place of
/// probabilities.
/// @throws ConfigError for a run of no table; FileError, DataError for files.
void predict_table(const std::string& run, const std::string& input, const std::string& output);

} // namespace troupe
