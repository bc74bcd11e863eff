#include "apps/troupe_main.hpp"

#include "apps/commands/certs.hpp"
#include "apps/commands/collect.hpp"
#include "apps/commands/components.hpp"
#include "apps/commands/ctl.hpp"
#include "apps/commands/dashboard.hpp"
#include "apps/commands/devices.hpp"
#include "apps/commands/doctor.hpp"
#include "apps/commands/export.hpp"
#include "apps/commands/grid.hpp"
#include "apps/commands/init.hpp"
#include "apps/commands/log.hpp"
#include "apps/commands/manual.hpp"
#include "apps/commands/plot.hpp"
#include "apps/commands/predict.hpp"
#include "apps/commands/show.hpp"
#include "apps/commands/split.hpp"
#include "apps/commands/summary.hpp"
#include "apps/commands/test.hpp"
#include "apps/commands/train.hpp"
#include "apps/commands/why.hpp"
#include "apps/config/plugins.hpp"
#include "apps/process/batch_scheduling.hpp"
#include "apps/process/complaint.hpp"
#include "apps/process/exit_code_list.hpp"
#include "apps/process/large_blocks.hpp"
#include "apps/process/process_limits.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/run_config/unknown_option.hpp"
#include "apps/train_arguments.hpp"
#include "base/failure.hpp"
#include "base/files/private_files.hpp"
#include "troupe/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>

namespace troupe {

namespace {

/// The program's subcommands: the arguments of each, and the function that runs it.
class Subcommands {
public:
  explicit Subcommands(CLI::App& app) : app_(app) {}

  template <class Command, class Run>
  void add(void (*declare)(CLI::App&, Command&), Run run) {
    const auto command = std::make_shared<Command>();
    declare(app_, *command);
    all_.push_back({app_.get_subcommands({}).back(), [command, run] { return run(*command); }});
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& one : all_)
      names.push_back(one.declared->get_name());
    return names;
  }

  /// Runs the subcommand that the command line names. @returns the program's exit code.
  int run() const {
    const auto named = std::find_if(all_.begin(), all_.end(),
                                    [](const auto& one) { return one.declared->parsed(); });
    return named->run();
  }

private:
  struct Subcommand {
    const CLI::App* declared;
    std::function<int()> run;
  };

  CLI::App& app_;
  std::vector<Subcommand> all_; ///< in the order of `troupe --help`
};

void add_all(Subcommands& commands) {
  commands.add(add_train, [](const TrainCommand& command) { return train(command); });
  commands.add(add_show, show);
  commands.add(add_summary, summary);
  commands.add(add_launch, launch);
  commands.add(add_node, node);
  commands.add(add_simulate, simulate);
  commands.add(add_certs, certs);
  commands.add(add_log, print_logs);
  commands.add(add_ctl, ctl);
  commands.add(add_dashboard, dashboard);
  commands.add(add_collect, collect_runs);
  commands.add(add_trace, trace);
  commands.add(add_why, why);
  commands.add(add_plot, plot);
  commands.add(add_export, export_run);
  commands.add(add_predict, predict);
  commands.add(add_grid, grid);
  commands.add(add_test, test_model);
  commands.add(add_devices, devices);
  commands.add(add_doctor, doctor);
  commands.add(add_components, components);
  commands.add(add_init, init_problem);
  commands.add(add_split, split_rows_of);
  commands.add(add_man, print_manual);
  commands.add(add_completion, print_completion);
}

/// The value of an unset shell variable must not count as if the option were omitted.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "is empty; give it a value, or omit the option" : "";
}

bool takes_value(const CLI::Option* option) {
  return option->nonpositional() && option->get_items_expected_max() > 0;
}

/// @throws UsageError if the first argument should be a subcommand and is unknown.
void check_subcommand(const std::string& word, const std::vector<std::string>& known) {
  if (word.starts_with('-') || std::find(known.begin(), known.end(), word) != known.end())
    return;
  throw UsageError(no_such_command(word, known));
}

int run(int argc, char** argv) {
  check_registered_names();
  CLI::App app{"Trains machine-learning models with a troupe of actors."};
  app.set_version_flag("--version", std::string{"troupe "} + version);
  app.require_subcommand(1);
  const auto exit_codes = "\n" + exit_code_text() + "\n";
  app.footer("`troupe train --help` shows examples and extensions." + exit_codes);
  Subcommands commands{app};
  add_all(commands);
  for (auto* command : app.get_subcommands({})) {
    command->footer(command->get_footer() + exit_codes);
    for (auto* option : command->get_options(takes_value))
      option->check(refuse_empty);
  }
  if (argc > 1)
    check_subcommand(argv[1], commands.names());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const auto* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    throw UsageError(unknown_option(app, *command, app.remaining(true), {argv + 1, argv + argc}));
  } catch (const CLI::ConversionError& e) {
    throw UsageError(std::string{e.what()} + "; give a number");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? static_cast<int>(ExitCode::done) : static_cast<int>(ExitCode::usage);
  }
  return commands.run();
}

int complain(ExitCode code, const std::string& text) {
  std::cerr << "troupe: " << text << std::endl;
  return static_cast<int>(code);
}

} // namespace

int troupe_main(int argc, char** argv) {
  reserve_standard_streams();
  install_limit_handlers();
  keep_files_private();
  schedule_as_batch();
  return_large_blocks();
  try {
    const auto code = run(argc, argv);
    if (std::cout.flush())
      return code;
    const auto refused = complain(ExitCode::io, "cannot write the results to standard output");
    return code == static_cast<int>(ExitCode::done) ? refused : code;
  } catch (...) {
    const auto complaint = complaint_of(std::current_exception());
    for (const auto& sentence : complaint.sentences)
      complain(complaint.code, sentence);
    return static_cast<int>(complaint.code);
  }
}

} // namespace troupe
