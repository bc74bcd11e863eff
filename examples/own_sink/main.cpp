// A log sink of a program's own: it gets each row and each line of the log.
#include <troupe/actors/log/logger.hpp>
#include <troupe/messages/wire/local_system.hpp>

#include <cstdio>

namespace {

struct Printer : troupe::LogSink {
  void write(const troupe::Write& write, double) override {
    for (const auto& [name, value] : write.records)
      std::printf("batch %d: %s = %s\n", static_cast<int>(write.row.batch), name.c_str(),
                  to_string(value).c_str());
  }
  void write_line(const troupe::Say& line, double) override { std::puts(line.text.c_str()); }
};

} // namespace

int main() {
  troupe::LocalSystem system;
  const auto logger
    = troupe::spawn_logger(system, {.sinks = {troupe::own_log_sink<Printer>("printer")}});
  system.send(logger, troupe::Write{{0, 3}, 0, 0, {{"loss", troupe::Value{0.25}}}, ""});
  system.send(logger, troupe::Say{troupe::Level::info, "the loss is low"});
  system.ask<troupe::Flushed>(logger, troupe::Flush{}, "the logger");
}
