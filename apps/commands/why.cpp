#include "apps/commands/why.hpp"

#include "actors/log/console.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/why/batch_costs.hpp"
#include "apps/why/measured_run.hpp"
#include "apps/why/picture.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/wrapped_text.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace troupe {

namespace {

/// Whether so few examples are in a batch that its other costs may be the larger part.
bool may_be_tiny(const MeasuredRun& run) {
  constexpr Step few = 16;
  return run.batch_size > 0 && run.batch_size <= few;
}

/// Measures larger batches. A run whose data are not here any more is told without them.
void measure_larger(ReadRun& read) {
  try {
    read.measured.larger = larger_batches(measure_steps(read.configuration));
  } catch (const Failure& failure) {
    read.remarks.push_back("what larger batches would cost is unknown, since the model cannot be "
                           "trained here: "
                           + std::string{failure.what()});
  }
}

bool colors_output() {
  const auto set = [](const char* name) {
    const auto* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return !set("NO_COLOR") && (isatty(STDOUT_FILENO) == 1 || set("CLICOLOR_FORCE"));
}

void print_answer(const WhyAnswer& answer) {
  constexpr std::size_t widest = 100;
  const auto window = static_cast<std::size_t>(std::max(20, width_of_window(80)));
  const auto columns = std::min(window, widest);
  for (const auto& sentence : sentences_of(answer))
    std::cout << wrapped(sentence, "", columns) << '\n';
  std::cout << '\n' << drawn_in_text(bars_of(answer), columns, colors_output()) << std::flush;
}

} // namespace

void add_why(CLI::App& app, WhyCommand& command) {
  auto* why = app.add_subcommand(
    "why", "Say what limits the speed of a run, and how fast it would be without that");
  why
    ->add_option("run", command.run,
                 "a run's folder, a launched cluster's, or 'latest'; it may still train")
    ->required();
  why->add_option("--output,-o", command.output, "also draw the picture into this file, .svg");
  why->add_flag("--json", command.json, "print JSON instead of sentences and bars");
  why->footer("\nExamples:\n  troupe why latest\n  troupe why runs/cluster -o why.svg\n");
}

int why(const WhyCommand& command) {
  if (!command.output.empty() && !command.output.ends_with(".svg"))
    throw UsageError("the picture '" + command.output
                     + "' must be an SVG file; end its name with .svg");
  const auto folder = path_of_run(command.run);
  auto read = read_measured_run(folder);
  if (may_be_tiny(read.measured))
    measure_larger(read);
  for (const auto& remark : read.remarks)
    std::cerr << "troupe: " << remark << '\n';
  const auto answer = why_answer(folder, std::move(read));
  if (!command.output.empty())
    write_file(command.output, drawn_as_svg(bars_of(answer), sentences_of(answer)), Readers::all);
  if (command.json)
    std::cout << json_of(answer).dump() << std::endl;
  else
    print_answer(answer);
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
