// What a grid's file says.
#pragma once

#include "apps/config/tree.hpp"
#include "messages/evaluation/best_record.hpp"
#include "messages/grid/grid_journal.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// How the trials of a grid are chosen among the values of its axes.
enum class GridSearch : std::uint8_t {
  product,         ///< each value of an axis with each of the others
  random,          ///< each axis drawn on its own
  latin_hypercube, ///< as random, but each axis covered evenly
};

std::string to_string(GridSearch search);
bool from_text(std::string_view text, GridSearch& search); ///< false for an unknown word

/// Successive halving (messages/grid/asha.hpp).
struct HalvingOptions {
  std::vector<Epoch> rungs = {}; ///< epochs, or episodes of online training, after which a trial is
                                 ///< compared; none: no halving
  std::uint32_t factor = 3;      ///< one of so many trials goes on to the next rung
  FIELDS(rungs, factor);
};

struct GridSettings {
  std::string folder = "";       ///< of all the grid's runs; "": grids/<name of the grid's file>
  std::uint32_t repetitions = 1; ///< of each trial, with other seeds
  std::int64_t seed = -1;        ///< of repetitions and search; -1: drawn, and remembered
  GridSearch search = GridSearch::product;
  std::uint32_t trials = 0;           ///< of random and latin_hypercube, for each task
  std::int64_t at_once = 0;           ///< runs at once, processors at most; 0 or less: as many
  bool isolate = false;               ///< each run is a process of its own, on one processor
  std::uint32_t retries = 1;          ///< of a run that fails
  bool stop_on_failure = false;       ///< a run that has used up its attempts ends the grid
  std::string by = "validation_loss"; ///< the record that tells which run is better
  Choose choose = Choose::by_name;    ///< which value of it; read_grid puts what the name says
  HalvingOptions halving = {};
  JournalSync sync = JournalSync::seldom;
  std::string listen = ""; ///< host:port where nodes on other machines join; "": nowhere
  bool local = true;       ///< runs are trained on this machine, too, not only on nodes
  FIELDS(folder, repetitions, seed, search, trials, at_once, isolate, retries, stop_on_failure, by,
         choose, halving, sync, listen, local);
};

/// Configuration files with settings over them.
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
  bool whole = false; ///< numbers without a fraction
  std::string source;
};

struct GridOptions {
  GridSettings settings;
  std::vector<GridTask> tasks;
  config::Node overwrite = config::Node::map(); ///< `grid_overwrite`, over the files of all tasks
  std::vector<GridAxis> axes;                   ///< `grid`
};

/// Reads a grid's file, with changes ("repetitions=2") over it.
/// @throws ConfigError with every defect; UsageError for a change that is none.
GridOptions read_grid(const std::filesystem::path& file, const std::vector<std::string>& changes);

/// The same of a tree, whose file is called `name`.
GridOptions grid_options(config::Node tree, const std::string& name);

} // namespace troupe
