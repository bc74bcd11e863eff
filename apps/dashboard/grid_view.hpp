// A grid as the dashboard shows it: its trials, their results and ranks.
#pragma once

#include "apps/dashboard/run_text.hpp"
#include "messages/grid/grid_journal.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What a grid's own grid.json says of it; of an older program's grid there is none.
struct GridDescription {
  std::string by = "validation_loss";
  bool larger = false; ///< whether larger is better
  std::string unit = "epochs";
  std::vector<std::string> axes;
  std::vector<Epoch> rungs;
  std::vector<std::vector<std::string>> values; ///< of each trial, in the order of the axes
  std::vector<std::size_t> tasks;               ///< of each trial, from 1
  std::uint32_t repetitions = 0;                ///< 0: unknown
};

/// Defaults for a text that is not such a file.
GridDescription grid_description_in(const std::string& text);

/// A run of a grid by its folder: "trial-0003-rep-2".
struct GridPlace {
  std::size_t trial = 0; ///< from 1; 0: the name is no such folder
  std::uint32_t repetition = 0;
};
GridPlace grid_place_of(const std::string& folder_name);

/// The members of a grid's list entry.
nlohmann::ordered_json grid_row(const FoundFolder& grid, const GridDescription& description,
                                const GridJournal& journal, const RunRows& runs);

/// The same with all trials. @param runs of this grid
nlohmann::ordered_json grid_answer(const FoundFolder& grid, const GridDescription& description,
                                   const GridJournal& journal, const RunRows& runs);

} // namespace troupe
