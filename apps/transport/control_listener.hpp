// Where a run can be steered from outside: its control actor's address and token.
#pragma once

#include "apps/transport/published_actor.hpp"
#include "messages/control/control.hpp"

#include <filesystem>

namespace troupe {

/// The section `control` of a configuration. Nobody can steer a run unless it has an address.
struct ControlListenerOptions {
  std::string address = "";     ///< "host:port" to listen on; port 0: any free one; "": nowhere
  std::string certs = "";       ///< folder with ca.pem, <name>.pem, <name>.key; "": the run's own
  std::string name = "control"; ///< of the certificate
  bool insecure = false;        ///< plain TCP, on loopback only
  bool paused = false;          ///< the run holds before its first batch until it is told to go on
  FIELDS(address, certs, name, insecure, paused);
};

/// In a run's folder, while it can be steered; readable by its owner only.
inline constexpr const char* control_file = "control.json";

/// How to reach a run.
struct ControlAddress {
  Endpoint endpoint;
  std::string token;
  bool tls = false;     ///< it hears only who has a certificate of its authority
  std::string own = {}; ///< the certificate of make_own_certificate that it hears; "": none
};

/// Who can connect to steer a run; the token is asked for, too.
struct ControlTrust {
  Trust trust;
  std::string own = {}; ///< the run's own certificate, for its control.json; "": it has others
};

/// With certificates who has one of the same authority; without them, on loopback, who can read the
/// run's control.json; with `insecure` every account of this machine.
/// @throws ConfigError for certificates that cannot be used, or an address that needs them.
ControlTrust trust_of_control(const ControlListenerOptions& options);

/// An address to listen on. @throws ConfigError for what is none.
Endpoint listening_endpoint(const std::string& address);

/// Published, and written into the run's folder, while it lives.
class ControlListener {
public:
  /// @throws IoError, FileError where it cannot listen or write.
  ControlListener(const Control& control, const Endpoint& endpoint, const ControlTrust& trust,
                  const std::string& token, const std::filesystem::path& folder);
  ~ControlListener();
  ControlListener(const ControlListener&) = delete;
  ControlListener& operator=(const ControlListener&) = delete;

  const Endpoint& endpoint() const { return endpoint_; } ///< with the port that was taken

private:
  PublishedActor published_;
  Endpoint endpoint_;
  std::filesystem::path file_;
};

/// What a listener wrote.
/// @param file control.json in the folder of a run
/// @throws IoError where there is nothing: the run has ended, or cannot be steered. DataError where
/// it is damaged.
ControlAddress read_control_file(const std::filesystem::path& path);

} // namespace troupe
