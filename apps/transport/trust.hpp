// How the processes of a cluster trust each other.
#pragma once

#include "apps/transport/certificates.hpp"
#include "apps/transport/tls.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// Whether the host's name or address can be reached only from this machine.
bool is_loopback(const std::string& host);

/// How the processes of a cluster trust each other.
struct Trust {
  Trust() = default;
  /// @throws IoError for unusable files.
  explicit(false) Trust(const Identity& identity)
    : tls(std::make_shared<const TlsContext>(identity)) {}

  std::shared_ptr<const TlsContext> tls; ///< null: plain TCP, on loopback only
};

/// "mutual TLS" or "plain".
std::string to_string(const Trust& trust);

/// Reads the identity's files once: they may be moved or replaced while the process runs.
/// @throws ConfigError for an unusable identity; without an identity, unless `insecure` is set and
/// the address is a loopback address.
Trust check_trust(const std::optional<Identity>& identity, bool insecure,
                  const std::string& listen_host);

/// Warns that this process checks only certificates and asks for no token.
/// @param who "the parameter holder"
void warn_without_token(const Trust& trust, const std::string& token, const std::string& who);

} // namespace troupe
