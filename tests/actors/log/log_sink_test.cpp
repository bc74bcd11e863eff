#include "actors/log/log_sink_kind.hpp"
#include "actors/log/logger.hpp"
#include "messages/wire/local_system.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/deterministic_system.hpp"

#include <stdexcept>

using namespace troupe;
using namespace troupe::test;

namespace {

/// What a sink got.
struct Taken {
  std::vector<std::string> calls;
  OpenedLog log;
};

struct TakingOptions {
  int fails_at = 0; ///< number of the call that throws, from 1; 0: none
  TROUPE_FIELDS(fails_at);
};

void check(const TakingOptions& options) {
  if (options.fails_at < 0)
    throw std::invalid_argument("fails_at is negative");
}

Taken taken; // NOLINT: of the sink of this file, which the registry makes

class TakingSink final : public LogSink {
public:
  TakingSink(const TakingOptions& options, const OpenedLog& log) : fails_at_(options.fails_at) {
    taken = {{}, log};
  }
  void write(const Write& write, double time) override {
    call("row " + std::to_string(write.row.batch) + " at "
         + std::to_string(static_cast<int>(time)));
  }
  void write(const WriteStatus& status, double) override {
    call("status " + status.records.begin()->first);
  }
  void write_line(const Say& line, double) override { call("line " + line.text); }
  void write_end(double) override { call("end"); }
  Say flush(std::chrono::milliseconds) override {
    call("flush");
    return {Level::warning, flushes_++ == 1 ? "a warning of the sink" : ""};
  }

private:
  void call(const std::string& what) {
    taken.calls.push_back(what);
    if (static_cast<int>(taken.calls.size()) == fails_at_)
      throw std::runtime_error("it is broken");
  }

  int fails_at_, flushes_ = 0;
};

const RegisterLogSink taking_kind{log_sink_kind<TakingSink, TakingOptions>("taking")};

NamedLogSink taking(const std::string& fails_at) {
  auto section = config::Node::map();
  section.put("fails_at", config::Node::scalar(fails_at, "test"));
  return {"taking", log_sink_kinds().find("taking")->make(section, "log.taking")};
}

/// Writes two rows and a status, each with time to flush, and ends the log.
void write_log(const std::string& fails_at, const std::string& file) {
  DeterministicSystem world;
  const auto logger = world.keep(spawn_logger(world.system, {.run = "r",
                                                             .file = file,
                                                             .sinks = {taking(fails_at)},
                                                             .folder = "somewhere",
                                                             .id = "abc",
                                                             .console = ConsoleOptions{},
                                                             .wall_clock = [] { return 7.0; }}));
  for (Step batch = 1; batch <= 2; ++batch) {
    world.self->send(logger, Write{{0, batch}, 0, 0, {{"loss", Value{0.5}}}, ""});
    world.run();
    world.advance(200ms);
  }
  world.self->send(logger, WriteStatus{0, {{"epochs_done", Value{std::int64_t{1}}}}});
  world.run();
  world.advance(200ms);
}

} // namespace

TEST_CASE("a registered sink gets all that a log gets, and says what it wants to say",
          "[logger][log_sink]") {
  const CapturedErrors errors;
  write_log("0", "");
  CHECK(taken.calls
        == std::vector<std::string>{"flush", "row 1 at 7", "flush", "row 2 at 7", "flush",
                                    "status epochs_done", "flush", "end", "flush"});
  CHECK(taken.log.run == "r");
  CHECK(taken.log.folder == "somewhere");
  CHECK(taken.log.start.id == "abc");
  CHECK(taken.log.started == 7);
  CHECK(lines_of(errors.text()) == std::vector<std::string>{"warning: a warning of the sink"});
}

TEST_CASE("a sink that throws is reported once, gets no more calls, and the file has all rows",
          "[logger][log_sink]") {
  const CapturedErrors errors;
  const DataFolder folder;
  const auto file = folder.path("log.jsonl");
  write_log("2", file);
  CHECK(taken.calls == std::vector<std::string>{"flush", "row 1 at 7"});
  CHECK(lines_of(text_of_file(file)).size() == 5); // the start, two rows, the status, the end
  CHECK(lines_of(errors.text())
        == std::vector<std::string>{"warning: the log's taking failed: it is broken. Training "
                                    "continues without it; log.jsonl has every row"});
}

TEST_CASE("options of a sink are checked before it is opened", "[log_sink]") {
  CHECK_THROWS_WITH(taking("-1"), "fails_at is negative");
}

TEST_CASE("a sink gets the lines that are said, without a console", "[logger][log_sink]") {
  DeterministicSystem world;
  const auto logger = world.keep(spawn_logger(world.system, {.sinks = {taking("0")}, .id = "abc"}));
  world.self->send(logger, Say{Level::info, "hello"});
  world.run();
  world.advance(200ms);
  CHECK(taken.calls == std::vector<std::string>{"flush", "line hello", "flush"});
}

namespace {

/// What sinks of a program got.
std::vector<std::string> heard; // NOLINT: of the sinks below, which the logger makes

struct PlainSink : LogSink {
  void write_line(const Say& line, double) override { heard.push_back("plain: " + line.text); }
};
struct NamedSink : LogSink {
  explicit NamedSink(const OpenedLog& log) : run(log.run) {}
  void write_line(const Say& line, double) override { heard.push_back(run + ": " + line.text); }
  std::string run;
};

} // namespace

TEST_CASE("a program gives a log sinks of its own, which may know the log", "[logger][log_sink]") {
  heard.clear();
  LocalSystem system;
  const auto logger = spawn_logger(
    system,
    {.run = "r", .sinks = {own_log_sink<PlainSink>("plain"), own_log_sink<NamedSink>("named")}});
  system.send(logger, Say{Level::info, "hello"});
  system.ask<Flushed>(logger, Flush{}, "the logger");
  CHECK(heard == std::vector<std::string>{"plain: hello", "r: hello"});
}
