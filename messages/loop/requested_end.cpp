#include "messages/loop/requested_end.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

RequestedEnd::RequestedEnd(std::vector<std::string> causes)
  : after_batch_(!causes.empty()),
    by_itself_(!causes.empty()),
    causes_(std::move(causes)),
    effective_(std::ssize(causes_)) {}

void RequestedEnd::finish(const std::string& reason) {
  after_batch_ = true;
  causes_.insert(causes_.begin() + effective_++, reason);
}

void RequestedEnd::stop(const Stop& stop) {
  if (stop.interrupt) {
    interrupted_ = true;
    interrupts_.push_back(stop.reason);
  }
  epochs_ = std::max(epochs_, stop.epochs);
  if (stop.level == StopLevel::after_batch)
    return finish(stop.reason);
  after_epoch_ = true;
  causes_.push_back(stop.reason);
}

void RequestedEnd::abandon(const std::string& reason) {
  abandoned_ = true;
  causes_.insert(causes_.begin() + effective_, reason);
}

void RequestedEnd::end_by_itself() {
  const auto is_interrupt = [this](const std::string& cause) {
    return std::find(interrupts_.begin(), interrupts_.end(), cause) != interrupts_.end();
  };
  effective_ -= std::count_if(causes_.begin(), causes_.begin() + effective_, is_interrupt);
  std::erase_if(causes_, is_interrupt);
  by_itself_ = true;
  interrupted_ = false;
}

void RequestedEnd::reach_epoch_end() { effective_ = std::ssize(causes_); }

void RequestedEnd::complete() {
  if (causes_.empty())
    causes_.push_back("the data ended");
}

} // namespace troupe
