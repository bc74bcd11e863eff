#include "actors/parameters/awaited_versions.hpp"

#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void AwaitedVersions::add(Version after, Promise promise) {
  waiting_.push_back({after, std::move(promise)});
}

void AwaitedVersions::settle(const ParameterStore& store) {
  const auto there
    = std::stable_partition(waiting_.begin(), waiting_.end(),
                            [&store](const Waiting& one) { return !store.newer_than(one.after); });
  for (auto one = there; one != waiting_.end(); ++one) {
    auto newest = store.pull();
    one->promise.deliver(std::move(*newest));
  }
  waiting_.erase(there, waiting_.end());
}

void AwaitedVersions::refuse_all(const caf::error& error) {
  for (auto& one : std::exchange(waiting_, {}))
    one.promise.deliver(error);
}

} // namespace troupe
