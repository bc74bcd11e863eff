#include "messages/loop/batches_ahead.hpp"

#include <algorithm>

namespace troupe {

std::optional<ReadBatch> BatchesAhead::ask(Step wanted) {
  if (wanted < wanted_ || wanted > next_)
    next_ = wanted;
  wanted_ = wanted;
  drop_all_but(wanted_, next_);
  if (in_flight_ + ready_.size() >= ahead_)
    return {};
  ReadBatch batch;
  if (!spare_.empty()) {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  batch.cursor = next_++;
  ++in_flight_;
  return batch;
}

void BatchesAhead::arrived(ReadBatch batch) {
  --in_flight_;
  const auto is_ready = std::any_of(ready_.begin(), ready_.end(), [&batch](const auto& each) {
    return each.cursor == batch.cursor;
  });
  // From before the trainer moved, or requested again after it came back here.
  if (is_ready || batch.cursor < wanted_ || batch.cursor >= next_)
    give_back(std::move(batch));
  else
    ready_.push_back(std::move(batch));
}

std::optional<ReadBatch> BatchesAhead::take(Step wanted) {
  const auto found = std::find_if(ready_.begin(), ready_.end(),
                                  [wanted](const auto& batch) { return batch.cursor == wanted; });
  if (found == ready_.end())
    return {};
  auto batch = std::move(*found);
  ready_.erase(found);
  return batch;
}

void BatchesAhead::drop_all_but(Step begin, Step end) {
  const auto kept = std::partition(ready_.begin(), ready_.end(), [&](const auto& batch) {
    return batch.cursor >= begin && batch.cursor < end;
  });
  std::move(kept, ready_.end(), std::back_inserter(spare_));
  ready_.erase(kept, ready_.end());
}

} // namespace troupe
