#include "messages/evaluation/best_model.hpp"

#include "messages/log/statistics.hpp"

#include <cstdint>

namespace troupe {

Records records_of(const ModelCard& card) {
  return {{"name", Value{card.name}},
          {"model_timestamp", Value{card.model_timestamp}},
          {"episode", Value{static_cast<std::int64_t>(card.episode)}},
          {"loss", Value{card.loss}},
          {"status", Value{card.status}},
          {"status_timestamp", Value{card.status_timestamp}},
          {"training_stats", Value{card.training_stats}},
          {"validation_stats", Value{card.validation_stats}},
          {"training_causes", Value{card.causes}}};
}

ModelCard card_in(const Records& records) {
  const auto text = [&records](const char* name) {
    const auto found = records.find(name);
    return found == records.end() ? std::string{} : to_string(found->second);
  };
  const auto number = [&records](const char* name) {
    const auto found = records.find(name);
    return found == records.end() ? 0.0 : as_number(found->second).value_or(0);
  };
  ModelCard card;
  card.name = text("name");
  card.model_timestamp = text("model_timestamp");
  card.episode = static_cast<Step>(number("episode"));
  card.loss = number("loss");
  card.status = text("status");
  card.status_timestamp = text("status_timestamp");
  card.training_stats = text("training_stats");
  card.validation_stats = text("validation_stats");
  card.causes = text("training_causes");
  return card;
}

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
