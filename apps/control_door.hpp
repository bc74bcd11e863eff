// Where a run can be steered from outside: its control actor's address and token.
#pragma once

#include "troupe/apps/node_system.hpp"
#include "troupe/messages/control.hpp"

#include <filesystem>

namespace troupe {

/// The section `control` of a configuration. Nobody can steer a run unless it has an address.
struct ControlDoorOptions {
  std::string address = ""; ///< "host:port" to listen on; port 0: any free one; "": nowhere
  std::string certs = "";   ///< folder with ca.pem, <name>.pem, <name>.key; "": plain, on loopback
  std::string name = "control"; ///< of the certificate
  bool paused = false;          ///< the run holds before its first batch until it is told to go on
  FIELDS(address, certs, name, paused);
};

/// In a run's folder, while it can be steered; readable by its owner only.
inline constexpr const char* control_file = "control.json";

/// How to reach a run.
struct ControlAddress {
  Endpoint endpoint;
  std::string token;
  bool tls = false; ///< it hears only who has a certificate of its authority
};

/// Whom a door lets in: with certificates who has one of the same authority, without them, on
/// loopback, everybody on this machine, who then needs the token.
/// @throws ConfigError for certificates that cannot be used, or an address that needs them.
Trust trust_of_door(const ControlDoorOptions& options);

/// An address to listen on. @throws ConfigError for what is none.
Endpoint listening_endpoint(const std::string& address);

/// Published, and written into the run's folder, while it lives.
class ControlDoor {
public:
  /// @throws IoError, FileError where it cannot listen or write.
  ControlDoor(const Control& control, const Endpoint& endpoint, const Trust& trust,
              const std::string& token, const std::filesystem::path& folder);
  ~ControlDoor();
  ControlDoor(const ControlDoor&) = delete;
  ControlDoor& operator=(const ControlDoor&) = delete;

  const Endpoint& endpoint() const { return endpoint_; } ///< with the port that was taken

private:
  Control control_;
  Endpoint endpoint_;
  std::filesystem::path file_;
};

/// What a door wrote.
/// @param file control.json in the folder of a run
/// @throws IoError where there is nothing: the run has ended, or cannot be steered. DataError where
/// it is damaged.
ControlAddress read_control_file(const std::filesystem::path& path);

} // namespace troupe
