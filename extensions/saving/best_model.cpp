#include "extensions/saving/best_model.hpp"

#include "extensions/monitoring/timestamp.hpp"
#include "extensions/stopping/terminal_conditions.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/checkpoint/run_file_names.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace troupe {

namespace {

constexpr auto save_deadline = std::chrono::seconds{60}; // the trainer only waits for this gate

/// "models/model_episode_00099.bin" in the folder of the best model.
std::filesystem::path intermediate_path(const std::filesystem::path& best, Step episode) {
  auto path = best;
  return path.replace_filename(
    fmt::format("model_episode_{:05}{}", episode, best.extension().string()));
}

class BestModelState {
public:
  static constexpr const char* name = "best model";
  using Self = Extension::stateful_pointer<BestModelState>;

  void begin(Self self, BestModelOptions options, BestModelSources sources) {
    self_ = self;
    best_ = BestModel{options.record, options.choose};
    prefix_ = options.record.substr(0, options.record.rfind('_'));
    deadline_ = request_deadline("best_model", options.deadline);
    path_ = std::filesystem::path{sources.folder} / options.path;
    options_ = std::move(options);
    sources_ = std::move(sources);
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    queue_.add([this, event, promise]() mutable {
      request_within(self_, sources_.logger, deadline_, ReadRow{row_of(event)})
        .then([=, this](const Row& row) { find_causes(event, row.records, promise); },
              [=, this](const caf::error& error) mutable {
                promise.deliver(
                  fail(Error::gate_failed, "it cannot read the row of batch "
                                             + std::to_string(event.position.batches)
                                             + ": the logger answered: " + sentence(error)));
                queue_.done();
              });
    });
    return promise;
  }

  caf::typed_response_promise<Drained> drain() {
    auto promise = self_->make_response_promise<Drained>();
    queue_.add([this, promise]() mutable {
      promise.deliver(Drained{});
      queue_.done();
    });
    return promise;
  }

  caf::typed_response_promise<SavedExtension> save() {
    auto promise = self_->make_response_promise<SavedExtension>();
    queue_.add([this, promise]() mutable {
      SavedFields state;
      put(state, "best", best_.state());
      put(state, "totals", totals_);
      put(state, "looked_at", last_validation_);
      promise.deliver(SavedExtension{std::move(state)});
      queue_.done();
    });
    return promise;
  }

  Restored restore(const SavedFields& state) {
    auto best = best_.state();
    take(state, "best", best);
    best_.restore(best);
    take(state, "totals", totals_);
    take(state, "looked_at", last_validation_);
    return {};
  }

private:
  using Promise = caf::typed_response_promise<GateAnswer>;

  /// The last row has the first cause of the end, and the log's status has all causes.
  void find_causes(const LoopEvent& event, const Records& row, Promise promise) {
    if (event.callback != Callback::after_training) {
      decide(event, row, "", std::move(promise));
      return;
    }
    request_within(self_, sources_.logger, deadline_, ReadStatus{event.worker})
      .then(
        [=, this](const RunStatus& status) {
          const auto found = status.records.find(training_causes);
          decide(event, row, found == status.records.end() ? "" : to_string(found->second),
                 promise);
        },
        [=, this](const caf::error&) {
          decide(event, row, "", promise);
        }); // saving the model matters more
  }

  void decide(const LoopEvent& event, const Records& row, const std::string& causes,
              Promise promise) {
    const auto found = row.find(training_status);
    const auto status = found == row.end() ? not_converged : to_string(found->second);
    auto decision = BestModel::Decision::nothing;
    try {
      decision = best_.offer(row, status);
    } catch (const std::invalid_argument& e) {
      promise.deliver(fail(Error::gate_failed, e.what()));
      queue_.done();
      return;
    }
    std::vector<std::string> paths;
    if (decision == BestModel::Decision::save)
      paths.push_back(path_.string());
    const auto is_new = row.contains(options_.record) && last_validation_ != event.position.batches;
    if (is_new && options_.intermediate)
      paths.push_back(intermediate_path(path_, episode_of(event)).string());
    if (paths.empty()) {
      promise.deliver(GateAnswer{});
      if (decision == BestModel::Decision::restatus)
        write(event, AmendModel{path_.string(), status, causes, time()});
      else
        queue_.done();
    } else {
      auto card = card_of(event, row, status);
      card.causes = causes;
      take_model(event, card, std::move(paths), promise);
    }
    if (is_new) {
      totals_ = event.totals;
      last_validation_ = event.position.batches;
    }
  }

  static Step episode_of(const LoopEvent& event) {
    return event.position.batches > 0 ? event.position.batches - 1 : 0;
  }

  std::string time() const {
    const auto now = sources_.wall_clock ? sources_.wall_clock() : seconds_since_1970();
    return to_string(timestamp_records(now, {.separator = "T"}).at("timestamp"));
  }

  ModelCard card_of(const LoopEvent& event, const Records& row, const std::string& status) const {
    ModelCard card;
    card.name = options_.model;
    card.model_timestamp = card.status_timestamp = time();
    card.episode = episode_of(event);
    card.loss = as_number(row.at(options_.record)).value_or(0);
    card.status = status;
    card.training_stats = training_stats(event.totals.batches - totals_.batches,
                                         event.totals.batch_loss.since(totals_.batch_loss));
    card.validation_stats = validation_stats(
      row, prefix_, prefix_.starts_with("partial") ? "Partial Validation" : "Full Validation");
    return card;
  }

  void take_model(const LoopEvent& event, const ModelCard& card, std::vector<std::string> paths,
                  Promise promise) {
    WriteRun file;
    file.paths = std::move(paths);
    file.run.card = card;
    request_within(self_, sources_.trainer, save_deadline, Save{})
      .then(
        [=, this, file = std::move(file)](SavedTrainer& saved) mutable {
          promise.deliver(GateAnswer{});
          file.run.trainers.push_back(std::move(saved));
          write(event, std::move(file));
        },
        [=, this](const caf::error& error) mutable {
          promise.deliver(GateAnswer{});
          settle(event, {{}, "the trainer answered: " + sentence(error), 0, 0});
        });
  }

  template <class Request>
  void write(const LoopEvent& event, Request request) {
    self_->request(sources_.writer, caf::infinite, std::move(request))
      .then([=, this](const RunWritten& written) { settle(event, written); },
            [=, this](const caf::error& error) {
              settle(event, {{}, "the writer has ended: " + sentence(error), 0, 0});
            });
  }

  void settle(const LoopEvent& event, const RunWritten& written) {
    if (!written.error.empty())
      self_->send(sources_.logger,
                  Say{Level::warning,
                      "the model of batch " + std::to_string(event.position.batches)
                        + " could not be saved: " + written.error,
                      "best_model"});
    if (!written.paths.empty())
      self_->send(sources_.logger,
                  write_row(event, {{"model_saved_to", Value{joined(written.paths)}}}));
    queue_.done();
  }

  Self self_ = nullptr;
  BestModelOptions options_;
  BestModelSources sources_;
  std::filesystem::path path_;
  std::string prefix_; ///< prefix of the validation's records
  caf::timespan deadline_{};
  SerialQueue queue_;
  BestModel best_;
  Totals totals_;            ///< at the last validation
  Step last_validation_ = 0; ///< after which batch that was
};

Extension::behavior_type best_model_behavior(BestModelState::Self self, BestModelOptions options,
                                             BestModelSources sources) {
  auto& state = self->state;
  state.begin(self, std::move(options), std::move(sources));
  return {
    [](const LoopEvent&) {}, // an observer's parameters may already have changed
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) { return state.restore(restore.state); },
  };
}

} // namespace

Conditions best_model_conditions() {
  return Conditions{}.set_trigger("after_epoch", true).set_trigger("after_training", true);
}

void check(const BestModelOptions& options) {
  const BestModel checked{options.record, options.choose}; // throws if the record has no direction
  request_deadline("best_model", options.deadline);
  if (options.path.empty())
    throw std::invalid_argument("best_model.path is empty; give a file's name");
  if (is_file_of_run(options.path))
    throw std::invalid_argument("best_model.path is '" + options.path + "', "
                                + file_of_run_text("best.bin"));
}

Extension spawn_best_model(caf::actor_system& system, BestModelOptions options,
                           BestModelSources sources) {
  check(options);
  return system.spawn(best_model_behavior, std::move(options), std::move(sources));
}

namespace {

const RegisterExtension best_model_kind{ExtensionOf<BestModelOptions>{
  .name = "best_model",
  .gate = true,
  .conditions = best_model_conditions,
  .spawn =
    [](const BestModelOptions& options, const ExtensionContext& context) {
      return spawn_best_model(context.system, options,
                              {context.trainer(), context.logger, context.writer, context.folder});
    },
  .writes = {"model_saved_to"},
  .place =
    [](const BestModelOptions& options, OrderedExtension& place) {
      place.needs = {options.record};
      place.uses = {training_status};
    },
}};

} // namespace

} // namespace troupe
