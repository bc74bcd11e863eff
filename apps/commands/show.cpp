#include "apps/commands/show.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/overrides.hpp"
#include "apps/folder/model_file.hpp"
#include "base/text/text.hpp"
#include "model/data/images/contact_sheet.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace troupe {

namespace {

/// Refuses an argument that is neither a problem nor a file, with a message about files.
void check_is_problem(const std::string& argument) {
  const auto known = problem_names();
  if (std::find(known.begin(), known.end(), argument) != known.end())
    return;
  const auto cure
    = "; give the file of a saved model, like runs/latest/models/model_best.bin, or a problem: "
      + joined(known);
  if (argument == "latest" || std::filesystem::is_directory(argument))
    throw UsageError("'" + argument + "' is a folder" + cure);
  if (argument.find_first_of("/.") != std::string::npos) // no problem's name has these
    throw IoError("there is no file '" + argument + "'" + cure);
}

} // namespace

void add_show(CLI::App& app, ShowCommand& command) {
  auto* show = app.add_subcommand(
    "show", "Draw examples of a problem into a PNG file, or describe a model's file");
  show->add_option("problem", command.problem, "digits, idx with its files, or a model's file")
    ->capture_default_str();
  show->add_option("options", command.overrides, "options of the problem, like seed=3");
  show->add_option("--output,-o", command.output, "the PNG file (default: <problem>.png)");
  show->add_option("--section", command.section, "train, validation or test")
    ->capture_default_str();
  show->add_option("--examples,-n", command.examples, "number of examples")->capture_default_str();
  show
    ->add_option("--scale", command.scale,
                 "magnification: pixels of the picture for each pixel of an example")
    ->capture_default_str();
  show->footer(
    "\nExamples:\n  troupe show digits\n  troupe show digits -n 200 -o sheet.png seed=7\n"
    "  troupe show idx images=train-images.gz labels=train-labels.gz\n"
    "  troupe show runs/latest/models/model_best.bin\n");
}

int show(const ShowCommand& command) {
  if (std::filesystem::is_regular_file(command.problem)) {
    std::cout << model_file_text(command.problem) << std::flush;
    return static_cast<int>(ExitCode::done);
  }
  check_is_problem(command.problem);
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
