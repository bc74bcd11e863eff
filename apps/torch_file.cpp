#include "troupe/apps/torch_file.hpp"

#include "troupe/apps/config/tree.hpp"
#include "troupe/messages/hash_text.hpp"
#include "troupe/model/problems/data_file.hpp"

#include <limits>
#include <span>

namespace troupe {

namespace {

/// XXH3 of a file's bytes in hexadecimal digits. @throws FileError, DataError as read_text does.
std::string fingerprint_of_file(const std::string& path) {
  const auto bytes = read_text(path, std::numeric_limits<std::uint64_t>::max());
  return hash_text(std::as_bytes(std::span{bytes}));
}

} // namespace

void note_fingerprint(config::Node& tree) {
  if (config::text_at(tree, {"model", "name"}) != "torch"
      || !config::text_at(tree, {"model", "fingerprint"}).empty())
    return;
  const auto path = config::text_at(tree, {"model", "file"});
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
