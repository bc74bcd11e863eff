#include "actors/grid/grid_coordinator.hpp"

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

using GridCoordinatorActor = GridCoordinator::extend<caf::reacts_to<CheckNodes>>;

constexpr auto node_check_interval = std::chrono::milliseconds{250};

class GridCoordinatorState {
public:
  static constexpr const char* name = "grid coordinator";
  using Self = GridCoordinatorActor::stateful_pointer<GridCoordinatorState>;

  void begin(Self self, GridCoordinatorOptions options) {
    self_ = self;
    options_ = std::make_unique<GridCoordinatorOptions>(std::move(options));
    members_ = std::make_unique<GridMembers>(options_->members);
    self_->link_to(options_->folders); // it may still wait to retry something
    self_->delayed_send(self_, node_check_interval, CheckNodes{});
  }

  void serve(const GridSupervisor& supervisor) {
    supervisor_ = supervisor;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      self_->send(supervisor_, OfferRunner{self_});
  }

  // -- nodes --------------------------------------------------------------------------------------

  caf::result<GridJoined> join(const JoinGrid& join) {
    const auto joined = members_->join(join, now());
    if (!joined) {
      say("refused: " + sentence(joined.error()));
      return joined.error();
    }
    const auto& node = members_->node(*joined);
    const GridJoined answer{*joined, node.name, options_->members.lease, options_->members.grid,
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

  caf::result<NodeAdmitted> admit(const ShowProbe& shown) {
    if (auto refusal = members_->admit(shown)) {
      say("refused: " + sentence(refusal));
      return refusal;
    }
    members_->renew(shown.node, now());
    const auto& node = members_->node(shown.node);
    say("node " + node.name + " has joined; it trains " + quantity(node.runners, "run")
        + " at once");
    return NodeAdmitted{};
  }

  caf::result<NodeRenewed> renew(const RenewNode& renew) {
    if (auto error = members_->check(renew.node, "a renewal"))
      return error;
    members_->renew(renew.node, now());
    return NodeRenewed{stop_, closing_.has_value(), resumable_};
  }

  caf::result<LeasedTrial> ask(const AskForTrial& ask) {
    if (auto error = members_->check(ask.node, "a request for a trial"))
      return error;
    auto promise = self_->make_response_promise<LeasedTrial>();
    waiting_.push_back({ask.node, promise});
    if (supervisor_)
      self_->send(supervisor_, OfferRunner{self_});
    return promise;
  }

  caf::result<TrialReturned> return_trial(const ReturnTrial& returned) {
    const auto run = returned.ended.run;
    if (auto error = members_->check(returned.node, "the end of run " + std::to_string(run)))
      return error;
    const auto found = leased_.find(run);
    if (found == leased_.end() || !members_->has(returned.node, run))
      return fail(Error::stale, "node " + members_->node(returned.node).name + " returns run "
                                  + std::to_string(run)
                                  + ", which it does not have; its result is not accepted");
    auto ended = returned.ended;
    ended.node = members_->node(returned.node).name;
    auto promise = self_->make_response_promise<TrialReturned>();
    auto leased = std::move(found->second);
    leased_.erase(found);
    members_->remove_run(run, returned.node);
    self_
      ->request(options_->folders, caf::infinite,
                ReturnRun{leased.folder, members_->node(returned.node).folder})
      .then(
        [=](const FoldersMoved&) mutable {
          leased.ended.deliver(ended);
          promise.deliver(TrialReturned{});
        },
        [=](const caf::error& error) mutable {
          leased.ended.deliver(
            end_of(leased.trial, TrialOutcome::failed, sentence(error), ended.node));
          promise.deliver(TrialReturned{});
        });
    return promise;
  }

  void leave(const LeaveGrid& leave) {
    if (!members_->knows(leave.node))
      return;
    members_->leave(leave.node);
    say("node " + members_->node(leave.node).name + " has left");
    clear(leave.node, "its node " + members_->node(leave.node).name + " has left");
  }

  void check_leases() {
    self_->delayed_send(self_, node_check_interval, CheckNodes{});
    for (const auto number : opening_)
      members_->renew(number, now());
    for (const auto number : members_->expire(now())) {
      const auto& node = members_->node(number);
      say("node " + node.name + " is lost: it gave no sign of life for more than "
          + "two renewals of " + lease_text() + "; " + quantity(node.runs.size(), "run")
          + " of it go back into the queue");
      clear(number, "its node " + node.name + " was lost");
    }
    close_if_empty();
  }

  // -- the grid -----------------------------------------------------------------------------------

  caf::result<TrialEnded> run(const RunTrial& trial) {
    if (waiting_.empty()) // its node was lost just now
      return end_of(trial, TrialOutcome::stopped, "its node was lost before it began");
    auto waiting = std::move(waiting_.front());
    waiting_.pop_front();
    LeasedTrial leased_trial;
    try {
      leased_trial = options_->prepare(trial);
    } catch (const std::exception& e) {
      waiting_.push_front(waiting);
      self_->send(supervisor_, OfferRunner{self_});
      return end_of(trial, TrialOutcome::refused, e.what());
    }
    auto ended = self_->make_response_promise<TrialEnded>();
    leased_[trial.run] = {trial, leased_trial.folder, ended};
    members_->lease(trial.run, waiting.node);
    self_
      ->request(options_->folders, caf::infinite,
                LeaseRun{leased_trial.folder, members_->node(waiting.node).folder})
      .then(
        [waiting, leased_trial](const FoldersMoved&) mutable {
          waiting.trial.deliver(leased_trial);
        },
        [this, waiting, trial](const caf::error& error) { lease_failed(waiting, trial, error); });
    return ended;
  }

  void stop(const StopNodes& stop) {
    stop_ = std::max(stop_, stop.level);
    self_->send(options_->folders, CancelRescues{});
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
  struct WaitingRunner {
    NodeNumber node = 0;
    caf::typed_response_promise<LeasedTrial> trial;
  };
  struct Leased {
    RunTrial trial;
    std::string folder;
    caf::typed_response_promise<TrialEnded> ended;
  };

  double now() const { return seconds_now(self_); }
  std::string lease_text() const {
    return print_duration(std::chrono::duration<double>(options_->members.lease));
  }
  void say(const std::string& line) const {
    if (options_->notify)
      options_->notify(line);
  }

  void lease_failed(const WaitingRunner& waiting, const RunTrial& trial, const caf::error& error) {
    if (!members_->has(waiting.node, trial.run))
      return;
    members_->remove_run(trial.run, waiting.node);
    auto leased = std::move(leased_.at(trial.run));
    leased_.erase(trial.run);
    waiting_.push_back(waiting);
    self_->send(supervisor_, OfferRunner{self_});
    leased.ended.deliver(
      end_of(trial, TrialOutcome::failed, sentence(error), members_->node(waiting.node).name));
  }

  /// The node is gone: withdraws its offers, and rescues its runs.
  void clear(NodeNumber number, const std::string& why) {
    const auto node = members_->node(number);
    const auto offers = std::erase_if(
      waiting_, [&](const WaitingRunner& waiting) { return waiting.node == number; });
    for (std::size_t i = 0; i < offers && supervisor_; ++i)
      self_->send(supervisor_, WithdrawRunner{self_});
    for (const auto run : node.runs) {
      auto leased = std::move(leased_.at(run));
      leased_.erase(run);
      self_->request(options_->folders, caf::infinite, RescueRun{leased.folder, node.folder})
        .then(
          [=](const FoldersMoved& moved) mutable {
            leased.ended.deliver(end_of(leased.trial, TrialOutcome::stopped,
                                        why + (moved.left.empty() ? "" : ", and " + moved.left),
                                        node.name));
          },
          [=](const caf::error& error) mutable {
            leased.ended.deliver(end_of(leased.trial, TrialOutcome::failed,
                                        why + ", and " + sentence(error), node.name));
          });
    }
    members_->forget(number);
    close_if_empty();
  }

  void close_if_empty() {
    if (closing_ && closing_->pending() && members_->empty())
      closing_->deliver(GridClosed{});
  }

  Self self_{};
  std::unique_ptr<GridCoordinatorOptions> options_;
  std::unique_ptr<GridMembers> members_;
  GridSupervisor supervisor_;
  std::deque<WaitingRunner> waiting_; ///< one offer to the supervisor each
  std::set<NodeNumber> opening_;      ///< their folders are being created, so they do not renew yet
  std::map<RunNumber, Leased> leased_;
  std::uint32_t stop_ = 0;
  std::optional<caf::typed_response_promise<GridClosed>> closing_;
  bool resumable_ = false;
};

GridCoordinatorActor::behavior_type
grid_coordinator(GridCoordinatorState::Self self,
                 const std::shared_ptr<GridCoordinatorOptions>& options) {
  auto& state = self->state;
  state.begin(self, std::move(*options));
  return {
    [&state](const JoinGrid& join) { return state.join(join); },
    [&state](const ShowProbe& shown) { return state.admit(shown); },
    [&state](const RenewNode& renew) { return state.renew(renew); },
    [&state](const AskForTrial& ask) { return state.ask(ask); },
    [&state](const ReturnTrial& returned) { return state.return_trial(returned); },
    [&state](const LeaveGrid& leave) { state.leave(leave); },
    [&state](const RunTrial& trial) { return state.run(trial); },
    [&state](const ServeGrid& serve) { state.serve(serve.supervisor); },
    [&state](const StopNodes& stop) { state.stop(stop); },
    [&state](const CloseGrid& close) { return state.close(close); },
    [&state](const CheckNodes&) { state.check_leases(); },
  };
}

} // namespace

GridCoordinator spawn_grid_coordinator(caf::actor_system& system, GridCoordinatorOptions options) {
  return system.spawn(grid_coordinator,
                      std::make_shared<GridCoordinatorOptions>(std::move(options)));
}

} // namespace troupe
