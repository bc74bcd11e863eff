#include "actors/grid/grid_host.hpp"

#include "base/text/duration.hpp"
#include "base/text/text.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <exception>
#include <set>

namespace troupe {

namespace {

using GridHostActor = GridHost::extend<caf::reacts_to<LookAtNodes>>;

constexpr auto look_at_nodes_every = std::chrono::milliseconds{250};

class GridHostState {
public:
  static constexpr const char* name = "grid host";
  using Self = GridHostActor::stateful_pointer<GridHostState>;

  void begin(Self self, GridHostOptions options) {
    self_ = self;
    options_ = std::make_unique<GridHostOptions>(std::move(options));
    roster_ = std::make_unique<GridRoster>(options_->roster);
    self_->link_to(options_->folders); // which may still wait to try something again
    self_->delayed_send(self_, look_at_nodes_every, LookAtNodes{});
  }

  void serve(const GridSupervisor& supervisor) {
    supervisor_ = supervisor;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      self_->send(supervisor_, OfferRunner{self_});
  }

  // -- nodes --------------------------------------------------------------------------------------

  caf::result<GridJoined> join(const JoinGrid& join) {
    const auto joined = roster_->join(join, now());
    if (!joined) {
      say("refused: " + sentence(joined.error()));
      return joined.error();
    }
    const auto& node = roster_->node(*joined);
    const GridJoined answer{*joined, node.name, options_->roster.lease, options_->roster.grid,
                            node.folder};
    auto promise = self_->make_response_promise<GridJoined>();
    opening_.insert(answer.node);
    self_->request(options_->folders, caf::infinite, OpenFolder{node.folder})
      .then(
        [this, promise, answer](const FoldersMoved&) mutable {
          opening_.erase(answer.node);
          promise.deliver(answer);
        },
        [this, promise, number = answer.node](caf::error& error) mutable {
          opening_.erase(number);
          promise.deliver(std::move(error));
        });
    return promise;
  }

  caf::result<NodeAdmitted> admit(const ShowWord& shown) {
    if (auto refusal = roster_->admit(shown)) {
      say("refused: " + sentence(refusal));
      return refusal;
    }
    roster_->renew(shown.node, now());
    const auto& node = roster_->node(shown.node);
    say("node " + node.name + " has joined; it trains " + counted(node.runners, "run")
        + " at once");
    return NodeAdmitted{};
  }

  caf::result<NodeRenewed> renew(const RenewNode& renew) {
    if (auto error = roster_->check(renew.node, "a renewal"))
      return error;
    roster_->renew(renew.node, now());
    return NodeRenewed{stop_, closing_.has_value(), resumable_};
  }

  caf::result<LentTrial> ask(const AskForTrial& ask) {
    if (auto error = roster_->check(ask.node, "a request for a trial"))
      return error;
    auto promise = self_->make_response_promise<LentTrial>();
    waiting_.push_back({ask.node, promise});
    if (supervisor_)
      self_->send(supervisor_, OfferRunner{self_});
    return promise;
  }

  caf::result<TrialReturned> take_back(const ReturnTrial& returned) {
    const auto run = returned.ended.run;
    if (auto error = roster_->check(returned.node, "the end of run " + std::to_string(run)))
      return error;
    const auto found = lent_.find(run);
    if (found == lent_.end() || !roster_->has(returned.node, run))
      return fail(Error::stale, "node " + roster_->node(returned.node).name + " returns run "
                                  + std::to_string(run)
                                  + ", which it does not have; its end is not taken");
    auto ended = returned.ended;
    ended.node = roster_->node(returned.node).name;
    auto promise = self_->make_response_promise<TrialReturned>();
    auto lent = std::move(found->second);
    lent_.erase(found);
    roster_->take_back(run, returned.node);
    self_
      ->request(options_->folders, caf::infinite,
                BringHome{lent.folder, roster_->node(returned.node).folder})
      .then(
        [=](const FoldersMoved&) mutable {
          lent.ended.deliver(ended);
          promise.deliver(TrialReturned{});
        },
        [=](const caf::error& error) mutable {
          lent.ended.deliver(end_of(lent.trial, TrialOutcome::failed, sentence(error), ended.node));
          promise.deliver(TrialReturned{});
        });
    return promise;
  }

  void leave(const LeaveGrid& leave) {
    if (!roster_->knows(leave.node))
      return;
    roster_->leave(leave.node);
    say("node " + roster_->node(leave.node).name + " has left");
    clear(leave.node, "its node " + roster_->node(leave.node).name + " has left");
  }

  void look() {
    self_->delayed_send(self_, look_at_nodes_every, LookAtNodes{});
    for (const auto number : opening_)
      roster_->renew(number, now());
    for (const auto number : roster_->expire(now())) {
      const auto& node = roster_->node(number);
      say("node " + node.name + " is lost: it gave no sign of life for more than "
          + "two renewals of " + lease_text() + "; " + counted(node.runs.size(), "run")
          + " of it go back into the queue");
      clear(number, "its node " + node.name + " was lost");
    }
    close_if_empty();
  }

  // -- the grid -----------------------------------------------------------------------------------

  caf::result<TrialEnded> run(const RunTrial& trial) {
    if (waiting_.empty()) // its node was lost just now
      return end_of(trial, TrialOutcome::stopped, "its node was lost before it began");
    auto seat = std::move(waiting_.front());
    waiting_.pop_front();
    LentTrial order;
    try {
      order = options_->order(trial);
    } catch (const std::exception& e) {
      waiting_.push_front(seat);
      self_->send(supervisor_, OfferRunner{self_});
      return end_of(trial, TrialOutcome::refused, e.what());
    }
    auto ended = self_->make_response_promise<TrialEnded>();
    lent_[trial.run] = {trial, order.folder, ended};
    roster_->lend(trial.run, seat.node);
    self_
      ->request(options_->folders, caf::infinite,
                LendRun{order.folder, roster_->node(seat.node).folder})
      .then([seat, order](const FoldersMoved&) mutable { seat.trial.deliver(order); },
            [this, seat, trial](const caf::error& error) { cannot_lend(seat, trial, error); });
    return ended;
  }

  void stop(const StopNodes& stop) {
    stop_ = std::max(stop_, stop.level);
    self_->send(options_->folders, LeaveRescues{});
  }

  caf::result<GridClosed> close(const CloseGrid& close) {
    resumable_ = close.resumable;
    closing_ = self_->make_response_promise<GridClosed>();
    auto promise = *closing_;
    close_if_empty();
    return promise;
  }

private:
  /// A runner of a node that waits for a trial.
  struct Seat {
    NodeNumber node = 0;
    caf::typed_response_promise<LentTrial> trial;
  };
  struct Lent {
    RunTrial trial;
    std::string folder;
    caf::typed_response_promise<TrialEnded> ended;
  };

  double now() const { return seconds_now(self_); }
  std::string lease_text() const {
    return print_duration(std::chrono::duration<double>(options_->roster.lease));
  }
  void say(const std::string& line) const {
    if (options_->tell)
      options_->tell(line);
  }

  void cannot_lend(const Seat& seat, const RunTrial& trial, const caf::error& error) {
    if (!roster_->has(seat.node, trial.run))
      return;
    roster_->take_back(trial.run, seat.node);
    auto lent = std::move(lent_.at(trial.run));
    lent_.erase(trial.run);
    waiting_.push_back(seat);
    self_->send(supervisor_, OfferRunner{self_});
    lent.ended.deliver(
      end_of(trial, TrialOutcome::failed, sentence(error), roster_->node(seat.node).name));
  }

  /// The node is not there any more: its offers are void, and others go on with its runs.
  void clear(NodeNumber number, const std::string& why) {
    const auto node = roster_->node(number);
    const auto offers
      = std::erase_if(waiting_, [&](const Seat& seat) { return seat.node == number; });
    for (std::size_t i = 0; i < offers && supervisor_; ++i)
      self_->send(supervisor_, WithdrawRunner{self_});
    for (const auto run : node.runs) {
      auto lent = std::move(lent_.at(run));
      lent_.erase(run);
      self_->request(options_->folders, caf::infinite, RescueRun{lent.folder, node.folder})
        .then(
          [=](const FoldersMoved& moved) mutable {
            lent.ended.deliver(end_of(lent.trial, TrialOutcome::stopped,
                                      why + (moved.left.empty() ? "" : ", and " + moved.left),
                                      node.name));
          },
          [=](const caf::error& error) mutable {
            lent.ended.deliver(end_of(lent.trial, TrialOutcome::failed,
                                      why + ", and " + sentence(error), node.name));
          });
    }
    roster_->forget(number);
    close_if_empty();
  }

  void close_if_empty() {
    if (closing_ && closing_->pending() && roster_->empty())
      closing_->deliver(GridClosed{});
  }

  Self self_{};
  std::unique_ptr<GridHostOptions> options_;
  std::unique_ptr<GridRoster> roster_;
  GridSupervisor supervisor_;
  std::deque<Seat> waiting_; ///< one offer to the supervisor each
  std::set<NodeNumber>
    opening_; ///< nodes that cannot have heard of their lease yet: the disk is slow
  std::map<RunNumber, Lent> lent_;
  std::uint32_t stop_ = 0;
  std::optional<caf::typed_response_promise<GridClosed>> closing_;
  bool resumable_ = false;
};

GridHostActor::behavior_type grid_host(GridHostState::Self self,
                                       const std::shared_ptr<GridHostOptions>& options) {
  auto& state = self->state;
  state.begin(self, std::move(*options));
  return {
    [&state](const JoinGrid& join) { return state.join(join); },
    [&state](const ShowWord& shown) { return state.admit(shown); },
    [&state](const RenewNode& renew) { return state.renew(renew); },
    [&state](const AskForTrial& ask) { return state.ask(ask); },
    [&state](const ReturnTrial& returned) { return state.take_back(returned); },
    [&state](const LeaveGrid& leave) { state.leave(leave); },
    [&state](const RunTrial& trial) { return state.run(trial); },
    [&state](const ServeGrid& serve) { state.serve(serve.supervisor); },
    [&state](const StopNodes& stop) { state.stop(stop); },
    [&state](const CloseGrid& close) { return state.close(close); },
    [&state](const LookAtNodes&) { state.look(); },
  };
}

} // namespace

GridHost spawn_grid_host(caf::actor_system& system, GridHostOptions options) {
  return system.spawn(grid_host, std::make_shared<GridHostOptions>(std::move(options)));
}

} // namespace troupe
