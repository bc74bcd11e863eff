#include "apps/run_config/warm_start.hpp"

#include "apps/config/tree.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/text/text.hpp"
#include "extensions/saving/loaded_parameters.hpp"
#include "extensions/support/extension_kind.hpp"

#include <filesystem>

namespace troupe {

namespace {

/// The path with links resolved; a relative path stays relative.
std::string settled(const std::string& given) {
  auto path = path_of_run(given);
  if (is_launched(path))
    path = folder_of_worker(path, 0);
  std::error_code error;
  const auto whole = path.is_absolute() ? std::filesystem::weakly_canonical(path, error)
                                        : std::filesystem::proximate(path, error);
  return error ? path.string() : whole.string();
}

/// What a configuration loads, and the key for it.
struct WantedLoad {
  std::string key;
  std::string extension; ///< its name; "" for model.load
  LoadedFile file;
};

void check_load(const WantedLoad& wanted, const Layout& layout) {
  const auto& path = wanted.file.path;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (wanted.file.optional)
      return; // the extension itself warns
    throw IoError(wanted.key + " is '" + path
                  + "', which does not exist; give the file of a model, like "
                    "runs/latest/models/model_best.bin, or the folder of a run, or 'latest'"
                  + (wanted.extension.empty() ? ""
                                              : "; or set extensions." + wanted.extension
                                                  + ".optional=true to train without it"));
  }
  FoundRun found;
  try {
    found = run_to_load(path, checkpoints_of);
  } catch (const IoError&) {
    if (wanted.file.optional)
      return;
    throw;
  }
  const auto& trainer = found.run.trainers.front();
  const auto refuse = [&](const std::string& why, const std::string& cure) {
    throw DataError(wanted.key + " is '" + path + "', which does not fit: " + why
                    + "; give the file of such a model, or " + cure);
  };
  const auto use_what_fits = [&](const std::string& why) {
    refuse(why, wanted.extension.empty()
                  ? "load what fits in its place: 'extensions.load={path: " + path + "}'"
                  : "load what fits: extensions." + wanted.extension + ".strict=false");
  };
  try {
    const auto loaded = load_by_name(layout, Block::uninitialized(layout.size()), trainer.layout,
                                     trainer.parameters.values);
    if (wanted.file.strict && !loaded.missing.empty())
      use_what_fits("it lacks " + joined(loaded.missing));
    if (wanted.file.strict && !loaded.unknown.empty())
      use_what_fits("the model lacks " + joined(loaded.unknown));
  } catch (const std::invalid_argument& e) {
    refuse(e.what(), "make the model of the sizes there");
  }
}

void settle_load(config::Node* path) {
  if (path != nullptr && path->is_scalar() && !path->text().empty())
    *path = config::Node::scalar(settled(path->text()), path->source(), true);
}

} // namespace

void settle_loads(config::Node& tree) {
  settle_load(config::get(tree, {"model", "load"}));
  auto* extensions = tree.find("extensions");
  if (extensions == nullptr)
    return;
  for (const auto& name : extensions->keys()) {
    auto* section = extensions->find(name);
    const auto type = config::text_at(*section, {"type"});
    if (!has_hook(type.empty() ? name : type, &RunHooks<>::loads))
      continue;
    settle_load(section->find("path"));
    if (const auto* required = section->find("required"); required != nullptr) {
      section->put("optional", config::Node::scalar(required->text() == "false" ? "true" : "false",
                                                    required->source()));
      section->erase("required");
    }
  }
}

std::string model_to_load(const config::Node& tree) {
  return config::text_at(tree, {"model", "load"});
}

void check_loads(const RunConfig& config, const Layout& layout, WorkerId first_worker) {
  if (const auto path = model_to_load(config.tree); !path.empty())
    check_load({"model.load", "", {.path = path, .strict = true}}, layout);
  for (const auto& extension : config.extensions)
    if (auto file = hook_answer(extension, &RunHooks<>::loads)) {
      // What only the main worker loads needs to exist on its machine only.
      if (extension.participation.workers == "main" && first_worker > 0)
        file->optional = true;
      check_load({"extensions." + extension.name + ".path", extension.name, *std::move(file)},
                 layout);
    }
}

ConfiguredExtension warm_start(const std::string& path) {
  auto section = config::Node::map();
  section.put("type", config::Node::scalar("load"));
  section.put("path", config::Node::scalar(path, "model.load", true));
  section.put("strict", config::Node::scalar("true"));
  ConfiguredExtension load;
  if (const auto errors = read_extension("model.load", section, load); !errors.empty())
    throw ConfigError(errors);
  return load;
}

} // namespace troupe
