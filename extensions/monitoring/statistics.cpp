#include "extensions/monitoring/statistics.hpp"

#include "base/files/private_files.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/once_settled.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/log/statistics_file.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace troupe {

Conditions statistics_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_epoch"})
    conditions.set_trigger(trigger, true);
  conditions.set_trigger("every_n_batches", Value{std::int64_t{100}});
  return conditions;
}

namespace {

constexpr auto statistics_deadline = std::chrono::seconds{60}; // to read a row of the log

using StatisticsActor = Extension::extend<caf::reacts_to<Written>>;

class StatisticsState {
public:
  static constexpr const char* name = "statistics";
  using Self = StatisticsActor::stateful_pointer<StatisticsState>;

  void begin(Self self, const TrainingStatistics& statistics, const std::string& folder,
             const Logger& logger) {
    self_ = self;
    logger_ = logger;
    training_.emplace(statistics);
    folder_ = folder;
    const auto at = [this](const char* name) { return folder_ / name; };
    batches_.emplace(at("training_statistics.csv"), batch_statistics_columns());
    epochs_.emplace(at("training_set_agg_statistics.csv"), epoch_statistics_columns());
    partial_.emplace(at("validation_statistics.csv"), partial_validation_columns());
    full_.emplace(at("validation_set_agg_statistics.csv"), full_validation_columns());
    self_->send(logger_, Follow{caf::actor_cast<Follower>(self_)});
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    handle(event, [promise](Records records) mutable {
      GateAnswer answer;
      answer.records = std::move(records);
      promise.deliver(std::move(answer));
    });
    return promise;
  }

  void observe(const LoopEvent& event) {
    handle(event, [this, event](Records records) {
      if (!records.empty())
        self_->send(logger_, write_row(event, std::move(records)));
    });
  }

  void written(const Row& row) {
    if (row.row.worker != worker_)
      return;
    if (!opened_) // attached during training, which has already written rows
      batches_done_ = std::max(batches_done_, row.row.batch);
    const auto rows = validation_rows(row);
    if (!rows.partial.empty())
      write(*partial_, rows.partial);
    if (!rows.full.empty())
      write(*full_, rows.full);
  }

  caf::typed_response_promise<SavedExtension> save() {
    SavedExtension saved{training_->state()};
    put(saved.state, "batches", batches_done_);
    return once_settled(self_, logger_, newest_row(), std::move(saved));
  }

  caf::typed_response_promise<Drained> drain() {
    return once_settled(self_, logger_, newest_row(), Drained{});
  }

  void restore(const SavedFields& state) {
    training_->restore(state);
    take(state, "batches", batches_done_);
    resumed_ = true;
  }

private:
  RowKey newest_row() const { return {worker_, batches_done_}; }

  template <class Done>
  void handle(const LoopEvent& event, Done done) {
    worker_ = event.worker;
    batches_done_ = event.position.batches;
    const auto every_batch = !event.arguments.empty(); // the firing that `with_every_batch` adds
    if (event.callback == Callback::before_training) {
      training_->begin(event);
      open();
      done(Records{});
    } else if (event.callback == Callback::after_epoch) {
      done(close_epoch(event));
    } else if (!every_batch) {
      if (!newest_.empty())
        self_->send(logger_, Say{Level::info, statistics_text(newest_)});
      done(Records{});
    } else if (training_->own().empty()) {
      add_batch(event, {});
      done(Records{});
    } else {
      auto add = [this, event, done](const Records& row) mutable {
        add_batch(event, row);
        done(Records{});
      };
      request_within(self_, logger_, statistics_deadline, ReadRow{row_of(event), false})
        .then([add](const Row& row) mutable { add(row.records); },
              [add](const caf::error&) mutable { add({}); });
    }
  }

  void add_batch(const LoopEvent& event, const Records& row) {
    newest_ = training_->add_batch(event, row);
    write(*batches_, newest_);
  }

  Records close_epoch(const LoopEvent& event) {
    const auto row = training_->close_epoch(event);
    write(*epochs_, row);
    self_->send(
      logger_,
      Say{Level::info, statistics_text(row, "Epoch " + std::to_string(event.position.epochs))});
    Records records;
    for (const auto& statistic : training_->own())
      for (const auto& cell : row)
        if (cell.name == statistic.name)
          records["training_" + cell.name] = Value{cell.value};
    return records;
  }

  void open() {
    if (std::exchange(opened_, true))
      return;
    for (auto* file : {&*batches_, &*epochs_, &*partial_, &*full_})
      try {
        make_private_folder(folder_);
        resumed_ || batches_done_ > 0 ? file->resume(batches_done_) : file->begin();
      } catch (const std::runtime_error& e) {
        give_up(*file, e.what());
      }
  }

  void write(StatisticsFile& file, const StatisticsRow& row) {
    open();
    if (given_up_.count(&file) > 0)
      return;
    try {
      file.write(row);
    } catch (const std::runtime_error& e) {
      give_up(file, e.what());
    }
  }

  /// Stops writing a file after an error: a gap in it would go unnoticed.
  void give_up(const StatisticsFile& file, const std::string& why) {
    given_up_.insert(&file);
    self_->send(logger_, Say{Level::warning, why + "; training continues without this file"});
  }

  Self self_ = nullptr;
  Logger logger_;
  std::filesystem::path folder_;
  std::optional<TrainingStatistics> training_;
  std::optional<StatisticsFile> batches_, epochs_, partial_, full_;
  std::set<const StatisticsFile*> given_up_;
  StatisticsRow newest_; ///< of the last batch
  WorkerId worker_ = 0;
  Step batches_done_ = 0;
  bool opened_ = false, resumed_ = false;
};

StatisticsActor::behavior_type statistics(StatisticsState::Self self,
                                          const TrainingStatistics& collected,
                                          const std::string& folder, const Logger& logger) {
  auto& state = self->state;
  state.begin(self, collected, folder, logger);
  return {
    [&state](const LoopEvent& event) { state.observe(event); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) {
      state.restore(restore.state);
      return Restored{};
    },
    [&state](const Written& written) { state.written(written.row); },
  };
}

} // namespace

Extension spawn_statistics(caf::actor_system& system, const StatisticsOptions& options,
                           std::vector<Statistic> own, const std::string& folder, Logger logger) {
  return caf::actor_cast<Extension>(system.spawn(
    statistics, TrainingStatistics{options, std::move(own)}, folder, std::move(logger)));
}

namespace {

/// What problem and model count of each batch.
std::vector<Statistic> own_statistics(const ExtensionContext& context) {
  auto own = statistics_of(*context.problem);
  for (auto& statistic : statistics_of(*context.model))
    own.push_back(std::move(statistic));
  return own;
}

const RegisterExtension statistics_kind{ExtensionOf<StatisticsOptions>{
  .name = "statistics",
  .gate = true,
  .counts_statistics = true,
  .conditions = statistics_conditions,
  .spawn =
    [](const StatisticsOptions& options, const ExtensionContext& context) {
      return spawn_statistics(context.system, options, own_statistics(context),
                              folder_of_worker(context), context.logger);
    },
  .writes = {"training_*"},
  .needs_every_batch = [](const StatisticsOptions&, const ExtensionContext&) { return true; },
  .hooks
  = {.writes_files = [](const StatisticsOptions&, const ConfiguredExtension&) { return true; }},
}};

} // namespace

} // namespace troupe
