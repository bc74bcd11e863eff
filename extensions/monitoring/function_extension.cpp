#include "extensions/monitoring/function_extension.hpp"

#include "base/exception_text.hpp"
#include "base/handed_over.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

HandedOver<ExtensionFunction>& handed_functions() {
  static HandedOver<ExtensionFunction> functions;
  return functions;
}

/// Carries out what the function wants.
class AnswerExecutor {
public:
  using Self = Extension::pointer;

  explicit AnswerExecutor(const ExtensionContext& context)
    : logger_(context.logger),
      trainers_(context.main_only ? context.trainers : std::vector{context.trainer()}),
      stopper_(context.stopper) {}

  /// @returns the confirmation of the event, once the logger has the records
  caf::result<void> execute(Self self, const LoopEvent& event, FunctionAnswer answer) const {
    if (!answer.settings.empty())
      change(self, answer.settings);
    if (!answer.stop.empty())
      stop(self, StopAll{answer.stop});
    if (answer.records.empty())
      return caf::unit;
    self->send(logger_, write_row(event, std::move(answer.records)));
    if (!self->current_message_id().is_request())
      return caf::unit;
    auto promise = self->make_response_promise();
    auto confirm = [promise]() mutable { promise.deliver(caf::unit); };
    // An empty query: its answer comes after all records that were sent before.
    self->request(logger_, caf::infinite, Query{0, 1, 0})
      .then([confirm](const Rows&) mutable { confirm(); },
            [confirm](const caf::error&) mutable { confirm(); }); // the logger has ended
    return caf::delegated<void>{};
  }

  /// The same, for the trainer that waits for it.
  GateAnswer gate_answer(Self self, FunctionAnswer answer) const {
    if (!answer.stop.empty() && stopper_)
      self->send(stopper_, StopAll{answer.stop}); // the other workers
    GateAnswer gate;
    gate.records = std::move(answer.records);
    gate.settings = std::move(answer.settings);
    gate.finish = !answer.stop.empty();
    gate.reason = std::move(answer.stop);
    return gate;
  }

private:
  void change(Self self, const std::map<std::string, double>& settings) const {
    for (const auto& trainer : trainers_)
      self->request(trainer, caf::infinite, Set{settings})
        .then([](const SetDone&) {},
              [self, logger = logger_](const caf::error& error) {
                self->send(logger, Say{Level::warning, "a function cannot change the settings: "
                                                         + sentence(error)});
              });
  }

  void stop(Self self, const StopAll& all) const {
    if (stopper_)
      return self->send(stopper_, all);
    for (const auto& trainer : trainers_)
      self->send(trainer, stop_of(all));
  }

  Logger logger_;
  std::vector<Trainer> trainers_;
  RunStopper stopper_;
};

Extension::behavior_type function_extension(Extension::pointer self,
                                            const std::shared_ptr<ExtensionFunction>& function,
                                            const Layout& layout, const AnswerExecutor& executor) {
  // Nothing: the function threw, and the extension ends.
  const auto call = [=](const LoopEvent& event) -> std::optional<FunctionAnswer> {
    try {
      return (*function)(event, layout);
    } catch (...) {
      self->quit(fail(Error::gate_failed, exception_text()));
      return std::nullopt;
    }
  };
  return {
    [=](const LoopEvent& event) -> caf::result<void> {
      auto answer = call(event);
      return answer ? executor.execute(self, event, std::move(*answer)) : caf::unit;
    },
    [=](const AskGate& ask) -> caf::result<GateAnswer> {
      auto answer = call(ask.event);
      if (!answer)
        return fail(Error::gate_failed, "the function has failed");
      return executor.gate_answer(self, std::move(*answer));
    },
    [](const Drain&) { return Drained{}; }, // comes after the events
    saves_nothing,
    restores_nothing,
  };
}

Extension spawn_handed_function(const FunctionOptions& options, const ExtensionContext& context) {
  auto function = handed_functions().find(options.handle);
  if (!function)
    throw std::invalid_argument(
      "the function is in the memory of the program that hands it over, like a callable in Python, "
      "and not in this one; hand it over again, or give the extension as false");
  return spawn_function(std::move(function), context);
}

ExtensionOf<FunctionOptions> function_of(const std::string& name, bool gate) {
  ExtensionOf<FunctionOptions> kind;
  kind.name = name;
  kind.gate = gate;
  kind.conditions = [] { return Conditions{}.set_trigger("after_epoch", true); };
  kind.spawn = spawn_handed_function;
  kind.place = [](const FunctionOptions& options, OrderedExtension& place) {
    place.writes = options.writes;
  };
  kind.shows_with = [](const FunctionOptions& options) { return options.shows; };
  return kind;
}

const RegisterExtension function_kind{function_of("function", false)};
const RegisterExtension function_gate_kind{function_of("function_gate", true)};

} // namespace

std::string hand_over(const std::shared_ptr<ExtensionFunction>& function) {
  return handed_functions().add(function);
}

Extension spawn_function(std::shared_ptr<ExtensionFunction> function,
                         const ExtensionContext& context) {
  return context.system.spawn<caf::detached>(function_extension, std::move(function),
                                             context.layout, AnswerExecutor{context});
}

} // namespace troupe
