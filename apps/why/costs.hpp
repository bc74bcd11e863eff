// What the time of a run's workers went to, as costs that can be compared and removed.
#pragma once

#include "base/types.hpp"
#include "messages/timing/spent_time.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

enum class CostKind : std::uint8_t {
  reading,
  gradient,
  update,
  between, ///< messages, events and rows between two batches
  gate,    ///< an extension that does none of what follows
  checkpoint,
  evaluation,
  joining, ///< of a cluster, and leaving it
  holder,
  limit, ///< pushes_per_second
  network,
  waiting, ///< for another worker
  held,    ///< paused, or quiesced
};

/// What a gate does.
enum class GateKind : std::uint8_t { plain, checkpoint, evaluation, sharing };
using GateKinds = std::function<GateKind(const std::string& gate)>;

struct Cost {
  CostKind kind = CostKind::between;
  std::string gate; ///< the name of the extension that costs it; "": none
  double seconds = 0;
  std::optional<WorkerId> awaited = {}; ///< of `waiting`

  bool is_same(const Cost& other) const { return kind == other.kind && gate == other.gate; }
};

struct MeasuredWorker {
  WorkerId worker = 0;
  double seconds = 0;
  Step batches = 0;
  std::vector<Cost> costs;                   ///< their sum is `seconds`
  CoreUse use;                               ///< of its process
  std::vector<std::string> losing_observers; ///< too slow for the events that they were sent

  double of(CostKind kind) const;
  double own() const { return seconds - of(CostKind::waiting); }
};

/// What larger batches would cost, as measured with the run's model and data.
struct LargerBatches {
  Step size = 0;    ///< examples
  double ratio = 1; ///< of the seconds of gradient and update for an example, to the present ones
};

struct MeasuredRun {
  std::vector<MeasuredWorker> workers;
  Step batch_size = 0;                   ///< 0: unknown
  std::optional<LargerBatches> larger{}; ///< nothing: not measured

  /// Whether workers wait for each other.
  bool coupled() const;
  /// nullptr if it has no such worker.
  const MeasuredWorker* find(WorkerId worker) const;
};

MeasuredWorker measured_worker(WorkerId worker, const SpentTime& spent, const GateKinds& kinds);

/// Where pushes queue for a holder that works all the time, the worker that waits in the queue
/// cannot tell that from the network. Counts it as the holder's.
void count_queues(MeasuredRun& run);

/// A pause holds all workers. What only some are held, while a state of all is saved, they wait for
/// the one that is held least: it comes last.
void count_waits_for_states(MeasuredRun& run);

} // namespace troupe
