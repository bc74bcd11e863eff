#include "cuda/launch_queue.hpp"

#include <utility>

namespace troupe {

void LaunchQueue::add(cudaStream_t stream, int outputs) {
  if (spare_events_.empty())
    spare_events_.push_back(std::make_unique<CardEvent>());
  launches_.push_back({std::move(spare_events_.back()), outputs});
  spare_events_.pop_back();
  launches_.back().done->record(stream);
}

int LaunchQueue::in_flight() {
  while (!launches_.empty()) {
    const auto state = cudaEventQuery(launches_.front().done->get());
    if (state == cudaErrorNotReady)
      break;
    check_cuda(state, "training");
    waiting_ += launches_.front().outputs;
    spare_events_.push_back(std::move(launches_.front().done));
    launches_.pop_front();
  }
  return static_cast<int>(launches_.size());
}

void LaunchQueue::wait_for_first() const {
  check_cuda(cudaEventSynchronize(launches_.front().done->get()), "training");
}

void LaunchQueue::take_outputs(std::vector<StepOutput>& outputs) {
  for (; waiting_ > 0; --waiting_)
    outputs.push_back(ring_.data()[taken_++ % ring_size]);
}

} // namespace troupe
