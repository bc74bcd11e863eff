// The options in a grid's file.
#pragma once

#include "apps/config/tree.hpp"
#include "base/text/enum_names.hpp"
#include "messages/evaluation/best_record.hpp"
#include "messages/grid/grid_journal.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// How the trials of a grid are chosen from the values of its axes.
enum class GridSearch : std::uint8_t {
  product,         ///< all combinations of the axes' values
  random,          ///< each axis is drawn independently
  latin_hypercube, ///< like random, but each axis is covered evenly
};
constexpr auto enum_names(GridSearch) { return name_list("product", "random", "latin_hypercube"); }

/// Successive halving (messages/grid/asha.hpp).
struct HalvingOptions {
  std::vector<Epoch> rungs = {}; ///< epochs, or episodes of online training, after which trials are
                                 ///< compared; none: no halving
  std::uint32_t factor = 3;      ///< one of this many trials is promoted to the next rung
  TROUPE_FIELDS(rungs, factor);
};

struct GridSettings {
  std::string folder = "";       ///< folder of the grid's runs; "": grids/<name of the grid's file>
  std::uint32_t repetitions = 1; ///< runs of each trial, with different seeds
  std::int64_t seed = -1; ///< seed of repetitions and search; -1: drawn, and kept in the journal
  GridSearch search = GridSearch::product;
  std::uint32_t trials = 0; ///< number of trials of random and latin_hypercube, for each task
  std::int64_t at_once
    = 0; ///< runs at the same time, at most one per processor; 0 or less: one per processor
  bool isolate = false;               ///< each run has its own process, on one processor
  std::uint32_t retries = 1;          ///< of a failed run
  bool stop_on_failure = false;       ///< a run that has failed all its attempts ends the grid
  std::string by = "validation_loss"; ///< the record that runs are compared by
  Choose choose = Choose::by_name;    ///< which value is better; read_grid sets it from the name
  HalvingOptions halving = {};
  JournalSync sync = JournalSync::seldom;
  std::string listen = ""; ///< host:port where nodes on other machines join; "": none
  bool local = true;       ///< also train runs on this machine, not only on nodes
  TROUPE_FIELDS(folder, repetitions, seed, search, trials, at_once, isolate, retries,
                stop_on_failure, by, choose, halving, sync, listen, local);
};

/// Configuration files with settings on top of them.
struct GridTask {
  std::vector<std::filesystem::path> configs;
  config::Node overwrite = config::Node::map();
};

/// One setting that differs between trials: a list of values, or a range.
struct GridAxis {
  config::Path path;
  std::vector<config::Node> values; ///< none: a range
  double from = 0, to = 0;
  bool logarithmic = false;
  bool whole = false; ///< integers only
  std::string source;
};

struct GridOptions {
  GridSettings settings;
  std::vector<GridTask> tasks;
  config::Node overwrite
    = config::Node::map();    ///< `grid_overwrite`, on top of the files of all tasks
  std::vector<GridAxis> axes; ///< `grid`
};

/// Reads a grid's file, with overrides ("repetitions=2").
/// @throws ConfigError with all defects; UsageError for an invalid override.
GridOptions read_grid(const std::filesystem::path& file, const std::vector<std::string>& changes);

/// The same for a tree from the file `name`.
GridOptions grid_options(config::Node tree, const std::string& name);

} // namespace troupe
