#pragma once

#include "cuda/card_optimizer.hpp"
#include "cuda/launch_queue.hpp"
#include "cuda/product.hpp"

#include <array>
#include <map>
#include <optional>

namespace troupe {

/// A program whose addresses are known.
struct PreparedProgram {
  StepProgram program;
  std::vector<CardProduct> products; ///< in the order of the operations
  bool launched = false;
  std::map<int, CardGraph> graphs; ///< by number of steps
};

/// Rows of a problem: their inputs, and their targets as classes or as values.
struct CardRows {
  Index most = 0; ///< rows
  CardArray<float> inputs, values;
  CardArray<std::int32_t> classes;
};

/// Pinned places for batches on their way.
class BatchUploads {
public:
  struct Place {
    PinnedArray<float> inputs, values;
    PinnedArray<std::int32_t> classes;
    CardEvent copied;
  };
  /// Each place in turn. It may still be read.
  Place& next();

private:
  std::vector<std::unique_ptr<Place>> places_;
  std::size_t next_ = 0;
};

/// Pinned memory in two halves: the host copies to or from one of them while the card does the
/// other's.
struct StagingMemory {
  explicit StagingMemory(std::size_t half_size) : half(half_size), memory(2 * half_size) {}
  float* place(std::size_t part) const { return memory.data() + part % 2 * half; }

  std::size_t half; ///< floats
  PinnedArray<float> memory;
  std::array<CardEvent, 2> moved; ///< by half: the card's last copy
};

/// What a prediction needs beside the parameters.
struct CardPrediction {
  std::optional<PreparedProgram> prepared; ///< the last one's
  CardArray<float> workspace, inputs;
  bool running = false; ///< operations read and write these
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
  template <class Array>
  Array take(std::size_t size);
  CardRows take_rows(Index most);
  void use_card() const;
  float* at(DeviceArray array) const;
  void make_products(PreparedProgram& prepared) const;
  void grow(const StepProgram& program);
  void enqueue(PreparedProgram& prepared, int steps, StepPart part);
  void enqueue_gradient(PreparedProgram& prepared, int k);
  void enqueue_ops(const PreparedProgram& prepared, int k);
  void enqueue_product(const CardProduct& product);
  void enqueue_update(const PreparedProgram& prepared, int k, int steps, bool given);
  void copy_to_card(float* device, std::span<const float> host);
  void copy_from_card(const float* device, std::span<float> host);
  void drain();

  DevicePlan plan_;
  StreamPair streams_;
  ProductLibrary products_;
  ProductScratch main_scratch_, beside_scratch_;
  CardOptimizer optimizer_{plan_};
  CardArray<float> workspace_;
  CardArray<double> row_losses_; ///< of each step of a launch
  Index most_rows_ = 0;          ///< that have a loss
  CardRows batch_, resident_;
  BatchUploads uploads_;
  CardArray<CardState> state_{1};
  StagingMemory staging_;
  std::map<Index, PreparedProgram> programs_; ///< by size of the batch
  CardPrediction prediction_;
  LaunchQueue launches_;
  bool given_gradient_ = false;
  std::uint64_t waits_ = 0;
  mutable std::uint64_t allocations_ = 0;
};

} // namespace troupe
