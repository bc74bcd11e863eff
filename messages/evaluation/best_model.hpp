// The models that a run saves while it trains: which validation is worth a file, and what the file
// says about its parameters.
#pragma once

#include "messages/evaluation/best_record.hpp"
#include "messages/loop/loop.hpp"

#include <string>

namespace troupe {

/// "episodes_aggregated 100; loss 0.25 [Training]": the mean of so many batches' losses.
std::string training_stats(std::uint64_t batches, double loss_sum);

/// The row's numbers whose names begin with prefix and "_", without both: "accuracy 0.9; loss 0.25
/// [Full Validation]".
std::string validation_stats(const Records& row, const std::string& prefix, const std::string& tag);

/// Decides which validation has found the best model so far.
class BestModel {
public:
  enum class Decision {
    nothing,
    save,     ///< the record is strictly better than all before; a NaN never is
    restatus, ///< it is not, but the file of the best has another status
  };

  struct State {
    BestRecord::State best;
    std::string status; ///< in the file of the best
    TROUPE_FIELDS(best, status);
  };

  BestModel() = default;
  /// @param record the loss in a row, or another measure of a model
  /// @throws std::invalid_argument for an empty name, and for one that does not say what is better.
  explicit BestModel(std::string record, Choose choose = Choose::by_name)
    : best_(std::move(record), choose) {}

  /// Considers a row, which may have no validation, and the current status of training.
  /// @throws std::invalid_argument if the record is a text or a flag.
  Decision offer(const Records& row, const std::string& status);

  double loss() const { return best_.state().value; } ///< the best so far
  State state() const { return {best_.state(), status_}; }
  void restore(const State& state);

private:
  BestRecord best_;
  std::string status_;
};

} // namespace troupe
