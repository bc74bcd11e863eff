// A client of a run's remote control: commands, and the rows of its log as they come.
#pragma once

#include "apps/transport/control_listener.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/trust.hpp"
#include "messages/control/control.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// Which run to control, and with what its client proves that it may.
struct ControlAccess {
  std::string run = {};        ///< its folder, "latest", or host:port
  std::string token_file = {}; ///< with host:port: a file with the token, or the run's control.json
  std::string certs = {};      ///< folder of certificates; "": plain TCP, on loopback only
  std::string name = "control"; ///< of the certificate
};

/// All functions block. They throw Failure with ExitCode::unavailable if the run is frozen or gone;
/// the client's destructor may then wait for the connection, so a program ends at once, or leaves
/// the client where it is.
class ControlClient {
public:
  /// @throws UsageError, ConfigError, IoError, DataError for a run that cannot be controlled so.
  explicit ControlClient(const ControlAccess& access);

  /// Waits without a limit while the run answers pings. @throws Failure as above, and with
  /// ExitCode::refused for a wrong token
  ControlAnswer ask(const std::string& verb, const std::vector<std::string>& arguments);

  /// The rows of the log since the last call, at first the last `rows`; `ended`: no more will come.
  /// @throws Failure as ask()
  LogTail next_rows(std::uint64_t rows);

private:
  struct Target {
    ControlAddress address;
    std::filesystem::path folder; ///< "": the run was given by its address
  };
  static Target target_of(const ControlAccess& access);
  std::string where() const;
  caf::expected<Control> connect();
  bool has_port();
  Control reach();
  LogTail end_of(const caf::error& silent);

  Target target_;
  Trust trust_;
  NodeSystemConfig config_;
  caf::actor_system system_;
  Control followed_;       ///< by next_rows
  std::uint64_t from_ = 0; ///< the next row
  std::uint64_t follower_;
};

} // namespace troupe
