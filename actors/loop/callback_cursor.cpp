#include "actors/loop/callback_cursor.hpp"

#include "base/exception_text.hpp"

#include <stdexcept>

namespace troupe {

void CallbackCursor::begin(Callback callback) {
  callback_ = callback;
  next_ = next_firing_ = 0;
  firings_.clear();
}

std::optional<CallbackCursor::Call>
CallbackCursor::next(const std::vector<std::shared_ptr<Subscription>>& all, const RunState& run,
                     bool main) {
  for (;;) {
    if (next_firing_ < firings_.size() && !all[next_ - 1]->ended)
      return Call{all[next_ - 1], std::move(firings_[next_firing_++])};
    firings_.clear();
    next_firing_ = 0;
    while (next_ < all.size()
           && (all[next_]->ended || (all[next_]->main_only && !main)
               || !all[next_]->conditions.possible(callback_, run.position)))
      ++next_;
    if (next_ >= all.size())
      return {};
    auto& subscription = *all[next_++];
    try {
      firings_ = subscription.conditions.firings(callback_, run.position, run.row);
    } catch (...) { // from a predicate
      throw std::runtime_error("a condition of extension '" + subscription.name + "' failed at "
                               + to_string(callback_) + " of batch "
                               + std::to_string(run.position.batches) + ": " + exception_text());
    }
  }
}

void CallbackCursor::added(std::size_t place) {
  if (place < next_)
    ++next_; // the next subscription has moved
}

} // namespace troupe
