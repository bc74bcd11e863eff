#include "model/torch/torch_file.hpp"

#include "base/hash_text.hpp"
#include "model/formats/data_file.hpp"
#include "model/training/model_kind.hpp"

#include <sys/stat.h>

#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>

namespace troupe {

namespace {

/// Identifies the version of a file without reading it.
using FileMark = std::tuple<dev_t, ino_t, off_t, time_t, long>;

FileMark mark_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0)
    return {};
  return {file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

} // namespace

std::string fingerprint_of_file(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<FileMark, std::string>> known;
  const std::lock_guard lock{mutex};
  const auto mark = mark_of(path);
  if (const auto found = known.find(path); found != known.end() && found->second.first == mark)
    return found->second.second;
  const auto bytes = read_text(path, std::numeric_limits<std::uint64_t>::max());
  auto fingerprint = hash_text(std::as_bytes(std::span{bytes}));
  known[path] = {mark, fingerprint};
  return fingerprint;
}

std::unique_ptr<Model> make_torch_model(const TorchOptions& options, const DataSpec& data) {
  if (options.file.empty())
    throw ConfigError("model.file is empty; give the file that torch.jit.save wrote, like net.pt");
  auto module = load_torch_module(options.file);
  const auto found = fingerprint_of_file(options.file);
  if (!options.fingerprint.empty() && found != options.fingerprint)
    throw ConfigError("model.file is '" + options.file + "' with the fingerprint " + found
                      + ", but the run started with a module with the fingerprint "
                      + options.fingerprint
                      + "; give that file, or start a new run with model.fingerprint=\"\"");
  return std::make_unique<TorchModel>(std::move(module), options.file, data, options);
}

namespace {

const RegisterModel torch_kind{
  ModelKind{"torch", [] { return config::encode(TorchOptions{}); },
            [](const config::Node& section, const std::string& path, const DataSpec& data) {
              return make_torch_model(options_of<TorchOptions>(section, path), data);
            }}};

} // namespace

} // namespace troupe
