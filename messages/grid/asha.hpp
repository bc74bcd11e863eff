// Which trials are trained further.
#pragma once

#include "messages/evaluation/best_record.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace troupe {

/// Asynchronous successive halving: a trial among the best 1/factor of all that have completed a
/// rung so far is promoted to the next one. No trial waits until a rung is full, so no processor is
/// idle.
///
/// Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020, algorithm 2,
/// arXiv:1810.05934.
class AshaScheduler {
public:
  using Trial = std::uint64_t;
  struct Promotion {
    Trial trial = 0;
    std::uint32_t rung = 0; ///< the rung that it goes to
  };

  /// @param rungs number of rungs, including the first
  /// @param factor one in so many trials of a rung is promoted
  /// @throws std::invalid_argument for no rung, or a factor below 2
  AshaScheduler(std::uint32_t rungs, std::uint32_t factor, Choose choose);

  /// An earlier scheduler promoted the trial to this rung. @param rung above 0
  void recall_promotion(Trial trial, std::uint32_t rung);
  /// The trial has completed the rung. NaN is worse than all other scores.
  void ended(Trial trial, std::uint32_t rung, double score);
  /// The trial has not completed the rung after all.
  void forget(Trial trial, std::uint32_t rung);

  /// The best trial that may be promoted now, to the highest rung possible; nothing if there is
  /// none. Each trial is promoted from a rung once.
  std::optional<Promotion> promote();

  std::uint32_t last_rung() const { return static_cast<std::uint32_t>(rungs_.size()) - 1; }

private:
  /// A trial that has completed a rung; the better one is less.
  struct Ended {
    double key = 0; ///< smaller for better scores
    std::uint64_t order = 0;
    Trial trial = 0;
    bool operator<(const Ended& other) const {
      return std::tie(key, order, trial) < std::tie(other.key, other.order, other.trial);
    }
  };
  struct Rung {
    std::set<Ended> good; ///< the best 1/factor
    std::set<Ended> others;
    std::set<Ended> waiting; ///< good ones that promote() has not looked at
    std::set<Trial> promoted;
    std::uint64_t ended = 0; ///< so far, including forgotten ones

    void drop_worst();
    void settle(std::uint32_t factor); ///< makes as many good as the factor allows
  };

  std::uint32_t factor_;
  Choose choose_;
  std::vector<Rung> rungs_;
};

} // namespace troupe
