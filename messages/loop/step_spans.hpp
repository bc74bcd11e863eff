// What a trainer's time went to, one span after another, while an extension asks for it.
#pragma once

#include "base/fields.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// A piece of time.
struct Span {
  std::string name;          ///< what it went to: "reading", "gate sync", "exchange"
  double begin = 0, end = 0; ///< seconds on the clock of its process, whose origin is arbitrary
  /// It is on the parameter holder's clock, and lies within the last span before it that is not.
  bool at_holder = false;
  TROUPE_FIELDS(name, begin, end, at_holder);
};

/// The spans of one step after another. A step lasts from the end of the update before to the end
/// of its own, so that the gates between two updates belong to the second.
class StepSpans {
public:
  void add(std::string name, double begin, double end) {
    running_.push_back({std::move(name), begin, end});
  }
  /// @param spans of a gate, after the span in which training waited for it
  void add(std::vector<Span> spans) {
    for (auto& span : spans)
      running_.push_back(std::move(span));
  }
  /// The step's update is over.
  void close() {
    last_.swap(running_);
    running_.clear();
  }

  const std::vector<Span>& last() const { return last_; } ///< of the last whole step

private:
  std::vector<Span> running_, last_;
};

} // namespace troupe
