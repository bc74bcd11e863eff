// Accepts connections: a peer has a few seconds to authenticate.
#pragma once

#include "apps/transport/listener_connections.hpp"
#include "apps/transport/trust.hpp"
#include "base/files/descriptor.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace troupe {

/// A connection that a listener hands over: a non-blocking socket, after the TLS handshake.
struct AcceptedConnection {
  Descriptor descriptor;
  TlsSession tls; ///< empty: plain
  bool local = false;
  std::unique_ptr<ListenerPlace> place;
};

/// A thread that accepts connections and does their TLS handshakes, so that strangers occupy no
/// other part of the process. Idle and half-open connections end at their deadline, or earlier if
/// there are too many; when descriptors run out, the oldest of them ends.
class Listener {
public:
  struct Socket {
    Descriptor descriptor; ///< a listening socket
    Trust trust;
    bool local = false; ///< within this machine, for this user
  };
  /// Called on the listener's thread, which waits for it. If it throws, the connection ends.
  using Take = std::function<void(AcceptedConnection)>;

  /// @param what in messages: "the parameter holder"
  Listener(const std::string& what, std::vector<Socket> sockets, Take take);
  ~Listener(); ///< accepts no more connections; those it handed over stay open
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

private:
  std::shared_ptr<ListenerConnections> connections_;
  std::thread thread_;
};

} // namespace troupe
