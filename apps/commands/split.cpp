#include "apps/commands/split.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/overrides.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "model/data/row_list.hpp"
#include "model/data/row_split.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <limits>
#include <stdexcept>

namespace troupe {

namespace {

constexpr Index most_split_rows = 1'000'000'000; // 16 GB of them in memory

Index rows_to_split(const SplitCommand& command) {
  if (command.problem.empty() == (command.length == 0))
    throw UsageError("troupe split needs either --problem with a configuration file or --length "
                     "with a number of rows");
  if (command.problem.empty()) {
    if (command.length < 0 || command.length > most_split_rows || !command.arguments.empty())
      throw UsageError(
        command.arguments.empty()
          ? "--length is " + std::to_string(command.length) + "; give a number of rows from 1 to "
              + std::to_string(most_split_rows)
          : "'" + command.arguments.front()
              + "' overrides a configuration, but --length has none; give --problem instead");
    return command.length;
  }
  ConfigSources sources;
  for (const auto& file : command.problem)
    sources.files.emplace_back(file);
  sources.overrides = command.arguments;
  sources.environment = config::environment();
  return make_problem(*read_run_config(sources).tree.find("problem"))
    ->size(section_from(command.section));
}

RowSplit rows_dealt(const SplitCommand& command) {
  const auto rows = rows_to_split(command);
  try {
    return command.ranges ? split_in_ranges(rows, command.split)
                          : split_in_two(rows, command.split, command.seed);
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string{"--split: "} + e.what());
  }
}

/// CLI11 clamps a number that is too large, which would be another seed.
std::string complaint_about_seed(const std::string& text) {
  return number_in<std::int64_t>(text)
           ? ""
           : in_quotes(text) + " is not a seed; give a whole number from "
               + std::to_string(std::numeric_limits<std::int64_t>::min()) + " to "
               + std::to_string(std::numeric_limits<std::int64_t>::max());
}

std::string text_of_part(const std::vector<Index>& part, bool is_range) {
  return is_range ? std::to_string(part.front()) + ".." + std::to_string(part.back() + 1) + "\n"
                  : list_text(part);
}

} // namespace

void add_split(CLI::App& app, SplitCommand& command) {
  auto* sub = app.add_subcommand("split", "Split a problem's rows into two files for samplers");
  sub->add_option("arguments", command.arguments,
                  "overrides of the configuration, like problem.seed=3");
  sub->add_option("--problem", command.problem, "configuration file that names the problem")
    ->allow_extra_args(false);
  sub->add_option("--section", command.section, "section of the problem: train, validation or test")
    ->capture_default_str();
  sub->add_option("--length", command.length, "number of rows, instead of --problem");
  sub
    ->add_option("--split", command.split,
                 "number of rows in the first file; the second has the rest")
    ->required();
  sub->add_option("--seed", command.seed, "seed of the random choice")
    ->check(complaint_about_seed)
    ->capture_default_str();
  sub->add_flag("--ranges", command.ranges,
                "take the first rows and the rest, without random choice");
  sub->add_option("--outdir", command.outdir, "folder for split_a.txt and split_b.txt")
    ->capture_default_str();
  sub->footer("\nExamples:\n  troupe split --problem run.yaml --split 16000 --outdir parts\n"
              "  troupe split --length 60000 --split 55000 --ranges\n"
              "  troupe train run.yaml \\\n"
              "    'training.sampler={name: subset_random, indices: parts/split_a.txt}' \\\n"
              "    'validation.sampler={name: subset_sequential, indices: parts/split_b.txt, "
              "section: train}'\n");
}

int split_rows_of(const SplitCommand& command) {
  const auto split = rows_dealt(command);
  const std::filesystem::path folder = command.outdir;
  make_private_folder(folder);
  for (const auto& [name, part] :
       {std::pair{"split_a.txt", &split.a}, std::pair{"split_b.txt", &split.b}}) {
    write_file(folder / name, text_of_part(*part, command.ranges), Readers::all);
    std::cout << (folder / name).string() << "  " << quantity(part->size(), "row") << std::endl;
  }
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
