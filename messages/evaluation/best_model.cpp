#include "messages/evaluation/best_model.hpp"

#include "messages/log/statistics.hpp"

namespace troupe {

std::string training_stats(std::uint64_t batches, double loss_sum) {
  auto text = "episodes_aggregated " + std::to_string(batches);
  if (batches > 0)
    text += "; loss " + shortest(loss_sum / static_cast<double>(batches));
  return text + " [Training]";
}

std::string validation_stats(const Records& row, const std::string& prefix,
                             const std::string& tag) {
  std::string text;
  const auto begin = prefix + "_";
  for (auto i = row.lower_bound(begin); i != row.end() && i->first.starts_with(begin); ++i)
    if (as_number(i->second) && is_measurement(i->first))
      text
        += (text.empty() ? "" : "; ") + i->first.substr(begin.size()) + " " + to_string(i->second);
  return text + (text.empty() ? "[" : " [") + tag + "]";
}

BestModel::Decision BestModel::offer(const Records& row, const std::string& status) {
  if (best_.offer(row) == BestRecord::Decision::best) {
    status_ = status;
    return Decision::save;
  }
  if (!best_.state().any || status == status_)
    return Decision::nothing;
  status_ = status;
  return Decision::restatus;
}

void BestModel::restore(const State& state) {
  best_.restore(state.best);
  status_ = state.status;
}

} // namespace troupe
