// troupe predict: writes a trained model's predictions.
#pragma once

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct PredictCommand {
  std::string run;
  std::string input; ///< "x.csv", "x.npy", or "data.npz:x"
  std::string output;
};

void add_predict(CLI::App& app, PredictCommand& command);

/// @returns the exit code of the program. @throws Failure, IoError, DataError
int predict(const PredictCommand& command);

} // namespace troupe
