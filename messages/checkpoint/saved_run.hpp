// The state of a run on disk: written by a checkpoint, read by `troupe train --resume`.
//
// A file is a line that says what it is, the format's version, the content's size and checksum
// (XXH3), and the content (named_archive.hpp).
#pragma once

#include "base/failure.hpp"
#include "messages/checkpoint/model_card.hpp"
#include "messages/loop/saved_fields.hpp"
#include "messages/parameters/parameters.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct SavedRun {
  std::vector<SavedTrainer> trainers;            ///< by worker
  std::map<std::string, SavedFields> extensions; ///< what each remembers, by name
  std::string log;                               ///< the id of the log that the run has written
  std::optional<SavedHolder> shared;             ///< the parameter holder, if it belongs to the run
  std::optional<ModelCard> card;                 ///< of a kept model; a run's state has none
  TROUPE_FIELDS(trainers, extensions, log, shared, card);
};

/// What a file contains.
enum class RunPart : std::uint8_t {
  all,
  parameters, ///< only the parameters, by name
};

/// Writes the complete file or nothing; it is on disk when the call returns.
/// @returns its bytes. @throws IoError if it cannot be written; an existing file stays.
std::uint64_t save_run(const std::filesystem::path& path, const SavedRun& run,
                       RunPart part = RunPart::all);

/// @param part parameters: of the first trainer only, and without the state of its optimizer
/// @throws IoError if it cannot be read; DataError if it is damaged, no saved run or of another
/// version.
SavedRun load_run(const std::filesystem::path& path, RunPart part = RunPart::all);

/// Checks that header and content are as they were written, without parsing the content.
/// @throws as load_run
void check_run_file(const std::filesystem::path& path);

inline constexpr const char* saved_run_file = "state.bin";       ///< in a run's folder, after its
                                                                 ///< end
inline constexpr const char* checkpoint_file = "checkpoint.bin"; ///< during training

/// The state of a parameter holder alone: `troupe node --role ps` resumes from it.
void save_holder(const std::filesystem::path& path, const SavedHolder& holder);
SavedHolder load_holder(const std::filesystem::path& path);

} // namespace troupe
