// Which folder a run's files are in while a node trains it.
//
//   grid/trial-0003-rep-1               at home
//   grid/nodes/<node>/here              the word that shows whether the node sees this folder
//   grid/nodes/<node>/trial-0003-rep-1.lent, an empty file: it is lent to this node
//   grid/nodes/<node>/trial-0003-rep-1  lent
//
// With a run go the folders of its failed attempts, "<run>.failed-1" and so on. A folder is moved
// when it is lent and when it comes home from a node that has ended with it. From one that may
// still write it is copied: whatever that one writes then, nobody reads; it may make
// the folder again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace troupe {

/// The folder of all nodes in a grid's folder, and the file with the word in each node's own.
inline constexpr const char* nodes_folder = "nodes";
inline constexpr const char* word_file = "here";

/// "<run>.failed-<attempt>": where a run's attempt is kept that has failed.
/// @param run its folder @param attempt from 1 on
std::string failed_attempt(const std::string& run, std::uint32_t attempt);

class LeasedFolders {
public:
  /// @param word that nodes have to show
  LeasedFolders(std::filesystem::path grid, std::string word);

  /// Makes a node's folder. @param node its name below the grid's folder. @throws FileError
  void open(const std::string& node) const;
  /// Moves what there is of a run to the node. @throws FileError
  void lend(const std::string& run, const std::string& node) const;
  /// Moves a run back. @throws FileError
  void bring_home(const std::string& run, const std::string& node) const;
  /// Copies a run back, from a node that may still write: what vanishes meanwhile is left out. A
  /// copy appears at home whole or not at all.
  /// @throws FileError for all else that cannot be copied; then all is where it was.
  void rescue(const std::string& run, const std::string& node) const;
  /// Moves a run back that cannot be copied, as the folder of one more failed attempt: its next
  /// one begins anew. @returns that folder's name below the grid's. @throws FileError
  std::string set_aside(const std::string& run, const std::string& node) const;
  /// Copies all runs back that were lent when the host's process ended, and closes. Folders that a
  /// lost node has made again are removed.
  /// @throws FileError where one of them cannot be copied; nothing is lost.
  void rescue_all() const;
  /// Removes the folders of nodes, but those that have what is not at home. What a node holds open
  /// stays a while, too. @throws FileError
  void close() const;

private:
  std::filesystem::path grid_;
  std::string word_;
};

/// The word in a node's folder; "" where there is none.
std::string read_word(const std::filesystem::path& folder);

} // namespace troupe
