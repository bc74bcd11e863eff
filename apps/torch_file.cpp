#include "troupe/apps/torch_file.hpp"

#include "troupe/apps/config/tree.hpp"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace troupe {

namespace {

/// XXH3 of a file's bytes in hexadecimal digits; "" where it cannot be read.
std::string fingerprint_of_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  if (bytes.empty())
    return "";
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
  if (const auto fingerprint = fingerprint_of_file(path); !fingerprint.empty())
    config::set(tree, {"model", "fingerprint"}, config::Node::scalar(fingerprint, path, true));
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
