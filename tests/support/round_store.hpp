// A parameter store and some workers that push to it, without actors.
#pragma once

#include "messages/parameters/parameter_store.hpp"
#include "tests/support/holder_checks.hpp"

#include <map>

namespace troupe::test {

using Floats = std::vector<float>;

inline UpdateRule named_rule(const std::string& rule) {
  UpdateRule result;
  result.name = rule;
  return result;
}

/// Workers 0, 1, ... of one parameter "w" with the given initial values.
struct RoundStore {
  explicit RoundStore(WorkerId workers, Floats initial = {0}, double lease = 0,
                      ParameterStoreOptions options = {})
    : lease(lease),
      store(std::move(options)) {
    layout.add("w", {static_cast<Index>(initial.size())});
    for (WorkerId worker = 0; worker < workers; ++worker)
      join(worker);
    REQUIRE(store.create_if_absent({0, block_of(initial)}));
  }

  /// @param announced number of workers, as this one knows it; 0: unknown
  void join(WorkerId worker, double now = 0, WorkerId announced = 0) {
    auto join = join_of(worker, layout);
    join.lease = lease;
    join.workers = announced;
    const auto joined = store.join(join, now);
    REQUIRE(joined);
    ids[worker] = {worker, joined->incarnation, 0};
  }

  /// The worker's next push.
  Push next(WorkerId worker, Floats values, Staleness staleness = in_step,
            UpdateRule rule = named_rule("average")) {
    ++ids[worker].number;
    return {ids[worker], 0, rule, staleness, false, block_of(values)};
  }

  /// Whether the push is accepted and waits for others.
  bool waits(const Push& push, double now = 0) {
    const auto pushed = store.exchange(push, now);
    REQUIRE_FALSE(pushed.refusal);
    return pushed.waits();
  }

  Floats values() const { return floats_of(store.pull()->values); }
  std::uint64_t mark() const { return store.pull()->mark; }

  double lease;
  Layout layout;
  ParameterStore store;
  std::map<WorkerId, PushId> ids; ///< of each worker's last push
};

inline std::vector<WorkerId> workers_of(const std::vector<Settled>& settled) {
  std::vector<WorkerId> workers;
  for (const auto& one : settled)
    workers.push_back(one.id.worker);
  return workers;
}

} // namespace troupe::test
