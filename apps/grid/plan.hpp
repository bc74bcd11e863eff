// From a grid's options to its runs.
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
  std::vector<config::Node> values; ///< of the axes, in their order
};

/// A setting on one line, without the line's end: "0.01", "[64, 32]".
std::string setting_text(const config::Node& value);

/// The combinations of the axes' values that a search tries, in order; one without values where
/// there are no axes.
///
/// Latin hypercube: each axis is cut into as many parts as there are trials, and each part is drawn
/// from once. McKay, Beckman and Conover, "A comparison of three methods for selecting values of
/// input variables", Technometrics 21(2), 1979.
/// @param trials of random and latin_hypercube
/// @throws ConfigError for more trials than memory should hold
std::vector<std::vector<config::Node>> points_of(const std::vector<GridAxis>& axes,
                                                 GridSearch search, std::uint32_t trials,
                                                 std::uint64_t seed);

/// What a grid runs: its trials, once in each repetition, those of the first repetition first.
/// A later one wins: the grid's own defaults, files of the task, `grid_overwrite`, `overwrite` of
/// the task, values of the axes. A run takes its seed from the grid's and its repetition, or, where
/// its settings name one, from that, counted on by one in each repetition. So trials of one
/// repetition share a seed and can be compared.
class GridPlan {
public:
  /// Reads the files of the tasks. @throws ConfigError, also for more trials or runs than memory
  /// should hold, and for trials that successive halving could not compare, some measured by epochs
  /// and some by episodes
  /// @param seed of the grid; used where `options` leaves it to be drawn
  GridPlan(GridOptions options, std::uint64_t seed);

  const GridOptions& options() const { return options_; }
  std::uint64_t seed() const { return seed_; }
  const std::vector<GridTrial>& trials() const { return trials_; }
  RunNumber runs() const { return trials_.size() * options_.settings.repetitions; }

  std::size_t trial_of(RunNumber run) const { return (run - 1) % trials_.size(); } ///< from 0
  std::uint32_t repetition_of(RunNumber run) const;                                ///< from 1
  /// The run's configuration, as far as the grid says it. @throws ConfigError
  config::Node settings_of(RunNumber run) const;
  /// Below the grid's folder; "trial-0001-rep-1".
  std::filesystem::path folder_of(RunNumber run) const;

  /// 16 digits that differ where a trial differs. Repetitions do not count: there may be more of
  /// them later.
  std::string fingerprint() const;

private:
  config::Node settings_of_trial(const GridTrial& trial) const;
  RungUnit unit_of_trial(const GridTrial& trial) const;
  void check_rungs() const;

  GridOptions options_;
  std::uint64_t seed_;
  std::vector<config::Node> tasks_; ///< their settings, without those of the axes
  std::vector<GridTrial> trials_;
};

/// What the plan's options say of which run starts when.
GridQueueOptions queue_options(const GridPlan& plan);

} // namespace troupe
