#include "apps/session/worker_ends.hpp"

#include "messages/wire/type_ids.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

namespace troupe {

void start_workers(caf::actor_system& system, const WorkerEnds& ends, const RunActors& actors,
                   WorkerId first) {
  const auto sent = std::make_shared<std::promise<void>>();
  tell_to_start(system, ends, actors, first, [sent] { sent->set_value(); });
  sent->get_future().wait();
}

void tell_to_start(caf::actor_system& system, const WorkerEnds& ends, const RunActors& actors,
                   WorkerId first, std::function<void()> sent) {
  system.spawn([ends, trainers = actors.trainers, holders = actors.holders, first,
                sent = std::move(sent)](caf::event_based_actor* self) {
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      const auto worker = first + static_cast<WorkerId>(i);
      const auto holder = holders.empty() ? ParameterHolder{} : holders[i];
      const auto ended = [=](const Finished& finished) {
        if (holder)
          self->send(holder, Leave{worker});
        self->send(ends, finished);
      };
      const auto lost = [=](const caf::error& error) {
        Finished failed;
        failed.worker = worker;
        failed.outcome = Outcome::failed;
        failed.error = "worker " + std::to_string(worker) + ": " + sentence(error);
        ended(failed);
      };
      self->request(trainers[i], caf::infinite, Start{}).then(ended, lost);
    }
    sent();
  });
}

void judge(SessionResult& result) {
  auto& all = result.finished;
  std::sort(all.begin(), all.end(),
            [](const Finished& a, const Finished& b) { return a.worker < b.worker; });
  if (all.empty() || result.outcome == Outcome::failed)
    return;
  const auto worst
    = std::max_element(all.begin(), all.end(), // the first one if there are several
                       [](const Finished& a, const Finished& b) { return a.outcome < b.outcome; });
  result.outcome = worst->outcome;
  result.reason = worst->causes.empty() ? "" : worst->causes.front();
}

} // namespace troupe
