#include "troupe/extensions/shared_params_rate_limited.hpp"

#include "troupe/extensions/saved_state.hpp"
#include "troupe/messages/type_ids.hpp"

#include <array>
#include <cstdio>

namespace troupe {

namespace {

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

class RateLimitedState {
public:
  static constexpr const char* name = "shared params rate limited";
  using Self = Extension::stateful_pointer<RateLimitedState>;

  void begin(Self self, const SharedParamsRateLimitedOptions& options, ParameterHolder holder,
             Layout layout, Logger logger) {
    self_ = self;
    options_ = options;
    sync_.emplace(self, options.sync, std::move(holder), std::move(layout));
    logger_ = std::move(logger);
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    if (event.callback == Callback::before_training) {
      limit_.emplace(options_.limit, sync_->now());
      if (restored_)
        limit_->restore(*restored_, sync_->now());
      restored_.reset();
      return sync_->join(event);
    }
    if (!event.done && limit_ && !sync_->rests() && limit_->may_sync(sync_->now()))
      return sync_->exchange(event,
                             [this](double begin, double end) { limit_->synced(begin, end); });
    return event.done ? sync_->leave(event, report(event)) : sync_->pass();
  }

  Records state() const {
    Records state;
    put_part(state, "sync.", sync_->state());
    if (limit_)
      put(state, "limit", limit_->state());
    return state;
  }

  void restore(const Records& state) {
    sync_->restore(part_of(state, "sync."));
    restored_.emplace();
    take(state, "limit", *restored_);
  }

private:
  Records report(const LoopEvent& event) {
    if (!limit_)
      return {};
    const auto share = limit_->measured_share();
    if (logger_)
      self_->send(logger_,
                  Say{Level::info, "worker " + std::to_string(event.worker) + " synced "
                                     + std::to_string(limit_->syncs()) + " times, " + percent(share)
                                     + " of its time after the first "
                                     + std::to_string(RateLimit::warm_up_syncs) + " syncs (limit "
                                     + percent(options_.limit.maximum_rate) + " of "
                                     + to_string(options_.limit.of) + ")"});
    return {{"param_syncs", Value{static_cast<std::int64_t>(limit_->syncs())}},
            {"param_sync_share", Value{share}}};
  }

  Self self_ = nullptr;
  SharedParamsRateLimitedOptions options_;
  std::optional<ParameterSync> sync_;
  std::optional<RateLimit> limit_;
  std::optional<RateLimit::State> restored_; ///< for the next start
  Logger logger_;
};

Extension::behavior_type rate_limited(RateLimitedState::Self self,
                                      const SharedParamsRateLimitedOptions& options,
                                      ParameterHolder holder, Layout layout, Logger logger) {
  auto& state = self->state;
  state.begin(self, options, std::move(holder), std::move(layout), std::move(logger));
  return {
    [](const LoopEvent&) {}, // an observer cannot change parameters
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [](const Drain&) { return Drained{}; },
    saves(state),
    restores(state),
  };
}

} // namespace

Conditions shared_params_rate_limited_conditions() {
  Conditions conditions;
  conditions.set_trigger("before_training", true);
  conditions.set_trigger("every_n_batches", Value{std::int64_t{1}});
  conditions.set_trigger("after_training", true);
  conditions.set_trigger("on_error", true);
  return conditions;
}

Extension spawn_shared_params_rate_limited(caf::actor_system& system,
                                           SharedParamsRateLimitedOptions options,
                                           ParameterHolder holder, Layout layout, Logger logger) {
  check(options.sync);
  RateLimit{options.limit, 0};
  return system.spawn(rate_limited, options, std::move(holder), std::move(layout),
                      std::move(logger));
}

} // namespace troupe
