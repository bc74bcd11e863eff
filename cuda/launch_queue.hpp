#pragma once

#include "cuda/card_streams.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace troupe {

/// The launches that the card has not done yet, and the outputs of steps that it has.
class LaunchQueue {
public:
  static constexpr int ring_size = 1024; ///< outputs; far more than the steps in flight

  /// The steps' outputs, one after another: where the card writes them.
  StepOutput* ring() const { return ring_.data(); }

  /// What is on the stream is a launch. @param outputs of its steps
  void add(cudaStream_t stream, int outputs);
  int in_flight();
  /// @pre a launch is in flight
  void wait_for_first() const;
  /// Of the launches that in_flight() has found done. Appends them to `outputs`.
  void take_outputs(std::vector<StepOutput>& outputs);

private:
  struct Launch {
    std::unique_ptr<CardEvent> done;
    int outputs; ///< steps that write one
  };

  PinnedArray<StepOutput> ring_{ring_size};
  std::uint64_t taken_ = 0; ///< outputs
  std::deque<Launch> launches_;
  std::vector<std::unique_ptr<CardEvent>> spare_events_;
  int waiting_ = 0; ///< outputs of launches that are done
};

} // namespace troupe
