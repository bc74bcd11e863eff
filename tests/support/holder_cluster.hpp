// A parameter holder and workers of other nodes, in virtual time.
#pragma once

#include "actors/parameters/parameter_holder.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/holder_checks.hpp"

#include <algorithm>
#include <map>

namespace troupe::test {

using Workers = std::vector<WorkerId>;

/// A holder of a cluster whose workers are on other nodes, with a lease of one second.
struct HolderCluster {
  DeterministicSystem world;
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  ParameterHolder holder;
  std::map<WorkerId, PushId> ids;
  std::map<WorkerId, bool> hangs;

  explicit HolderCluster(Workers workers = {}, double join_grace = 60, std::string token = "",
                         double pushes_per_second = 0) {
    ParameterHolderOptions options;
    options.store.cluster = token;
    options.store.pushes_per_second = pushes_per_second;
    options.join_grace = join_grace;
    options.logger = recording_logger(world, heard);
    holder = world.keep(spawn_parameter_holder(world.system, options));
    for (auto worker : workers)
      join(worker);
    if (!workers.empty())
      REQUIRE(world.ask<Parameters>(holder, CreateIfAbsent{workers.front(), constant(0)}));
  }

  Join join_request(WorkerId worker, WorkerId announced = 0) const {
    auto join = join_of(worker, holder_layout());
    join.lease = 1;
    join.workers = announced;
    return join;
  }
  void join(WorkerId worker, WorkerId announced = 0) {
    const auto joined = world.ask<Joined>(holder, join_request(worker, announced));
    REQUIRE(joined);
    ids[worker] = {worker, joined->incarnation, 0};
  }
  Push next(WorkerId worker, float value, Staleness staleness = Staleness{0}) {
    ++ids[worker].number;
    Push push;
    push.id = ids[worker];
    push.rule.name = "average";
    push.staleness = staleness;
    push.values = constant(value);
    return push;
  }
  Pending<Parameters> exchange(const Push& push) { return {world, holder, Exchange{push}}; }
  Pending<Parameters> exchange(WorkerId worker, float value, Staleness staleness = Staleness{0}) {
    return exchange(next(worker, value, staleness));
  }
  caf::expected<Renewed> renew(WorkerId worker) {
    return world.ask<Renewed>(holder, Renew{worker, ids[worker].incarnation});
  }
  /// Lets time pass; workers that do not hang renew their leases every second.
  void pass(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      world.pass(1s, 50ms);
      for (const auto& [worker, id] : ids)
        if (!hangs[worker])
          renew(worker);
    }
  }
  float value() {
    const auto pulled = world.ask<Parameters>(holder, Pull{0});
    REQUIRE(pulled);
    return pulled->values.view()[0];
  }
  HolderStatus status() {
    const auto status = world.ask<HolderStatus>(holder, GetHolderStatus{});
    REQUIRE(status);
    return *status;
  }
  bool said(const std::string& text, Level level) const {
    const auto texts = heard->texts(level);
    return std::any_of(texts.begin(), texts.end(),
                       [&](const auto& one) { return one.find(text) != std::string::npos; });
  }
};

} // namespace troupe::test
