#include "apps/config/files.hpp"

#include "apps/config/plugins.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"

#include <set>
#include <system_error>

namespace troupe::config {

namespace {

constexpr const char* includes_key = "default_configs";

class FileLoader {
public:
  // Depth first: the defaults of a file lie below it, and later defaults over earlier ones.
  void load(const std::filesystem::path& path, const Node* named_by) {
    if (!visited_.insert(identity(path)).second && named_by != nullptr)
      return;
    Node tree;
    try {
      tree = read_yaml_file(path);
    } catch (const ConfigError& error) {
      const auto by = named_by == nullptr ? ""
                                          : " (named by " + std::string{includes_key} + ", "
                                              + named_by->source() + ")";
      for (const auto& sentence : error.sentences())
        errors.push_back(sentence + by);
      return;
    }
    if (const auto* found = tree.find(includes_key)) {
      const auto includes = *found;
      tree.erase(includes_key);
      for (const auto& name : names(includes))
        load((path.parent_path() / name).lexically_normal(), &includes);
    }
    settle_plugin_paths(tree, path.parent_path());
    order.push_back(path.string());
    auto more = merge(result, tree);
    errors.insert(errors.end(), more.begin(), more.end());
  }

  Node result = Node::map();
  std::vector<std::string> order; ///< later files override earlier ones
  Sentences errors;

private:
  static std::string identity(const std::filesystem::path& path) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    return error ? path.string() : canonical.string();
  }

  std::vector<std::string> names(const Node& includes) {
    std::vector<std::string> result;
    const auto add = [&](std::string_view text) {
      if (const auto name = trimmed(text); !name.empty())
        result.emplace_back(name);
    };
    const auto wrong = [&](const Node& node) {
      errors.push_back(std::string{includes_key} + " is " + shown(node) + " (" + node.source()
                       + "); give it like [base.yaml, cluster.yaml]");
    };
    if (includes.is_scalar()) {
      for (const auto& text : split_at(',', includes.text()))
        add(text);
    } else if (includes.is_list()) {
      for (const auto& item : includes.items()) {
        if (item.is_scalar())
          add(item.text());
        else
          wrong(item);
      }
    } else if (includes.is_map()) {
      wrong(includes);
    }
    return result;
  }

  std::set<std::string> visited_;
};

FileLoader loaded(const std::vector<std::filesystem::path>& files) {
  FileLoader loader;
  for (const auto& file : files)
    loader.load(file, nullptr);
  if (!loader.errors.empty())
    throw ConfigError(std::move(loader.errors));
  return loader;
}

} // namespace

Node read_files(const std::vector<std::filesystem::path>& files) {
  return std::move(loaded(files).result);
}

std::vector<std::string> order_of_files(const std::vector<std::filesystem::path>& files) {
  return std::move(loaded(files).order);
}

} // namespace troupe::config
