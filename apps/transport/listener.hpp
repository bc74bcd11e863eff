// Where a process takes connections: who connects has a few seconds to show that it belongs here.
#pragma once

#include "apps/transport/descriptor.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/tls.hpp"
#include "messages/admission/pending_connections.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace troupe {

class ListenerState;

/// A connection's place among those of its listener. Destroy it before the connection's descriptor
/// is closed: until then the listener can end the connection.
class ListenerPlace {
public:
  ListenerPlace(std::shared_ptr<ListenerState> state, PendingConnections::Id id)
    : state_(std::move(state)),
      id_(id) {}
  ~ListenerPlace();
  ListenerPlace(const ListenerPlace&) = delete;
  ListenerPlace& operator=(const ListenerPlace&) = delete;

  /// The peer belongs here: from now on it has no deadline.
  /// @returns false where too many are here already.
  bool admit();
  /// Says why the connection ends, for the one who has it to end.
  void refuse(const std::string& why);

private:
  std::shared_ptr<ListenerState> state_;
  PendingConnections::Id id_;
};

/// What a listener hands over: a socket that does not block, after the handshake of TLS.
struct AcceptedConnection {
  Descriptor descriptor;
  TlsSession tls; ///< empty: plain
  bool local = false;
  std::unique_ptr<ListenerPlace> place;
};

/// A thread that accepts connections and shakes hands with them, so that strangers keep nothing
/// else of the process busy. Idle and half-open connections are ended at their deadline, or earlier
/// where there are too many; running out of descriptors ends the oldest of them.
class Listener {
public:
  struct Socket {
    Descriptor descriptor; ///< it listens
    Trust trust;
    bool local = false; ///< within this machine and user
  };
  /// Called in the listener's thread, which waits for it. It may throw: the connection ends then.
  using Take = std::function<void(AcceptedConnection)>;

  /// @param what for people: "the parameter holder"
  Listener(const std::string& what, std::vector<Socket> sockets, Take take);
  ~Listener(); ///< takes no more connections; those that it handed over go on
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

private:
  std::shared_ptr<ListenerState> state_;
  std::thread thread_;
};

/// How many connections a listener keeps, so that a process with several of them has most of its
/// descriptors left for its files.
PendingLimits pending_limits(std::size_t descriptors);

} // namespace troupe
