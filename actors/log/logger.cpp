#include "actors/log/logger.hpp"

#include "actors/cluster/exit_handler.hpp"
#include "actors/log/record_file.hpp"
#include "base/exception_text.hpp"
#include "base/line_limit.hpp"
#include "messages/log/log_table.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace troupe {

namespace {

using std::chrono::milliseconds;

constexpr auto flush_after = milliseconds{200};
// How long a sink may wait for another program, as one that locks a store: short while a row may be
// requested, longer before and after training.
constexpr auto brief = milliseconds{50};
constexpr auto patient = milliseconds{2000};

/// `file` or the name of another one.
struct OpenedSink {
  std::string name;
  std::shared_ptr<LogSink> sink;
};

/// The destinations of a log.
struct Destinations {
  LogStart start;
  std::vector<OpenedSink> sinks;
  std::shared_ptr<Console> console;
  std::function<double()> wall_clock; ///< seconds since 1970
};

using LoggerActor = Logger::extend<caf::reacts_to<FlushSoon>>;

class LoggerState {
public:
  static constexpr const char* name = "logger";
  using Self = LoggerActor::stateful_pointer<LoggerState>;

  LoggerState() = default;
  LoggerState(const LoggerState&) = delete;
  LoggerState& operator=(const LoggerState&) = delete;

  /// Writes the log's last line, so that followers know that it is complete.
  ~LoggerState() {
    write_lines();
    each_sink([time = wall_clock_](LogSink& sink) { sink.write_end(time()); });
    do
      flush_sinks(patient);
    while (behind());
    each_sink([this](LogSink& sink) {
      if (const auto lacks = sink.shortfall(); !lacks.empty())
        report({Level::warning, lacks});
    });
  }

  void begin(Self self, const Destinations& destinations) {
    self_ = self;
    start_ = destinations.start;
    sinks_ = destinations.sinks;
    console_ = destinations.console;
    wall_clock_ = destinations.wall_clock;
    flush_sinks(patient);
    self_->set_down_handler([this](const caf::down_msg& down) {
      std::erase_if(followers_, [&](const auto& f) { return f.address() == down.source; });
    });
  }

  void write(const Write& write) {
    table_.write(write);
    if (!write.records.empty()) {
      each_sink([&, time = wall_clock_()](LogSink& sink) { sink.write(write, time); });
      flush_soon();
      for (const auto& follower : followers_)
        self_->send(follower, Written{{write.row, write.epoch, write.seconds, write.records}});
    }
    answer_waiting(write.row);
  }

  void expect(const Expect& expect) { table_.expect(expect); }

  caf::typed_response_promise<Row> read(const ReadRow& read) {
    auto promise = self_->make_response_promise<Row>();
    if (!read.settled || table_.settled(read.row))
      promise.deliver(table_.row(read.row));
    else
      waiting_[read.row].push_back(promise);
    return promise;
  }

  Rows query(const Query& query) const { return {table_.rows(query)}; }

  void write(const WriteStatus& status) {
    table_.write(status);
    each_sink([&, time = wall_clock_()](LogSink& sink) { sink.write(status, time); });
    flush_soon();
  }

  RunStatus status(const ReadStatus& read) const {
    auto records = table_.status(read.worker);
    if (!start_.id.empty())
      records["log_id"] = Value{start_.id};
    if (!start_.resumed_from.empty())
      records["resumed_from"] = Value{start_.resumed_from};
    return {std::move(records)};
  }

  caf::result<void> follow(const Follow& follow) {
    if (!follow.follower)
      return fail(Error::invalid_options,
                  "Follow names no follower; give the actor that gets the rows");
    followers_.push_back(follow.follower);
    self_->monitor(follow.follower);
    return caf::unit;
  }

  /// Sinks get lines with their next flush.
  void say(const Say& said) {
    const auto line = admitted(said);
    if (!line)
      return;
    show_line(*line);
    if (sinks_.empty())
      return;
    lines_.push_back(*line);
    flush_soon();
  }

  void show(const ShowProgress& progress) {
    if (console_)
      console_->show(progress, seconds_now(self_));
  }

  void flush() {
    flush_scheduled_ = false;
    report_left_out();
    flush_sinks(brief);
    if (behind()) { // after the requests that wait
      flush_scheduled_ = true;
      self_->send(self_, FlushSoon{});
    }
  }

  /// The console is flushed before the answer, unless its reader is stalled.
  Flushed flush_all() {
    flush();
    if (console_)
      console_->flush();
    return {};
  }

  /// Answers pending requests, whose senders would wait forever.
  void end(const std::string& why) {
    const auto error = fail(Error::unavailable, "the logger has ended (" + why + ")");
    for (auto& [row, promises] : std::exchange(waiting_, {}))
      for (auto& promise : promises)
        promise.deliver(error);
  }

private:
  template <class Action>
  void each_sink(const Action& action) {
    std::erase_if(sinks_, [&](const OpenedSink& opened) {
      try {
        action(*opened.sink);
        return false;
      } catch (...) {
        report({Level::warning, "the log's " + opened.name + " failed: " + exception_text()
                                  + ". Training continues without it; log.jsonl has every row"});
        return true;
      }
    });
  }

  /// Nothing for one line too many of its kind.
  std::optional<Say> admitted(const Say& said) {
    if (said.kind.empty() || (!console_ && sinks_.empty()))
      return said;
    if (const auto line = limit_.admit(said.kind, said.text, self_->clock().now()))
      return Say{said.level, *line};
    flush_soon(); // it reports the lines left out
    return std::nullopt;
  }

  void show_line(const Say& line) {
    if (console_)
      console_->say(line);
  }

  /// A line about a sink, which the sinks do not get.
  void report(const Say& said) {
    if (const auto line = admitted(said))
      show_line(*line);
  }

  void write_lines() {
    for (const auto& line : std::exchange(lines_, {}))
      each_sink([&, time = wall_clock_()](LogSink& sink) { sink.write_line(line, time); });
  }

  bool behind() const {
    return std::any_of(sinks_.begin(), sinks_.end(),
                       [](const OpenedSink& opened) { return opened.sink->behind(); });
  }

  /// @param patience of each sink
  void flush_sinks(milliseconds patience) {
    write_lines();
    each_sink([&](LogSink& sink) {
      if (const auto refusal = sink.flush(patience); !refusal.text.empty())
        report(refusal);
    });
  }

  void report_left_out() {
    for (const auto& line : limit_.left_out(self_->clock().now()))
      say({Level::warning, line});
    if (limit_.next_line())
      flush_soon();
  }

  void flush_soon() {
    if (!flush_scheduled_) {
      flush_scheduled_ = true;
      self_->delayed_send(self_, flush_after, FlushSoon{});
    }
  }

  void answer_waiting(const RowKey& row) {
    const auto found = waiting_.find(row);
    if (found == waiting_.end() || !table_.settled(row))
      return;
    for (auto& promise : found->second)
      promise.deliver(table_.row(row));
    waiting_.erase(found);
  }

  Self self_ = nullptr;
  LogStart start_;
  LogTable table_;
  std::vector<OpenedSink> sinks_;
  std::vector<Say> lines_; ///< for the sinks, since their last flush
  std::shared_ptr<Console> console_;
  std::function<double()> wall_clock_;
  std::vector<Follower> followers_;
  std::map<RowKey, std::vector<caf::typed_response_promise<Row>>> waiting_;
  bool flush_scheduled_ = false;
  LineLimit limit_;
};

LoggerActor::behavior_type logger(LoggerState::Self self, const Destinations& destinations) {
  auto& state = self->state;
  state.begin(self, destinations);
  install_exit_handler(self, [&state](const std::string& why) { state.end(why); });
  return {
    [&state](const Write& write) { state.write(write); },
    [&state](const Expect& expect) { state.expect(expect); },
    [&state](const ReadRow& read) { return state.read(read); },
    [&state](const Query& query) { return state.query(query); },
    [&state](const WriteStatus& status) { state.write(status); },
    [&state](const ReadStatus& read) { return state.status(read); },
    [&state](const Follow& follow) { return state.follow(follow); },
    [&state](const Say& say) { state.say(say); },
    [&state](const ShowProgress& progress) { state.show(progress); },
    [&state](const Flush&) { return state.flush_all(); },
    [&state](const FlushSoon&) { state.flush(); },
  };
}

} // namespace

Logger spawn_logger(caf::actor_system& system, LoggerOptions options) {
  Destinations destinations;
  auto& [start, sinks, console, wall_clock] = destinations;
  wall_clock = options.wall_clock ? std::move(options.wall_clock) : seconds_since_1970;
  if (options.id.empty() && (!options.file.empty() || !options.sinks.empty()))
    options.id = new_log_id();
  start = {std::move(options.id), std::move(options.resumed_from), std::move(options.resumed_at)};
  const OpenedLog log{options.run, options.folder, options.file, start, wall_clock()};
  if (!options.file.empty()) {
    auto file = std::make_shared<RecordFile>(options.file, options.run);
    file->write(start, log.started);
    sinks.push_back({"file", std::move(file)});
  }
  for (const auto& [name, open] : options.sinks)
    sinks.push_back({name, open(log)});
  if (options.console)
    console = std::make_shared<Console>(*options.console);
  return system.spawn(logger, destinations);
}

} // namespace troupe
