// Saves the state of the run while training goes on. As a gate it takes everything at one moment:
// what goes on from the file goes on to the same bits.
#pragma once

#include "messages/checkpoint/checkpoint.hpp"
#include "messages/log/log.hpp"
#include "messages/quiesce/quiescence.hpp"

#include <string>
#include <vector>

namespace troupe {

struct CheckpointOptions {
  std::string path = "checkpoint.bin"; ///< relative to the run's folder; conditions with arguments
                                       ///< give others instead
  std::uint32_t keep = 2;              ///< files, the newest included, >= 1: x.bin, x.1.bin, ...
  std::vector<SeparatePart> separate = {}; ///< parts that get a file of their own besides
  OnLoss on_failure = OnLoss::proceed; ///< when something cannot be written: finish ends training
                                       ///< of all workers
  bool resumable = true; ///< several workers can go on from it; false: the parameters of this very
                         ///< moment, and nothing to go on from
  FIELDS(path, keep, separate, on_failure, resumable);
};

/// Whose state is saved.
struct CheckpointSources {
  std::vector<Trainer> trainers; ///< by worker
  ParameterHolder holder;        ///< null for none
  Logger logger;
  RunWriter writer;
  std::string folder;         ///< of the run
  std::string log;            ///< the id of its log
  Quiescence quiescence = {}; ///< of the trainers; null: the one that asks stands still meanwhile
  RunStopper stopper = {};    ///< of all workers; null: the trainers are all
};

/// after_training, as Blocks has it.
Conditions checkpoint_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const CheckpointOptions& options);

/// Subscribe it as the last gate, so that everybody else has seen the event. Training waits until
/// the trainers' states are taken, which shares the parameters and copies nothing; the next update
/// then leaves them as they are. Extensions answer when they have seen what came before, the log is
/// handed to the system, for which a slow disk has 5 s, and the file is written by a thread of its
/// own: `<path>` whole or not at all. From the taking on one more state waits at most; of several
/// the newest, and Drain for one of the others is answered when that is written.
///
/// Where there is a quiescence, the state is that of the first moment from then on at which all
/// workers are between two batches and none waits for another. The gate is answered before, so that
/// its trainer can go on as far as the others need it.
///
/// Records `saved_to`, the paths with ", " between them; empty where nothing could be written, and
/// none where a newer state took its place.
/// @throws std::invalid_argument for invalid options.
Checkpoint spawn_checkpoint(caf::actor_system& system, CheckpointOptions options,
                            CheckpointSources sources);

} // namespace troupe
