#include "troupe/actors/grid_supervisor.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <exception>
#include <limits>
#include <map>

namespace troupe {

namespace {

class GridSupervisorState {
public:
  static constexpr const char* name = "grid supervisor";
  using Self = GridSupervisor::stateful_pointer<GridSupervisorState>;

  void begin(Self self, GridSupervisorOptions options) {
    self_ = self;
    free_ = options.runners;
    options_ = std::make_unique<GridSupervisorOptions>(std::move(options));
    for (const auto& runner : free_)
      self_->monitor(runner);
    self_->set_down_handler([this](const caf::down_msg& down) { lose(down.source); });
  }

  caf::typed_response_promise<GridEnded> start() {
    promise_ = self_->make_response_promise<GridEnded>();
    go_on();
    return promise_;
  }

  void stop() {
    options_->agenda.stop();
    go_on();
  }

private:
  /// Gives work to those who are free, and says when there is none left.
  void go_on() {
    while (!free_.empty()) {
      const auto trial = options_->agenda.next();
      if (!trial)
        break;
      const auto runner = free_.back();
      free_.pop_back();
      run(runner, *trial);
    }
    auto& agenda = options_->agenda;
    const auto stuck = free_.empty() && agenda.under_way() == 0;
    if (stuck && error_.empty())
      error_ = "no runner is left";
    if ((agenda.over() || stuck) && promise_.pending())
      promise_.deliver(GridEnded{agenda.done(), agenda.failed(), agenda.left(), error_});
  }

  void run(const TrialRunner& runner, const RunTrial& trial) {
    under_way_[runner.address()] = trial;
    self_->request(runner, caf::infinite, trial)
      .then(
        [this, runner](const TrialEnded& ended) {
          under_way_.erase(runner.address());
          free_.push_back(runner);
          take(ended);
        },
        [this, runner](const caf::error&) { lose(runner.address()); });
  }

  /// A runner has ended; whoever waits for its answer would wait for ever.
  void lose(const caf::actor_addr& runner) {
    std::erase_if(free_, [&](const TrialRunner& one) { return one.address() == runner; });
    const auto found = under_way_.find(runner);
    if (found == under_way_.end())
      return go_on();
    TrialEnded ended;
    ended.run = found->second.run;
    ended.attempt = found->second.attempt;
    ended.rung = found->second.rung;
    ended.outcome = TrialOutcome::failed;
    ended.reason = "its runner has ended";
    ended.score = std::numeric_limits<double>::quiet_NaN();
    under_way_.erase(found);
    take(ended);
  }

  void take(const TrialEnded& ended) {
    auto& agenda = options_->agenda;
    try {
      if (options_->journal)
        options_->journal->append(journal_line(ended));
    } catch (const std::exception& e) { // what cannot be remembered would be run again
      error_ = e.what();
      agenda.stop();
    }
    agenda.ended(ended);
    if (options_->tell)
      options_->tell(ended, agenda);
    go_on();
  }

  Self self_{};
  std::unique_ptr<GridSupervisorOptions> options_;
  std::vector<TrialRunner> free_;
  std::map<caf::actor_addr, RunTrial> under_way_; ///< by runner
  caf::typed_response_promise<GridEnded> promise_;
  std::string error_;
};

GridSupervisor::behavior_type grid_supervisor(GridSupervisorState::Self self,
                                              const std::shared_ptr<GridSupervisorOptions>& given) {
  self->state.begin(self, std::move(*given));
  return {
    [self](const StartGrid&) { return self->state.start(); },
    [self](const StopGrid&) { self->state.stop(); },
  };
}

} // namespace

GridSupervisor spawn_grid_supervisor(caf::actor_system& system, GridSupervisorOptions options) {
  return system.spawn<caf::detached>(grid_supervisor,
                                     std::make_shared<GridSupervisorOptions>(std::move(options)));
}

GridSupervisor spawn_scheduled_grid_supervisor(caf::actor_system& system,
                                               GridSupervisorOptions options) {
  return system.spawn(grid_supervisor, std::make_shared<GridSupervisorOptions>(std::move(options)));
}

} // namespace troupe
