// Copies the runs of another machine's dashboard into a folder, and what they write from then on.
#pragma once

#include "apps/collection/remote_dashboard.hpp"
#include "apps/run_index/run_entry.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace troupe {

struct CollectedAmount {
  std::size_t folders = 0, files = 0; ///< that had something new
  std::uint64_t bytes = 0;
};

/// Each file's copy is its own memory of how far it has come: a collector may be killed, and the
/// connection lost, at any time, and the next pass continues.
class RunCollector {
public:
  /// @param into below which each copy has the path that the run has there
  RunCollector(RemoteDashboard dashboard, std::filesystem::path into);

  struct Listener {
    std::function<void(const std::string& sentence)> say; ///< to people
    /// Called after each piece, with the bytes of this pass; false ends it.
    std::function<bool(std::uint64_t copied, std::uint64_t of)> go_on;
  };
  /// Copies what is lacking. @throws Failure as RemoteDashboard; IoError if a copy cannot be written
  CollectedAmount pass(const Listener& listener);

  const std::string& host() const { return dashboard_.host(); }

private:
  struct Lack {
    const RemoteFolder* folder;
    const RemoteFile* file;
    std::uint64_t from; ///< the first byte that the copy lacks
  };
  bool is_ours(const std::string& machine, const RemoteFolder& folder, const Listener& listener);
  void copy_file(const Lack& lack, const std::filesystem::path& copy,
                 const std::function<bool(std::uint64_t bytes)>& go_on);

  RemoteDashboard dashboard_;
  std::filesystem::path into_;
  std::set<std::string> refused_; ///< folders, said once
};

} // namespace troupe
