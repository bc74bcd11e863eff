#include "troupe/apps/warm_start.hpp"

#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/config/tree.hpp"
#include "troupe/extensions/load.hpp"
#include "troupe/messages/text.hpp"

#include <filesystem>

namespace troupe {

std::string model_to_load(const config::Node& tree) {
  return config::text_at(tree, {"model", "load"});
}

void check_warm_start(const std::string& path, const Layout& layout) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw FileError("model.load is '" + path
                    + "', which is not there; give the file of a model, like "
                      "runs/latest/models/model_best.bin, or the folder of a run");
  const auto saved = run_to_load(path);
  const auto& trainer = saved.trainers.front();
  const auto refuse = [&path](const std::string& why) {
    throw DataError("model.load is '" + path + "', which does not fit: " + why
                    + "; give the file of such a model, or load what fits by extensions.load");
  };
  try {
    const auto loaded = load_by_name(layout, Block::uninitialized(layout.size()), trainer.layout,
                                     trainer.parameters.values);
    if (!loaded.missing.empty())
      refuse("it lacks " + joined(loaded.missing));
    if (!loaded.unknown.empty())
      refuse("the model lacks " + joined(loaded.unknown));
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
}

ConfiguredExtension warm_start(const std::string& path) {
  ConfiguredExtension load;
  load.name = "model.load";
  load.type = "load";
  load.options = config::encode(LoadOptions{.path = path, .strict = true, .required = true});
  load.conditions = load_conditions();
  load.participation.workers = "all";
  return load;
}

} // namespace troupe
