#include "extensions/display/progress_bar.hpp"

#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace troupe {

namespace {

constexpr double smoothing_seconds = 2;

std::string rate_text(double rate) {
  if (rate >= 1e6)
    return fmt::format("{:.1f}M", rate / 1e6);
  if (rate >= 1e4)
    return fmt::format("{:.0f}k", rate / 1e3);
  return fmt::format("{:.{}f}", rate, rate >= 100 ? 0 : 1);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 3.6e7)));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(double share, const ProgressBarOptions& options) {
  const auto width = std::clamp(options.width, 1, 200);
  const auto full = static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * width));
  std::string text;
  for (int i = 0; i < width; ++i)
    text += i < full ? (options.unicode ? "━" : "#") : (options.unicode ? "─" : ".");
  return text;
}

/// Seconds to the earliest known end of training; nothing if no end or no rate is known.
std::optional<double> seconds_left(const LoopEvent& event, double rate) {
  const auto& now = event.position;
  const auto& expected_length = event.expected_length;
  std::vector<double> lefts;
  if (expected_length.seconds > 0)
    lefts.push_back(expected_length.seconds - now.seconds);
  const auto epochs_of = [&](Step batches) {
    const auto per_epoch = std::max<Step>(expected_length.batches_per_epoch, 1);
    return static_cast<double>(batches) / static_cast<double>(per_epoch);
  };
  const auto add = [&](double epochs) {
    if (rate > 0)
      lefts.push_back(epochs * static_cast<double>(expected_length.examples_per_epoch) / rate);
  };
  if (expected_length.epochs > 0) // completed epochs may have been longer or shorter
    add(static_cast<double>(expected_length.epochs) - static_cast<double>(now.epochs)
        - epochs_of(event.epoch_batches));
  if (expected_length.batches > 0)
    add(epochs_of(expected_length.batches) - epochs_of(now.batches));
  if (lefts.empty())
    return std::nullopt;
  return std::max(0.0, *std::min_element(lefts.begin(), lefts.end()));
}

} // namespace

Conditions progress_bar_conditions() {
  Conditions conditions;
  conditions.set_trigger("before_training", true);
  conditions.when(each(0.1).seconds());
  conditions.set_trigger("after_epoch", true);
  conditions.set_trigger("after_training", true);
  conditions.set_trigger("on_error", true);
  return conditions;
}

std::string ProgressText::text(const LoopEvent& event) {
  const auto& position = event.position;
  const auto& expected_length = event.expected_length;
  const auto elapsed = position.seconds - last_seconds_;
  if (seen_ && elapsed > 0 && position.examples >= last_examples_) {
    const auto rate = static_cast<double>(position.examples - last_examples_) / elapsed;
    const auto weight = rate_ == 0 ? 1 : 1 - std::exp(-elapsed / smoothing_seconds);
    rate_ += weight * (rate - rate_);
  }
  if (!seen_ || elapsed > 0) {
    last_seconds_ = position.seconds;
    last_examples_ = position.examples;
  }
  seen_ = true;

  // At after_epoch the completed epoch is already counted; before it, the running epoch is the
  // next.
  const auto done = position.epochs;
  const auto in_epoch = event.epoch_batches;
  const auto epoch = in_epoch == 0 && done > 0 ? done : done + 1;
  const auto batch = in_epoch == 0 && done > 0 ? expected_length.batches_per_epoch : in_epoch;
  std::string text = "epoch " + std::to_string(epoch);
  if (expected_length.epochs > 0)
    text += "/" + std::to_string(expected_length.epochs);
  if (expected_length.batches_per_epoch > 0)
    text
      += " "
         + bar(static_cast<double>(batch) / static_cast<double>(expected_length.batches_per_epoch),
               options_)
         + " " + std::to_string(batch) + "/" + std::to_string(expected_length.batches_per_epoch);
  else
    text += " batch " + std::to_string(position.batches);
  if (rate_ > 0)
    text += "  " + rate_text(rate_) + " examples/s";
  if (event.started)
    text += fmt::format("  loss {:.4g}", without_nan_sign(event.loss));
  if (const auto left = seconds_left(event, rate_))
    text += "  eta " + time_text(*left);
  return text;
}

std::string pass_text(Index done, Index all, double seconds, const ProgressBarOptions& options) {
  const auto share = all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1;
  auto text
    = bar(share, options) + " " + std::to_string(done) + "/" + std::to_string(all) + " examples";
  if (done > 0 && seconds > 0) {
    const auto rate = static_cast<double>(done) / seconds;
    text += "  " + rate_text(rate) + " examples/s  eta "
            + time_text(static_cast<double>(all - done) / rate);
  }
  return text;
}

namespace {

struct ProgressBarState {
  static constexpr const char* name = "progress bar";
  ProgressText progress;
};

Extension::behavior_type progress_bar(Extension::stateful_pointer<ProgressBarState> self,
                                      ProgressBarOptions options, const Logger& logger) {
  self->state.progress = ProgressText{options};
  const auto show = [self, logger](const LoopEvent& event) {
    const auto name = "worker " + std::to_string(event.worker);
    auto text = event.done ? "" : self->state.progress.text(event);
    if (event.worker > 0 && !text.empty())
      text = name + ": " + text;
    self->send(logger, ShowProgress{name, std::move(text)});
  };
  return {
    [show](const LoopEvent& event) { show(event); },
    [show](const AskGate& ask) {
      show(ask.event);
      return GateAnswer{};
    },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

Extension spawn_progress_bar(caf::actor_system& system, ProgressBarOptions options, Logger logger) {
  return system.spawn(progress_bar, options, std::move(logger));
}

namespace {

const RegisterExtension progress_bar_kind{ExtensionOf<ProgressBarOptions>{
  .name = "progress_bar",
  .shows_progress = true,
  .conditions = progress_bar_conditions,
  .spawn =
    [](const ProgressBarOptions& options, const ExtensionContext& context) {
      return spawn_progress_bar(context.system, options, context.logger);
    },
}};

} // namespace

} // namespace troupe
