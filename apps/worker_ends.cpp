#include "troupe/apps/worker_ends.hpp"

#include "troupe/messages/type_ids.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <future>
#include <memory>

namespace troupe {

void start_workers(caf::actor_system& system, const WorkerEnds& ends, const Cast& cast,
                   WorkerId first) {
  const auto started = std::make_shared<std::promise<void>>();
  system.spawn([ends, trainers = cast.trainers, holder = cast.holder, first,
                started](caf::event_based_actor* self) {
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      const auto worker = first + static_cast<WorkerId>(i);
      const auto lost = [=](const caf::error& error) {
        if (holder)
          self->send(holder, Leave{worker});
        Finished failed;
        failed.worker = worker;
        failed.outcome = Outcome::failed;
        failed.error = "worker " + std::to_string(worker) + ": " + sentence(error);
        self->send(ends, failed);
      };
      self->request(trainers[i], caf::infinite, Start{})
        .then([=](const Finished& finished) { self->send(ends, finished); }, lost);
    }
    started->set_value();
  });
  started->get_future().wait();
}

void judge(SessionResult& result) {
  auto& all = result.finished;
  std::sort(all.begin(), all.end(),
            [](const Finished& a, const Finished& b) { return a.worker < b.worker; });
  if (all.empty() || result.outcome == Outcome::failed)
    return;
  const auto worst
    = std::max_element(all.begin(), all.end(), // the first of several
                       [](const Finished& a, const Finished& b) { return a.outcome < b.outcome; });
  result.outcome = worst->outcome;
  result.reason = worst->causes.empty() ? "" : worst->causes.front();
}

} // namespace troupe
