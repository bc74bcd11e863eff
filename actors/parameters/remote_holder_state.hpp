// State of the remote holder actor; remote_holder.cpp maps messages to it.
#pragma once

#include "actors/parameters/shard_connections.hpp"
#include "actors/parameters/sharded_requests.hpp"
#include "messages/parameters/end_relay.hpp"
#include "messages/parameters/interrupt_watch.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <vector>

namespace troupe {

/// Represents the holders of a cluster in a worker's process: keeps the worker a member, forwards
/// its requests, and relays which worker is main and that the run ends.
class RemoteHolderState {
public:
  static constexpr const char* name = "remote holder";
  using Self = RemoteHolderActor::stateful_pointer<RemoteHolderState>;

  void begin(Self self, Connector connector, const RemoteHolderOptions& options);

  // -- messages ----------------------------------------------------------------------------

  caf::result<Joined> join(const Join& join);
  caf::result<Renewed> renewed() const { return renewed_.value_or(Renewed{}); }
  caf::result<Parameters> create(const CreateIfAbsent& create);
  caf::result<Parameters> pull();
  caf::result<Parameters> await(Version after);
  caf::result<Parameters> exchange(Exchange& exchange);
  caf::result<Applied> push(Push& push);
  caf::result<Part> pull_part(const PullPart& pull);
  caf::result<Applied> push_part(const PushPart& push);
  caf::result<HolderStatus> status();
  void leave();
  void stop_all(const StopAll& stop);
  void watch(const Trainer& trainer);
  void poll();
  void connection_ended(const caf::down_msg& down) { connections_.connection_ended(down); }

private:
  // -- outcomes of the connections ------------------------------------------------------------

  void joined();
  void refused(std::size_t shard, const caf::error& error);
  void rejoin();
  void handle_renewed(const Renewed& renewed);
  void fail_to_join(const caf::error& error);

  // -- the end -------------------------------------------------------------------------------

  void perform(EndRelay::Action action);
  void check_interrupt();

  /// Forwards a request to one shard only.
  template <class Answer, class Request>
  caf::result<Answer> forward(std::size_t shard, const Request& request);
  ShardedRequests::What exchange_of(Push& push) const;
  bool is(HolderMembership::State state) const { return membership_.state() == state; }

  Self self_ = nullptr;
  RemoteHolderOptions options_;
  WorkerLog log_;
  HolderMembership membership_;
  ShardConnections connections_;
  ShardedRequests requests_;
  caf::typed_response_promise<Joined> joining_;
  double joining_since_ = 0;
  std::optional<Renewed> renewed_; ///< the last answer of shard 0 to a renewal
  std::vector<Trainer> watching_;
  EndRelay end_;             ///< reset for each training
  InterruptWatch interrupt_; ///< reset for each training
  bool polling_ = false;     ///< a message to itself is in flight
};

} // namespace troupe
