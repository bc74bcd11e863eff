#include "actors/parameters/first_parameters.hpp"

#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void FirstParameters::add(const CreateIfAbsent& create, double now, Promise promise) {
  workers_.insert(create.worker);
  waiting_.push_back({create, now, std::move(promise)});
}

/// Whether one of those that wait may be answered, found without looking at all of them: each has
/// waited for the main worker since it came.
bool FirstParameters::may_begin(const ParameterStore& store) const {
  return !waiting_.empty()
         && (workers_.contains(store.main()) || !store.waits_for_main(waiting_.back().create));
}

void FirstParameters::settle(ParameterStore& store) {
  if (!may_begin(store))
    return;
  const auto may = [&store](const Waiting& one) { return !store.waits_for_main(one.create); };
  const auto answer = [this, &store](Waiting& one) {
    workers_.erase(workers_.find(one.create.worker));
    auto created = store.create_if_absent(one.create);
    if (created)
      one.promise.deliver(std::move(*created));
    else
      one.promise.deliver(created.error());
  };
  for (auto one = std::find_if(waiting_.begin(), waiting_.end(), may); one != waiting_.end();
       one = std::find_if(waiting_.begin(), waiting_.end(), may)) {
    answer(*one);
    waiting_.erase(one);
    if (std::all_of(waiting_.begin(), waiting_.end(), may)) // there are parameters now
      for (auto& other : std::exchange(waiting_, {}))
        answer(other);
  }
}

void FirstParameters::refuse(WorkerId worker, const caf::error& error) {
  if (workers_.erase(worker) == 0)
    return;
  std::erase_if(waiting_, [&](Waiting& one) {
    const auto asked = one.create.worker == worker;
    if (asked)
      one.promise.deliver(error);
    return asked;
  });
}

void FirstParameters::refuse_all(const caf::error& error) {
  for (auto& one : waiting_)
    one.promise.deliver(error);
  waiting_.clear();
  workers_.clear();
}

double FirstParameters::longest(double now) const {
  auto longest = 0.0;
  for (const auto& one : waiting_)
    longest = std::max(longest, now - one.since);
  return longest;
}

} // namespace troupe
