#include "actors/grid/grid_node.hpp"

#include "base/text/duration.hpp"
#include "messages/grid/coordinator_lease.hpp"
#include "messages/grid/coordinator_search.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>

namespace troupe {

namespace {

using GridNodeActor = GridNode::extend<caf::reacts_to<CheckNodeLease>>;

constexpr auto poll_interval = std::chrono::milliseconds{100};

constexpr const char* coordinator_lost = "the grid's coordinator is unreachable";
constexpr const char* grid_stopped = "the grid was stopped";

bool is_refusal(const caf::error& error) {
  return error.category() == caf::atom("troupe") && error == Error::invalid_options;
}

class GridNodeState {
public:
  static constexpr const char* name = "grid node";
  using Self = GridNodeActor::stateful_pointer<GridNodeState>;

  void begin(Self self, GridJoiner joiner, GridNodeOptions options) {
    self_ = self;
    joiner_ = std::move(joiner);
    options_ = std::make_unique<GridNodeOptions>(std::move(options));
    options_->enter.join.runners = static_cast<std::uint32_t>(options_->runners.size());
    search_ = CoordinatorSearch{options_->patience};
    for (const auto& runner : options_->runners)
      slots_.push_back({runner});
  }

  caf::result<NodeEnded> start() {
    ended_ = self_->make_response_promise<NodeEnded>();
    search_.begin(now());
    self_->send(self_, CheckNodeLease{});
    leave_if_idle(); // StopNode may have come first
    return *ended_;
  }

  void stop() {
    stopping_ = true;
    leave_if_idle();
  }

  void poll() {
    if (delivered_)
      return;
    self_->delayed_send(self_, poll_interval, CheckNodeLease{});
    const auto time = now();
    stop_runs(); // including runs that were just about to begin
    if (ending_)
      return finish_if_idle();
    if (joined_)
      check_lease(time);
    else
      reach_coordinator(time);
    leave_if_idle();
  }

  void listener_ended(const caf::down_msg& down) {
    if (joined_ && down.source == joined_->listener.address())
      lose("the connection has ended (" + sentence(down.reason) + ")");
  }

private:
  struct RunnerSlot {
    LeasedRunner runner;
    bool busy = false;
  };

  /// What a node has of the coordinator that it has joined.
  struct Joined {
    GridListener listener;
    NodeNumber node;
    std::string folder; ///< of this node, as this machine sees it
    CoordinatorLease lease;
    std::uint32_t stop_level = 0; ///< from the coordinator
    std::uint64_t returning = 0;  ///< results that were returned, and not answered yet
  };

  double now() const { return seconds_now(self_); }

  bool idle() const {
    return std::none_of(slots_.begin(), slots_.end(),
                        [](const RunnerSlot& slot) { return slot.busy; });
  }

  void check_lease(double time) {
    if (const auto why = joined_->lease.loss(time))
      lose(*why);
    else if (joined_->lease.is_due(time))
      renew();
  }

  /// Runs of an earlier session end first, so that stop_runs stops no others.
  void reach_coordinator(double time) {
    if (!entering_ && idle() && search_.is_due(time))
      enter();
    if (const auto report = search_.report(time))
      options_->notify(*report);
    if (const auto why = search_.end(time))
      end(NodeEnd::unreachable, *why);
  }

  void enter() {
    entering_ = true;
    self_->request(joiner_, caf::infinite, options_->enter)
      .then([this](const GridEntered& entered) { admitted(entered); },
            [this](const caf::error& error) { not_admitted(error); });
  }

  void admitted(const GridEntered& entered) {
    entering_ = false;
    joined_ = Joined{entered.route.listener, entered.joined.node, entered.folder, {}};
    self_->monitor(joined_->listener);
    joined_->lease.begin(entered.joined.lease, now());
    ++session_;
    options_->notify("node " + entered.joined.name + " of the grid at " + entered.route.address);
    renew();
    for (auto& slot : slots_)
      if (!slot.busy)
        ask(slot);
  }

  void not_admitted(const caf::error& error) {
    entering_ = false;
    search_.failed(now(), sentence(error));
    if (is_refusal(error))
      end(NodeEnd::refused, sentence(error));
  }

  // -- the lease ----------------------------------------------------------------------------------

  void renew() {
    const auto sent = now();
    joined_->lease.renew(sent);
    request_within(self_, joined_->listener, timespan_of(joined_->lease.length()),
                   RenewNode{joined_->node})
      .then(
        [this, sent, session = session_](const NodeRenewed& renewed) {
          if (session == session_)
            renewed_by(renewed, sent);
        },
        [this, session = session_](const caf::error& error) {
          if (session == session_ && error == Error::not_joined)
            lose("it considers this node lost");
        });
  }

  void renewed_by(const NodeRenewed& renewed, double sent) {
    joined_->lease.answered(sent);
    joined_->stop_level = std::max(joined_->stop_level, renewed.stop);
    stop_runs();
    if (renewed.over)
      end(renewed.resumable ? NodeEnd::stopped : NodeEnd::over, "");
  }

  /// The coordinator considers this node lost, or will: the results of its runs are worthless now.
  void lose(const std::string& why) {
    if (!joined_)
      return;
    self_->demonitor(joined_->listener.address());
    options_->notify(std::string{coordinator_lost} + ": " + why
                     + (idle() ? "" : "; runs end after their batch")
                     + "; the node keeps trying to reach it");
    forget();
    search_.begin(now(), why);
    stop_runs();
  }

  void stop_runs() {
    if (idle())
      return;
    if (!joined_)
      options_->stop_runs(2, coordinator_lost);
    else if (joined_->stop_level > 0)
      options_->stop_runs(joined_->stop_level, grid_stopped);
  }

  // -- trials -------------------------------------------------------------------------------------

  void ask(RunnerSlot& slot) {
    if (!joined_ || stopping_ || ending_)
      return;
    self_->request(joined_->listener, caf::infinite, AskForTrial{joined_->node})
      .then(
        [this, &slot, session = session_](const LeasedTrial& leased) {
          if (session == session_)
            run(slot, leased);
        },
        [](const caf::error&) {}); // the renewals detect a lost coordinator
  }

  void run(RunnerSlot& slot, LeasedTrial leased) {
    if (stopping_ || joined_->stop_level > 0)
      return return_trial(slot, end_of(leased.trial, TrialOutcome::stopped,
                                       (stopping_ ? "its node was stopped" : grid_stopped)
                                         + std::string{" before it began"}));
    slot.busy = true;
    leased.folder = (std::filesystem::path{joined_->folder} / leased.folder).string();
    self_->request(slot.runner, caf::infinite, std::move(leased))
      .then(
        [this, &slot, session = session_](const TrialEnded& ended) {
          slot.busy = false;
          if (session == session_)
            return_trial(slot, ended);
          leave_if_idle();
        },
        [this, &slot](const caf::error& error) {
          slot.busy = false;
          if (is_refusal(error))
            return end(NodeEnd::refused, sentence(error));
          end(NodeEnd::failed, "a runner has ended: " + sentence(error));
        });
  }

  void return_trial(RunnerSlot& slot, const TrialEnded& ended) {
    ++joined_->returning;
    self_->request(joined_->listener, caf::infinite, ReturnTrial{joined_->node, ended})
      .then(
        [this, &slot, session = session_](const TrialReturned&) { given_back(slot, session, 1); },
        [this, &slot, session = session_](const caf::error& error) {
          options_->notify("a result was not accepted: " + sentence(error));
          given_back(slot, session, 0);
        });
  }

  void given_back(RunnerSlot& slot, std::uint64_t session, std::uint64_t runs) {
    runs_ += runs;
    if (session != session_)
      return;
    --joined_->returning;
    ask(slot);
    leave_if_idle();
  }

  // -- the end ------------------------------------------------------------------------------------

  void leave_if_idle() {
    if (!ended_ || !stopping_ || ending_ || !idle() || (joined_ && joined_->returning > 0))
      return;
    leave();
    end(NodeEnd::stopped, "");
  }

  /// Results of runs that end from now on are not used.
  void leave() {
    if (!joined_)
      return;
    self_->send(joined_->listener, LeaveGrid{joined_->node});
    forget();
  }

  /// Answers that are on their way are of no use.
  void forget() {
    joined_.reset();
    ++session_;
  }

  void end(NodeEnd how, const std::string& why) {
    if (!ending_)
      ending_ = NodeEnded{how, why, 0};
    leave();
    finish_if_idle();
  }

  void finish_if_idle() {
    if (delivered_ || !idle())
      return;
    delivered_ = true;
    ending_->runs = runs_;
    ended_->deliver(*ending_);
    self_->send_exit(joiner_, caf::exit_reason::user_shutdown); // it may be joining
    self_->quit();                                              // peers still hold handles to it
  }

  Self self_{};
  std::unique_ptr<GridNodeOptions> options_;
  std::optional<caf::typed_response_promise<NodeEnded>> ended_; ///< once it has started
  std::deque<RunnerSlot> slots_;
  std::uint64_t runs_ = 0; ///< returned
  bool stopping_ = false, delivered_ = false;
  std::optional<NodeEnded> ending_; ///< once nothing more is to begin

  std::optional<Joined> joined_;
  std::uint64_t session_ = 0; ///< incremented with each joining and each loss

  GridJoiner joiner_;
  CoordinatorSearch search_{0};
  bool entering_ = false;
};

GridNodeActor::behavior_type grid_node_behavior(GridNodeState::Self self, GridJoiner joiner,
                                                const std::shared_ptr<GridNodeOptions>& options) {
  auto& state = self->state;
  state.begin(self, std::move(joiner), std::move(*options));
  self->set_down_handler([&state](const caf::down_msg& down) { state.listener_ended(down); });
  return {
    [&state](const StartNode&) { return state.start(); },
    [&state](const StopNode&) { state.stop(); },
    [&state](const CheckNodeLease&) { state.poll(); },
  };
}

} // namespace

GridNode spawn_grid_node(caf::actor_system& system, GridJoiner joiner, GridNodeOptions options) {
  return system.spawn(grid_node_behavior, std::move(joiner),
                      std::make_shared<GridNodeOptions>(std::move(options)));
}

} // namespace troupe
