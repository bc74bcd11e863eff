#include "model/tensor/block_step.hpp"

namespace troupe {

BlockStep::BlockStep(Block& block) : kept_(block.shared() ? block : Block{}) {
  after_ = block.overwrite().data(); // a block that was kept is shared, and so replaced
  before_ = kept_.empty() ? after_ : kept_.view().data();
}

} // namespace troupe
