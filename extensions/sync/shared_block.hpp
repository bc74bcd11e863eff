#pragma once

#include "extensions/sync/parameter_sync_options.hpp"
#include "model/tensor/layout.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The layout that workers share: a model's parameters, followed by those of each part, named
/// <parameter>_<part> as in Legion, which are measured and not trained.
Layout shared_layout(const Layout& model, const std::vector<std::string>& parts);

/// The block that a worker shares: the model's parameters, followed by what WorkerSharing::parts names.
/// Converts an event to the block, and a shared block to a gate's answer.
class SharedBlock {
public:
  SharedBlock(const ParameterSyncOptions& options, Layout model);

  /// Takes the names of the parts and the optimizer's number of steps from the event; gather() does
  /// this, too.
  void name_parts(const LoopEvent& event);
  Block gather(const LoopEvent& event);
  /// Layout of the block, with the parts of the last event.
  Layout layout() const { return shared_layout(model_, parts_); }

  /// The answer that replaces the trainer's floats, from a block with the parts of the last event,
  /// or with parameters alone.
  GateAnswer answer(Block shared) const;

private:
  ParameterSyncOptions options_;
  Layout model_;
  std::vector<std::string> parts_; ///< names, in the order of the block
  Step steps_ = 0; ///< number of steps of this worker's optimizer, which is not shared
};

} // namespace troupe
