// Which trials deserve more training.
#pragma once

#include "messages/evaluation/best_record.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace troupe {

/// Asynchronous successive halving: a trial that is among the best 1/factor of all that have ended
/// a rung so far is promoted to the next one. No trial waits until a rung is full, so that no
/// processor waits either.
///
/// Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020, algorithm 2,
/// arXiv:1810.05934.
class AshaScheduler {
public:
  using Trial = std::uint64_t;
  struct Promotion {
    Trial trial = 0;
    std::uint32_t rung = 0; ///< to which it goes
  };

  /// @param rungs how many there are, the first included
  /// @param factor of the trials of a rung, one in so many goes on
  /// @throws std::invalid_argument for no rung, or a factor below 2
  AshaScheduler(std::uint32_t rungs, std::uint32_t factor, Choose choose);

  /// The trial was promoted to this rung, by an earlier scheduler. @param rung above 0
  void recall_promotion(Trial trial, std::uint32_t rung);
  /// The trial has ended the rung. A score that is not a number is worse than all others.
  void ended(Trial trial, std::uint32_t rung, double score);
  /// The trial has not ended the rung after all.
  void forget(Trial trial, std::uint32_t rung);

  /// The best trial that may go on now, to the highest rung there is one for; nothing where nobody
  /// may. Each is promoted from a rung once.
  std::optional<Promotion> promote();

  std::uint32_t last_rung() const { return static_cast<std::uint32_t>(rungs_.size()) - 1; }

private:
  /// A trial that has ended a rung; the better one is less.
  struct Ended {
    double key = 0; ///< less for better scores
    std::uint64_t order = 0;
    Trial trial = 0;
    bool operator<(const Ended& other) const {
      return std::tie(key, order, trial) < std::tie(other.key, other.order, other.trial);
    }
  };
  struct Rung {
    std::set<Ended> good; ///< the best 1/factor
    std::set<Ended> others;
    std::set<Ended> waiting; ///< of the good: those that promote() has not looked at
    std::set<Trial> promoted;
    std::uint64_t ended = 0; ///< so far, those that were forgotten included

    void leave_out_worst();
    void settle(std::uint32_t factor); ///< as many are good as may be
  };

  std::uint32_t factor_;
  Choose choose_;
  std::vector<Rung> rungs_;
};

} // namespace troupe
