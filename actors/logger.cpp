#include "troupe/actors/logger.hpp"

#include "troupe/actors/record_file.hpp"
#include "troupe/messages/log_book.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>

namespace troupe {

namespace {

constexpr auto flush_after = std::chrono::milliseconds{200};

using LoggerActor = Logger::extend<caf::reacts_to<FlushSoon>>;

class LoggerState {
public:
  static constexpr const char* name = "logger";
  using Self = LoggerActor::stateful_pointer<LoggerState>;

  void begin(Self self, const std::shared_ptr<RecordFile>& file,
             const std::shared_ptr<Console>& console, std::function<double()> wall_clock) {
    self_ = self;
    file_ = file;
    console_ = console;
    wall_clock_ = std::move(wall_clock);
    self_->set_down_handler([this](const caf::down_msg& down) {
      std::erase_if(followers_, [&](const auto& f) { return f.address() == down.source; });
    });
  }

  void write(const Write& write) {
    book_.write(write);
    if (!write.records.empty()) {
      if (file_)
        file_->write(write, wall_clock_());
      flush_soon();
      for (const auto& follower : followers_)
        self_->send(follower, Written{{write.row, write.epoch, write.seconds, write.records}});
    }
    answer_waiting(write.row);
  }

  void expect(const Expect& expect) { book_.expect(expect); }

  caf::typed_response_promise<Row> read(const ReadRow& read) {
    auto promise = self_->make_response_promise<Row>();
    if (!read.settled || book_.settled(read.row))
      promise.deliver(book_.row(read.row));
    else
      waiting_[read.row].push_back(promise);
    return promise;
  }

  Rows query(const Query& query) const { return {book_.rows(query)}; }

  void write(const WriteStatus& status) {
    book_.write(status);
    if (file_)
      file_->write(status, wall_clock_());
    flush_soon();
  }

  RunStatus status(const ReadStatus& read) const { return {book_.status(read.worker)}; }

  void follow(const Follow& follow) {
    followers_.push_back(follow.follower);
    self_->monitor(follow.follower);
  }

  void say(const Say& say) {
    if (console_)
      console_->say(say);
  }

  void show(const ShowProgress& progress) {
    if (console_)
      console_->show(
        progress, std::chrono::duration<double>(self_->clock().now().time_since_epoch()).count());
  }

  void flush() {
    flush_comes_ = false;
    if (file_ && !file_->flush() && !refused_) {
      refused_ = true; // said once: the same disk refuses every line
      say({Level::error, "the disk refused a part of the log; training goes on without it"});
    }
    if (console_)
      console_->flush();
  }

private:
  void flush_soon() {
    if (!flush_comes_) {
      flush_comes_ = true;
      self_->delayed_send(self_, flush_after, FlushSoon{});
    }
  }

  void answer_waiting(const RowKey& row) {
    const auto found = waiting_.find(row);
    if (found == waiting_.end() || !book_.settled(row))
      return;
    for (auto& promise : found->second)
      promise.deliver(book_.row(row));
    waiting_.erase(found);
  }

  Self self_ = nullptr;
  LogBook book_;
  std::shared_ptr<RecordFile> file_;
  std::shared_ptr<Console> console_;
  std::function<double()> wall_clock_;
  std::vector<Follower> followers_;
  std::map<RowKey, std::vector<caf::typed_response_promise<Row>>> waiting_;
  bool flush_comes_ = false, refused_ = false;
};

LoggerActor::behavior_type logger(LoggerState::Self self, std::shared_ptr<RecordFile> file,
                                  std::shared_ptr<Console> console,
                                  std::function<double()> wall_clock) {
  auto& state = self->state;
  state.begin(self, file, console, std::move(wall_clock));
  return {
    [&state](const Write& write) { state.write(write); },
    [&state](const Expect& expect) { state.expect(expect); },
    [&state](const ReadRow& read) { return state.read(read); },
    [&state](const Query& query) { return state.query(query); },
    [&state](const WriteStatus& status) { state.write(status); },
    [&state](const ReadStatus& read) { return state.status(read); },
    [&state](const Follow& follow) { state.follow(follow); },
    [&state](const Say& say) { state.say(say); },
    [&state](const ShowProgress& progress) { state.show(progress); },
    [&state](const Flush&) {
      state.flush();
      return Flushed{};
    },
    [&state](const FlushSoon&) { state.flush(); },
  };
}

double system_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

Logger spawn_logger(caf::actor_system& system, LoggerOptions options) {
  std::shared_ptr<RecordFile> file;
  if (!options.file.empty())
    file = std::make_shared<RecordFile>(options.file, options.run);
  std::shared_ptr<Console> console;
  if (options.console)
    console = std::make_shared<Console>(*options.console);
  if (!options.wall_clock)
    options.wall_clock = system_time;
  return system.spawn(logger, std::move(file), std::move(console), std::move(options.wall_clock));
}

} // namespace troupe
