#include "apps/folder/log_reader.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void LogReader::poll(LogTaker& taker, bool growing, std::uint64_t most_bytes) {
  if (!read_starts(growing)) {
    begin_anew();
    taker.restart();
    read_starts(growing);
  } else if (counted_.voids_taken()) {
    if (taker.restart())
      begin_rows();
    counted_.forget_taken();
  }
  rows_in_.read(
    [&](std::string_view line, std::uint64_t offset) { take_line(line, offset, taker); },
    {.most_bytes = most_bytes, .end = looked_up_to_, .half_line = !growing});
}

bool LogReader::read_starts(bool growing) {
  return starts_in_.read(
    [this](std::string_view line, std::uint64_t offset) { look_for_start(line, offset); },
    {.half_line = !growing});
}

void LogReader::look_for_start(std::string_view line, std::uint64_t offset) {
  looked_up_to_ = offset + line.size() + 1;
  ++lines_looked_at_;
  if (is_row(line)) {
    if (counted_.may_replace(line) && read_row(line, row_))
      counted_.note_replacing(row_);
    return;
  }
  const auto before = head_.starts().size();
  if (head_.take(line) == RunLog::Taken::damaged)
    return skip(lines_looked_at_);
  if (head_.starts().size() == before)
    return;
  starts_at_.push_back(offset);
  counted_.expect(head_.starts().back().start);
}

void LogReader::take_line(std::string_view line, std::uint64_t offset, LogTaker& taker) {
  ++lines_read_;
  if (read_row(line, row_))
    return hand_on(row_, offset, taker);
  if (const auto next = counted_.passed(); next < starts_at_.size() && starts_at_[next] == offset)
    counted_.pass_start(rows_);
  if (!is_row(line))
    return taker.take_other(line);
  ++damaged_rows_;
  skip(lines_read_);
}

void LogReader::skip(std::uint64_t line) {
  ++damaged_;
  first_damaged_ = first_damaged_ == 0 ? line : std::min(first_damaged_, line);
}

std::string LogReader::first_damaged() const {
  return first_damaged_ == 0 ? "" : path().string() + ":" + std::to_string(first_damaged_);
}

void LogReader::begin_rows() {
  counted_.begin();
  rows_in_.rewind();
  rows_ = lines_read_ = 0;
  damaged_ -= std::exchange(damaged_rows_, 0);
}

void LogReader::begin_anew() {
  begin_rows();
  head_ = {};
  counted_ = {};
  starts_at_.clear();
  damaged_ = first_damaged_ = looked_up_to_ = lines_looked_at_ = 0;
}

} // namespace troupe
