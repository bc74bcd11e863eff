#include "extensions/monitoring/tensorboard.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/once_settled.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/formats/event_file.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace troupe {

Conditions tensorboard_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_training"}) // where a run resumes and ends
    conditions.set_trigger(trigger, true);
  conditions.set_trigger("every_n_batches", Value{std::int64_t{100}});
  return conditions;
}

EventPlace event_place(const std::string& record) {
  for (const auto* clock :
       {"_", "time_", "timestamp", "unix_time", "datestamp", "checkpoint_seconds"})
    if (record.starts_with(clock))
      return {};
  constexpr std::array<std::pair<std::string_view, const char*>, 4> runs{{
    {"partial_valid_", "validation"},
    {"validation_", "validation_set_agg"},
    {"valid_", "validation_set_agg"},
    {"training_", "training_set_agg"},
  }};
  for (const auto& [prefix, run] : runs)
    if (record.starts_with(prefix) && record.size() > prefix.size())
      return {run, record.substr(prefix.size())};
  return {"training", record};
}

namespace {

constexpr auto tensorboard_deadline = std::chrono::seconds{60}; // to read a row of the log
constexpr std::size_t rows_kept
  = 1000; // an observer's records arrive at most this many drawn rows late

using TensorboardActor = Extension::extend<caf::reacts_to<Written>>;

class TensorboardState {
public:
  static constexpr const char* name = "tensorboard";
  using Self = TensorboardActor::stateful_pointer<TensorboardState>;

  void begin(Self self, const TensorboardOptions& options, Layout layout, std::string folder,
             Logger logger, std::function<double()> wall_clock) {
    self_ = self;
    options_ = options;
    layout_ = std::move(layout);
    folder_ = std::filesystem::path{std::move(folder)} / options.folder;
    logger_ = std::move(logger);
    wall_clock_ = wall_clock ? std::move(wall_clock) : seconds_since_1970;
    self_->send(logger_, Follow{caf::actor_cast<Follower>(self_)});
  }

  void handle(const LoopEvent& event) {
    worker_ = event.worker;
    batches_done_ = event.position.batches;
    if (event.callback == Callback::before_training && resumed_at_)
      resumed_at_ = batches_done_;
    if (event.callback == Callback::before_training || event.done || !event.started)
      return;
    write([&] {
      add("training", "loss", event.position.batches, event.loss);
      add("training", "learning_rate", event.position.batches, event.learning_rate);
      if (options_.level >= 1)
        add_histograms("", event.parameters.values, event.position.batches);
      if (options_.level >= 2)
        add_histograms("gradient/", event.gradient, event.position.batches);
    });
    request_within(self_, logger_, tensorboard_deadline, ReadRow{row_of(event), false})
      .then(
        [this](const Row& row) {
          add_records(row, "training");
          keep_drawn(row.row.batch);
        },
        [](const caf::error&) {}); // the logger has ended, and the session with it
  }

  void written(const Row& row) {
    if (row.row.worker != worker_)
      return;
    for (const auto* run : {"training_set_agg", "validation", "validation_set_agg"})
      add_records(row, run);
    // The logger sends a record after the answer only if that answer did not have it.
    if (drawn_.count(row.row.batch) > 0)
      add_records(row, "training");
  }

  caf::typed_response_promise<Drained> drain() {
    return once_settled(self_, logger_, {worker_, batches_done_}, Drained{});
  }

  SavedFields state() const {
    SavedFields state;
    put(state, "batches", batches_done_);
    return state;
  }

  void restore(const SavedFields& state) {
    take(state, "batches", batches_done_);
    resumed_at_ = batches_done_;
  }

private:
  void keep_drawn(Step batch) {
    drawn_.insert(batch);
    if (drawn_.size() > rows_kept)
      drawn_.erase(drawn_.begin());
  }

  /// Writes the row's numbers that belong to this run of TensorBoard.
  void add_records(const Row& row, const std::string& run) {
    write([&] {
      for (const auto& [name, value] : row.records)
        if (const auto place = event_place(name); place.run == run)
          if (const auto number = as_number(value))
            add(run, place.tag, row.row.batch, *number);
    });
  }

  void add(const std::string& run, const std::string& tag, Step step, double value) {
    file_of(run).scalar(tag, step, wall_clock_(), value);
  }

  void add_histograms(const std::string& prefix, const Block& values, Step step) {
    if (values.size() != layout_.size())
      return;
    for (const auto& parameter : layout_.parameters()) {
      const auto part = values.view().subspan(static_cast<std::size_t>(parameter.offset),
                                              static_cast<std::size_t>(parameter.size()));
      file_of("training")
        .histogram(prefix + parameter.name, step, wall_clock_(),
                   event_histogram(part, options_.bins));
    }
  }

  EventFile& file_of(const std::string& run) {
    if (const auto found = files_.find(run); found != files_.end())
      return found->second;
    auto& file = files_.emplace(run, EventFile{folder_ / run, wall_clock_()}).first->second;
    if (resumed_at_)
      file.restart(*resumed_at_ + 1, wall_clock_());
    return file;
  }

  template <class Events>
  void write(const Events& events) {
    if (given_up_)
      return;
    try {
      events();
    } catch (const std::runtime_error& e) {
      given_up_ = true; // a file with a half-written record cannot be continued
      self_->send(logger_, Say{Level::warning,
                               std::string{e.what()} + "; training continues without TensorBoard"});
    }
  }

  Self self_ = nullptr;
  TensorboardOptions options_;
  Layout layout_;
  std::filesystem::path folder_;
  Logger logger_;
  std::function<double()> wall_clock_;
  std::map<std::string, EventFile> files_; ///< by run
  WorkerId worker_ = 0;
  Step batches_done_ = 0;
  std::set<Step> drawn_; ///< drawn rows of batches, to which observers may add records later
  std::optional<Step> resumed_at_; ///< nothing: a new run
  bool given_up_ = false;
};

TensorboardActor::behavior_type tensorboard(TensorboardState::Self self,
                                            const TensorboardOptions& options, Layout layout,
                                            std::string folder, Logger logger,
                                            std::function<double()> wall_clock) {
  auto& state = self->state;
  state.begin(self, options, std::move(layout), std::move(folder), std::move(logger),
              std::move(wall_clock));
  return {
    [&state](const LoopEvent& event) { state.handle(event); },
    [&state](const AskGate& ask) {
      state.handle(ask.event);
      return GateAnswer{};
    },
    [&state](const Drain&) { return state.drain(); },
    saves(state),
    restores(state),
    [&state](const Written& written) { state.written(written.row); },
  };
}

} // namespace

void check(const TensorboardOptions& options) {
  if (options.level > 2)
    throw std::invalid_argument("level of tensorboard is " + std::to_string(options.level)
                                + "; give 0 (numbers), 1 (and histograms of parameters) or 2 (and "
                                  "of gradients)");
  if (options.bins < 1 || options.bins > 1000)
    throw std::invalid_argument("bins of tensorboard is " + std::to_string(options.bins)
                                + "; it must be 1 to 1000");
  if (options.folder.empty())
    throw std::invalid_argument("folder of tensorboard is empty; give one, like tensorboard");
}

Extension spawn_tensorboard(caf::actor_system& system, const TensorboardOptions& options,
                            Layout layout, const std::string& folder, Logger logger,
                            std::function<double()> wall_clock) {
  check(options);
  return caf::actor_cast<Extension>(system.spawn(tensorboard, options, std::move(layout), folder,
                                                 std::move(logger), std::move(wall_clock)));
}

namespace {

const RegisterExtension tensorboard_kind{ExtensionOf<TensorboardOptions>{
  .name = "tensorboard",
  .shows = Shows::gradients,
  .counts_statistics = true,
  .conditions = tensorboard_conditions,
  .spawn =
    [](const TensorboardOptions& options, const ExtensionContext& context) {
      return spawn_tensorboard(context.system, options, context.layout, folder_of_worker(context),
                               context.logger);
    },
  .hooks
  = {.writes_files = [](const TensorboardOptions&, const ConfiguredExtension&) { return true; }},
}};

} // namespace

} // namespace troupe
