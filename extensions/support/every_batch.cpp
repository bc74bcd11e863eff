#include "extensions/support/every_batch.hpp"

namespace troupe {

Conditions with_every_batch(const Conditions& commits) {
  Condition look;
  look.callback = Callback::after_batch;
  look.arguments = {silent_firing};
  look.apart = true; // merged with a commit, the firing would be neither
  auto conditions = Conditions{}.add_condition(std::move(look));
  for (const auto& condition : commits.all())
    conditions.add_condition(condition);
  return conditions.coalesce(commits.coalesced());
}

} // namespace troupe
