// Reads batches ahead of training, on another core.
//
//   trainer                         loader
//     | ---- PrepareBatch ----------> |   a batch to fill, and its cursor: one credit; the number
//     | ---- PrepareBatch ----------> |   of batches in flight or ready is limited
//     | <--- BatchPrepared ---------- |   in the order asked for
//     | ---- PrepareBatch ----------> |   its memory, for the next cursor
//
// A batch depends only on its cursor, so it does not matter which actor read it. Only trained
// batches move the saved cursor; batches that are ready at a checkpoint are read again after a
// resume.
#pragma once

#include "messages/inspection/inspect.hpp"
#include "model/data/batch_reader.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Asks to fill this batch, of which only `cursor` is read.
struct PrepareBatch {
  ReadBatch batch; ///< its memory is used again
  TROUPE_FIELDS(batch);
};

/// The filled batch, or the reason why it could not be read, which counts only if it is trained on.
struct BatchPrepared {
  ReadBatch batch; ///< with the cursor that was asked for
  TROUPE_FIELDS(batch);
};

/// Reads batches with a copy of the trainer's reader (actors/loop/loader.hpp).
using Loader = caf::typed_actor<caf::replies_to<PrepareBatch>::with<BatchPrepared>>;

} // namespace troupe
