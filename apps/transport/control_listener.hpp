// The listener for remote control of a run: its control actor's address and token.
#pragma once

#include "apps/transport/published_actor.hpp"
#include "messages/control/control.hpp"

#include <filesystem>

namespace troupe {

/// The section `control` of a configuration. A run can be controlled only if it has an address.
struct ControlListenerOptions {
  std::string address = "";     ///< "host:port" to listen on; port 0: any free one; "": nowhere
  std::string certs = "";       ///< folder with ca.pem, <name>.pem, <name>.key; "": the run's own
  std::string name = "control"; ///< of the certificate
  bool insecure = false;        ///< plain TCP, on loopback only
  bool paused = false;          ///< the run waits before its first batch until it is resumed
  TROUPE_FIELDS(address, certs, name, insecure, paused);
};

/// In a run's folder, while it can be controlled; readable by its owner only.
inline constexpr const char* control_file = "control.json";

/// How to reach a run.
struct ControlAddress {
  Endpoint endpoint;
  std::string token;
  bool tls = false;     ///< it accepts only certificates of its authority
  std::string own = {}; ///< the certificate of make_own_certificate that it accepts; "": none
};

/// The peers that may connect to control a run; they also need the token.
struct ControlTrust {
  Trust trust;
  std::string own = {}; ///< the run's own certificate, for its control.json; "": a given one
};

/// With certificates: peers with a certificate of the same authority. Without, on loopback:
/// processes that can read the run's control.json; with `insecure`, every account on this machine.
/// @throws ConfigError for unusable certificates, or an address that needs certificates.
ControlTrust trust_of_control(const ControlListenerOptions& options);

/// Parses an address to listen on. @throws ConfigError if it is malformed.
Endpoint listening_endpoint(const std::string& address);

/// Publishes the control actor and writes control.json into the run's folder, while it lives.
class ControlListener {
public:
  /// @throws IoError, IoError if it cannot listen or write.
  ControlListener(const Control& control, const Endpoint& endpoint, const ControlTrust& trust,
                  const std::string& token, const std::filesystem::path& folder);
  ~ControlListener();
  ControlListener(const ControlListener&) = delete;
  ControlListener& operator=(const ControlListener&) = delete;

  const Endpoint& endpoint() const { return endpoint_; } ///< with the actual port

private:
  PublishedActor published_;
  Endpoint endpoint_;
  std::filesystem::path file_;
};

/// Reads the file that a listener wrote.
/// @param file control.json in the folder of a run
/// @throws IoError if there is none: the run has ended or cannot be controlled. DataError if it is
/// damaged.
ControlAddress read_control_file(const std::filesystem::path& path);

} // namespace troupe
