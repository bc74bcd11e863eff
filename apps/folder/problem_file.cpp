#include "apps/folder/problem_file.hpp"

#include "apps/config/tree.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/durable_file.hpp"
#include "model/data/fitted_problem.hpp"
#include "model/formats/data_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using ProblemJson = nlohmann::ordered_json;

constexpr std::uint64_t most_fit = std::uint64_t{1} << 28; // bytes

/// "" if there is no such file.
std::string text_of_fit(const fs::path& folder) {
  const auto path = folder / problem_file;
  std::error_code error; // in a folder without a run, the file belongs to another program
  return fs::exists(path, error) && fs::exists(folder / "config.yaml", error)
           ? read_text(path.string(), most_fit)
           : "";
}

DataError damaged_fit(const fs::path& folder, const std::string& how) {
  return DataError("'" + (folder / problem_file).string() + "' is damaged: " + how
                   + "; restore it from a copy");
}

/// Limits the nesting: writing the tree again is recursive and could overflow the stack.
ProblemJson parsed(const std::string& text, const fs::path& folder) {
  constexpr int most_nesting = 8; // {"features": [{"levels": [...]}]} has 4
  bool deep = false;
  const auto look = [&deep](int depth, ProblemJson::parse_event_t, ProblemJson&) {
    deep = deep || depth > most_nesting;
    return !deep; // deeper levels are not even stored
  };
  auto json = ProblemJson::parse(text, look, false);
  if (deep || !json.is_object() || !json.contains("problem") || !json["problem"].is_string())
    throw damaged_fit(folder, "it does not say how the run reads its data");
  json.erase("checksum");
  return json;
}

/// The first member in `given` that `known` lacks, as "features[1].deviation"; "" if there is none.
std::string strange_member(const ProblemJson& given, const ProblemJson& known) {
  if (given.is_array() && known.is_array())
    for (std::size_t i = 0; i < std::min(given.size(), known.size()); ++i)
      if (const auto found = strange_member(given[i], known[i]); !found.empty())
        return "[" + std::to_string(i) + "]" + found;
  if (!given.is_object() || !known.is_object())
    return "";
  for (const auto& [name, value] : given.items()) {
    if (!known.contains(name))
      return "." + name;
    if (const auto found = strange_member(value, known[name]); !found.empty())
      return "." + name + found;
  }
  return "";
}

} // namespace

std::string fit_in(const fs::path& folder, const config::Node& problem) {
  const auto text = text_of_fit(folder);
  if (text.empty())
    return "";
  const auto json = parsed(text, folder);
  if (state_of(text) == TextState::changed)
    throw damaged_fit(folder, "its checksum is wrong");
  return json["problem"] == config::text_at(problem, {"name"}) ? json.dump(2) + "\n" : "";
}

void check_fit(const std::string& fit, const Problem& problem) {
  const auto known = ProblemJson::parse(fit_of(problem), nullptr, false);
  const auto strange = strange_member(ProblemJson::parse(fit, nullptr, false), known);
  if (!strange.empty())
    throw DataError("what the run has fitted to its data, " + std::string{problem_file}
                    + ", is damaged: it has '" + strange.substr(1)
                    + "', which this problem does not know; restore it from a copy");
}

void write_fit(const fs::path& folder, const Problem& problem) {
  if (const auto fit = fit_of(problem); !fit.empty()) {
    write_file(folder / problem_file, json_with_checksum(fit));
    return;
  }
  std::error_code none; // a file left by a run that began here before
  fs::remove(folder / problem_file, none);
}

std::map<std::string, std::string> problem_metadata(const std::string& run) {
  const auto folder = folder_of_run(run);
  const auto fit = text_of_fit(folder);
  if (fit.empty())
    return {};
  const auto json = parsed(fit, folder);
  if (state_of(fit) == TextState::changed)
    throw damaged_fit(folder, "its checksum is wrong");
  std::map<std::string, std::string> metadata{{"problem", json.dump()}};
  const auto& of = json.contains("target") ? json["target"] : json;
  if (of.contains("classes"))
    metadata["classes"] = of["classes"].dump();
  return metadata;
}

} // namespace troupe
