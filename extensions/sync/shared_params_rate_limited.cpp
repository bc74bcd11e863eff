#include "extensions/sync/shared_params_rate_limited.hpp"

#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/sync/sync_defects.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/tensor/divergence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class RateLimitedState {
public:
  static constexpr const char* name = "shared params rate limited";
  using Self = Extension::stateful_pointer<RateLimitedState>;

  void begin(Self self, const SharedParamsRateLimitedOptions& options, ParameterHolder holder,
             Layout layout, Logger logger, HolderFate fate) {
    self_ = self;
    options_ = options;
    sync_.emplace(self, options.sync, std::move(holder), std::move(layout), fate);
    logger_ = std::move(logger);
    if (options_.divergence > 0)
      sync_->keep_taken();
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    if (event.callback == Callback::before_training) {
      limit_.emplace(options_.limit, sync_->now());
      tokens_.emplace(options_.tokens, sync_->now());
      if (restored_) {
        limit_->restore(restored_->limit, sync_->now());
        tokens_->restore(restored_->tokens, sync_->now());
      }
      restored_.reset();
      return sync_->join(event);
    }
    if (!event.done && may_sync(event))
      return sync_->exchange(event, [this](double begin, double end) {
        limit_->synced(begin, end);
        tokens_->take(begin);
      });
    if (!event.done)
      return sync_->skip();
    const auto ends_later = event.callback == Callback::on_interrupt; // after_training follows
    return sync_->leave(event, ends_later ? Records{} : report(event));
  }

  SavedFields state() const {
    SavedFields state;
    put_part(state, "sync.", sync_->state());
    if (limit_) {
      put(state, "limit", limit_->state());
      put(state, "tokens", tokens_->state(sync_->now()));
    }
    return state;
  }

  void restore(const SavedFields& state) {
    sync_->restore(part_of(state, "sync."));
    restored_ = Restoring{{}, {options_.tokens.burst}};
    take(state, "limit", restored_->limit);
    take(state, "tokens", restored_->tokens);
  }

private:
  struct Restoring {
    RateLimit::State limit;
    TokenBucket::State tokens;
  };

  /// Checks the cheapest limit first.
  bool may_sync(const LoopEvent& event) const {
    return limit_ && !sync_->must_wait() && limit_->may_sync(sync_->now())
           && tokens_->may_take(sync_->now()) && has_diverged(event.parameters.values);
  }

  bool has_diverged(const Block& parameters) const {
    return options_.divergence == 0
           || relative_divergence(parameters.view(), sync_->taken().view()) > options_.divergence;
  }

  Records report(const LoopEvent& event) {
    if (!limit_)
      return {};
    const auto syncs = limit_->syncs(), first = limit_->warm_up_syncs();
    Records records{{"param_syncs", Value{static_cast<std::int64_t>(syncs)}}};
    auto measured = std::string{"too few to measure their share of its time"};
    if (const auto share = limit_->measured_share()) {
      records["param_sync_share"] = Value{*share};
      measured = percent(*share) + " of its time after the first "
                 + (first == 1 ? "sync" : std::to_string(first) + " syncs");
    }
    if (logger_)
      self_->send(logger_, Say{Level::info, "worker " + std::to_string(event.worker) + " synced "
                                              + quantity(syncs, "time") + ", " + measured
                                              + " (limit " + percent(options_.limit.maximum_rate)
                                              + " of " + to_string(options_.limit.of) + ")"});
    return records;
  }

  Self self_ = nullptr;
  SharedParamsRateLimitedOptions options_;
  std::optional<ParameterSync> sync_;
  std::optional<RateLimit> limit_;
  std::optional<TokenBucket> tokens_;
  std::optional<Restoring> restored_; ///< for the next start
  Logger logger_;
};

Extension::behavior_type rate_limited(RateLimitedState::Self self,
                                      const SharedParamsRateLimitedOptions& options,
                                      ParameterHolder holder, Layout layout, Logger logger,
                                      HolderFate fate) {
  auto& state = self->state;
  state.begin(self, options, std::move(holder), std::move(layout), std::move(logger), fate);
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
  conditions.set_trigger("on_interrupt", true);
  conditions.set_trigger("after_training", true);
  conditions.set_trigger("on_error", true);
  return conditions;
}

void check(const SharedParamsRateLimitedOptions& options) {
  if (shares_gradients(options.sync.rule))
    throw std::invalid_argument("the rule " + options.sync.rule.name
                                + " takes part in every update, and a limit "
                                  "would skip some; use shared_params_auto_sync for it");
  if (options.sync.fragments != 1 || options.sync.overlap)
    throw std::invalid_argument(
      "fragments and overlap spread syncs evenly over the batches, and a limit on the rate would "
      "shift them; use shared_params_auto_sync for them");
  check(options.sync);
  RateLimit{options.limit, 0};
  TokenBucket{options.tokens, 0};
  if (!(options.divergence >= 0) || std::isinf(options.divergence))
    throw std::invalid_argument("divergence is " + std::to_string(options.divergence)
                                + "; give a share of the parameters' norm of 0 or more, like 0.01");
}

Extension spawn_shared_params_rate_limited(caf::actor_system& system,
                                           SharedParamsRateLimitedOptions options,
                                           ParameterHolder holder, Layout layout, Logger logger,
                                           HolderFate fate) {
  check(options);
  return system.spawn(rate_limited, options, std::move(holder), std::move(layout),
                      std::move(logger), fate);
}

namespace {

/// Without other options syncs may take a quarter of the time.
SharedParamsRateLimitedOptions limited_by_default() {
  SharedParamsRateLimitedOptions options;
  options.limit.maximum_rate = 0.25;
  return options;
}

const RegisterExtension rate_limited_kind{ExtensionOf<SharedParamsRateLimitedOptions>{
  .name = "shared_params_rate_limited",
  .gate = true,
  .workers = "all",
  .on_end = OnLoss::fail,
  .deadline = no_deadline,
  .defaults = limited_by_default(),
  .conditions = shared_params_rate_limited_conditions,
  .spawn =
    [](const SharedParamsRateLimitedOptions& options, const ExtensionContext& context) {
      return spawn_shared_params_rate_limited(context.system, options, context.holder(),
                                              context.layout, context.logger,
                                              fate_of_holder(context));
    },
  .writes = {"param_syncs", "param_sync_*"},
  .shows_with
  = [](const SharedParamsRateLimitedOptions& options) { return shows_for(options.sync); },
  .hooks = {.defects = [](const SharedParamsRateLimitedOptions& options,
                          const ConfiguredExtension& self, const RunFacts& run) -> Sentences {
              if (shares_gradients(options.sync.rule))
                return {}; // check refuses it
              return sync_defects(options.sync, self, run);
            },
            .shares = [](const SharedParamsRateLimitedOptions& options,
                         const ConfiguredExtension&) { return sharing_of(options.sync); }},
}};

} // namespace

} // namespace troupe
