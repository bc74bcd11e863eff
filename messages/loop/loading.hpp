// Batches read ahead of training, on another core.
//
//   trainer                         loader
//     | ---- PrepareBatch ----------> |   a batch to fill, and its cursor: that is the credit,
//     | ---- PrepareBatch ----------> |   so many at most are under way or lie ready
//     | <--- BatchPrepared ---------- |   in the order asked for
//     | ---- PrepareBatch ----------> |   its memory, for the next cursor
//
// A batch depends on its cursor only, so that whoever trains on it need not know who has read it.
// Only what was trained on moves the cursor that is saved; what lies ready at a checkpoint is read
// again after it.
#pragma once

#include "messages/inspection/inspect.hpp"
#include "model/data/batch_reader.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Fill this batch, of which only `cursor` counts.
struct PrepareBatch {
  ReadBatch batch;
  FIELDS(batch);
};

/// It is filled, or says why it could not be read: for whoever comes to train on it, who may never
/// do so.
struct BatchPrepared {
  ReadBatch batch;
  FIELDS(batch);
};

using Loader = caf::typed_actor<caf::replies_to<PrepareBatch>::with<BatchPrepared>>;

} // namespace troupe
