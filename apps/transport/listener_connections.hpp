// The connections of a listener: which of them are pending, which are admitted, and what is said of
// those that are refused.
#pragma once

#include "base/files/descriptor.hpp"
#include "base/line_limit.hpp"
#include "messages/access/pending_connections.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// How many pending connections a listener keeps. A process with several listeners has most of its
/// descriptors left for files.
PendingLimits pending_limits(std::size_t descriptors);

/// Shared by a listener's thread and the owners of the connections that it handed over.
class ListenerConnections {
public:
  using Id = PendingConnections::Id;
  using Time = LineLimit::Time;

  /// @param what in messages: "the parameter holder" @throws IoError if the system has no
  /// descriptor.
  explicit ListenerConnections(std::string what);

  /// A connection arrived. @param descriptor owned by the caller @param id larger than all before
  /// @returns the pending connection to end for it, which is reported
  std::optional<Id> add(Id id, const std::string& address, int descriptor, Time now);
  /// It has authenticated. @returns false if too many are admitted.
  bool admit(Id id);
  /// Reports why it ends, before its owner closes it.
  void refuse(Id id, const std::string& why);
  /// It ends: its descriptor must not be used any more.
  void forget(Id id);

  /// The pending connections to end because they did not authenticate in time. Reports them.
  std::vector<Id> overdue(Time now);
  /// Reports that no connection can be accepted. @returns the pending connection to end for room.
  std::optional<Id> oldest_for_room(const std::string& error);
  /// Ends a connection that was handed over, unless it has ended already.
  void shut(Id id);

  /// Prints the lines that were left out and are due.
  void report_left_out(Time now);
  /// When a connection is overdue or a line is due; nothing if neither will be.
  std::optional<Time> next_deadline();

  /// Makes the listener's thread look again. `wake_descriptor` is readable until `clear_wake`.
  void wake();
  int wake_descriptor() const { return wake_.get(); }
  void clear_wake();
  /// Asks the listener's thread to end.
  void end();
  bool ending();

private:
  struct Known {
    std::string address;
    int descriptor; ///< owned by the connection
  };
  void report(const std::string& kind, std::optional<Id> id, const std::string& why);

  const std::string what_;
  const Descriptor wake_;
  const std::size_t most_admitted_;
  std::mutex mutex_; ///< guards the members below
  bool ending_ = false;
  PendingConnections pending_;
  std::set<Id> admitted_;
  std::map<Id, Known> known_; ///< all live connections
  LineLimit limit_;
};

/// A connection's registration with its listener. Destroy it before the connection's descriptor is
/// closed: until then the listener may shut the connection down.
class ListenerPlace {
public:
  ListenerPlace(std::shared_ptr<ListenerConnections> connections, ListenerConnections::Id id)
    : connections_(std::move(connections)),
      id_(id) {}
  ~ListenerPlace() { connections_->forget(id_); }
  ListenerPlace(const ListenerPlace&) = delete;
  ListenerPlace& operator=(const ListenerPlace&) = delete;

  /// The peer has authenticated: from now on it has no deadline.
  /// @returns false if too many peers are connected.
  bool admit();
  /// Reports why the connection ends, before its owner closes it.
  void refuse(const std::string& why) { connections_->refuse(id_, why); }

private:
  std::shared_ptr<ListenerConnections> connections_;
  ListenerConnections::Id id_;
};

} // namespace troupe
