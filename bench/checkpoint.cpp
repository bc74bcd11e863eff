// checkpoint [RUNS] [FOLDER]: the cost of checkpoints of a 100 MB model, from the second one on
// (the first also allocates memory), without and with a momentum of the same size: the pause of the
// loop compared with one memcpy of the saved state, and the time until it is on the disk compared
// with a raw write and fsync of the same bytes.
#include "extensions/saving/checkpoint.hpp"

#include "actors/checkpoint/run_writer.hpp"
#include "actors/run_actors.hpp"
#include "apps/process/system_config.hpp"
#include "base/files/durable_file.hpp"
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>

namespace troupe::bench::checkpoint_benchmark {

namespace {

/// Batches; a checkpoint after each `every`, by when the previous one is on the disk.
constexpr Step every = 10, steps = 45;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Records when each batch was done.
Gate::behavior_type clock_gate(Gate::pointer, const std::shared_ptr<std::vector<double>>& times) {
  return {[times](const AskGate&) {
    times->push_back(seconds_now());
    return GateAnswer{};
  }};
}

struct Measured {
  double pause = 0, save = 0;
  std::uint64_t bytes = 0;
};

Measured measure(const std::shared_ptr<const UniformProblem>& problem, double momentum,
                 const std::string& folder) {
  SystemConfig config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  RunActorsOptions options;
  options.problem = problem;
  NetworkOptions network;
  network.hidden = {5000, 4200};
  options.model = std::make_shared<BasicNetwork<float>>(problem->spec(), network);
  options.make_optimizer = [momentum](Index size) {
    return make_optimizer(SgdOptions{.learning_rate = 0.01, .momentum = momentum}, size);
  };
  options.order.batch_size = 8;
  options.order.drop_last = true;
  const auto actors = spawn_run_actors(system, options);
  const auto subscribe = [&](const SubscribeGate& request) {
    self->request(actors.trainers.front(), caf::infinite, request)
      .receive([](const Subscribed&) {},
               [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  };
  const auto times = std::make_shared<std::vector<double>>();
  const auto checkpoint = spawn_checkpoint(
    system, {.keep = 1},
    {actors.trainers, {}, actors.logger, spawn_run_writer(system), folder, "log"});
  const auto count = [](Step n) {
    return Conditions{}.set_trigger("after_n_batches", Value{static_cast<std::int64_t>(n)});
  };
  subscribe({"clock", Conditions{}.set_trigger("after_batch", Value{true}),
             system.spawn(clock_gate, times)});
  subscribe({"finish", count(steps), Gate{spawn_finish_after(system, "enough")}});
  subscribe({"checkpoint",
             Conditions{}.set_trigger("every_n_batches", Value{static_cast<std::int64_t>(every)}),
             caf::actor_cast<Gate>(checkpoint)});
  self->request(actors.trainers.front(), caf::infinite, Start{})
    .receive([](const Finished&) {},
             [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  self->request(caf::actor_cast<Extension>(checkpoint), caf::infinite, Drain{})
    .receive([](const Drained&) {},
             [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  Measured measured;
  self->request(actors.logger, caf::infinite, ReadRow{{0, steps / every * every}, true})
    .receive(
      [&](const Row& row) {
        measured.save = std::get<double>(row.records.at("checkpoint_seconds"));
      },
      [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  std::vector<double> undisturbed, disturbed;
  for (Step i = 2; i < times->size(); ++i)
    (i % every != 0 ? undisturbed : disturbed).push_back((*times)[i] - (*times)[i - 1]);
  disturbed.erase(disturbed.begin());
  measured.pause = median(disturbed) - median(undisturbed);
  const auto blocks = momentum > 0 ? 2 : 1;
  measured.bytes
    = static_cast<std::uint64_t>(options.model->layout().size()) * sizeof(float) * blocks;
  self->send_exit(checkpoint, caf::exit_reason::user_shutdown);
  dismiss(actors);
  return measured;
}

/// A copy within memory that is already mapped.
double copy_once(std::uint64_t bytes) {
  std::vector<char> from(bytes, 1), to(bytes, 2);
  const auto began = seconds_now();
  std::memcpy(to.data(), from.data(), bytes);
  const auto took = seconds_now() - began;
  return to[bytes / 2] == 1 ? took : 0;
}

double write_once(std::uint64_t bytes, const std::string& folder) {
  const std::vector<char> content(bytes, 1);
  const auto began = seconds_now();
  DurableFile file{folder + "/raw.bin"};
  file.write(content.data(), content.size());
  file.synchronise();
  return seconds_now() - began;
}

void measure_all(const Arguments& arguments) {
  const auto runs = !arguments.empty() ? std::stoi(arguments[0]) : 5;
  const std::string folder = arguments.size() > 1 ? arguments[1] : "checkpoint-bench";
  std::filesystem::create_directories(folder);
  const auto problem = std::make_shared<UniformProblem>();
  for (const auto momentum : {0.0, 0.9}) {
    std::vector<double> pauses, copies, saves, writes, pause_ratios, save_ratios;
    for (int i = 0; i < runs; ++i) {
      const auto measured = measure(problem, momentum, folder);
      copies.push_back(1e3 * copy_once(measured.bytes));
      writes.push_back(1e3 * write_once(measured.bytes, folder));
      pauses.push_back(1e3 * measured.pause);
      saves.push_back(1e3 * measured.save);
      pause_ratios.push_back(pauses.back() / copies.back());
      save_ratios.push_back(saves.back() / writes.back());
    }
    const std::string of = momentum > 0 ? ", sgd with momentum" : ", sgd";
    report("pause of the loop" + of, "ms", pauses);
    report("memcpy of what is saved" + of, "ms", copies);
    report("pause / memcpy" + of, "ratio", pause_ratios);
    report("checkpoint on the disk" + of, "ms", saves);
    report("raw write and fsync of what is saved" + of, "ms", writes);
    report("checkpoint / raw write" + of, "ratio", save_ratios);
  }
  std::filesystem::remove_all(folder);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "[RUNS] [FOLDER]", 0, measure_all);
}

} // namespace troupe::bench::checkpoint_benchmark
