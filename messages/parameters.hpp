// The parameter protocol: how workers share one set of parameters.
//
//   worker                          parameter holder
//     | ---- Join -----------------> |   protocol version, layout
//     | <--- Joined ---------------- |   or a refusal that names the differing parameter
//     | ---- CreateIfAbsent -------> |
//     | <--- Parameters ------------ |   the settled value: the first creator's, or the newest
//     | ---- Pull -----------------> |
//     | <--- Parameters ------------ |   of one version
//     | ---- Push -----------------> |   S <- alpha S + beta W, exactly once for each number
//     | <--- Applied --------------- |
//     | ---- Exchange -------------> |   push and pull in one
//     | <--- Parameters ------------ |
//     | ---- PushPart, PullPart ---> |   some rows and columns, or single elements, of one
//     parameter | ---- Leave ----------------> |
//
// A worker numbers its pushes 1, 2, 3, ...; a number that was applied already is answered as it was
// the first time and not applied again, so that a push may be repeated whenever its answer is
// missing.
#pragma once

#include "troupe/messages/loop.hpp"

namespace troupe {

/// Raised with every change of a message, so that peers of different builds refuse each other.
inline constexpr std::uint32_t protocol_version = 1;

struct Join {
  WorkerId worker = 0;
  std::uint32_t protocol = protocol_version;
  Layout layout;
  FIELDS(worker, protocol, layout);
};

/// `incarnation` grows with each Join of the worker: whatever comes from an older one is refused as
/// stale.
struct Joined {
  std::uint64_t incarnation = 0;
  bool created = false; ///< whether parameters exist already
  FIELDS(incarnation, created);
};

/// Who pushes, and the how-manieth push of its incarnation it is (1, 2, 3, ...).
struct PushId {
  WorkerId worker = 0;
  std::uint64_t incarnation = 0;
  std::uint64_t number = 0;
  FIELDS(worker, incarnation, number);
};

struct CreateIfAbsent {
  WorkerId worker = 0;
  Block values; ///< layout.size() floats
  FIELDS(worker, values);
};

/// All parameters, of one version.
struct Parameters {
  Version version = 0;
  Version staleness
    = 0; ///< versions between what the push was based on and what it met; 0 for a pull
  Block values;
  FIELDS(version, staleness, values);
};

struct Pull {
  WorkerId worker = 0;
  FIELDS(worker);
};

/// The alpha-beta rule, S <- alpha S + beta W: alpha weighs the shared value S, beta the pushed one
/// W. (0.5, 0.5) averages, (0, 1) replaces, (1, k) adds k W.
struct Weights {
  float alpha = 0.5f;
  float beta = 0.5f;
  FIELDS(alpha, beta);
};

struct Push {
  PushId id;
  Version based_on = 0; ///< the version this worker last pulled
  Weights weights;
  Block values;
  FIELDS(id, based_on, weights, values);
};

/// `version` is the first that contains the push.
struct Applied {
  Version version = 0;
  Version staleness = 0;
  FIELDS(version, staleness);
};

struct Exchange {
  Push push;
  FIELDS(push);
};

/// Some elements of one parameter: the cartesian product of one list of indices per axis (rows {0,
/// 2} x columns {1, 3}), or, where `elements` is not empty, single elements by their index tuples.
/// No list at all: the whole parameter.
struct Selection {
  std::string name;
  std::vector<std::vector<Index>> axes;
  std::vector<std::vector<Index>> elements;
  FIELDS(name, axes, elements);
};

struct PullPart {
  WorkerId worker = 0;
  Selection selection;
  FIELDS(worker, selection);
};

/// Values in the order of the selection, last axis fastest.
struct Part {
  Version version = 0; ///< of this parameter
  Shape shape;
  Block values;
  FIELDS(version, shape, values);
};

struct PushPart {
  PushId id;
  Weights weights;
  Selection selection;
  Block values;
  FIELDS(id, weights, selection, values);
};

struct Leave {
  WorkerId worker = 0;
  FIELDS(worker);
};

struct GetHolderStatus {
  FIELDS();
};

struct HolderStatus {
  Version version = 0;
  std::uint64_t pushes = 0;                ///< applied
  std::map<std::string, Version> versions; ///< of each parameter: updates that touched it
  std::vector<WorkerId> workers;           ///< joined and not left
  FIELDS(version, pushes, versions, workers);
};

using ParameterHolder = caf::typed_actor<
  caf::replies_to<Join>::with<Joined>, caf::replies_to<CreateIfAbsent>::with<Parameters>,
  caf::replies_to<Pull>::with<Parameters>, caf::replies_to<Push>::with<Applied>,
  caf::replies_to<Exchange>::with<Parameters>, caf::replies_to<PullPart>::with<Part>,
  caf::replies_to<PushPart>::with<Applied>, caf::reacts_to<Leave>,
  caf::replies_to<GetHolderStatus>::with<HolderStatus>>;

} // namespace troupe
