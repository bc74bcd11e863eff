// A run's log without its rows: its starts, and the status of its workers.
#pragma once

#include "messages/log/log_line.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace troupe {

/// Takes a log piece by piece, from a file or a store.
class RunLog {
public:
  enum class Taken : std::uint8_t { row, other, damaged };
  /// Takes one line of log.jsonl (actors/log/record_file.hpp). It never throws, whatever the line
  /// holds, and keeps no row.
  Taken take(std::string_view text);

  void begin(LoggedStart start);
  void add(const WriteStatus& status);
  void end() { ended_ = true; }

  /// The first start and each resume.
  const std::vector<LoggedStart>& starts() const { return starts_; }
  /// The final status of a worker, with "log_id" and "resumed_from" if they are known.
  Records status(WorkerId worker) const;
  /// True if its process ended in good order and was not started again. For a log without lineage:
  /// if all its workers have finished training.
  bool ended() const;

private:
  std::vector<LoggedStart> starts_;
  std::map<WorkerId, Records> status_;
  bool ended_ = false;
};

/// A record as a number: true and false are 1 and 0; text is NaN.
double number_of(const Value& value);

} // namespace troupe
