// The order of work on the card.
#pragma once

#include "cuda/card_memory.hpp"

namespace troupe {

/// A stream that is destroyed with this object.
class CardStream {
public:
  CardStream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~CardStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  CardStream(const CardStream&) = delete;
  CardStream& operator=(const CardStream&) = delete;
  cudaStream_t get() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

class CardEvent {
public:
  CardEvent() {
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
  }
  ~CardEvent() { static_cast<void>(cudaEventDestroy(event_)); }
  CardEvent(const CardEvent&) = delete;
  CardEvent& operator=(const CardEvent&) = delete;
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const {
    check_cuda(cudaEventRecord(event_, stream), "marking a place");
  }
  /// What follows on `stream` waits for what was recorded.
  void hold(cudaStream_t stream) const {
    check_cuda(cudaStreamWaitEvent(stream, event_, 0), "joining two streams");
  }

private:
  cudaEvent_t event_ = nullptr;
};

/// The chain of a step's work, and the work whose results only its end reads.
class StreamPair {
public:
  cudaStream_t main() const { return main_.get(); }
  cudaStream_t beside() const { return beside_.get(); }

  /// What follows beside waits for what is on the main stream.
  void fork() const {
    fork_.record(main());
    fork_.hold(beside());
  }
  /// What follows on the main stream waits for what is beside.
  void join() const {
    join_.record(beside());
    join_.hold(main());
  }

private:
  CardStream main_, beside_;
  CardEvent fork_, join_;
};

/// A captured launch.
class CardGraph {
public:
  explicit CardGraph(cudaGraph_t captured) {
    const auto result = cudaGraphInstantiate(&graph_, captured, 0);
    static_cast<void>(cudaGraphDestroy(captured));
    check_cuda(result, "building a graph");
  }
  ~CardGraph() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  CardGraph(const CardGraph&) = delete;
  CardGraph& operator=(const CardGraph&) = delete;
  void launch(cudaStream_t stream) const {
    check_cuda(cudaGraphLaunch(graph_, stream), "launching a step");
  }

private:
  cudaGraphExec_t graph_ = nullptr;
};

} // namespace troupe
