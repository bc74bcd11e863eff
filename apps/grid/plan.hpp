// The runs of a grid, from its options.
#pragma once

#include "apps/grid/options.hpp"
#include "apps/grid/rungs.hpp"
#include "messages/grid/grid_queue.hpp"

#include <string>
#include <vector>

namespace troupe {

/// One combination of settings.
struct GridTrial {
  std::size_t task = 0;             ///< from 0
  std::vector<config::Node> values; ///< values of the axes, in their order
};

/// The combinations of the axes' values that a search tries, in order; one without values if there
/// are no axes.
///
/// Latin hypercube: each axis is divided into as many parts as trials, and each part is drawn from
/// once. McKay, Beckman and Conover, "A comparison of three methods for selecting values of input
/// variables", Technometrics 21(2), 1979.
/// @param trials number of trials of random and latin_hypercube
/// @throws ConfigError for more trials than memory should hold
std::vector<std::vector<config::Node>> points_of(const std::vector<GridAxis>& axes,
                                                 GridSearch search, std::uint32_t trials,
                                                 std::uint64_t seed);

/// The runs of a grid: each trial once in each repetition, all trials of the first repetition
/// first. Settings are merged in this order, the later takes precedence: the grid's defaults, the
/// files of the task, `grid_overwrite`, the task's `overwrite`, the values of the axes. A run's
/// seed is derived from the grid's seed and the repetition; a seed in the settings is incremented
/// by one in each repetition. So trials of one repetition share a seed and can be compared.
class GridPlan {
public:
  /// Reads the files of the tasks. @throws ConfigError, also for more trials or runs than memory
  /// should hold, and if successive halving could not compare trials because some count epochs and
  /// some episodes
  /// @param seed of the grid; used if `options` has none
  GridPlan(GridOptions options, std::uint64_t seed);

  const GridOptions& options() const { return options_; }
  std::uint64_t seed() const { return seed_; }
  const std::vector<GridTrial>& trials() const { return trials_; }
  RunNumber runs() const { return trials_.size() * options_.settings.repetitions; }

  std::size_t trial_of(RunNumber run) const { return (run - 1) % trials_.size(); } ///< from 0
  std::uint32_t repetition_of(RunNumber run) const;                                ///< from 1
  /// The settings that the grid gives to the run. @throws ConfigError
  config::Node settings_of(RunNumber run) const;
  /// The run's folder below the grid's folder: "trial-0001-rep-1".
  std::filesystem::path folder_of(RunNumber run) const;

  /// A hash of 16 digits over all trials. The number of repetitions is not part of it: it may grow
  /// later.
  std::string fingerprint() const;

private:
  config::Node settings_of_trial(const GridTrial& trial) const;
  RungUnit unit_of_trial(const GridTrial& trial) const;
  void check_rungs() const;

  GridOptions options_;
  std::uint64_t seed_;
  std::vector<config::Node> tasks_; ///< settings of the tasks, without those of the axes
  std::vector<GridTrial> trials_;
};

/// The queue's options, from the plan's options.
GridQueueOptions queue_options(const GridPlan& plan);

} // namespace troupe
