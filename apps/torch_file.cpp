#include "troupe/apps/torch_file.hpp"

#include "troupe/apps/config/tree.hpp"
#include "troupe/model/problems/data_file.hpp"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <limits>

namespace troupe {

namespace {

/// XXH3 of a file's bytes in hexadecimal digits. @throws FileError, DataError as read_text does.
std::string fingerprint_of_file(const std::string& path) {
  const auto bytes = read_text(path, std::numeric_limits<std::uint64_t>::max());
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return text.data();
}

std::string model_text(const config::Node& tree, const char* key) {
  const auto* node = config::get(tree, {"model", key});
  return node != nullptr && node->is_scalar() ? node->text() : "";
}

} // namespace

void note_fingerprint(config::Node& tree) {
  if (model_text(tree, "name") != "torch" || !model_text(tree, "fingerprint").empty())
    return;
  const auto path = model_text(tree, "file");
  try {
    config::set(tree, {"model", "fingerprint"},
                config::Node::scalar(fingerprint_of_file(path), path, true));
  } catch (const std::runtime_error&) {
    // whoever makes the model tells of it
  }
}

std::unique_ptr<Model> make_torch_model(const TorchOptions& options, const DataSpec& data) {
  if (options.file.empty())
    throw ConfigError("model.file is empty; give the file that torch.jit.save wrote, like net.pt");
  auto module = load_torch_module(options.file);
  const auto found = fingerprint_of_file(options.file);
  if (!options.fingerprint.empty() && found != options.fingerprint)
    throw ConfigError("model.file is '" + options.file + "' with the fingerprint " + found
                      + ", but the run began with a module of the fingerprint "
                      + options.fingerprint
                      + "; give that file, or begin a new run with model.fingerprint=\"\"");
  return std::make_unique<TorchModel>(std::move(module), options.file, data, options);
}

} // namespace troupe
