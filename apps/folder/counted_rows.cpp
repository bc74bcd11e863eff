#include "apps/folder/counted_rows.hpp"

#include <algorithm>
#include <limits>

namespace troupe {

void CountedRows::expect(const LogStart& start) {
  starts_.push_back({start, std::numeric_limits<std::uint64_t>::max(), {}});
  awaited_.clear();
  for (const auto& [worker, batch] : start.resumed_at) {
    auto text = "\"batch\":" + std::to_string(batch) + ",";
    if (std::find(awaited_.begin(), awaited_.end(), text) == awaited_.end())
      awaited_.push_back(std::move(text));
  }
  voids_taken_
    = voids_taken_ || std::any_of(furthest_.begin(), furthest_.end(), [&](const auto& one) {
        return superseded(start, {one.first, one.second});
      });
}

bool CountedRows::may_replace(std::string_view line) const {
  return std::any_of(awaited_.begin(), awaited_.end(), [&](const std::string& text) {
    return line.find(text) != std::string_view::npos;
  });
}

bool CountedRows::resumes_at(const Start& start, WorkerId worker, Step batch) {
  const auto found = start.start.resumed_at.find(worker);
  return found != start.start.resumed_at.end() && found->second == batch;
}

void CountedRows::note_replacing(const ScannedRow& row) {
  if (starts_.empty() || !resumes_at(starts_.back(), row.worker, row.batch))
    return;
  for (const auto& record : row.records)
    starts_.back().replaced[row.worker].emplace(record.name);
}

void CountedRows::forget_taken() {
  furthest_.clear();
  voids_taken_ = false;
}

void CountedRows::begin() {
  forget_taken();
  passed_ = 0;
  for (auto& start : starts_)
    start.row = std::numeric_limits<std::uint64_t>::max();
}

void CountedRows::pass_start(std::uint64_t row) {
  if (passed_ < starts_.size())
    starts_[passed_++].row = row;
}

void CountedRows::take(const RowKey& row) {
  auto& furthest = furthest_[row.worker];
  furthest = std::max(furthest, row.batch);
}

bool CountedRows::has(const RowKey& row, std::uint64_t number) const {
  return std::none_of(starts_.begin(), starts_.end(), [&](const Start& start) {
    return number < start.row && superseded(start.start, row);
  });
}

void CountedRows::remove_replaced(ScannedRow& row, std::uint64_t number) const {
  for (const auto& start : starts_) {
    if (number >= start.row || !resumes_at(start, row.worker, row.batch))
      continue;
    const auto names = start.replaced.find(row.worker);
    if (names == start.replaced.end())
      continue;
    const auto removed = std::erase_if(
      row.records, [&](const ScannedRecord& one) { return names->second.contains(one.name); });
    if (removed > 0)
      row.line = {};
  }
}

} // namespace troupe
