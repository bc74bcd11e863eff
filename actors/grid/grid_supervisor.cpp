#include "actors/grid/grid_supervisor.hpp"

#include "messages/requests/error.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <exception>
#include <map>

namespace troupe {

namespace {

class GridSupervisorState {
public:
  static constexpr const char* name = "grid supervisor";
  using Self = GridSupervisor::stateful_pointer<GridSupervisorState>;

  void begin(Self self, GridSupervisorOptions options) {
    self_ = self;
    for (const auto& runner : options.runners) {
      free_.push_back({runner, true});
      self_->monitor(runner);
    }
    options_ = std::make_unique<GridSupervisorOptions>(std::move(options));
    self_->set_down_handler([this](const caf::down_msg& down) { lose(down.source); });
  }

  caf::typed_response_promise<GridEnded> start() {
    promise_ = self_->make_response_promise<GridEnded>();
    started_ = true;
    assign();
    return promise_;
  }

  void stop() {
    options_->queue.stop();
    assign();
  }

  void offer(const TrialRunner& runner) {
    free_.push_back({runner, false});
    assign();
  }

  void withdraw(const TrialRunner& runner) {
    const auto found = std::find_if(free_.begin(), free_.end(),
                                    [&](const Free& one) { return one.runner == runner; });
    if (found != free_.end())
      free_.erase(found);
  }

private:
  struct Free {
    TrialRunner runner;
    bool stays = false; ///< it is free again after each trial, without another offer
  };
  struct InFlight {
    RunTrial trial;
    caf::actor_addr runner;
  };

  /// Assigns trials to free runners, and reports the end when none is left.
  void assign() {
    if (!started_)
      return;
    while (!free_.empty()) {
      const auto trial = options_->queue.next();
      if (!trial)
        break;
      const auto free = free_.back();
      free_.pop_back();
      run(free, *trial);
    }
    auto& queue = options_->queue;
    const auto stuck = !options_->awaits_runners && free_.empty() && queue.in_flight() == 0;
    if (stuck && error_.empty())
      error_ = "no runner is left";
    if ((queue.over() || stuck) && promise_.pending())
      promise_.deliver(GridEnded{queue.done(), queue.failed(), queue.left(), error_});
  }

  void run(const Free& by, const RunTrial& trial) {
    in_flight_[trial.run] = {trial, by.runner.address()};
    self_->request(by.runner, caf::infinite, trial)
      .then(
        [this, by, run = trial.run](const TrialEnded& ended) {
          in_flight_.erase(run);
          if (by.stays)
            free_.push_back(by);
          record(ended);
        },
        [this, by](const caf::error&) { lose(by.runner.address()); });
  }

  /// A runner has ended: fails its trials, which would wait forever.
  void lose(const caf::actor_addr& runner) {
    std::erase_if(free_, [&](const Free& one) { return one.runner.address() == runner; });
    std::vector<RunTrial> lost;
    for (const auto& [run, one] : in_flight_)
      if (one.runner == runner)
        lost.push_back(one.trial);
    for (const auto& trial : lost) {
      in_flight_.erase(trial.run);
      record(end_of(trial, TrialOutcome::failed, "its runner has ended"));
    }
    assign();
  }

  void record(const TrialEnded& ended) {
    auto& queue = options_->queue;
    try {
      if (options_->journal)
        options_->journal->append(journal_line(ended));
    } catch (const std::exception& e) { // a run that is not in the journal would be run again
      error_ = e.what();
      queue.stop();
    }
    queue.ended(ended);
    if (options_->notify)
      options_->notify(ended, queue);
    assign();
  }

  Self self_{};
  std::unique_ptr<GridSupervisorOptions> options_;
  std::vector<Free> free_;
  std::map<RunNumber, InFlight> in_flight_;
  caf::typed_response_promise<GridEnded> promise_;
  std::string error_;
  bool started_ = false;
};

GridSupervisor::behavior_type grid_supervisor(GridSupervisorState::Self self,
                                              const std::shared_ptr<GridSupervisorOptions>& given) {
  self->state.begin(self, std::move(*given));
  return {
    [self](const StartGrid&) { return self->state.start(); },
    [self](const StopGrid&) { self->state.stop(); },
    [self](const OfferRunner& offer) { self->state.offer(offer.runner); },
    [self](const WithdrawRunner& withdraw) { self->state.withdraw(withdraw.runner); },
  };
}

} // namespace

GridSupervisor spawn_grid_supervisor(caf::actor_system& system, GridSupervisorOptions options) {
  return system.spawn<caf::detached>(grid_supervisor,
                                     std::make_shared<GridSupervisorOptions>(std::move(options)));
}

GridEnded run_to_end(caf::actor_system& system, const GridSupervisor& supervisor) {
  GridEnded ended;
  caf::scoped_actor self{system};
  self->request(supervisor, caf::infinite, StartGrid{})
    .receive([&](const GridEnded& answer) { ended = answer; },
             [&](const caf::error& error) { ended.error = sentence(error); });
  return ended;
}

GridSupervisor spawn_scheduled_grid_supervisor(caf::actor_system& system,
                                               GridSupervisorOptions options) {
  return system.spawn(grid_supervisor, std::make_shared<GridSupervisorOptions>(std::move(options)));
}

} // namespace troupe
