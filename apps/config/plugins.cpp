#include "apps/config/plugins.hpp"

#include "actors/log/log_sink_kind.hpp"
#include "base/failure.hpp"
#include "base/files/file_content.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "model/data/problem_kind.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/losses/loss_kind.hpp"
#include "model/losses/metric_kind.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/training/model_kind.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>

namespace troupe {

namespace {

using config::Node;

constexpr const char* plugins_key = "plugins";

/// A path as it is named, for sentences.
struct NamedPlugin {
  std::filesystem::path path;
  std::string source;
};

Node absolute_path(const Node& given, const std::filesystem::path& folder) {
  if (!given.is_scalar() || given.text().empty())
    return given;
  return Node::scalar(std::filesystem::absolute(folder / given.text()).lexically_normal().string(),
                      given.source(), true);
}

/// @throws ConfigError
std::vector<NamedPlugin> plugins_in(const Node& tree) {
  const auto* given = tree.find(plugins_key);
  if (given == nullptr || given->is_null())
    return {};
  std::vector<NamedPlugin> plugins;
  for (const auto& item : given->items()) {
    if (!item.is_scalar() || item.text().empty())
      throw ConfigError("plugins lists " + config::shown(item) + " (" + item.source()
                        + "); give the path of a shared object, like ./libmine.so");
    plugins.push_back({item.text(), item.source()});
  }
  if (!given->is_list())
    throw ConfigError("plugins is " + config::shown(*given) + " (" + given->source()
                      + "); give a list of shared objects, like [./libmine.so]");
  return plugins;
}

/// @throws ConfigError
std::string bytes_of(const NamedPlugin& plugin, const std::string& what) {
  std::error_code ignored;
  if (!std::filesystem::exists(plugin.path, ignored))
    throw ConfigError(what
                      + ", where there is no file; build it, or give its path: a relative one "
                        "counts from the folder of the file that names it");
  // A stream of a folder throws where it is read.
  auto bytes = std::filesystem::is_regular_file(plugin.path, ignored) ? file_content(plugin.path)
                                                                      : std::nullopt;
  if (!bytes)
    throw ConfigError(what + ", which cannot be read; give a shared object that may be read");
  return *std::move(bytes);
}

std::optional<PluginStamp> stamp_in(const std::string& bytes) {
  constexpr auto own = own_plugin_stamp();
  PluginStamp stamp{};
  const auto found = std::search(bytes.begin(), bytes.end(), own.mark.begin(), own.mark.end());
  if (static_cast<std::size_t>(bytes.end() - found) < sizeof stamp)
    return {};
  std::memcpy(&stamp, &*found, sizeof stamp);
  stamp.version.back() = stamp.compiler.back() = '\0';
  return stamp;
}

/// Whether a shared object lacks bytes that the loader would map: reading them would end the program.
bool is_cut_short(const std::string& bytes) {
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header)
    return true;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return false; // the loader refuses what is no shared object
  const auto ends_within = [&bytes](std::uint64_t begin, std::uint64_t size) {
    return begin <= bytes.size() && size <= bytes.size() - begin;
  };
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto place = header.e_phoff + i * sizeof(ElfW(Phdr));
    ElfW(Phdr) segment;
    if (!ends_within(place, sizeof segment))
      return true;
    std::memcpy(&segment, bytes.data() + place, sizeof segment);
    if (segment.p_type == PT_LOAD && !ends_within(segment.p_offset, segment.p_filesz))
      return true;
  }
  return false;
}

std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored);
}

/// @throws ConfigError
void check_told(const NamedPlugin& plugin, const std::string& what) {
  const auto* given = std::getenv(allowed_plugins);
  if (given == nullptr)
    return;
  for (const auto& path : split_at(':', given))
    if (resolved(path) == resolved(plugin.path))
      return;
  throw ConfigError(what
                    + ", which this process was not told to load; if you trust it, start the node "
                      "with --plugins "
                    + plugin.path.string() + ", or name it in the variable " + allowed_plugins);
}

std::string named(const NamedPlugin& plugin) {
  return "plugins names " + config::shown(plugin.path.string()) + " (" + plugin.source + ")";
}

/// Names that were registered more than once, of all sorts.
std::vector<std::string> repeated_names() {
  std::vector<std::string> all;
  for (const auto& names :
       {extension_kinds().repeated(), problem_kinds().repeated(), model_kinds().repeated(),
        optimizer_kinds().repeated(), layer_kinds().repeated(), loss_kinds().repeated(),
        metric_kinds().repeated(), update_rule_kinds().repeated(), log_sink_kinds().repeated()})
    all.insert(all.end(), names.begin(), names.end());
  return all;
}

/// @throws ConfigError
void load_plugin(const NamedPlugin& plugin) {
  const auto what = named(plugin);
  check_told(plugin, what);
  const auto bytes = bytes_of(plugin, what);
  const auto stamp = stamp_in(bytes);
  if (!stamp)
    throw ConfigError(
      what
      + ", which is no plugin of troupe: write TROUPE_PLUGIN; in one of its source files "
        "(base/plugin.hpp), and build it as a shared object");
  if (const auto defect = stamp_defect(*stamp, own_plugin_stamp()); !defect.empty())
    throw ConfigError(what + ", " + defect);
  if (is_cut_short(bytes))
    throw ConfigError(what + ", which is cut short; copy or build it again");
  const auto known = repeated_names().size();
  if (dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw ConfigError(
      what + ", which cannot be loaded: " + dlerror()
      + "; link it with what it lacks, or build it again with this troupe's headers");
  if (const auto repeated = repeated_names(); repeated.size() > known)
    throw ConfigError(what + ", which registers " + config::shown(repeated[known])
                      + ", a name that there is already; give it another one, and link the plugin "
                        "to troupe::plugin, not "
                        "to the libraries of troupe, which the program has");
}

} // namespace

void settle_plugin_paths(Node& tree, const std::filesystem::path& folder) {
  auto* given = tree.find(plugins_key);
  if (given == nullptr || !given->is_list())
    return;
  auto settled = Node::list(given->source());
  for (const auto& item : given->items())
    settled.append(absolute_path(item, folder));
  *given = std::move(settled);
}

void load_plugins(const Node& tree) {
  static std::mutex mutex; // a grid reads the configurations of several runs at a time
  static std::set<std::filesystem::path> loaded;
  Sentences errors;
  const std::lock_guard lock{mutex};
  for (const auto& plugin : plugins_in(tree))
    try {
      const auto file = resolved(plugin.path);
      if (loaded.count(file) == 0)
        load_plugin(plugin);
      loaded.insert(file);
    } catch (const ConfigError& e) {
      errors.insert(errors.end(), e.sentences().begin(), e.sentences().end());
    }
  if (!errors.empty())
    throw ConfigError(errors);
}

void allow_only_plugins(const std::vector<std::string>& paths) {
  const auto* before = std::getenv(allowed_plugins);
  std::string all = before != nullptr ? before : "";
  for (const auto& path : paths)
    all += (all.empty() ? "" : ":") + std::filesystem::absolute(path).string();
  setenv(allowed_plugins, all.c_str(), 1);
}

void check_allowed(const Node& tree) {
  for (const auto& plugin : plugins_in(tree))
    check_told(plugin, named(plugin));
}

std::string stamp_defect(const PluginStamp& plugin, const PluginStamp& own) {
  if (plugin.version == own.version && plugin.compiler == own.compiler)
    return "";
  const auto text = [](const PluginStamp& stamp) {
    return std::string{stamp.version.data()} + " by " + stamp.compiler.data();
  };
  return "which was built for troupe " + text(plugin) + "; this is troupe " + text(own)
         + ": build the plugin again, with this one's headers and compiler";
}

void check_registered_names() {
  if (const auto repeated = repeated_names(); !repeated.empty())
    throw ConfigError("the program registers " + joined(repeated)
                      + " more than once; give each extension, problem, model, optimizer and layer "
                        "of yours a name of its own");
}

} // namespace troupe
