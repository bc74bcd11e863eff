#include "apps/folder/value_sources.hpp"

#include "apps/config/tree.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

constexpr const char* sources_file = "sources.json";

} // namespace

void write_value_sources(const std::filesystem::path& folder, const config::Node& tree) {
  auto sources = nlohmann::ordered_json::object();
  for (const auto& leaf : config::leaves(tree))
    if (leaf.value.source() != config::default_source)
      sources[config::to_string(leaf.path)] = leaf.value.source();
  write_file(folder / sources_file,
             sources.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::optional<std::map<std::string, std::string>>
value_sources_in(const std::filesystem::path& folder) {
  const auto json
    = nlohmann::json::parse(file_content(folder / sources_file).value_or(""), nullptr, false);
  if (!json.is_object())
    return {};
  std::map<std::string, std::string> sources;
  for (const auto& [key, source] : json.items())
    if (source.is_string())
      sources[key] = source.get<std::string>();
  return sources;
}

} // namespace troupe
