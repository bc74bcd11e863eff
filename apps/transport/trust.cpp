#include "apps/transport/trust.hpp"

#include "base/failure.hpp"

#include <iostream>

namespace troupe {

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string to_string(const Trust& trust) { return trust.tls ? "mutual TLS" : "plain"; }

Trust check_trust(const std::optional<Identity>& identity, bool insecure,
                  const std::string& listen_host) {
  if (identity) {
    if (auto defect = defect_of(*identity); !defect.empty())
      throw ConfigError(defect);
    return *identity;
  }
  if (!insecure)
    throw ConfigError(
      "a node needs certificates: give --certs FOLDER --name NODE, made by `troupe certs init` and "
      "`troupe certs node`; on one machine alone, --insecure will do");
  if (!is_loopback(listen_host))
    throw ConfigError("--insecure is for the loopback interface only, not for '" + listen_host
                      + "'; give --certs");
  std::cerr << "warning: --insecure: any account on this machine can connect to this process, and "
               "anyone who can watch the loopback interface can read its messages\n";
  return {};
}

void warn_without_token(const Trust& trust, const std::string& token, const std::string& who) {
  if (trust.tls && token.empty())
    std::cerr << "warning: TROUPE_TOKEN is not set: " << who
              << " accepts every certificate of this authority; give all nodes the same token, "
                 "like: export TROUPE_TOKEN=$(openssl rand -hex 16)\n";
}

} // namespace troupe
