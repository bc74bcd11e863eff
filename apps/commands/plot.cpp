#include "apps/commands/plot.hpp"

#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/plots/chart_drawing.hpp"
#include "apps/plots/curves.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/nearest_name.hpp"

#include <CLI/CLI.hpp>

#include <deque>
#include <iostream>

namespace troupe {

namespace {

CurveOptions curve_options(const PlotCommand& command) {
  CurveOptions options;
  options.records = command.records;
  options.smooth = command.smooth;
  options.log = command.log;
  if (!from_text(command.against, options.against)) {
    const auto near
      = nearest_name(command.against, {"batches", "epochs", "examples", "seconds", "time"});
    throw UsageError("--against " + command.against + ": give batches, epochs, examples, seconds "
                     + "or time" + (near ? "; did you mean " + *near + "?" : ""));
  }
  if (!(command.smooth >= 0 && command.smooth < 1))
    throw UsageError("--smooth " + std::to_string(command.smooth)
                     + ": give a number from 0 to below 1, like 0.9");
  return options;
}

/// "mlp on digits", from the run's configuration; "" if it has none.
std::string model_and_data(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || !std::filesystem::exists(folder / "config.yaml", error))
    return "";
  try {
    const auto tree = config::read_yaml_file(folder / "config.yaml");
    const auto model = config::text_at(tree, {"model", "name"});
    const auto problem = config::text_at(tree, {"problem", "name"});
    return model.empty() || problem.empty() ? "" : model + " on " + problem;
  } catch (const Failure&) {
    return ""; // the curves are drawn without it
  }
}

} // namespace

void add_plot(CLI::App& app, PlotCommand& command) {
  auto* plot = app.add_subcommand("plot", "Draw curves of runs' logs into an SVG or PNG file");
  plot->add_option("runs", command.runs, "the runs, as for `troupe log`")->required();
  plot->add_option("--output,-o", command.output, "the file, .svg or .png")->capture_default_str();
  plot
    ->add_option("--record", command.records,
                 "draw this record; may be repeated (default: all losses, accuracies and r2)")
    ->allow_extra_args(false);
  plot
    ->add_option(
      "--against", command.against,
      "horizontal axis: batches, epochs, examples (only for runs that have ended), seconds (of "
      "training) or time (wall clock, which aligns the processes of a cluster)")
    ->capture_default_str();
  plot
    ->add_option("--smooth", command.smooth,
                 "exponential smoothing: the weight of the previous smoothed value, from 0 to "
                 "below 1, like 0.9")
    ->capture_default_str();
  plot->add_flag("--log", command.log, "use a logarithmic vertical axis");
  plot->add_option("--store", command.store,
                   "read from this store (log.store.path) instead of folders");
  plot->footer("\nExamples:\n  troupe plot latest\n"
               "  troupe plot -o curves.png --log run-a run-b\n"
               "  troupe plot --record training_loss --smooth 0.9 --against seconds latest\n");
}

int plot(const PlotCommand& command) {
  const auto options = curve_options(command);
  const auto png = command.output.ends_with(".png");
  if (!png && !command.output.ends_with(".svg"))
    throw UsageError("the picture '" + command.output
                     + "' must be an SVG or a PNG file; end its name with .svg or .png");
  const auto found = find_logs(command.runs, command.store);
  std::deque<LogColumns> columns;
  std::vector<NamedLog> logs;
  std::size_t damaged = 0;
  for (const auto& [name, source] : found) {
    source->poll(columns.emplace_back(
                   [&options](std::string_view record) { return is_drawn(record, options); }),
                 false);
    logs.push_back({name, &columns.back(), &source->head(), model_and_data(source->folder())});
    damaged += source->damaged();
  }
  if (damaged > 0)
    std::cerr << "troupe: " << skipped_lines(damaged) << '\n';
  const auto chart = chart_of(logs, options);
  write_file(command.output, png ? draw_png(chart) : draw_svg(chart), Readers::all);
  std::cout << command.output << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
