#include "model/tensor/block_step.hpp"

namespace troupe {

BlockStep::BlockStep(Block& block) : kept_(block.shared() ? block : Block{}) {
  after_ = block.overwrite().data(); // replaces what is shared, and it is shared where kept
  before_ = kept_.empty() ? after_ : kept_.view().data();
}

} // namespace troupe
