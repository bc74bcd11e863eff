#include "messages/evaluation/evaluation_queue.hpp"

#include "base/text/duration.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

std::string seconds_text(double seconds) {
  return print_duration(std::chrono::duration<double>(seconds));
}

} // namespace

void EvaluationQueue::update(const HolderStatus& status, double now) {
  reached_ = true;
  missed_since_.reset();
  if (!first_) {
    first_ = status.version;
    known_ = status.journal.size();
  }
  if (status.version > newest_)
    idle_since_ = now;
  newest_ = status.version;
  // Includes those that came and went since the last poll.
  const auto first_seen
    = !trained_
      && (!status.workers.empty() || status.version > *first_ || status.journal.size() > known_);
  trained_ = trained_ || first_seen;
  if (first_seen || !status.workers.empty())
    empty_since_.reset();
  if (!status.workers.empty())
    return;
  // Workers that started after others had ended are expected back. So are those of a journal
  // without members: the holder was resumed.
  expects_ = !status.lost.empty() || status.absent > 0 || (!trained_ && !status.journal.empty());
  if (!empty_since_)
    empty_since_ = now;
}

void EvaluationQueue::unanswered(const std::string& why, double now) {
  reached_ = false;
  why_missed_ = why;
  empty_since_.reset(); // unknown
  if (!missed_since_)
    missed_since_ = now;
}

bool EvaluationQueue::due() const {
  if (options_.every <= 1)
    return true;
  return last_ == 0 ? newest_ > 0 : newest_ >= last_ + options_.every;
}

Version EvaluationQueue::take(Version version) {
  // Versions from before this evaluator started do not count as skipped.
  const auto before = std::max(last_, first_.value_or(0));
  last_ = version;
  newest_ = std::max(newest_, version);
  return version > before ? version - before - 1 : 0;
}

std::optional<EvaluationQueue::End> EvaluationQueue::end(double now) const {
  if (missed_since_ && now - *missed_since_ >= options_.outage_limit)
    return End{Outcome::failed,
               "the parameter holder was unreachable for " + seconds_text(options_.outage_limit)
                 + " (" + why_missed_ + "); start the evaluator again once it is back",
               true};
  if (empty_since_ && (trained_ || expects_)) {
    const auto limit = expects_ ? options_.return_limit : options_.leave_grace;
    if (now - *empty_since_ >= limit)
      return End{Outcome::finished, expects_ ? "no worker has come back for " + seconds_text(limit)
                                             : "all workers have left"};
  }
  if (options_.idle_limit > 0 && now - idle_since_ >= options_.idle_limit)
    return End{Outcome::finished, "no new version for " + seconds_text(options_.idle_limit)};
  return {};
}

} // namespace troupe
