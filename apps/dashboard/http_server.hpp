// Carries the dashboard's addresses over HTTP, in threads of its own.
#pragma once

#include "apps/dashboard/access.hpp"
#include "apps/dashboard/client_socket.hpp"
#include "apps/dashboard/dashboard_api.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <memory>

namespace troupe {

class HttpServer {
public:
  /// Listens. @param rules of its host names; its cookie is named after the port
  /// @param tls nullptr: plain HTTP
  /// @throws IoError if it cannot listen
  HttpServer(DashboardApi& api, EventHub& hub, const Endpoint& endpoint, AccessRules rules,
             std::unique_ptr<const BrowserTls> tls);
  ~HttpServer(); ///< ends it
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The head of a request as the server reads it: without the fields that ask for parts, for
/// compression or for a changed protocol, which the dashboard does not need.
std::string needed_head(const std::string& head);

} // namespace troupe
