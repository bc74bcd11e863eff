// Saves the state of the run during training. As a gate it takes one consistent state: a run that
// resumes from the file continues to the same bits.
#pragma once

#include "messages/checkpoint/checkpoint.hpp"
#include "messages/log/log.hpp"
#include "messages/quiesce/quiescence.hpp"

#include <string>
#include <vector>

namespace troupe {

struct CheckpointOptions {
  std::string path
    = "checkpoint.bin";   ///< relative to the run's folder; arguments of conditions replace it
  std::uint32_t keep = 2; ///< number of files including the newest, >= 1: x.bin, x.1.bin, ...
  std::vector<SeparatePart> separate = {}; ///< parts that are also written to their own files
  OnLoss on_failure
    = OnLoss::proceed; ///< if a file cannot be written: `finish` ends training of all workers
  bool resumable
    = true; ///< several workers can resume from it; false: the parameters of this moment only
  TROUPE_FIELDS(path, keep, separate, on_failure, resumable);
};

/// The actors whose state is saved.
struct CheckpointSources {
  std::vector<Trainer> trainers; ///< by worker
  ParameterHolder holder;        ///< null for none
  Logger logger;
  RunWriter writer;
  std::string folder;         ///< of the run
  std::string log;            ///< the id of its log
  Quiescence quiescence = {}; ///< of the trainers; null: only the asking trainer waits
  RunStopper stopper = {};    ///< of all workers; null: there are no other trainers
};

/// after_training, as in Blocks.
Conditions checkpoint_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const CheckpointOptions& options);

/// Subscribe it as the last gate, so that all other extensions have seen the event. Training waits
/// until the trainers' states are taken, which shares the parameters without a copy; the next
/// update writes to a new block. Extensions answer once they have handled the earlier events, the
/// log is flushed, for at most 5 s, and a separate thread writes the file: `<path>` completely or
/// not at all. At most one more state waits to be written. A newer one replaces it, and Drain for
/// the replaced state is answered when the newer one is written.
///
/// A state that cannot be resumed, like that of the best epoch, is on the disk before a state that
/// was taken after it: a run that resumes finds the best state that it remembers.
///
/// With a quiescence, the state is taken at the next moment at which all workers are between two
/// batches and none waits for another. The gate is answered earlier, so that its trainer can
/// continue as far as the others need it.
///
/// It records `saved_to`, the paths separated by ", ": empty if no file could be written, no record
/// if a newer state replaced this one.
/// @throws std::invalid_argument for invalid options.
Checkpoint spawn_checkpoint(caf::actor_system& system, CheckpointOptions options,
                            CheckpointSources sources);

} // namespace troupe
