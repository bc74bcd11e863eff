#include "troupe/apps/show.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/config/overrides.hpp"
#include "troupe/apps/model_file.hpp"
#include "troupe/model/contact_sheet.hpp"

#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace troupe {

int show(const ShowCommand& command) {
  if (std::filesystem::is_regular_file(command.problem)) {
    std::cout << model_file_text(command.problem) << std::flush;
    return static_cast<int>(ExitCode::done);
  }
  const auto section = section_from(command.section);
  auto options = problem_defaults(command.problem, "command line");
  if (auto errors = config::apply_overrides(options, command.overrides); !errors.empty())
    throw ConfigError(errors);
  const auto problem = make_problem(options);
  const auto output = command.output.empty() ? command.problem + ".png" : command.output;
  try {
    write_png(output, contact_sheet(*problem, {section, command.examples, command.scale}));
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"cannot show '"} + command.problem + "': " + e.what());
  }
  std::cout << output << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
