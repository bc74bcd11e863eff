#include "apps/session/shown_problem.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/process/waiting_line.hpp"
#include "apps/session/run_problem.hpp"

#include <filesystem>

namespace troupe {

std::string making_text(const config::Node& problem) {
  const auto name = config::text_at(problem, {"name"});
  if (makes_examples(problem))
    return "drawing " + name;
  for (const auto* key : {"path", "images", "folder", "inputs"})
    if (const auto file = config::text_at(problem, {key}); !file.empty())
      return "reading " + std::filesystem::path{file}.filename().string();
  return "reading the files of " + name;
}

std::shared_ptr<const Problem> shown_problem_of(const RunConfig& config, const std::string& fit,
                                                bool shown) {
  const WaitingLine waiting{making_text(*config.tree.find("problem")), shown};
  return problem_of(config, fit);
}

} // namespace troupe
