#include "messages/control/recent_rows.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void RecentRows::add(const Row& row) {
  rows_.push_back(row);
  records_ += row.records.size();
  while (records_ > most_records_ && rows_.size() > 1) {
    records_ -= rows_.front().records.size();
    rows_.pop_front();
    ++first_;
  }
}

RecentRows::Excerpt RecentRows::read(std::uint64_t from, std::uint64_t last_rows) const {
  Excerpt excerpt;
  const auto end = first_ + rows_.size();
  from = from == 0 ? end - std::min<std::uint64_t>(last_rows, rows_.size()) : std::min(from, end);
  if (from < first_)
    excerpt.missed = first_ - std::exchange(from, first_);
  excerpt.next = std::min(end, from + rows_at_once);
  for (auto number = from; number < excerpt.next; ++number)
    excerpt.rows.push_back(&rows_[number - first_]);
  excerpt.at_end = excerpt.next == end;
  return excerpt;
}

} // namespace troupe
