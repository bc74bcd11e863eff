// What a parameter holder keeps in a folder, and goes on from.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <caf/fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// `holder.bin`, the state before it, `holder.1.bin`, and `holder.json`, the journal for people.
/// Who has the folder's lock is the caller's to see to: two holders would overwrite each other's.
class HolderFiles {
public:
  /// @param folder that is there; "": nothing is kept
  explicit HolderFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Lets a holder that nobody has joined yet go on from the newest state that is whole; people
  /// hear from which one, and of those that are damaged.
  /// @returns it; nothing where there is none
  /// @throws DataError with the cure where none of those that are there is whole, Failure where the
  /// holder refuses it.
  std::optional<SavedHolder> restore(caf::scoped_actor& self, const ParameterHolder& holder);

  /// Writes what the holder has, unless nothing is new. What cannot be written is told of: a full
  /// disk is no reason to lose what is in memory.
  /// @returns whether all that it has is on the disk, or nothing is to be kept
  bool save(caf::scoped_actor& self, const ParameterHolder& holder);

  /// What a holder goes on from, newest first, whether it is there or not.
  std::vector<std::filesystem::path> states() const { return {newest(), former()}; }

private:
  std::filesystem::path newest() const { return folder_ / "holder.bin"; }
  std::filesystem::path former() const { return folder_ / "holder.1.bin"; }
  std::optional<SavedHolder> newest_whole() const;
  bool write(const SavedHolder& saved);

  std::filesystem::path folder_;
  std::optional<Version> saved_version_; ///< in this process
};

} // namespace troupe
