#include "messages/checkpoint/run_file_names.hpp"

#include "messages/checkpoint/saved_run.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe {

namespace {

constexpr std::array<std::string_view, 12> names{
  "config.yaml",  "sources.json", "console.log",  "result.json", "problem.json", "tags.json",
  "control.json", "cluster.json", saved_run_file, "trial.yaml",  "output.txt",   ".lock"};

/// "log.jsonl", or "log.1.jsonl" after it was set aside.
bool is_log(std::string_view name) { return name.starts_with("log.") && name.ends_with(".jsonl"); }

} // namespace

bool is_file_of_run(const std::filesystem::path& path) {
  const auto name = path.lexically_normal().string();
  return is_log(name) || std::find(names.begin(), names.end(), name) != names.end();
}

std::string file_of_run_text(const std::string& instead) {
  return "a file that the run itself uses; choose another name, like " + instead;
}

} // namespace troupe
