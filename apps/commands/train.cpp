#include "apps/commands/train.hpp"

#include "apps/catalog/components.hpp"
#include "apps/cluster/joining.hpp"
#include "apps/config/tree.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/folder/unstarted_run.hpp"
#include "apps/folder/value_sources.hpp"
#include "apps/process/shutdown_deadline.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/process/system_config.hpp"
#include "apps/run_config/explain.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/run_config/warm_start.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/resumed_run.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_end.hpp"
#include "apps/session/run_memory.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/session.hpp"
#include "apps/session/shown_config.hpp"
#include "apps/session/shown_problem.hpp"
#include "apps/session/small_table.hpp"
#include "apps/transport/node_system.hpp"
#include "base/allowed_cores.hpp"
#include "base/config/decode.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/private_files.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

int exit_code_of_outcome(Outcome outcome) {
  switch (outcome) {
  case Outcome::finished: return static_cast<int>(ExitCode::done);
  case Outcome::interrupted: return static_cast<int>(ExitCode::stopped_early);
  case Outcome::failed: return static_cast<int>(ExitCode::internal);
  }
  return static_cast<int>(ExitCode::internal);
}

/// @throws UsageError for options of remote control without an address of it
void refuse_unused_control(const RunConfig& config) {
  if (!config.control.address.empty())
    return;
  for (const auto* key : {"certs", "name", "insecure", "paused"})
    if (const auto* given = config::get(config.tree, {"control", key});
        given != nullptr && given->source().starts_with("command line"))
      throw UsageError(std::string{"--"} + key
                       + " is an option of remote control, but this run has none; add --control "
                         "HOST:PORT, like --control 127.0.0.1:0, or leave --"
                       + key + " out");
}

/// The peers that remote control admits; nothing for a run without remote control.
std::optional<ControlTrust> control_of(const RunConfig& config, const ClusterMember* member) {
  const auto& control = config.control;
  if (control.address.empty())
    return {};
  if (member != nullptr && member->trust.tls && control.certs.empty() && !control.insecure)
    return ControlTrust{member->trust};
  return trust_of_control(control);
}

std::string crowding_text(const TrainingOptions& training) {
  const auto sentence = crowded(training, count_allowed_cores());
  return sentence.empty() ? "" : "warning: " + sentence + "\n";
}

std::string scaling_text(const TrainingOptions& training, const ClusterMember* member) {
  const auto sentence
    = scaled_rate_text(training, member != nullptr ? member->workers : training.workers);
  return sentence.empty() ? "" : sentence + "\n";
}

/// "; 3.25 MB for a worker: ..."; "" if the first batch cannot be trained on: training reports that
/// error.
std::string memory_part(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                        const Model& model) {
  try {
    return "; " + memory_text(measure_run_memory(config, problem, model));
  } catch (const std::exception&) {
    return "";
  }
}

/// Compares a model of a table with a linear one; "" if the linear one is no better.
std::string comparison_text(const RunConfig& config, const Problem& problem,
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

std::string stopped_early(const std::string& reason, const std::string& resume_hint) {
  return "stopped early (" + reason + ")" + (resume_hint.empty() ? "" : "; ") + resume_hint + "\n";
}

/// Whether the command trains, rather than shows what it would train.
bool trains(const TrainCommand& command) {
  return command.explain.empty() && !shows_config(command);
}

std::string wanted_run(const TrainCommand& command, const ClusterMember* member) {
  return command.resume.empty() && member == nullptr ? resume_in(sources_of(command, member))
                                                     : command.resume;
}

ProcessShare share_of(const ClusterMember* member) {
  return member != nullptr ? ProcessShare{member->worker, member->workers} : ProcessShare{};
}

/// What training needs from the system besides its actors' threads.
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

/// Whether `latest` points to this run once it has begun. In a cluster started by hand that is
/// worker 0's run; the launcher sets the link for a launched one. A folder given by the user is not
/// `latest`.
bool is_latest(const TrainCommand& command, const ClusterMember* member) {
  if (member == nullptr)
    return command.folder.empty() || command.folder_of_job;
  return member->worker == 0 && !member->launched
         && (member->folder.empty() || member->folder_of_job);
}

/// How to continue from what is in the folder; "" if there is nothing yet.
Interrupts::ResumeHint resume_hint_in(const std::filesystem::path& folder,
                                      const ClusterMember* member) {
  return [folder, member] {
    if (!has_state(folder))
      return std::string{};
    const auto how = resume_hint(folder, member);
    return how.empty() ? "its newest state is in " + folder.string() : how; // the launcher says how
  };
}

/// Writes the results and prints them. @returns the program's exit code.
int report(const TrainCommand& command, const RunConfig& config, const ClusterMember* member,
           const std::filesystem::path& folder, const SessionResult& result) {
  const auto resumable = result.outcome == Outcome::interrupted && has_state(folder);
  const auto saves_states
    = std::any_of(config.extensions.begin(), config.extensions.end(), [](const auto& extension) {
        return has_hook(extension.type, &RunHooks<>::saves_run);
      });
  const auto home = command.home.empty() ? folder : std::filesystem::path{command.home};
  std::string unwritten; // results that cannot be written are still printed
  try {
    write_results(folder, result, home);
  } catch (const IoError& e) {
    unwritten = e.what();
  }
  if (result.outcome == Outcome::failed) {
    std::cerr << "troupe: training failed: " << result.reason << "\n";
  } else {
    if (resumable && !command.quiet)
      std::cerr << stopped_early(result.reason, resume_hint(folder, member));
    if (member != nullptr && !command.json)
      std::cout << "worker           " << member->worker << " of " << member->workers << "\n";
    std::cout << (command.json ? result_json(result, home.string())
                               : shown_results(result_text(result, home.string())))
              << std::endl;
    // The state is saved even if the terminal was closed and takes no results.
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
              << stopped_early(result.reason,
                               saves_states
                                 ? "no state was saved, so the run cannot be continued; make sure "
                                   "that its folder can be written, and train again"
                                 : "no state was saved, since the configuration has no checkpoint, "
                                   "so the run cannot be continued; train again with "
                                   "extensions.checkpoint=true");
    return static_cast<int>(saves_states ? ExitCode::io : ExitCode::interrupted);
  }
  return exit_code_of_outcome(result.outcome);
}

int train_in(caf::actor_system& system, const TrainCommand& command, const RunConfig& config,
             SessionOptions& options, const ClusterMember* member,
             const std::shared_ptr<const Problem>& problem, Interrupts& interrupts,
             const RunCallbacks& callbacks) {
  std::optional<HostedHolder> hosted;
  if (member != nullptr && member->hosts_holder)
    hosted.emplace(system, *member, options.folder, options.resume.has_value());
  if (member != nullptr)
    become_member(system, *member, hosted ? hosted->holder() : ParameterHolder{}, config.cluster,
                  options, interrupts);
  const auto result = run_session(system, config, options, problem, interrupts);
  // Report before the other members leave and the system ends, which would wait for a frozen peer.
  const auto code = callbacks.ends(config, options.folder, result);
  if (!command.quiet && result.outcome == Outcome::finished)
    std::cerr << comparison_text(config, *problem, result);
  if (hosted) {
    hosted->save(); // before a wait that may fail
    hosted->wait_for_others(interrupts);
    if (!hosted->save() && code == static_cast<int>(ExitCode::done))
      return static_cast<int>(ExitCode::io);
  }
  return code;
}

/// Trains and reports the result. @returns the program's exit code.
int run_in_system(const TrainCommand& command, const RunConfig& config, SessionOptions& options,
                  const ClusterMember* member, const std::shared_ptr<const Problem>& problem,
                  Index parameters, Interrupts& interrupts, const RunCallbacks& callbacks) {
  const auto system_config
    = system_config_of(config, member != nullptr || options.control, parameters);
  ShutdownDeadline end;
  caf::actor_system system{*system_config};
  return end.run([&] {
    return train_in(system, command, config, options, member, problem, interrupts, callbacks);
  });
}

} // namespace

int train(const TrainCommand& command, const ClusterMember* member) {
  if (trains(command)) // other commands end when their reader closes the pipe
    survive_closed_outputs();
  Interrupts interrupts{member != nullptr ? member->drain_at
                                          : command.drain_at}; // before other threads
  return train(
    command, member, interrupts,
    {{},
     [&](const RunConfig& config, const std::filesystem::path& folder,
         const SessionResult& result) { return report(command, config, member, folder, result); }});
}

int train(const TrainCommand& command, const ClusterMember* member, Interrupts& interrupts,
          const RunCallbacks& callbacks) {
  const auto& given = member != nullptr ? member->folder : command.folder;
  const auto wanted = wanted_run(command, member);
  RunLock lock;
  if (trains(command)) // before looking for the newest state: another process may write one
    lock.take(folder_to_resume(wanted, given));
  auto found = run_to_resume(wanted, given, member);
  const auto resumed = found ? found->path.parent_path() : std::filesystem::path{};
  if (found) {
    interrupts.set_resume_hint(resume_hint_in(resumed, member));
    check_yaml_file(resumed / "config.yaml");
  }
  if (!command.explain.empty()) {
    std::cout << explain(sources_of(command, member, resumed), command.explain);
    return static_cast<int>(ExitCode::done);
  }
  auto config = read_configuration(command, member, resumed);
  for (const auto& remark : config.remarks)
    std::cerr << remark << "\n";
  refuse_unused_control(config);

  const auto fit
    = found ? fit_in(resumed, *config.tree.find("problem")) : fit_to_begin_with(config.tree);
  const auto problem = shown_problem_of(config, fit, !command.quiet && !command.no_progress);
  const auto longer = found ? "" : lengthen_for_small_table(config, *problem);
  if (found) {
    check_limits(*found, config);
    check_resumable(*found, config, fit, problem, share_of(member));
  }
  const auto model = model_of(config, *problem);
  if (found)
    check_state(*found, config, model->layout());
  const auto counts = counts_to_train_on(config, *problem);
  check_trainable(config, problem, *model, share_of(member), counts);
  if (!found)
    check_loads(config, model->layout(), share_of(member).first);
  if (shows_config(command))
    return show_config(command, config.tree);
  const auto memory = command.quiet ? "" : memory_part(config, problem, *model);

  SessionOptions options;
  options.console = !command.quiet;
  options.progress = !command.no_progress;
  options.level = command.verbose ? Level::debug : Level::info;
  if (found)
    options.resume = unfinished(std::move(found->run), config,
                                member == nullptr ? config.training.workers : member->workers);
  options.control = control_of(config, member);
  UnstartedRun unstarted{given.empty() ? config.run.root : given};
  if (!found && !given.empty()) {
    make_private_folder(given);
    lock.take(given); // before the log of a run that may train there is renamed
  }
  options.folder = found            ? resumed
                   : !given.empty() ? fresh_folder(given)
                                    : make_process_folder(config, member);
  lock.take(options.folder);
  if (!found)
    unstarted.made(options.folder);
  interrupts.set_resume_hint(resume_hint_in(options.folder, member));
  interrupts.started();
  if (!found || !fit.empty()) // a resumed run may read other files from now on
    write_fit(options.folder, *problem);
  write_configuration(options.folder, repeatable(config.tree));
  write_value_sources(options.folder, config.tree);
  if (found)
    keep_findable(*found, options.folder);
  options.begins = [&] {
    if (member != nullptr) // tells a launcher that its run has begun
      claim(options.folder, {member->worker, member->workers});
    unstarted.begin();
    if (is_latest(command, member))
      point_latest_if_possible(config.run.root, options.folder);
    if (callbacks.begins)
      callbacks.begins(options.folder);
  };
  if (!command.quiet)
    std::cerr << wrapped_to_window(headline(config, *problem, *model, share_of(member)) + memory)
              << "\n"
              << reading_lines(*problem)
              << data_remarks(config, *problem, counts,
                              std::max(share_of(member).all, config.training.workers))
              << (longer.empty() ? "" : longer + "\n") << scaling_text(config.training, member)
              << crowding_text(config.training);
  return run_in_system(command, config, options, member, problem, model->layout().size(),
                       interrupts, callbacks);
}

} // namespace troupe
