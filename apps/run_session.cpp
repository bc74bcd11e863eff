#include "troupe/apps/run_session.hpp"

#include "troupe/actors/control.hpp"
#include "troupe/actors/run_writer.hpp"
#include "troupe/apps/components.hpp"
#include "troupe/apps/config/overrides.hpp"
#include "troupe/extensions/checkpoint.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto answer_deadline = 30s; // of an actor that only has to look something up
constexpr auto drain_deadline = 600s; // of an extension that still measures
constexpr auto evaluation_deadline = 3600s;
constexpr auto patience = 2s; // of a user who is not told for whom he waits

class Session {
public:
  Session(caf::actor_system& system, const RunConfig& config, const SessionOptions& options,
          std::shared_ptr<const Problem> problem)
    : system_(system),
      self_(system),
      config_(config),
      options_(options),
      problem_(std::move(problem)) {
    compose();
  }

  ~Session() {
    close_control();
    for (const auto& actor : {caf::actor_cast<caf::actor>(control_), saver_})
      if (actor)
        caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    for (const auto& extension : extensions_)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
    dismiss(cast_);
  }

  SessionResult run(Interrupts& interrupts) {
    restore();
    if (config_.training.epochs > 0)
      finish_after_epochs();
    for (const auto& extension : config_.extensions)
      attach(extension);
    if (options_.control)
      open_control();
    auto result = train(interrupts);
    drain();
    conclude(result);
    close_control();
    ask<Flushed>(cast_.logger, Flush{}, answer_deadline, "the logger");
    return result;
  }

private:
  void compose() {
    CastOptions cast;
    cast.problem = problem_;
    cast.model = make_model(*config_.tree.find("model"), cast.problem->spec());
    cast.make_optimizer = make_optimizer_factory(*config_.tree.find("optimizer"));
    cast.order.batch_size = config_.training.batch_size;
    cast.order.shuffle = config_.training.shuffle;
    cast.order.drop_last = config_.training.drop_last;
    cast.learner = {config_.training.clipping, config_.training.nan};
    cast.workers = config_.training.workers;
    cast.first_worker = options_.first_worker;
    cast.all_workers = options_.all_workers;
    cast.way_to_holder = options_.way_to_holder;
    cast.seed = static_cast<std::uint64_t>(config_.training.seed);
    cast.epochs = config_.training.epochs;
    cast.logger.run = options_.folder.filename().string();
    cast.logger.file = (options_.folder / "log.jsonl").string();
    if (options_.console) {
      cast.logger.console = console_of_this_process();
      cast.logger.console->level = options_.level;
      cast.logger.console->file = (options_.folder / "console.log").string();
    }
    try {
      cast_ = spawn_cast(system_, cast);
    } catch (const std::invalid_argument& e) {
      throw ConfigError(e.what());
    }
    layout_ = cast.model->layout();
  }

  template <class Answer, class Actor, class Request>
  Answer ask(const Actor& actor, const Request& request, caf::timespan deadline,
             const std::string& whom) {
    Answer result;
    self_->request(actor, deadline, request)
      .receive([&](Answer& answer) { result = std::move(answer); },
               [&](caf::error& error) {
                 throw Failure(ExitCode::internal, {whom + " answered: " + sentence(error)});
               });
    return result;
  }

  void restore() {
    if (!options_.resume)
      return;
    const auto& saved = *options_.resume;
    if (saved.trainers.size() != cast_.trainers.size())
      throw ConfigError("the saved run has " + std::to_string(saved.trainers.size())
                        + " workers, the configuration " + std::to_string(cast_.trainers.size())
                        + "; resume with training.workers="
                        + std::to_string(saved.trainers.size()));
    for (std::size_t i = 0; i < cast_.trainers.size(); ++i)
      ask<Restored>(cast_.trainers[i], Restore{saved.trainers[i]}, answer_deadline,
                    "the trainer of worker " + std::to_string(i));
    if (saved.shared && cast_.holder)
      ask<Joined>(cast_.holder, RestoreHolder{*saved.shared}, answer_deadline,
                  "the parameter holder");
  }

  void finish_after_epochs() {
    ConfiguredExtension finish;
    finish.name = "epochs";
    finish.type = "finish_after";
    finish.options = config::Node::map();
    finish.options.put(
      "reason", config::Node::scalar(std::to_string(config_.training.epochs) + " epochs are done",
                                     config::default_source, true));
    finish.conditions.set_trigger("after_n_epochs",
                                  Value{static_cast<std::int64_t>(config_.training.epochs)});
    finish.participation.workers = "all";
    attach(finish);
  }

  void attach(const ConfiguredExtension& extension) {
    if (extension.type == "progress_bar" && !options_.progress)
      return;
    const auto syncs = extension.type.starts_with("shared_params");
    if (syncs && cast_.holders.empty()) {
      say(Level::warning, "extension '" + extension.name
                            + "' has nobody to share parameters with: there is one worker");
      return;
    }
    if (extension.type == "shared_params_auto_sync" && extension.conditions.all().size() <= 3)
      say(Level::warning,
          "extension '" + extension.name
            + "' has no trigger, so it never syncs after the start; give it one, like "
              "every_n_batches: 10");
    for (auto& spawned : spawn(extension)) {
      const auto& trainer = cast_.trainers[spawned.trainer];
      const auto whom = "subscribing extension '" + extension.name + "': the trainer of worker "
                        + std::to_string(spawned.trainer);
      spawned.id
        = (spawned.gate ? ask<Subscribed>(trainer, spawned.subscribe_gate, answer_deadline, whom)
                        : ask<Subscribed>(trainer, spawned.subscribe, answer_deadline, whom))
            .id;
      extensions_.push_back(std::move(spawned));
    }
    if (options_.resume)
      for (const auto& sentence :
           unreachable(extension.conditions, options_.resume->trainers.front().position))
        say(Level::warning, "extension '" + extension.name + "': " + sentence);
  }

  /// One for each trainer that it concerns, not subscribed yet. Remote control calls it, too, from
  /// its actor: it changes nothing of the session.
  std::vector<AttachedExtension> spawn(const ConfiguredExtension& extension) const {
    const auto workers = extension.participation.workers == "all" ? cast_.trainers.size() : 1;
    std::vector<AttachedExtension> all;
    for (std::size_t worker = 0; worker < workers; ++worker)
      try {
        const auto spawned
          = spawn_extension(extension, {system_, cast_, static_cast<WorkerId>(worker), layout_});
        all.push_back({spawned.name, worker, spawned.actor, spawned.gate, spawned.subscribe,
                       spawned.subscribe_gate, 0});
      } catch (const std::invalid_argument& e) {
        throw ConfigError("extensions." + extension.name + ": " + e.what());
      }
    return all;
  }

  /// The extension that "key=value" describe as a section of the configuration would.
  std::vector<AttachedExtension> spawn_from_words(const std::string& type, const std::string& name,
                                                  const std::vector<std::string>& words) const {
    auto section = config::Node::map("remote control");
    section.put("type", config::Node::scalar(type, "remote control", true));
    for (const auto& word : words)
      config::apply(section, config::parse_override("++" + word));
    section.set_source_everywhere("remote control");
    ConfiguredExtension extension;
    if (const auto errors = read_extension(name, section, extension); !errors.empty())
      throw ConfigError(errors);
    if (extension.type.starts_with("shared_params"))
      throw ConfigError("'" + extension.type
                        + "' shares parameters from the start or not at all; it cannot be attached "
                          "to a running training");
    return spawn(extension);
  }

  void open_control() {
    CheckpointSources sources;
    sources.trainers = cast_.trainers;
    sources.holder = cast_.holder;
    sources.logger = cast_.logger;
    sources.writer = spawn_run_writer(system_);
    sources.folder = options_.folder.string();
    sources.log = options_.folder.filename().string();
    const auto saver = spawn_checkpoint(system_, {}, std::move(sources));
    saver_ = caf::actor_cast<caf::actor>(saver);
    SaveThese these;
    for (const auto& extension : extensions_)
      these.extensions.push_back({extension.trainer == 0
                                    ? extension.name
                                    : extension.name + "." + std::to_string(extension.trainer),
                                  extension.actor});
    self_->send(saver, these);
    ControlOptions control;
    control.token = draw_token();
    control.trainers = cast_.trainers;
    control.logger = cast_.logger;
    control.evaluator = cast_.evaluator;
    control.saver = caf::actor_cast<Extension>(saver);
    control.attached = extensions_;
    control.spawn = [this](const auto& type, const auto& name, const auto& words) {
      return spawn_from_words(type, name, words);
    };
    const auto token = control.token;
    control_ = spawn_control(system_, std::move(control));
    if (config_.control.paused)
      for (const auto& trainer : cast_.trainers) // before anybody can tell it to go on
        self_->send(trainer, Pause{});
    door_.emplace(control_, listening_endpoint(config_.control.address), *options_.control, token,
                  options_.folder);
  }

  /// Whoever follows the log sees its end.
  void close_control() {
    if (door_) // nobody else has reached it
      self_->request(control_, drain_deadline, Drain{})
        .receive([](const Drained&) {}, [](const caf::error&) {});
    door_.reset();
  }

  SessionResult train(Interrupts& interrupts) {
    using Handle = decltype(self_->request(Trainer{}, caf::infinite, Start{}));
    std::vector<Handle> pending;
    for (const auto& trainer : cast_.trainers)
      pending.push_back(self_->request(trainer, caf::infinite, Start{}));
    interrupts.tell(cast_.trainers, cast_.logger);
    SessionResult result;
    for (std::size_t i = 0; i < pending.size(); ++i)
      pending[i].receive([&](Finished& finished) { add(result, std::move(finished)); },
                         [&](caf::error& error) {
                           Finished failed;
                           failed.worker = static_cast<WorkerId>(i);
                           failed.outcome = Outcome::failed;
                           failed.error = sentence(error);
                           add(result, std::move(failed));
                         });
    interrupts.untell();
    return result;
  }

  /// One worker's end. Where one fails, the others are asked to stop: nobody would use what they go
  /// on to find.
  void add(SessionResult& result, Finished finished) {
    if (finished.outcome == Outcome::failed && result.outcome != Outcome::failed)
      for (const auto& trainer : cast_.trainers)
        caf::anon_send(trainer,
                       Stop{StopLevel::after_batch,
                            "worker " + std::to_string(finished.worker) + " failed", true});
    if (result.finished.empty() || finished.outcome > result.outcome) {
      result.outcome = finished.outcome;
      result.reason = finished.outcome == Outcome::failed ? finished.error
                      : finished.causes.empty()           ? ""
                                                          : finished.causes.front();
    }
    result.finished.push_back(std::move(finished));
  }

  void drain() {
    for (const auto& extension : extensions_) {
      auto done = false;
      self_->request(extension.actor, patience, Drain{})
        .receive([&](const Drained&) { done = true; },
                 [&](const caf::error& error) { // remote control may have ended it
                   done = error == caf::sec::request_receiver_down;
                 });
      if (done)
        continue;
      say(Level::info, "waiting for extension '" + extension.name + "' to finish its work");
      self_->request(extension.actor, drain_deadline, Drain{})
        .receive([](const Drained&) {},
                 [&](const caf::error& error) {
                   say(Level::warning, "extension '" + extension.name
                                         + "' did not finish its work: " + sentence(error));
                 });
    }
  }

  void conclude(SessionResult& result) {
    for (const auto& trainer : cast_.trainers)
      result.state.trainers.push_back(
        ask<SavedTrainer>(trainer, Save{}, answer_deadline, "a trainer"));
    result.parameters = result.state.trainers.front().parameters;
    // A worker of a cluster has taken the shared parameters when it left.
    if (cast_.holder && result.outcome != Outcome::failed) {
      const auto shared
        = ask<Parameters>(cast_.holder, Pull{}, answer_deadline, "the parameter holder");
      // Behind the parameters there may be the optimizers' shared state.
      const auto size = static_cast<std::size_t>(layout_.size());
      result.parameters = {shared.version, shared.values.size() == layout_.size()
                                             ? shared.values
                                             : Block::copy_of(shared.values.view().first(size))};
      result.state.shared
        = ask<SavedHolder>(cast_.holder, SaveHolder{}, answer_deadline, "the parameter holder");
    }
    if (result.outcome == Outcome::failed || problem_->size(Section::test) == 0
        || !result.finished.front().main)
      return;
    result.test = ask<Evaluated>(cast_.evaluator, Evaluate{result.parameters, Section::test, 0},
                                 evaluation_deadline, "the evaluator");
    Write row;
    row.row = {result.finished.front().worker, result.finished.front().position.batches};
    row.epoch = result.finished.front().position.epochs;
    row.seconds = result.finished.front().position.seconds;
    for (const auto& metric : result.test->metrics)
      row.records["test_" + metric.name] = Value{metric.value};
    self_->send(cast_.logger, row);
  }

  void say(Level level, const std::string& text) { self_->send(cast_.logger, Say{level, text}); }

  caf::actor_system& system_;
  caf::scoped_actor self_;
  const RunConfig& config_;
  const SessionOptions& options_;
  std::shared_ptr<const Problem> problem_;
  Layout layout_;
  Cast cast_;
  std::vector<AttachedExtension> extensions_;
  caf::actor saver_;
  RunControl control_;
  std::optional<ControlDoor> door_;
};

} // namespace

std::size_t threads_for(WorkerId workers) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min<std::size_t>(workers, cores) + 1;
}

SessionResult run_session(caf::actor_system& system, const RunConfig& config,
                          const SessionOptions& options, std::shared_ptr<const Problem> problem,
                          Interrupts& interrupts) {
  return Session{system, config, options, std::move(problem)}.run(interrupts);
}

} // namespace troupe
