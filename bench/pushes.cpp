// pushes WORKERS SHARDS [FLOATS] [SECONDS] [PROCESSES]: how many pushes a second parameter holders
// take from many workers that do nothing but push and pull, over loopback. Each shard has a process
// of its own; the workers share some. Also the processor time that a push takes on either side.
#include "actors/parameters/remote_holder.hpp"
#include "apps/block_transfer/holder_connector.hpp"
#include "bench/benchmarks.hpp"
#include "bench/child.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "messages/requests/error.hpp"

#include <caf/event_based_actor.hpp>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace troupe::bench::pushes_benchmark {

namespace {

struct Load {
  WorkerId workers = 1000;
  std::size_t shards = 1;
  Index floats = 6370;
  double seconds = 5;
  WorkerId processes = 4; ///< of workers
};

/// What the workers of one process have come to.
struct Pushed {
  std::uint64_t ready = 0;  ///< workers that could push
  std::uint64_t pushes = 0; ///< in the measured time
  std::uint64_t errors = 0; ///< answers
  double seconds = 0;       ///< that time, as long as the machine let it be
  double cpu = 0;           ///< seconds of the processor in that time
};

struct Counts {
  std::atomic<std::uint64_t> ready = 0, pushes = 0, errors = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Seconds of the processor that this process has used.
double used_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/// Joins, and then pushes without a pause.
class Pusher {
public:
  Pusher(caf::event_based_actor* self, RemoteHolder holder, WorkerId worker, const Load& load,
         std::shared_ptr<Counts> counts)
    : self_(self),
      holder_(std::move(holder)),
      counts_(std::move(counts)) {
    push_.id = {worker, 0, 0};
    push_.rule.settings = {{"alpha", 0.9f}, {"beta", 0.1f}};
    Join join;
    join.worker = worker;
    join.workers = load.workers;
    join.layout.add("w", {load.floats});
    ask<Joined>(join, [this, floats = load.floats](const Joined& joined) {
      push_.id.incarnation = joined.incarnation;
      ask<Parameters>(CreateIfAbsent{push_.id.worker, Block{floats}}, [this](Parameters& first) {
        ++counts_->ready;
        exchange(first);
      });
    });
  }

private:
  template <class Answer, class Request, class Use>
  void ask(Request request, Use use) {
    self_->request(holder_, caf::infinite, std::move(request))
      .then([use](Answer& answer) { use(answer); },
            [this](const caf::error& error) {
              if (counts_->errors++ == 0)
                std::fprintf(stderr, "%s\n", sentence(error).c_str());
            });
  }

  void exchange(Parameters& own) {
    ++push_.id.number;
    push_.based_on = own.version;
    push_.values = std::move(own.values);
    ask<Parameters>(Exchange{push_}, [this](Parameters& answer) {
      ++counts_->pushes;
      exchange(answer);
    });
    push_.values = {};
  }

  caf::event_based_actor* self_;
  RemoteHolder holder_;
  std::shared_ptr<Counts> counts_;
  Push push_;
};

/// Seconds of the processor that another process has used.
double used_cpu(pid_t process) {
  std::ifstream stat{"/proc/" + std::to_string(process) + "/stat"};
  std::string field;
  double ticks = 0;
  for (auto i = 1; i <= 15 && stat >> field; ++i)
    if (i >= 14) // user, system
      ticks += std::stod(field);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Work of a child: every PROCESSES-th worker from `first` on. It says when they push, and measures
/// once `begin` is closed.
void work(const Load& load, WorkerId first, const std::vector<std::uint16_t>& ports, int results,
          int begin) {
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  const auto counts = std::make_shared<Counts>();
  WorkerId all = 0;
  for (auto worker = first; worker < load.workers; worker += load.processes, ++all) {
    HolderConnectorOptions connector;
    for (const auto port : ports)
      connector.holders.push_back({"127.0.0.1", port});
    connector.channel.worker = worker;
    connector.network = true;
    RemoteHolderOptions remote;
    remote.worker = worker;
    remote.workers = load.workers;
    remote.shards = load.shards;
    remote.process = random_process();
    const auto holder
      = spawn_remote_holder(system, spawn_holder_connector(system, connector), remote);
    system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      const auto pusher = std::make_shared<Pusher>(self, holder, worker, load, counts);
      return {[pusher](caf::unit_t) {}};
    });
  }
  constexpr auto longest_start = 120; // seconds
  const auto began = now();
  while (counts->ready + counts->errors < all && now() - began < longest_start)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  send(results, counts->ready.load());
  char byte = 0;
  while (read(begin, &byte, 1) > 0)
    ;
  const auto pushes = counts->pushes.load();
  const auto cpu = used_cpu();
  const auto measured_from = now();
  std::this_thread::sleep_for(std::chrono::duration<double>{load.seconds});
  send(results, Pushed{counts->ready, counts->pushes - pushes, counts->errors,
                       now() - measured_from, used_cpu() - cpu});
  std::_Exit(0); // with thousands of connections: the holder sees them close
}

void measure_all(const Arguments& arguments) {
  Load load;
  load.workers = static_cast<WorkerId>(std::stoul(arguments[0]));
  load.shards = std::stoul(arguments[1]);
  if (arguments.size() > 2)
    load.floats = std::stol(arguments[2]);
  if (arguments.size() > 3)
    load.seconds = std::stod(arguments[3]);
  if (arguments.size() > 4)
    load.processes = static_cast<WorkerId>(std::stoul(arguments[4]));
  const auto began = now();
  std::vector<std::unique_ptr<Child>> holders, workers;
  std::vector<std::uint16_t> ports;
  for (std::size_t shard = 0; shard < load.shards; ++shard) {
    holders.push_back(std::make_unique<Child>(serve_holder_until_closed));
    ports.push_back(holders.back()->hear<std::uint16_t>());
  }
  for (WorkerId process = 0; process < load.processes; ++process)
    workers.push_back(std::make_unique<Child>(
      [&, process](int results, int begin) { work(load, process, ports, results, begin); }));
  for (const auto& worker : workers)
    worker->hear<std::uint64_t>();
  const auto started = now() - began;
  const auto cpu_of_holders = [&holders] {
    std::vector<double> used;
    for (const auto& holder : holders)
      used.push_back(used_cpu(holder->pid()));
    return used;
  };
  const auto cpu_before = cpu_of_holders();
  const auto measured_from = now();
  for (const auto& worker : workers)
    worker->close_end();
  Pushed sum;
  double rate = 0;
  for (const auto& worker : workers) {
    const auto pushed = worker->hear<Pushed>();
    sum.ready += pushed.ready;
    sum.pushes += pushed.pushes;
    sum.errors += pushed.errors;
    sum.cpu += pushed.cpu;
    rate += static_cast<double>(pushed.pushes) / pushed.seconds;
  }
  auto holder_cpu = cpu_of_holders();
  const auto pushes_meanwhile = rate * (now() - measured_from);
  for (std::size_t shard = 0; shard < load.shards; ++shard)
    holder_cpu[shard] -= cpu_before[shard];
  workers.clear();
  holders.clear();
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  report("workers that push", "workers", {static_cast<double>(sum.ready)});
  report("until all do", "s", {started});
  report("refused or lost", "answers", {static_cast<double>(sum.errors)});
  report("pushes", "1/s", {rate});
  report("processor time of the workers for a push", "us",
         {sum.cpu / static_cast<double>(sum.pushes) * 1e6});
  for (auto& used : holder_cpu)
    used *= 1e6 / pushes_meanwhile;
  report("of each holder", "us", holder_cpu);
  report("largest process", "MB", {static_cast<double>(children.ru_maxrss) / 1e3});
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "WORKERS SHARDS [FLOATS] [SECONDS] [PROCESSES]", 2, measure_all);
}

} // namespace troupe::bench::pushes_benchmark
