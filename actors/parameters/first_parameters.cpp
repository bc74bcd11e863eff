#include "actors/parameters/first_parameters.hpp"

#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void FirstParameters::add(const CreateIfAbsent& create, double now, Promise promise) {
  waiting_.push_back({create, now, std::move(promise)});
}

void FirstParameters::settle(ParameterStore& store) {
  const auto may = [&store](const Waiting& one) { return !store.waits_for_main(one.create); };
  for (auto one = std::find_if(waiting_.begin(), waiting_.end(), may); one != waiting_.end();
       one = std::find_if(waiting_.begin(), waiting_.end(), may)) {
    auto created = store.create_if_absent(one->create);
    if (created)
      one->promise.deliver(std::move(*created));
    else
      one->promise.deliver(created.error());
    waiting_.erase(one);
  }
}

void FirstParameters::refuse(WorkerId worker, const caf::error& error) {
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
}

double FirstParameters::longest(double now) const {
  auto longest = 0.0;
  for (const auto& one : waiting_)
    longest = std::max(longest, now - one.since);
  return longest;
}

} // namespace troupe
