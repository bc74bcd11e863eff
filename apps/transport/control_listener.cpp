#include "apps/transport/control_listener.hpp"

#include "apps/transport/tcp_connection.hpp"
#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "messages/wire/type_ids.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <fstream>
#include <iostream>

namespace troupe {

ControlTrust trust_of_control(const ControlListenerOptions& options) {
  const auto host = listening_endpoint(options.address).host;
  if (!options.certs.empty())
    return {check_trust(identity_in(options.certs, options.name), false, host)};
  if (!is_loopback(host))
    throw ConfigError("control.address is '" + options.address
                      + "', which other machines can reach: give control.certs=FOLDER "
                        "and control.name=NODE, made by `troupe certs init` and `troupe certs "
                        "node`, or listen on 127.0.0.1");
  ControlTrust access;
  if (options.insecure) {
    std::cerr << "warning: remote control is plain (control.insecure): any account on this machine "
                 "can connect to its port, and only the token protects it\n";
    return access;
  }
  access.own = make_own_certificate("troupe run");
  access.trust.tls = std::make_shared<const TlsContext>(access.own);
  return access;
}

Endpoint listening_endpoint(const std::string& address) {
  const auto colon = address.rfind(':');
  try {
    if (colon != std::string::npos && address.substr(colon + 1) == "0") {
      auto endpoint
        = parse_endpoint(address.substr(0, colon) + ":1"); // port 0: any free one; checks the rest
      endpoint.port = 0;
      return endpoint;
    }
    return parse_endpoint(address);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"the address to listen on: "} + e.what());
  }
}

ControlListener::ControlListener(const Control& control, const Endpoint& endpoint,
                                 const ControlTrust& trust, const std::string& token,
                                 const std::filesystem::path& folder)
  : published_(control, endpoint, trust.trust, "remote control"),
    endpoint_{endpoint.host, published_.port()},
    file_(folder / control_file) {
  nlohmann::ordered_json content{{"address", to_string(endpoint_)},
                                 {"token", token},
                                 {"tls", trust.trust.tls != nullptr},
                                 {"process", ::getpid()}};
  if (!trust.own.empty())
    content["certificate"] = trust.own;
  write_file(file_, content.dump() + "\n", Readers::owner);
  std::cerr << "remote control listens on " << to_string(endpoint_) << " ("
            << to_string(trust.trust) << "); the token is in " << file_.string() << std::endl;
}

ControlListener::~ControlListener() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

ControlAddress read_control_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  if (!file)
    throw IoError("there is no '" + path.string()
                  + "': the run has ended, or was started without --control 127.0.0.1:0, or "
                    "belongs to another user");
  const auto json = nlohmann::json::parse(file, nullptr, false);
  try {
    return {parse_endpoint(json.at("address").get<std::string>()),
            json.at("token").get<std::string>(), json.value("tls", false),
            json.value("certificate", std::string{})};
  } catch (const std::exception&) {
    throw DataError("'" + path.string()
                    + "' is damaged: it has no address and token; a run that is started with "
                      "--control writes one");
  }
}

} // namespace troupe
