#pragma once

#include "model/tensor/block.hpp"
#include "model/training/model.hpp"

#include <memory>

namespace troupe {

/// One pass over a section of a problem, batch by batch, so that the caller can do other work in
/// between.
class EvaluationPass {
public:
  /// The batch size of such a pass: all streams of a problem that has some, because they continue
  /// in the next batch.
  static Index examples_per_batch(const DataSpec& data, Index wanted) {
    return data.streams > 0 ? data.streams : wanted;
  }

  /// @param batch_size for problems without streams; larger ones than the model takes at once are
  ///        measured in pieces, since metrics are sums
  /// @param batches how many batches at most; 0: the whole section
  /// @throws std::invalid_argument if the number of parameters is not the model's
  EvaluationPass(std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
                 Block parameters, Section section, Index batch_size, Step batches);

  /// Whether all batches are measured.
  bool done() const { return next_ >= end_; }
  /// Measures the next batch. @pre !done()
  void step();
  /// The same, and sets `batch` to the metrics of this batch alone.
  void step(Metrics& batch);

  /// The whole batch that was measured last, read again if it was measured in pieces.
  /// @pre a batch was measured
  const Batch& batch();
  /// Of the batches that were measured so far.
  const Metrics& metrics() const { return metrics_; }
  /// That were measured so far.
  Index examples() const { return next_; }

private:
  void measure_next(Metrics& metrics);
  /// Reads the section's examples [begin, end).
  void read(Index begin, Index end);

  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<Model> model_;
  Block parameters_;
  Section section_;
  Index batch_size_, batch_begin_ = 0, next_ = 0, end_;
  std::vector<Index> rows_;
  Batch batch_;
  Metrics metrics_;
};

} // namespace troupe
