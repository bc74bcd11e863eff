#pragma once

#include "extensions/sync/parameter_sync_options.hpp"
#include "model/tensor/layout.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What workers share: a model's parameters, and behind them, where `parts` names any, each of them
/// as parameters called <parameter>_<part> (Legion's names), which are measured and not trained.
Layout shared_layout(const Layout& model, const std::vector<std::string>& parts);

/// What a worker shares, as one block: the model's parameters, and behind them what parts_behind()
/// names. An event is turned into it, and what has become of it into a gate's answer.
class SharedBlock {
public:
  SharedBlock(const ParameterSyncOptions& options, Layout model);

  /// Takes the names of the parts, and the optimizer's count of steps, from the event; gather()
  /// does, too.
  void name_parts(const LoopEvent& event);
  Block gather(const LoopEvent& event);
  /// Of the block, with the parts that were named last.
  Layout layout() const { return shared_layout(model_, parts_); }

  /// What replaces the trainer's floats: of a block with the parts that were named last, or of the
  /// parameters alone.
  GateAnswer answer(Block shared) const;

private:
  ParameterSyncOptions options_;
  Layout model_;
  std::vector<std::string> parts_; ///< names, in the order in which they are shared
  Step steps_ = 0;                 ///< of this worker's optimizer: they are not shared
};

} // namespace troupe
