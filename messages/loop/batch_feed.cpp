#include "messages/loop/batch_feed.hpp"

namespace troupe {

void BatchFeed::begin(double now) {
  state_ = State::ready;
  since_ = now;
}

bool BatchFeed::feed(Learner& learner, Step wanted) {
  if (!has_loader_) {
    learner.read(wanted);
    return true;
  }
  auto batch = ahead_.take(wanted);
  if (!batch) {
    if (state_ == State::ready)
      state_ = State::waits;
    return false;
  }
  state_ = State::ready;
  ahead_.give_back(learner.use(std::move(*batch)));
  return true;
}

bool BatchFeed::is_report_due(double now) {
  constexpr double patience = 2; // seconds
  if (state_ != State::waits || now - since_ < patience)
    return false;
  state_ = State::reported;
  return true;
}

} // namespace troupe
