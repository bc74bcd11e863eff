#include "apps/dashboard/curve_cache.hpp"

#include <malloc.h>

#include <algorithm>

namespace troupe {

std::shared_ptr<CurveCache::Kept> CurveCache::find(const FoundFolder& run) {
  const std::lock_guard lock{mutex_};
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& one) { return one->run == run.path; });
  if (found == kept_.end())
    kept_.push_front(std::make_shared<Kept>(run));
  else
    kept_.splice(kept_.begin(), kept_, found);
  return kept_.front();
}

void CurveCache::with(const FoundFolder& run, const Use& use) {
  const auto kept = find(run);
  {
    const std::lock_guard lock{kept->mutex};
    kept->log->poll(kept->columns);
    use(kept->columns, *kept->log);
    const std::lock_guard all{mutex_};
    kept->bytes = kept->columns.bytes();
  }
  drop_oldest();
}

void CurveCache::drop_oldest() {
  const std::lock_guard lock{mutex_};
  std::size_t bytes = 0;
  auto last = kept_.begin();
  for (; last != kept_.end(); ++last) {
    bytes += (*last)->bytes;
    if (bytes > most_bytes_ && last != kept_.begin())
      break;
  }
  if (last == kept_.end())
    return;
  kept_.erase(last, kept_.end());
  malloc_trim(0);
}

} // namespace troupe
