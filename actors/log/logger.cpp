#include "actors/log/logger.hpp"

#include "actors/cluster/exit_handler.hpp"
#include "actors/log/record_file.hpp"
#include "actors/log/store_writer.hpp"
#include "base/line_limit.hpp"
#include "messages/log/log_table.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <utility>

namespace troupe {

namespace {

using std::chrono::milliseconds;

constexpr auto flush_after = milliseconds{200};
// How long to wait for a store that another program locks: short while a row may be requested, not at
// all once it has refused lines, and longer before and after training.
constexpr auto brief = milliseconds{50};
constexpr auto patient = milliseconds{2000};

/// The destinations of a log.
struct Sinks {
  LogStart start;
  double started = 0; ///< seconds since 1970
  std::shared_ptr<RecordFile> file;
  std::shared_ptr<StoreWriter> store;
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
    if (file_) {
      if (!start_.id.empty())
        file_->write_end(start_.id, wall_clock_());
      file_->flush();
    }
    if (store_) {
      do {
        flush_store(patient);
      } while (store_->behind());
      if (const auto missing = store_->missing(); missing > 0)
        say({Level::warning, "the store lacks " + std::to_string(missing)
                               + " lines of this log, which log.jsonl has; `troupe log --copy-to "
                                 "STORE RUN` copies them"});
    }
  }

  void begin(Self self, const Sinks& sinks) {
    self_ = self;
    start_ = sinks.start;
    file_ = sinks.file;
    store_ = sinks.store;
    console_ = sinks.console;
    wall_clock_ = sinks.wall_clock;
    if (file_ && !start_.id.empty())
      file_->write(start_, sinks.started);
    if (file_)
      file_->flush();
    if (store_)
      flush_store(patient);
    self_->set_down_handler([this](const caf::down_msg& down) {
      std::erase_if(followers_, [&](const auto& f) { return f.address() == down.source; });
    });
  }

  void write(const Write& write) {
    table_.write(write);
    if (!write.records.empty()) {
      if (file_)
        file_->write(write, wall_clock_());
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
    if (file_)
      file_->write(status, wall_clock_());
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

  void say(const Say& say) {
    if (!console_)
      return;
    if (say.kind.empty()) {
      console_->say(say);
      return;
    }
    if (const auto line = limit_.admit(say.kind, say.text, self_->clock().now()))
      console_->say({say.level, *line});
    else
      flush_soon(); // it reports the lines left out
  }

  void show(const ShowProgress& progress) {
    if (console_)
      console_->show(progress, seconds_now(self_));
  }

  void flush() {
    flush_scheduled_ = false;
    report_left_out();
    if (file_ && !file_->flush() && !refused_) {
      refused_ = true; // reported once: the same disk refuses every line
      say({Level::error, "the disk refused a part of the log, whose newest rows wait in memory for "
                         "room; training continues"});
    }
    if (store_)
      flush_store(store_->refused() ? milliseconds{0} : brief);
    if (store_ && store_->behind()) { // after the requests that wait
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
  void flush_store(milliseconds patience) {
    if (const auto refusal = store_->flush(patience); !refusal.empty())
      say({Level::warning, refusal
                             + ". Training continues without it: log.jsonl has every row, and the "
                               "store gets those that it lacks once it is back"});
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
  std::shared_ptr<RecordFile> file_;
  std::shared_ptr<StoreWriter> store_;
  std::shared_ptr<Console> console_;
  std::function<double()> wall_clock_;
  std::vector<Follower> followers_;
  std::map<RowKey, std::vector<caf::typed_response_promise<Row>>> waiting_;
  bool flush_scheduled_ = false, refused_ = false;
  LineLimit limit_;
};

LoggerActor::behavior_type logger(LoggerState::Self self, const Sinks& sinks) {
  auto& state = self->state;
  state.begin(self, sinks);
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
  Sinks sinks;
  sinks.wall_clock = options.wall_clock ? std::move(options.wall_clock) : seconds_since_1970;
  if (options.id.empty() && (!options.file.empty() || !options.store.empty()))
    options.id = new_log_id();
  sinks.started = sinks.wall_clock();
  sinks.start
    = {std::move(options.id), std::move(options.resumed_from), std::move(options.resumed_at)};
  if (!options.file.empty())
    sinks.file = std::make_shared<RecordFile>(options.file, options.run);
  if (!options.store.empty())
    sinks.store = std::make_shared<StoreWriter>(options.store, options.file);
  if (options.console)
    sinks.console = std::make_shared<Console>(*options.console);
  return system.spawn(logger, sinks);
}

} // namespace troupe
