#include "apps/simulate/simulated_cluster.hpp"

#include "actors/checkpoint/run_writer.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "actors/parameters/remote_holder.hpp"
#include "apps/cluster/joining.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/session.hpp"
#include "apps/simulate/virtual_system.hpp"
#include "base/hash_text.hpp"
#include "base/text/duration.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/tensor/block_park.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

namespace troupe {

namespace {

/// With microseconds.
std::string decimals(double seconds) { return fmt::format("{:.6f}", seconds); }

/// An incremental hash of lines.
class Fingerprint {
public:
  void add(const std::string& line) {
    const auto text = value_ + line;
    value_ = hash_text(std::as_bytes(std::span{text}));
  }
  const std::string& value() const { return value_; }

private:
  std::string value_;
};

/// A park for the blocks of workers that wait, if they would take much memory.
std::shared_ptr<BlockPark> park_for(WorkerId workers, const Model& model) {
  constexpr WorkerId many = 100; // of fewer a larger part computes at once
  constexpr std::uint64_t much = std::uint64_t{1} << 28, resident = much / 4; // bytes
  const auto of_each = 3 * sizeof(float) * static_cast<std::uint64_t>(model.layout().size());
  return workers >= many && of_each * workers > much ? std::make_shared<BlockPark>(resident)
                                                     : nullptr;
}

class SimulatedCluster {
public:
  SimulatedCluster(const RunConfig& config, const SimulatedClusterOptions& options,
                   std::shared_ptr<const Problem> problem)
    : config_(config),
      options_(options),
      problem_(std::move(problem)),
      model_(model_of(config, *problem_)),
      park_(park_for(options.workers, *model_)),
      network_(std::make_shared<SimulatedNetwork>(
        options.network, options.workers + options.holders, absolute(options.outages),
        RandomKey{options.network_seed.value_or(static_cast<std::uint64_t>(config.training.seed))}
          .derive("network"))),
      connectors_(options.workers),
      session_options_(options.workers) {}

  ~SimulatedCluster() {
    sessions_.clear();
    for (const auto& actor : others_)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    for (const auto& connector : connectors_)
      caf::anon_send_exit(connector, caf::exit_reason::user_shutdown);
    world_.settle();
  }

  SimulatedRun run() {
    spawn_holders();
    spawn_no_writer();
    for (WorkerId worker = 0; worker < options_.workers; ++worker)
      add_session(worker);
    for (const auto& session : sessions_)
      session->prepare();
    if (options_.begins)
      options_.begins();
    for (const auto& death : options_.deaths)
      schedule_kill(death);
    for (WorkerId worker = 0; worker < options_.workers; ++worker)
      tell_to_start(world_.system(), ends_of(worker), sessions_[worker]->actors(), worker, [] {});
    for (const auto& session : sessions_)
      session->wait_for_ends();
    conclude();
    return std::move(run_);
  }

private:
  /// Converts to times of the system's clock, which does not start at 0.
  std::vector<Outage> absolute(std::vector<Outage> outages) {
    for (auto& outage : outages) {
      outage.from += seconds_now(world_.system());
      outage.until += seconds_now(world_.system());
    }
    return outages;
  }

  void spawn_holders() {
    LoggerOptions logging;
    if (options_.console) {
      logging.console = console_of_this_process();
      logging.console->level = options_.level;
    }
    const auto logger = spawn_logger(world_.system(), logging);
    others_.push_back(caf::actor_cast<caf::actor>(logger));
    for (std::size_t shard = 0; shard < options_.holders; ++shard) {
      ParameterHolderOptions holding;
      holding.logger = logger;
      holders_.push_back(spawn_parameter_holder(world_.system(), holding));
      others_.push_back(caf::actor_cast<caf::actor>(holders_.back()));
    }
  }

  void spawn_no_writer() {
    no_writer_ = spawn_no_run_writer(world_.system());
    others_.push_back(caf::actor_cast<caf::actor>(no_writer_));
  }

  void add_session(WorkerId worker) {
    auto& session = session_options_[worker];
    session.console = options_.console;
    session.progress = false;
    session.level = worker == 0 ? options_.level : std::max(options_.level, Level::warning);
    session.folder = folder_of_worker(options_.folder, worker);
    session.files = worker < options_.files;
    session.model = model_;
    session.writer = session.files ? spawn_scheduled_run_writer(world_.system()) : no_writer_;
    if (session.files)
      others_.push_back(caf::actor_cast<caf::actor>(session.writer));
    session.first_worker = worker;
    session.all_workers = options_.workers;
    session.park = park_;
    session.step_duration
      = options_.step.size() > 1 ? options_.step[worker] : options_.step.front();
    session.connection_to_holder = [this](WorkerId of, const Logger& logger) {
      ClusterMember member;
      member.workers = options_.workers;
      member.holders.resize(options_.holders);
      SimulatedConnectorOptions simulated;
      simulated.network = network_;
      simulated.node = of;
      simulated.holders = holders_;
      simulated.first_holder = options_.workers;
      simulated.wire = config_.cluster.wire;
      simulated.park = park_;
      simulated.note = [this](const Transit& transit) { note(transit); };
      connectors_[of] = spawn_simulated_connector(world_.system(), std::move(simulated));
      return spawn_remote_holder(world_.system(), connectors_[of],
                                 remote_holder_options(member, config_.cluster, of, logger));
    };
    sessions_.push_back(std::make_unique<Session>(world_.system(), config_, session, problem_));
  }

  void schedule_kill(const Death& death) {
    const auto& actors = sessions_[death.worker]->actors();
    const std::vector<caf::actor> simulated{caf::actor_cast<caf::actor>(connectors_[death.worker]),
                                            caf::actor_cast<caf::actor>(actors.holders.front())};
    const auto trainer = actors.trainers.front();
    const auto line = "worker " + std::to_string(death.worker) + " is killed";
    others_.push_back(world_.system().spawn([=, this](caf::event_based_actor* self) {
      self->delayed_send(self, timespan_of(death.at), Ticket{0});
      return caf::behavior{[=, this](Ticket) {
        if (finished_.contains(death.worker)) // its process would have ended already
          return self->quit();
        dead_.insert(death.worker);
        trace(line);
        for (const auto& actor : simulated) // first, so that a killed worker does not leave
          self->send_exit(actor, caf::exit_reason::kill);
        self->send_exit(trainer, caf::exit_reason::user_shutdown); // ends the session's wait for it
        self->quit();
      }};
    }));
  }

  /// Forwards a worker's end to its session.
  WorkerEnds ends_of(WorkerId worker) {
    const auto ends = sessions_[worker]->ends();
    return world_.system().spawn([=, this](WorkerEnds::pointer self) -> WorkerEnds::behavior_type {
      return {[=, this](const Finished& finished) {
        finished_.insert(worker);
        self->send(ends, finished);
      }};
    });
  }

  void note(const Transit& transit) {
    ++run_.messages;
    run_.bytes += transit.bytes;
    trace(node_name(transit.from, options_.workers) + " -> "
          + node_name(transit.to, options_.workers) + ": " + transit.message + ", "
          + std::to_string(transit.bytes) + " bytes, "
          + (transit.arrives ? "arrives after " + decimals(*transit.arrives - transit.sent) + " s"
                             : "lost"));
  }

  void trace(const std::string& what) {
    const auto line = decimals(world_.now()) + " " + what;
    fingerprint_.add(line);
    if (options_.trace)
      options_.trace(line);
  }

  void conclude() {
    run_.seconds = world_.now();
    const Caller self{world_.system()};
    for (const auto& holder : holders_)
      self->request(holder, caf::infinite, GetHolderStatus{})
        .receive([&](HolderStatus& status) { run_.holders.push_back(std::move(status)); },
                 [&](const caf::error&) { run_.holders.emplace_back(); });
    for (WorkerId worker = 0; worker < options_.workers; ++worker) {
      run_.workers.emplace_back();
      if (dead_.contains(worker))
        continue;
      auto& result = run_.workers.back().emplace(sessions_[worker]->conclude());
      fingerprint_.add(hash_text(std::as_bytes(result.parameters.values.view())));
      sessions_[worker].reset();
      if (session_options_[worker].files)
        continue;
      result.state = {}; // of thousands of workers
      if (!result.test)
        result.parameters = {};
    }
    run_.fingerprint = fingerprint_.value();
  }

  using Ticket = std::uint64_t;

  const RunConfig& config_;
  const SimulatedClusterOptions& options_;
  VirtualSystem world_;
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<const Model> model_; ///< cloned for each worker
  std::shared_ptr<BlockPark> park_;    ///< null: the memory has room
  std::shared_ptr<SimulatedNetwork> network_;
  RunWriter no_writer_; ///< of the workers without files
  std::vector<ParameterHolder> holders_;
  std::vector<Connector> connectors_;           ///< by worker
  std::vector<SessionOptions> session_options_; ///< by worker; sessions refer to them
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<caf::actor> others_;
  Fingerprint fingerprint_;
  std::set<WorkerId> finished_, dead_;
  SimulatedRun run_;
};

} // namespace

std::string node_name(std::size_t node, WorkerId workers) {
  return node < workers ? "worker " + std::to_string(node)
                        : "holder " + std::to_string(node - workers);
}

SimulatedRun simulate_cluster(const RunConfig& config, const SimulatedClusterOptions& options,
                              const std::shared_ptr<const Problem>& problem) {
  return SimulatedCluster{config, options, problem}.run();
}

} // namespace troupe
