// The folder of a run's files while a node trains it.
//
//   grid/trial-0003-rep-1               the run's own place
//   grid/nodes/<node>/here              a probe that proves that the node sees this folder
//   grid/nodes/<node>/trial-0003-rep-1.lent, an empty file: the run is leased to this node
//   grid/nodes/<node>/trial-0003-rep-1  the run while it is leased
//
// The folders of a run's failed attempts, "<run>.failed-1" and so on, move together with it. A
// folder is moved when it is leased, and moved back when the node is done. From a node that may
// still write it is copied instead: what the node writes afterwards is ignored, even if it creates
// the folder again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace troupe {

/// The folder of all nodes in a grid's folder, and the file with the probe in each node's own.
inline constexpr const char* nodes_folder = "nodes";
inline constexpr const char* probe_file = "here";

/// "<run>.failed-<attempt>": the folder of a run's failed attempt.
/// @param run its folder @param attempt from 1 on
std::string failed_attempt(const std::string& run, std::uint32_t attempt);

class LeasedFolders {
public:
  /// @param probe that nodes have to read
  LeasedFolders(std::filesystem::path grid, std::string probe);

  /// Creates a node's folder. @param node its name relative to the grid's folder. @throws IoError
  void open(const std::string& node) const;
  /// Moves the existing folders of a run to the node. @throws IoError
  void lease(const std::string& run, const std::string& node) const;
  /// Moves a run back. @throws IoError
  void return_run(const std::string& run, const std::string& node) const;
  /// Copies a run back from a node that may still write; files that vanish meanwhile are left out.
  /// The copy appears completely or not at all.
  /// @throws IoError for everything else that cannot be copied; then nothing has changed.
  void rescue(const std::string& run, const std::string& node) const;
  /// Moves a run back that cannot be copied, as the folder of one more failed attempt, so that its
  /// next attempt starts from scratch. @returns that folder's name relative to the grid's. @throws
  /// IoError
  std::string set_aside(const std::string& run, const std::string& node) const;
  /// Copies back all runs that were leased when the coordinator's process ended, and closes.
  /// Folders that a lost node has created again are removed.
  /// @throws IoError if one of them cannot be copied; nothing is lost.
  void rescue_all() const;
  /// Removes the folders of nodes, except those with data that is nowhere else or that a node still
  /// holds open. @throws IoError
  void close() const;

private:
  std::filesystem::path grid_;
  std::string probe_;
};

/// The probe in a node's folder; "" if there is none.
std::string read_probe(const std::filesystem::path& folder);

} // namespace troupe
