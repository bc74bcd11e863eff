#include "extensions/saving/load.hpp"

#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "messages/loop/epoch_size.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/pass_error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/formats/parameter_file.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t most_listed = 5; // names

constexpr auto trainer_deadline = std::chrono::seconds{60}; // the trainer only waits for this gate

/// The state for a worker; a file of one worker fits every worker.
const SavedTrainer& of_worker(const SavedRun& run, WorkerId worker) {
  const auto count = run.trainers.size();
  if (worker >= count && count > 1)
    throw std::invalid_argument("it has the positions of " + std::to_string(count)
                                + " workers, none of worker " + std::to_string(worker)
                                + "; train with as many, or without position");
  return run.trainers[count == 1 ? 0 : worker];
}

/// @throws std::invalid_argument for a position that does not fit this training.
void check_position(const SavedTrainer& saved, const ExpectedLength& expected_length) {
  const auto epochs = saved.position.epochs;
  const auto begin = epochs * expected_length.batches_per_epoch;
  const auto inside = saved.cursor - begin; // batches of the unfinished epoch
  if (saved.cursor < begin || inside > expected_length.batches_per_epoch
      || (inside > 0 && !saved.epoch_started))
    throw std::invalid_argument(
      "its position is batch " + std::to_string(saved.cursor) + " after " + std::to_string(epochs)
      + " epochs, which here have " + std::to_string(expected_length.batches_per_epoch)
      + " batches each; train with that run's data, workers and batch size, or without position");
  cursor_from(saved, {expected_length.batches_per_epoch, expected_length.examples_per_epoch});
  if (expected_length.epochs > 0 && epochs >= expected_length.epochs)
    throw std::invalid_argument("it has done " + std::to_string(epochs) + " epochs of "
                                + std::to_string(expected_length.epochs)
                                + "; give training.epochs more");
}

class LoadState {
public:
  static constexpr const char* name = "load";

  void begin(Extension::pointer self, LoadOptions options, Layout layout, Logger logger,
             Trainer trainer, LoggedRows logged, CheckpointNames checkpoints) {
    self_ = self;
    options_ = std::move(options);
    layout_ = std::move(layout);
    logger_ = std::move(logger);
    trainer_ = std::move(trainer);
    logged_ = std::move(logged);
    checkpoints_ = std::move(checkpoints);
  }

  caf::result<GateAnswer> ask(const LoopEvent& event) {
    if (event.position.batches > 0) // a resumed run has its own parameters
      return GateAnswer{};
    FoundRun found;
    try {
      found = run_to_load(options_.path, checkpoints_);
    } catch (const IoError& e) {
      if (!options_.optional)
        return fail(Error::invalid_options, std::string{"nothing can be loaded: "} + e.what());
      self_->send(logger_, Say{Level::warning, std::string{"nothing was loaded: "} + e.what()});
      return GateAnswer{};
    } catch (const DataError& e) {
      return fail(Error::invalid_options, e.what());
    }
    for (const auto& sentence : warnings_of(found))
      self_->send(logger_, Say{Level::warning, sentence});
    try {
      const auto& saved = of_worker(found.run, options_.position ? event.worker : 0);
      if (!options_.position)
        return answer(event, saved);
      check_position(saved, event.expected_length);
      if (options_.log)
        copy_log(event.worker, saved.position.batches);
      return move_trainer(saved, answer(event, saved));
    } catch (const std::invalid_argument& e) {
      return fail(Error::shape_mismatch, "'" + options_.path + "' does not fit: " + e.what());
    } catch (const std::runtime_error& e) {
      return fail(Error::invalid_options,
                  "the log of '" + options_.path + "' cannot be copied: " + e.what());
    }
  }

private:
  /// Copies the rows up to the position; later rows do not belong to this run's history.
  void copy_log(WorkerId worker, Step batches) {
    logged_(options_.path, [=, this](Write row) {
      if (row.row.worker == worker && row.row.batch <= batches)
        self_->send(logger_, std::move(row));
    });
  }

  /// Moves the trainer to the saved position, and then delivers the answer.
  caf::typed_response_promise<GateAnswer> move_trainer(const SavedTrainer& saved,
                                                       GateAnswer answer) {
    auto promise = self_->make_response_promise<GateAnswer>();
    const auto failed = pass_error(promise);
    const auto moved = [promise, answer = std::move(answer)](const Restored&) mutable {
      promise.deliver(std::move(answer));
    };
    const auto taken = [this, saved, moved, failed](SavedTrainer& own) {
      own.cursor = saved.cursor;
      own.epoch_started = saved.epoch_started;
      own.position = saved.position;
      if (options_.optimizer)
        own.optimizer_steps = saved.optimizer_steps;
      request_within(self_, trainer_, trainer_deadline, Restore{std::move(own)})
        .then(moved, failed);
    };
    request_within(self_, trainer_, trainer_deadline, Save{}).then(taken, failed);
    return promise;
  }

  GateAnswer answer(const LoopEvent& event, const SavedTrainer& saved) {
    auto loaded
      = load_by_name(layout_, event.parameters.values, saved.layout, saved.parameters.values);
    std::string differences;
    if (!loaded.missing.empty())
      differences = "it lacks " + first_joined(loaded.missing, most_listed);
    if (!loaded.unknown.empty())
      differences += (differences.empty() ? "" : "; ")
                     + ("it alone has " + first_joined(loaded.unknown, most_listed));
    if (!differences.empty() && options_.strict)
      throw std::invalid_argument(differences + "; load it with strict: false to use what fits");
    if (!differences.empty())
      self_->send(logger_, Say{Level::warning, "of '" + options_.path
                                                 + "' only what fits was loaded: " + differences});
    GateAnswer answer;
    answer.parameters = std::move(loaded.values);
    if (options_.optimizer) {
      if (const auto difference = layout_.difference(saved.layout); !difference.empty())
        throw std::invalid_argument("the optimizer's state needs the same parameters: "
                                    + difference);
      answer.optimizer_slots = saved.optimizer_slots;
      answer.optimizer_steps = saved.optimizer_steps;
    }
    answer.records["loaded_from"] = Value{options_.path};
    return answer;
  }

  Extension::pointer self_ = nullptr;
  LoadOptions options_;
  Layout layout_;
  Logger logger_;
  Trainer trainer_;
  LoggedRows logged_;
  CheckpointNames checkpoints_;
};

Extension::behavior_type load_behavior(Extension::stateful_pointer<LoadState> self,
                                       LoadOptions options, Layout layout, Logger logger,
                                       Trainer trainer, LoggedRows logged,
                                       CheckpointNames checkpoints) {
  auto& state = self->state;
  state.begin(self, std::move(options), std::move(layout), std::move(logger), std::move(trainer),
              std::move(logged), std::move(checkpoints));
  return {
    [](const LoopEvent&) {}, // an observer cannot change parameters
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

Conditions load_conditions() {
  Conditions conditions;
  conditions.set_trigger("before_training", true);
  return conditions;
}

void check(const LoadOptions& options) {
  if (options.path.empty())
    throw std::invalid_argument("load.path is empty; give the file of a run, or its folder");
  if ((options.optimizer || options.position) && is_parameter_file(options.path))
    throw std::invalid_argument("load.path is '" + options.path + "', which holds parameters and "
                                + "neither the optimizer's state nor a position; leave optimizer "
                                + "and position out, or give the folder of a run");
  if (options.log && !options.position)
    throw std::invalid_argument("load.log copies the log up to the position at which training "
                                "continues; set load.position, too");
}

Extension spawn_load(caf::actor_system& system, LoadOptions options, Layout layout, Logger logger,
                     Trainer trainer, LoggedRows logged, CheckpointNames checkpoints) {
  check(options);
  if (options.position && !trainer)
    throw std::invalid_argument("load.position needs the trainer that continues there; give it");
  if (options.log && !logged)
    throw std::invalid_argument("load.log needs a reader of the log; give it");
  return system.spawn(load_behavior, std::move(options), std::move(layout), std::move(logger),
                      std::move(trainer), std::move(logged), std::move(checkpoints));
}

namespace {

const RegisterExtension load_kind{ExtensionOf<LoadOptions>{
  .name = "load",
  .gate = true,
  .shows = Shows::parameters,
  .workers = "all",
  .on_end = OnLoss::fail,
  .conditions = load_conditions,
  .spawn =
    [](const LoadOptions& options, const ExtensionContext& context) {
      return spawn_load(context.system, options, context.layout, context.logger, context.trainer(),
                        context.logged_rows, context.checkpoint_names);
    },
  .writes = {"loaded_from"},
  .place = [](const LoadOptions&, OrderedExtension& place) { place.first = true; },
  .hooks = {.loads =
              [](const LoadOptions& options, const ConfiguredExtension&) {
                return LoadedFile{options.path, options.strict, options.optional};
              }},
}};

} // namespace

} // namespace troupe
