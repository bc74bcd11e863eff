#include "extensions/monitoring/trace.hpp"

#include "base/files/line_file.hpp"
#include "base/files/private_files.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/timing/step_trace.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace troupe {

Conditions trace_conditions() {
  Conditions conditions;
  conditions.set_trigger("after_batch", true);
  return conditions;
}

namespace {

class TraceState {
public:
  static constexpr const char* name = "trace";
  using Self = Extension::stateful_pointer<TraceState>;

  void begin(Self self, const TraceOptions& options, Trainer trainer, const std::string& folder,
             Logger logger) {
    self_ = self;
    options_ = options;
    trainer_ = std::move(trainer);
    path_ = std::filesystem::path{folder} / step_trace_file;
    logger_ = std::move(logger);
  }

  void take(const LoopEvent& event) {
    if (ended_ || event.spans.empty())
      return;
    try {
      open(event.worker);
      append(trace_line(TracedStep{event.position.batches, event.lost, event.spans}));
      ++steps_;
      if (steps_ == options_.steps)
        end(event, Level::info,
            "the trace of " + std::to_string(steps_) + " steps of worker "
              + std::to_string(event.worker) + " is in " + in_quotes(path_.string())
              + "; `troupe trace` shows it beside others");
    } catch (const IoError& error) {
      end(event, Level::warning,
          std::string{error.what()} + "; training continues without a trace");
    }
  }

private:
  /// Both clocks at one moment: the best of some tries, since the process may be interrupted between
  /// two readings.
  TraceStart start_now(WorkerId worker) const {
    constexpr int tries = 8;
    TraceStart start;
    auto least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; ++i) {
      const auto before = seconds_now(self_);
      const auto wall = seconds_since_1970();
      const auto after = seconds_now(self_);
      if (after - before < least)
        start = {worker, (before + after) / 2, wall};
      least = std::min(least, after - before);
    }
    return start;
  }

  void open(WorkerId worker) {
    if (file_)
      return;
    make_private_folder(path_.parent_path());
    const auto descriptor = open_private(path_, O_WRONLY | O_APPEND);
    if (descriptor < 0)
      throw IoError("the trace " + in_quotes(path_.string())
                    + " cannot be opened: " + reason_of_open(errno));
    file_.emplace(descriptor);
    append(trace_line(start_now(worker)));
  }

  void append(const std::string& line) {
    if (file_->append(line + '\n') <= line.size())
      throw IoError("the trace " + in_quotes(path_.string())
                    + " cannot be written: " + std::generic_category().message(errno));
  }

  void end(const LoopEvent& event, Level level, std::string sentence) {
    ended_ = true;
    file_.reset();
    self_->send(logger_, Say{level, std::move(sentence)});
    self_->request(trainer_, caf::infinite, Unsubscribe{event.subscription})
      .then([this](const Unsubscribed&) { self_->quit(); },
            [this](const caf::error&) { self_->quit(); }); // the trainer may have ended
  }

  Self self_ = nullptr;
  TraceOptions options_;
  Trainer trainer_;
  std::filesystem::path path_;
  Logger logger_;
  std::optional<LineFile> file_;
  std::uint64_t steps_ = 0;
  bool ended_ = false;
};

Extension::behavior_type step_tracer(TraceState::Self self, const TraceOptions& options,
                                     const Trainer& trainer, const std::string& folder,
                                     const Logger& logger) {
  auto& state = self->state;
  state.begin(self, options, trainer, folder, logger);
  return {
    [&state](const LoopEvent& event) { state.take(event); },
    [&state](const AskGate& ask) {
      state.take(ask.event);
      return GateAnswer{};
    },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

Extension spawn_trace(caf::actor_system& system, const TraceOptions& options, Trainer trainer,
                      const std::string& folder, Logger logger) {
  return system.spawn(step_tracer, options, std::move(trainer), folder, std::move(logger));
}

namespace {

const RegisterExtension trace_kind{ExtensionOf<TraceOptions>{
  .name = "trace",
  .shows = Shows::spans,
  .workers = "all",
  .conditions = trace_conditions,
  .spawn =
    [](const TraceOptions& options, const ExtensionContext& context) {
      return spawn_trace(context.system, options, context.trainer(), folder_of_worker(context),
                         context.logger);
    },
}};

} // namespace

} // namespace troupe
