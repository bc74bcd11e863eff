// The parameter protocol: how workers share one set of parameters.
//
//   worker                          parameter holder
//     | ---- Join -----------------> |   protocol, cluster, layout, lease, rule
//     | <--- Joined ---------------- |   an incarnation; or a refusal that names what differs
//     | ---- CreateIfAbsent -------> |
//     | <--- Parameters ------------ |   the current values: the first creator's, or newer;
//     |                              |   if the main worker creates them, once it has
//     | ---- Pull, Await ----------> |
//     | <--- Parameters ------------ |   of one version; Await is answered by a newer one
//     | ---- Push -----------------> |   a rule, applied exactly once for each number
//     | <--- Applied --------------- |
//     | ---- Exchange -------------> |   push and pull in one, of all or of a fragment
//     | <--- Parameters ------------ |
//     | ---- PushPart, PullPart ---> |   rows and columns, or single elements, of one parameter
//     | ---- Renew ----------------> |   every second from another node: I am alive
//     | <--- Renewed --------------- |   the main worker, whether to end
//     | ---- StopAll --------------> |   a main extension wants the run to end
//     | ---- Leave ----------------> |
//
// A worker numbers its pushes 1, 2, 3, ... A number that was applied already gets the first answer
// again and is not applied twice, so a push can be repeated when its answer is missing. A worker
// that has not renewed its lease in time is lost: no worker waits for it, and its messages are
// refused until it joins again. It may not join again if another process has joined with
// its number meanwhile: the two would evict each other forever.
//
// How far workers may be apart is a field of each push, its staleness:
//
//   0          a round: answered once every worker with staleness 0 has pushed (BSP)
//   s          answered once this worker is at most s pushes ahead of the slowest (SSP: Ho et al.,
//              "More effective distributed ML via a stale synchronous parallel parameter server",
//              2013)
//   unbounded  answered at once
#pragma once

#include "messages/loop/loop.hpp"
#include "messages/parameters/fragment.hpp"
#include "messages/parameters/staleness.hpp"
#include "model/update_rules/update_rule.hpp"

#include <array>
#include <string_view>

namespace troupe {

/// Incremented with every change of a message, so that different builds refuse each other.
inline constexpr std::uint32_t protocol_version = 17;

/// Asks to take part. Error::shape_mismatch, Error::invalid_options or Error::superseded is the
/// answer where it cannot.
struct Join {
  WorkerId worker = 0;                       ///< its number in the cluster, from 0
  std::uint32_t protocol = protocol_version; ///< of the sender's build
  Layout layout;                             ///< of its parameters, which all workers share
  std::string cluster;    ///< the secret that all processes of one cluster share; "": none
  WorkerId workers = 0;   ///< in the cluster, as this one knows it; 0: unknown
  double lease = 0;       ///< seconds between renewals; 0: none, the worker lives in the holder's
                          ///< process
  bool is_reader = false; ///< only pulls: no round waits for it, and it is never main
  /// Distinguishes processes that join with the same number: drawn at random at startup; 0:
  /// unknown.
  std::uint64_t process = 0;
  UpdateRule rule = {}; ///< by which it will push; of no meaning for a reader
  TROUPE_FIELDS(worker, protocol, layout, cluster, workers, lease, is_reader, process, rule);
};

/// `incarnation` grows with each Join of the worker; messages of an older one are refused as stale.
struct Joined {
  std::uint64_t incarnation = 0; ///< from 1; later messages of the worker name it
  bool created = false;          ///< whether parameters exist already
  Version version = 0;           ///< of the parameters
  Version restored = 0;          ///< with which the holder began; 0: empty
  TROUPE_FIELDS(incarnation, created, version, restored);
};

/// Renews a worker's lease.
struct Renew {
  WorkerId worker = 0;           ///< whose lease it is
  std::uint64_t incarnation = 0; ///< from Joined
  TROUPE_FIELDS(worker, incarnation);
};

/// The lease is renewed. Error::stale or Error::not_joined instead where the worker was lost or has
/// left, and has to join again.
struct Renewed {
  Version version = 0;    ///< of the shared parameters
  WorkerId main = 0;      ///< the elected worker for validation and checkpoints: the lowest number
  std::string stop;       ///< why all workers are to end; "": they continue
  bool interrupt = false; ///< with `stop`: as in StopAll
  TROUPE_FIELDS(version, main, stop, interrupt);
};

/// The sender of a push, and its sequence number within the incarnation, from 1.
struct PushId {
  WorkerId worker = 0;           ///< the sender
  std::uint64_t incarnation = 0; ///< from Joined
  std::uint64_t number = 0;      ///< one more than that of the push before
  TROUPE_FIELDS(worker, incarnation, number);
};

/// The first parameters of a cluster: stored if there are none yet. Error::not_joined or
/// Error::shape_mismatch where they are not taken.
struct CreateIfAbsent {
  WorkerId worker = 0; ///< the sender
  Block values;        ///< layout.size() floats
  /// If there are no parameters yet, the answer waits for those of the main worker, which may have
  /// loaded or restored them.
  bool main_first = false;
  TROUPE_FIELDS(worker, values, main_first);
};

/// What happened to a push at the holder, in seconds.
struct TimeAtHolder {
  double arrived = 0, answered = 0; ///< on the holder's clock; both 0: unknown
  double worked = 0;                ///< the holder computed
  double waited = 0;                ///< the push waited for other workers' pushes, and last
  WorkerId waited_for = 0;          ///< for this one's
  double delayed = 0;               ///< it waited for its turn, under pushes_per_second
  TROUPE_FIELDS(arrived, answered, worked, waited, waited_for, delayed);
};

/// All parameters, of one version.
struct Parameters {
  Version version = 0; ///< number of changes that led to these values
  /// Versions between the one that the push was based on and the one it was applied to; 0 for a
  /// pull.
  Version staleness = 0;
  double not_before = 0;  ///< seconds that the worker has to wait before it pushes again
  bool created = false;   ///< answers the CreateIfAbsent whose values were stored
  bool rejoined = false;  ///< the push was refused: its worker was lost, and is back
  std::uint64_t mark = 0; ///< equal at two shards that have applied the same whole pushes
  /// layout.size() floats; of an accepted push those of its fragment
  Block values;
  /// What the wire format has left out of the answered push, to be added to the worker's next one;
  /// empty: nothing.
  Block residual = {};
  TimeAtHolder at_holder = {}; ///< of the answered push
  TROUPE_FIELDS(version, staleness, not_before, created, rejoined, mark, values, residual,
                at_holder);
};

/// Asks for the newest parameters. Error::not_created is the answer while there are none.
struct Pull {
  WorkerId worker = 0; ///< the sender
  TROUPE_FIELDS(worker);
};

/// Asks for parameters newer than version `after`, and waits for them.
struct Await {
  WorkerId worker = 0; ///< the sender
  Version after = 0;   ///< of the last parameters that it has
  TROUPE_FIELDS(worker, after);
};

/// The alpha-beta rule for a part: S <- alpha S + beta W, with the shared value S and the pushed
/// one W. (0.5, 0.5) averages, (0, 1) replaces, (1, k) adds k W.
struct Weights {
  float alpha = 0.5f; ///< of the shared value
  float beta = 0.5f;  ///< of the pushed value
  TROUPE_FIELDS(alpha, beta);
};

/// Changes the shared parameters by a rule. Applied once for each number, however often it is sent.
struct Push {
  PushId id;            ///< the sender, and the push's number
  Version based_on = 0; ///< the version this worker last received
  UpdateRule rule;      ///< the same for all pushes of a round
  Staleness staleness;  ///< how many pushes this worker may be ahead of the slowest
  bool last = false;    ///< the worker leaves: nothing is kept back for a later push
  Block values;         ///< the result of contribution() for the worker's parameters
  Block residual = {}; ///< kept back from earlier pushes, to be added to the values; empty: nothing
  /// The last answer as the worker received it: a wire format may answer with an encoded difference
  /// to it, whose remainder follows in later answers. Empty: the answer is to be exact.
  Block received = {};
  Fragment fragment = {}; ///< that it changes: all blocks, also the answer's, are as long
  TROUPE_FIELDS(id, based_on, rule, staleness, last, values, residual, received, fragment);
};

/// `version` is the first that contains the push.
struct Applied {
  Version version = 0;   ///< of the parameters after the push
  Version staleness = 0; ///< versions between `based_on` and the one that it was applied to
  TROUPE_FIELDS(version, staleness);
};

/// A push that is answered by the parameters after it.
struct Exchange {
  Push push; ///< applied as one that comes alone
  TROUPE_FIELDS(push);
};

/// Some elements of one parameter: the cartesian product of one list of indices per axis (rows {0,
/// 2} x columns {1, 3}), or, if `elements` is not empty, single elements by their index tuples.
/// Without any list: the whole parameter.
struct Selection {
  std::string name;                         ///< of the parameter
  std::vector<std::vector<Index>> axes;     ///< one list of indices for each axis, from 0
  std::vector<std::vector<Index>> elements; ///< index tuples, as long as the parameter's shape
  TROUPE_FIELDS(name, axes, elements);
};

/// Asks for some elements of one parameter. Error::unknown_name or Error::shape_mismatch is the
/// answer for those that do not exist.
struct PullPart {
  WorkerId worker = 0; ///< the sender
  Selection selection; ///< which elements
  TROUPE_FIELDS(worker, selection);
};

/// Values in the order of the selection, last axis fastest.
struct Part {
  Version version = 0; ///< of this parameter
  Shape shape;         ///< of the selection
  Block values;        ///< those that were selected
  TROUPE_FIELDS(version, shape, values);
};

/// Changes some elements of one parameter by the alpha-beta rule.
struct PushPart {
  PushId id;           ///< the sender, and the push's number
  Weights weights;     ///< of the shared and the pushed values
  Selection selection; ///< which elements
  Block values;        ///< W, in the order of the selection
  TROUPE_FIELDS(id, weights, selection, values);
};

/// A worker ends. No round waits for it any longer.
struct Leave {
  WorkerId worker = 0;           ///< the sender
  std::uint64_t incarnation = 0; ///< that leaves; 0: the current one
  TROUPE_FIELDS(worker, incarnation);
};

/// Asks who takes part and how far the parameters are.
struct GetHolderStatus {
  TROUPE_FIELDS();
};

/// Who takes part, and how far the parameters are.
struct HolderStatus {
  Version version = 0;                     ///< of the parameters
  std::uint64_t pushes = 0;                ///< applied
  std::map<std::string, Version> versions; ///< of each parameter: updates that touched it
  std::vector<WorkerId> workers;           ///< joined, alive and not left; no readers
  std::vector<WorkerId> lost;              ///< lost, and not back; no readers
  /// The number of the last applied push, for each incarnation of each worker except readers.
  std::map<WorkerId, std::vector<std::uint64_t>> journal;
  std::vector<WorkerId> missing; ///< workers that open rounds wait for
  std::uint16_t block_port = 0;  ///< the port for block transfers; 0: none
  std::string block_name;        ///< its name within the holder's machine
  std::vector<WorkerId> readers; ///< joined, alive and not left, and only pull
  std::uint32_t absent = 0;      ///< workers that others announced and that have not joined yet
  TROUPE_FIELDS(version, pushes, versions, workers, lost, journal, missing, block_port, block_name,
                readers, absent);
};

/// Asks for all that a holder needs to resume after its process has ended.
struct SaveHolder {
  TROUPE_FIELDS();
};

/// What a saved holder knows of a worker.
struct SavedWorker {
  WorkerId worker = 0;                ///< its number
  std::vector<std::uint64_t> journal; ///< last number applied, of each incarnation
  Applied last_reply;                 ///< to its last push, for a repetition
  TROUPE_FIELDS(worker, journal, last_reply);
};

/// All that a holder needs to resume after its process has ended.
struct SavedHolder {
  Layout layout;                    ///< of the parameters
  Version version = 0;              ///< of the parameters
  std::uint64_t pushes = 0;         ///< that were applied
  std::vector<Version> versions;    ///< of each parameter
  std::vector<SavedWorker> workers; ///< all that have joined
  Block values;                     ///< the parameters
  Block velocity;                   ///< what its rule keeps from round to round
  std::uint64_t mark = 0;           ///< as in Parameters
  std::string rule;                 ///< the name of that rule; "": it keeps nothing, or is unknown
  TROUPE_FIELDS(layout, version, pushes, versions, workers, values, velocity, mark, rule);
  /// Those that states of the first version lack
  static constexpr std::array<std::string_view, 1> added_fields{"rule"};
};

/// Refused once a worker has joined. All earlier workers join again.
struct RestoreHolder {
  SavedHolder state; ///< of a holder with the same layout
  TROUPE_FIELDS(state);
};

/// Blocks are also accepted on this port of the holder's machine, and within it under a name.
struct UseBlockPort {
  std::uint16_t port = 0; ///< 0: none
  std::string name;       ///< under which processes of the same machine reach it
  TROUPE_FIELDS(port, name);
};

/// A timer of the holder: check the leases.
struct CheckLeases {
  TROUPE_FIELDS();
};

/// Holds the parameters that workers share (actors/parameters/parameter_holder.hpp).
using ParameterHolder = caf::typed_actor<
  caf::replies_to<Join>::with<Joined>, caf::replies_to<Renew>::with<Renewed>,
  caf::replies_to<CreateIfAbsent>::with<Parameters>, caf::replies_to<Pull>::with<Parameters>,
  caf::replies_to<Await>::with<Parameters>, caf::replies_to<Push>::with<Applied>,
  caf::replies_to<Exchange>::with<Parameters>, caf::replies_to<PullPart>::with<Part>,
  caf::replies_to<PushPart>::with<Applied>, caf::reacts_to<Leave>, caf::reacts_to<StopAll>,
  caf::reacts_to<UseBlockPort>, caf::replies_to<GetHolderStatus>::with<HolderStatus>,
  caf::replies_to<SaveHolder>::with<SavedHolder>, caf::replies_to<RestoreHolder>::with<Joined>>;

} // namespace troupe
