// The files in which a parameter holder saves its state.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <caf/fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// `holder.bin`, the previous state `holder.1.bin`, and `holder.json`, the journal in readable form. The
/// caller must have the folder's lock: two holders would overwrite each other's files.
class HolderFiles {
public:
  /// @param folder an existing folder; "": nothing is saved
  explicit HolderFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Restores a holder without members from the newest intact state, and prints which one and which
  /// states are damaged.
  /// @returns the state; nothing if there is none
  /// @throws DataError with the cure if all states are damaged, Failure if the holder refuses the
  /// state.
  std::optional<SavedHolder> restore(caf::scoped_actor& self, const ParameterHolder& holder);

  /// Saves the holder's state unless it is unchanged. A failed write prints a warning: with a full
  /// disk the state in memory must survive.
  /// @returns whether the state is saved, or nothing is to be saved
  bool save(caf::scoped_actor& self, const ParameterHolder& holder);

  /// The paths of the states, newest first, existing or not.
  std::vector<std::filesystem::path> states() const { return {newest(), previous()}; }

private:
  std::filesystem::path newest() const { return folder_ / "holder.bin"; }
  std::filesystem::path previous() const { return folder_ / "holder.1.bin"; }
  std::optional<SavedHolder> newest_intact() const;
  bool write(const SavedHolder& saved);

  std::filesystem::path folder_;
  std::optional<Version> saved_version_; ///< by this process
};

} // namespace troupe
