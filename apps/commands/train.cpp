#include "apps/commands/train.hpp"

#include "apps/commands/explain.hpp"
#include "apps/commands/shown_config.hpp"
#include "apps/commands/summary.hpp"
#include "apps/config/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/folder/unbegun_run.hpp"
#include "apps/process/shutdown_deadline.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/process/system_config.hpp"
#include "apps/session/cast_options.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/resumed_run.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/run_session.hpp"
#include "apps/session/shown_problem.hpp"
#include "apps/session/small_table.hpp"
#include "apps/session/warm_start.hpp"
#include "base/config/decode.hpp"
#include "base/text/checked_text.hpp"
#include "base/text/wrapped_text.hpp"
#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

ConfigSources sources_of(const TrainCommand& command, const std::filesystem::path& resumed,
                         const ClusterMember* seat) {
  ConfigSources sources;
  if (!resumed.empty())
    sources.files.push_back(resumed / "config.yaml");
  for (const auto& file : command.files)
    sources.files.emplace_back(file);
  add_command_line(sources, command.words);
  if (seat != nullptr) { // whatever a configuration says of workers in one process, a node is one
                         // of them
    sources.overrides.emplace_back("training.workers=1");
    sources.in_cluster = true;
    sources.workers = seat->workers;
  }
  return sources;
}

/// A configuration for processes of a cluster.
/// @throws ConfigError where it says to resume: they would all go on from one process's state.
RunConfig for_cluster(RunConfig config) {
  if (!config.resume.empty())
    throw ConfigError("resume is '" + config.resume
                      + "', but a process of a cluster goes on by itself, where its job is put "
                        "back into the queue; take `resume` out of the configuration");
  if (config.trainer)
    throw ConfigError("trainer is '" + to_string(config.trainer->kind)
                      + "', which trains in one process alone; use `troupe train`, or take "
                        "`trainer` out of the configuration");
  return config;
}

int exit_code_of_outcome(Outcome outcome) {
  switch (outcome) {
  case Outcome::finished: return static_cast<int>(ExitCode::done);
  case Outcome::interrupted: return static_cast<int>(ExitCode::stopped_early);
  case Outcome::failed: return static_cast<int>(ExitCode::internal);
  }
  return static_cast<int>(ExitCode::internal);
}

/// What the command line says of remote control is for somebody.
/// @throws UsageError where nobody can steer the run
void refuse_unused_control(const RunConfig& config) {
  if (!config.control.address.empty())
    return;
  for (const auto* key : {"certs", "name", "insecure", "paused"})
    if (const auto* given = config::get(config.tree, {"control", key});
        given != nullptr && given->source().starts_with("command line"))
      throw UsageError(std::string{"--"} + key
                       + " is of remote control, but nobody can steer this run; give --control "
                         "HOST:PORT, like --control 127.0.0.1:0, too, or leave --"
                       + key + " out");
}

/// Whom remote control lets in; nothing where nobody can steer the run.
std::optional<ControlTrust> control_of(const RunConfig& config, const ClusterMember* seat) {
  const auto& control = config.control;
  if (control.address.empty())
    return {};
  if (seat != nullptr && seat->trust.tls && control.certs.empty() && !control.insecure)
    return ControlTrust{seat->trust};
  return trust_of_control(control);
}

std::string crowded_in_words(const TrainingOptions& training) {
  const auto sentence = crowded(training, std::thread::hardware_concurrency());
  return sentence.empty() ? "" : "warning: " + sentence + "\n";
}

std::string scaling_in_words(const TrainingOptions& training, const ClusterMember* seat) {
  const auto sentence
    = scaled_rate_text(training, seat != nullptr ? seat->workers : training.workers);
  return sentence.empty() ? "" : sentence + "\n";
}

/// "; 3.25 MB for a worker: ..."; "" where the first batch cannot be trained on, of which training
/// itself will speak.
std::string memory_in_words(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                            const Model& model) {
  try {
    return "; " + memory_text(memory_of(config, problem, model));
  } catch (const std::exception&) {
    return "";
  }
}

std::string remarks_before_training(const RunConfig& config, const Problem& problem,
                                    const ProcessShare& share) {
  const auto makes = makes_examples(*config.tree.find("problem"));
  return data_remarks(config, problem,
                      makes ? TargetCounts{} : count_targets(problem, Section::train),
                      std::max(share.all, config.training.workers));
}

/// A model of a table beside the simplest one; "" where that is no better.
std::string compared_in_words(const RunConfig& config, const Problem& problem,
                              const SessionResult& result) {
  if (!result.test || makes_examples(*config.tree.find("problem")))
    return "";
  for (const auto& metric : result.test->metrics)
    if (metric.name == "accuracy" || metric.name == "r2")
      if (auto hint = hint_of_linear(config, problem, Section::test, metric.name, metric.value);
          !hint.empty())
        return hint + "\n";
  return "";
}

std::string stopped_early(const std::string& reason, const std::string& how_to_go_on) {
  return "stopped early (" + reason + ")" + (how_to_go_on.empty() ? "" : "; ") + how_to_go_on
         + "\n";
}

/// Whether the command does more than show what it would train.
bool trains(const TrainCommand& command) {
  return command.explain.empty() && !shows_config(command);
}

std::string wanted_run(const TrainCommand& command, const ClusterMember* seat) {
  return command.resume.empty() && seat == nullptr ? resume_in(sources_of(command, {}, seat))
                                                   : command.resume;
}

ProcessShare share_of(const ClusterMember* seat) {
  return seat != nullptr ? ProcessShare{seat->worker, seat->workers} : ProcessShare{};
}

/// What training takes of the system beside its actors' threads.
ProcessNeeds needs_of(const TrainingOptions& training, Index parameters) {
  constexpr std::uint64_t blocks = 4; // parameters, gradients, and the optimizer's two at most
  const auto workers = static_cast<std::uint64_t>(training.workers);
  auto needs = usual_needs;
  needs.threads += workers * static_cast<std::uint64_t>(std::max<Index>(0, training.threads - 1));
  if (training.loader.ahead > 0)
    needs.threads += workers;
  needs.bytes += workers * blocks * static_cast<std::uint64_t>(parameters) * sizeof(float);
  return needs;
}

std::unique_ptr<SystemConfig> system_config_of(const RunConfig& config, bool talks,
                                               Index parameters) {
  const auto threads = threads_for(config.training.workers);
  const auto needs = needs_of(config.training, parameters);
  if (talks)
    return std::make_unique<NodeSystemConfig>(threads, needs);
  return std::make_unique<SystemConfig>(threads, needs);
}

/// Whether `latest` means this run once it has begun: of a cluster by hand the main worker's, as of
/// a launched one, whose launcher sees to it. A folder that the user names is found by its name.
bool is_latest(const TrainCommand& command, const ClusterMember* seat) {
  if (seat == nullptr)
    return command.folder.empty() || command.folder_of_job;
  return seat->worker == 0 && !seat->launched && (seat->folder.empty() || seat->folder_of_job);
}

/// How to go on from what is in the folder; "" where there is nothing yet.
Interrupts::ResumeHint resume_hint_in(const std::filesystem::path& folder,
                                      const ClusterMember* seat) {
  return [folder, seat] {
    if (!has_state(folder))
      return std::string{};
    const auto how = how_to_go_on(folder, seat);
    return how.empty() ? "its newest state is in " + folder.string() : how; // the launcher says how
  };
}

/// Writes the results and tells people of them. @returns the program's exit code.
int report(const TrainCommand& command, const RunConfig& config, const ClusterMember* seat,
           const std::filesystem::path& folder, const SessionResult& result) {
  const auto resumable = result.outcome == Outcome::interrupted && has_state(folder);
  const auto saves_states
    = std::any_of(config.extensions.begin(), config.extensions.end(),
                  [](const auto& extension) { return extension.type == "checkpoint"; });
  const auto home = command.home.empty() ? folder : std::filesystem::path{command.home};
  std::string unwritten; // a disk that refuses the results is no reason not to show them
  try {
    write_results(folder, result, home);
  } catch (const FileError& e) {
    unwritten = e.what();
  }
  if (result.outcome == Outcome::failed) {
    std::cerr << "troupe: training failed: " << result.reason << "\n";
  } else {
    if (resumable && !command.quiet)
      std::cerr << stopped_early(result.reason, how_to_go_on(folder, seat));
    if (seat != nullptr && !command.json)
      std::cout << "worker           " << seat->worker << " of " << seat->workers << "\n";
    std::cout << (command.json ? result_json(result, home.string())
                               : result_text(result, home.string()))
              << std::endl;
    // What is saved is no less saved where the terminal that was closed takes no results.
    if (result.outcome == Outcome::interrupted)
      std::cout.clear();
  }
  if (!unwritten.empty()) {
    std::cerr << "troupe: " << unwritten << "\n";
    if (!resumable)
      return static_cast<int>(ExitCode::io);
  }
  if (result.outcome == Outcome::interrupted && !resumable) {
    std::cerr << "troupe: "
              << stopped_early(result.reason, "no state was saved, so that it cannot be continued; "
                                              "see to it that extensions.checkpoint can write, and "
                                              "train again");
    return static_cast<int>(saves_states ? ExitCode::io : ExitCode::interrupted);
  }
  return exit_code_of_outcome(result.outcome);
}

int train_in(caf::actor_system& system, const TrainCommand& command, const RunConfig& config,
             SessionOptions& options, const ClusterMember* seat,
             const std::shared_ptr<const Problem>& problem, Interrupts& interrupts) {
  std::optional<HostedHolder> hosted;
  if (seat != nullptr && seat->hosts_holder)
    hosted.emplace(system, *seat, options.folder, options.resume.has_value());
  if (seat != nullptr)
    become_member(system, *seat, hosted ? hosted->holder() : ParameterHolder{}, config.cluster,
                  options, interrupts);
  const auto result = run_session(system, config, options, problem, interrupts);
  // Before others have left and the system ends, which would wait for a peer that is frozen.
  const auto code = report(command, config, seat, options.folder, result);
  if (!command.quiet && result.outcome == Outcome::finished)
    std::cerr << compared_in_words(config, *problem, result);
  if (hosted) {
    hosted->save(); // another wait may not end well
    hosted->wait_for_others(interrupts);
    if (!hosted->save() && code == static_cast<int>(ExitCode::done))
      return static_cast<int>(ExitCode::io);
  }
  return code;
}

/// Trains and reports. @returns the program's exit code.
int run_in_system(const TrainCommand& command, const RunConfig& config, SessionOptions& options,
                  const ClusterMember* seat, const std::shared_ptr<const Problem>& problem,
                  Index parameters, Interrupts& interrupts) {
  const auto system_config
    = system_config_of(config, seat != nullptr || options.control, parameters);
  ShutdownDeadline end;
  caf::actor_system system{*system_config};
  return end.run(
    [&] { return train_in(system, command, config, options, seat, problem, interrupts); });
}

} // namespace

std::filesystem::path make_process_folder(const RunConfig& config, const ClusterMember* seat) {
  if (seat != nullptr && !seat->folder.empty()) {
    make_folder(seat->folder);
    return seat->folder;
  }
  RunFolderOptions options;
  options.root = config.run.root;
  options.problem = config.tree.find("problem")->find("name")->text();
  options.model = config.tree.find("model")->find("name")->text();
  options.tag = config.run.tag;
  return create_run_folder(options);
}

RunConfig read_configuration(const TrainCommand& command, const ClusterMember* seat) {
  auto config = read_run_config(sources_of(command, {}, seat));
  return seat != nullptr ? for_cluster(std::move(config)) : config;
}

RunConfig cluster_configuration(const TrainCommand& command, WorkerId workers) {
  auto sources = sources_of(command, {}, nullptr);
  sources.in_cluster = true;
  sources.workers = workers;
  return for_cluster(read_run_config(sources));
}

int train(const TrainCommand& command, const ClusterMember* seat) {
  if (trains(command)) // else whoever reads no further ends it, as other commands
    survive_closed_outputs();
  Interrupts interrupts{seat != nullptr ? seat->drain_at
                                        : command.drain_at}; // before other threads
  const auto& given = seat != nullptr ? seat->folder : command.folder;
  const auto wanted = wanted_run(command, seat);
  RunLock lock;
  if (trains(command)) // before its newest state is looked for: another process may write one
    lock.take(folder_to_resume(wanted, given));
  auto found = run_to_resume(wanted, given, seat);
  const auto resumed = found ? found->path.parent_path() : std::filesystem::path{};
  if (found) {
    interrupts.set_resume_hint(resume_hint_in(resumed, seat));
    check_yaml_file(resumed / "config.yaml");
  }
  const auto sources = sources_of(command, resumed, seat);
  if (!command.explain.empty()) {
    std::cout << explain(sources, command.explain);
    return static_cast<int>(ExitCode::done);
  }
  auto config = seat != nullptr ? for_cluster(read_run_config(sources)) : read_run_config(sources);
  for (const auto& remark : config.remarks)
    std::cerr << remark << "\n";
  refuse_unused_control(config);

  const auto fit
    = found ? fit_in(resumed, *config.tree.find("problem")) : fit_to_begin_with(config.tree);
  const auto problem = shown_problem_of(config, fit, !command.quiet && !command.no_progress);
  const auto longer = found ? "" : lengthen_for_small_table(config, *problem);
  if (found) {
    check_limits(*found, config);
    check_goes_on(*found, config, fit, problem, share_of(seat));
  }
  const auto model = model_of(config, *problem);
  if (found)
    check_state(*found, config, model->layout());
  check_trainable(config, problem, *model, share_of(seat));
  if (!found)
    check_loads(config, model->layout(), share_of(seat).first);
  if (shows_config(command))
    return show_config(command, config.tree);
  const auto memory = command.quiet ? "" : memory_in_words(config, problem, *model);

  SessionOptions options;
  options.console = !command.quiet;
  options.progress = !command.no_progress;
  options.level = command.verbose ? Level::debug : Level::info;
  if (found)
    options.resume = unfinished(std::move(found->run), config,
                                seat == nullptr ? config.training.workers : seat->workers);
  options.control = control_of(config, seat);
  UnbegunRun unbegun{given.empty() ? config.run.root : given};
  if (!found && !given.empty()) {
    make_folder(given);
    lock.take(given); // before the log of who may train there gets another name
  }
  options.folder = found            ? resumed
                   : !given.empty() ? fresh_folder(given)
                                    : make_process_folder(config, seat);
  lock.take(options.folder);
  if (!found)
    unbegun.made(options.folder);
  interrupts.set_resume_hint(resume_hint_in(options.folder, seat));
  interrupts.started();
  if (!found || !fit.empty()) // a run that goes on may have other files from now on
    write_fit(options.folder, *problem);
  write_configuration(options.folder, repeatable(config.tree));
  if (found)
    keep_findable(*found, options.folder);
  options.begins = [&] {
    if (seat != nullptr) // by which a launcher sees that its run has begun
      claim(options.folder, {seat->worker, seat->workers});
    unbegun.begin();
    if (is_latest(command, seat))
      point_latest_if_possible(config.run.root, options.folder);
  };
  if (!command.quiet)
    std::cerr << wrapped(headline(config, *problem, *model, share_of(seat)) + memory, ";", 80, "  ")
              << "\n"
              << reading_lines(*problem)
              << remarks_before_training(config, *problem, share_of(seat))
              << (longer.empty() ? "" : longer + "\n") << scaling_in_words(config.training, seat)
              << crowded_in_words(config.training);
  return run_in_system(command, config, options, seat, problem, model->layout().size(), interrupts);
}

} // namespace troupe
