// The dashboard of another machine, asked for the files of its runs.
#pragma once

#include "apps/collection/remote_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How a dashboard is reached.
struct DashboardAddress {
  std::string origin; ///< "https://n1:8000"
  std::string host;   ///< "n1:8000"
  std::string token;
};

/// @param text as `troupe dashboard` prints it, "http://127.0.0.1:8000/?token=..."
/// @param token for an address without one
/// @throws UsageError for another text, and for plain HTTP to another machine
DashboardAddress dashboard_address(const std::string& text, const std::string& token);

/// Its functions throw Failure: `unavailable` if it does not answer within ten seconds, `refused` if
/// it does not accept the token, `data` for an answer of another program.
class RemoteDashboard {
public:
  /// @param authority of the dashboard's certificate, PEM; "": plain HTTP
  explicit RemoteDashboard(DashboardAddress address, const std::filesystem::path& authority = {});
  ~RemoteDashboard();
  RemoteDashboard(RemoteDashboard&& other) noexcept;
  RemoteDashboard& operator=(RemoteDashboard&& other) noexcept;

  const std::string& host() const { return address_.host; }

  RemoteFiles files();
  /// Bytes of a file.
  struct Piece {
    std::string bytes;     ///< a MiB at most; none if the file is gone, or shorter now
    bool replaced = false; ///< it is another file than the one that was copied
  };
  /// @param head the head_checksum() of the copy up to `from`, for a file that may be another now
  Piece bytes_of(const RemoteFolder& folder, const RemoteFile& file, std::uint64_t from,
                 std::optional<std::uint32_t> head);

private:
  class Client;
  DashboardAddress address_;
  std::unique_ptr<Client> client_;
};

} // namespace troupe
