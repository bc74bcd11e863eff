#include "messages/grid/coordinator_search.hpp"

#include "base/text/duration.hpp"

namespace troupe {

namespace {

constexpr double report_after = 2; // seconds before a line says what a node waits for

} // namespace

void CoordinatorSearch::begin(double now, const std::string& why) {
  away_since_ = try_from_ = now;
  back_off_.reset();
  last_error_ = why;
  reported_ = !why.empty();
}

void CoordinatorSearch::failed(double now, const std::string& why) {
  last_error_ = why;
  try_from_ = now + back_off_.next();
}

std::optional<std::string> CoordinatorSearch::report(double now) {
  if (reported_ || now - away_since_ < report_after)
    return {};
  reported_ = true;
  return "waiting for the grid's coordinator, at most " + rounded_length(patience_) + ": "
         + (last_error_.empty() ? "no answer yet" : last_error_);
}

std::optional<std::string> CoordinatorSearch::end(double now) const {
  if (now - away_since_ < patience_)
    return {};
  return "the grid's coordinator could not be reached for " + rounded_length(patience_)
         + ", the last answer was: " + last_error_
         + "; is it running, and are its certificates from the same authority?";
}

} // namespace troupe
