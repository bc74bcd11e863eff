#pragma once

#include "cuda/kernels.hpp"
#include "cuda/product.hpp"

#include <deque>
#include <map>
#include <optional>

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

/// A captured launch.
class CardGraph {
public:
  explicit CardGraph(cudaGraph_t captured);
  ~CardGraph() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  CardGraph(const CardGraph&) = delete;
  CardGraph& operator=(const CardGraph&) = delete;
  void launch(cudaStream_t stream) const {
    check_cuda(cudaGraphLaunch(graph_, stream), "launching a step");
  }

private:
  cudaGraphExec_t graph_ = nullptr;
};

/// A run on a card of CUDA. A step runs on two streams: products whose results only the update
/// reads run beside the chain of the others. From the second launch of a batch size on, a launch is
/// a captured graph.
///
///   main    gather - forward - loss - dx - dx ---+- clip - update -+- next step
///   beside  begin ------------------ dW - dW ----+                 +- finish
class CardRun : public DeviceRun {
public:
  explicit CardRun(const DevicePlan& plan);
  ~CardRun() override;

  void put_examples(Index first, std::span<const float> inputs,
                    std::span<const std::int32_t> classes, std::span<const float> values) override;
  void add_program(const StepProgram& program) override;
  void write(DeviceBlock block, std::span<const float> values) override;
  void read(DeviceBlock block, std::span<float> values) override;
  void place(Step cursor, Step taken) override;
  void set_rule(const OptimizerRule& rule) override;
  void put_batch(std::span<const float> inputs, std::span<const std::int32_t> classes,
                 std::span<const float> values) override;
  void launch(Index batch, int steps, StepPart part) override;
  int steps_per_launch() const override;
  int in_flight() override;
  void wait(int launches) override;
  void take_outputs(std::vector<StepOutput>& outputs) override;
  std::uint64_t waits() const override { return waits_; }
  std::uint64_t allocations() const override { return allocations_; }
  void predict(const StepProgram& program, std::span<const float> inputs,
               std::span<float> prediction) override;

private:
  /// A program whose addresses are known.
  struct Prepared {
    StepProgram program;
    std::vector<CardProduct> products; ///< in the order of the operations
    bool launched = false;
    std::map<int, CardGraph> graphs; ///< by number of steps
  };
  struct Launch {
    std::unique_ptr<CardEvent> done;
    int outputs; ///< steps that write one
  };
  /// A pinned place for a batch on its way.
  struct Slot {
    PinnedArray<float> inputs, values;
    PinnedArray<std::int32_t> classes;
    CardEvent copied;
  };

  template <class Array>
  Array take(std::size_t size);
  void use_card() const;
  float* at(DeviceArray array) const;
  float* block(DeviceBlock which) const;
  void make_products(Prepared& prepared) const;
  void grow(const StepProgram& program);
  void enqueue(Prepared& prepared, int steps, StepPart part);
  void enqueue_gradient(Prepared& prepared, int k);
  void enqueue_ops(const Prepared& prepared, int k);
  void enqueue_product(const CardProduct& product);
  void enqueue_update(const Prepared& prepared, int k, int steps, bool given);
  void copy_in_parts(float* device, float* host, std::size_t size, bool to_card);
  void drain();

  DevicePlan plan_;
  CardStream main_, beside_;
  CardEvent fork_, join_;
  ProductLibrary products_;
  ProductScratch main_scratch_, beside_scratch_;
  CardArray<float> parameters_, gradient_, slot0_, slot1_;
  CardArray<float> workspace_;
  CardArray<double> row_losses_; ///< of each step of a launch
  Index most_rows_ = 0, most_batch_ = 0;
  CardArray<float> inputs_, values_; ///< of the batch
  CardArray<std::int32_t> classes_;
  CardArray<float> all_inputs_, all_values_; ///< of resident examples
  CardArray<std::int32_t> all_classes_;
  CardArray<CardState> state_;
  CardArray<OptimizerRule> rule_;
  UpdateKind kind_ = UpdateKind::sgd;
  CardArray<UpdateRange> ranges_, by_name_;
  CardArray<ElementUpdate> updates_; ///< of each step of a launch, for each range
  CardArray<double> norm_parts_;
  int norm_count_ = 0;
  PinnedArray<StepOutput> ring_;
  std::uint64_t taken_outputs_ = 0;
  PinnedArray<float> staging_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t next_slot_ = 0;
  std::map<Index, Prepared> programs_;
  std::optional<Prepared> predicting_;
  bool predicts_ = false;
  CardArray<float> prediction_workspace_, prediction_inputs_;
  std::deque<Launch> launches_;
  std::vector<std::unique_ptr<CardEvent>> spare_events_;
  int waiting_outputs_ = 0; ///< of launches that are done
  bool given_gradient_ = false;
  std::uint64_t waits_ = 0;
  mutable std::uint64_t allocations_ = 0;
};

} // namespace troupe
