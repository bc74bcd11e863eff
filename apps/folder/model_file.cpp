#include "apps/folder/model_file.hpp"

#include "base/text/text.hpp"
#include "messages/checkpoint/saved_run.hpp"

namespace troupe {

namespace {

/// "linear0.weight [64, 256], linear0.bias [256]; 16640 parameters, 00f3..."
std::string state_dict_text(const SavedTrainer& trainer) {
  const auto text = [](const Parameter& p) { return p.name + " " + to_string(p.shape); };
  return joined(trainer.layout.parameters(), ", ", text) + "; "
         + std::to_string(trainer.layout.size()) + " parameters, "
         + fingerprint(trainer.parameters.values);
}

} // namespace

std::string model_file_text(const std::filesystem::path& path) {
  const auto run = load_run(path);
  if (!run.card)
    throw DataError("'" + path.string()
                    + "' is the state of a run, not a saved model; give one in the "
                      "folder models of a run that had a trainer");
  const auto& card = *run.card;
  std::string text;
  const auto line = [&text](std::string name, const std::string& value) {
    name.resize(17, ' ');
    text += name + value + "\n";
  };
  line("name", card.name);
  line("state_dict", state_dict_text(run.trainers.front()));
  line("model_timestamp", card.model_timestamp);
  line("episode", std::to_string(card.episode));
  line("loss", shortest(card.loss));
  line("status", card.status);
  line("training_causes", card.causes);
  line("status_timestamp", card.status_timestamp);
  line("training_stats", card.training_stats);
  line("validation_stats", card.validation_stats);
  return text;
}

} // namespace troupe
