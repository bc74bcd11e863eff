// An exchange of parameters between two processes over loopback: push, combine, pull, as a worker
// does it. Measures its time, the processor time of both sides, the latency of a small message
// meanwhile, and the memory of both sides.
//
//   bench_exchange [MB...] [--tls] [--local]         default: 1 10 100
//
// --local: blocks are read in shared memory, as between processes of one machine; otherwise they
// cross the loopback interface.
#include "actors/parameters/parameter_holder.hpp"
#include "actors/parameters/remote_holder.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/block_transfer/holder_connector.hpp"
#include "apps/transport/certificates.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "bench/benchmarks.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/tensor/shared_memory.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace troupe::bench::exchange_benchmark {

namespace {

/// Peak memory of the process in MB.
double peak_megabytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::stod(line.substr(6)) / 1e3;
  return 0;
}

/// Seconds of processor time that a process has taken.
double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    std::exit(1);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// Peak memory of both sides in MB.
struct Peaks {
  double worker = 0, holder = 0;
};

struct Pipes {
  int ports[2], stop[2], holder_peak[2], worker_peak[2];
};

/// The holder's process: reports its port, serves, reports its peak.
void serve(const Pipes& pipes, const Trust& trust) {
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  const auto holder = spawn_parameter_holder(system);
  {
    const BlockListener listener{system, holder, "127.0.0.1", trust, ""};
    const PublishedActor published{
      holder_entry_point(holder), {"127.0.0.1", 0}, trust, "the parameter holder"};
    const auto port = published.port();
    if (write(pipes.ports[1], &port, sizeof port) != sizeof port)
      std::exit(1);
    char byte = 0;
    while (read(pipes.stop[0], &byte, 1) < 0)
      ;
    const auto peak = peak_megabytes();
    if (write(pipes.holder_peak[1], &peak, sizeof peak) != sizeof peak)
      std::exit(1);
    caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  }
}

template <class Answer, class Actor, class Request>
Answer ask(caf::scoped_actor& self, const Actor& actor, Request request) {
  Answer result;
  self->request(actor, std::chrono::seconds{60}, std::move(request))
    .receive([&](Answer& answer) { result = std::move(answer); },
             [](caf::error& error) {
               std::cerr << sentence(error) << "\n";
               std::exit(1);
             });
  return result;
}

/// The worker's process: exchanges blocks of the given number of floats, reports times unless
/// `silent`, then its peak. @param holders the other process
void work(const Pipes& pipes, pid_t holders, Index size, const Trust& trust, bool local,
          const std::string& name, bool silent) {
  std::uint16_t port = 0;
  if (read(pipes.ports[0], &port, sizeof port) != sizeof port)
    std::exit(1);
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  HolderConnectorOptions connector;
  connector.holders = {{"127.0.0.1", port}};
  connector.trust = trust;
  connector.network = !local;
  const auto holder = spawn_remote_holder(system, spawn_holder_connector(system, connector), {});
  caf::scoped_actor self{system};
  Join join;
  join.layout.add("w", {size});
  const auto joined = ask<Joined>(self, holder, join);
  auto own = ask<Parameters>(self, holder, CreateIfAbsent{0, Block{size}}).values;
  Push push;
  push.rule.settings = {{"alpha", 0.9f}, {"beta", 0.1f}};
  push.id = {0, joined.incarnation, 0};
  const auto exchange = [&] {
    ++push.id.number;
    Exchange sent{push};
    sent.push.values = std::move(own);
    own = ask<Parameters>(self, holder, std::move(sent)).values;
  };
  const auto times = silent ? 2 : std::max(2, std::min(200, static_cast<int>(25'000'000 / size)));
  for (auto i = 0; i < 3; ++i)
    exchange();
  const auto both = [=] { return processor_seconds(0) + processor_seconds(holders); };
  std::vector<double> runs, processors;
  for (auto run = 0; run < 7; ++run) {
    const auto began = now(), taken = both();
    for (auto i = 0; i < times; ++i)
      exchange();
    runs.push_back((now() - began) / times * 1e6);
    processors.push_back((both() - taken) / times * 1e6);
  }
  const auto peak = peak_megabytes(); // before a second client exists

  std::atomic<bool> over = false;
  std::vector<double> pings;
  std::thread asker{[&] {
    caf::scoped_actor other{system};
    while (!over) {
      const auto began = now();
      ask<HolderStatus>(other, holder, GetHolderStatus{});
      pings.push_back((now() - began) * 1e3);
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }};
  for (auto i = 0; i < 2 * times + 10; ++i)
    exchange();
  over = true;
  asker.join();
  if (!silent) {
    report("exchange " + name, "us", runs);
    report("processor time of an exchange of " + name, "us", processors);
    report("small message during an exchange of " + name, "ms", pings);
  }
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  if (write(pipes.worker_peak[1], &peak, sizeof peak) != sizeof peak)
    std::exit(1);
}

/// Runs each side in its own process.
Peaks measure(Index size, const Trust& trust, bool local, const std::string& name, bool silent) {
  Pipes pipes{};
  for (auto* ends : {pipes.ports, pipes.stop, pipes.holder_peak, pipes.worker_peak})
    if (pipe(ends) != 0)
      std::exit(1);
  const auto holder = fork();
  if (holder == 0) {
    serve(pipes, trust);
    std::_Exit(0);
  }
  const auto worker = fork();
  if (worker == 0) {
    work(pipes, holder, size, trust, local, name, silent);
    std::_Exit(0);
  }
  for (auto* ends : {pipes.holder_peak, pipes.worker_peak})
    close(ends[1]); // so that the pipe closes when its process fails
  Peaks peaks;
  const auto complete
    = read(pipes.worker_peak[0], &peaks.worker, sizeof peaks.worker) == sizeof peaks.worker
      && write(pipes.stop[1], "", 1) == 1
      && read(pipes.holder_peak[0], &peaks.holder, sizeof peaks.holder) == sizeof peaks.holder;
  if (!complete)
    kill(holder, SIGTERM);
  waitpid(worker, nullptr, 0);
  waitpid(holder, nullptr, 0);
  for (auto* ends : {pipes.ports, pipes.stop})
    close(ends[1]);
  for (auto* ends : {pipes.ports, pipes.stop, pipes.holder_peak, pipes.worker_peak})
    close(ends[0]);
  if (!complete)
    std::exit(1);
  return peaks;
}

void measure_and_report(double megabytes, const Peaks& bare, const Trust& trust, bool local) {
  const auto name = std::to_string(static_cast<int>(megabytes)) + " MB"
                    + (trust.tls ? " mutual TLS" : "") + (local ? " within the machine" : "");
  const auto peaks = measure(static_cast<Index>(megabytes * 1e6 / 4), trust, local, name, false);
  report("worker's memory, blocks of " + name, "blocks",
         {(peaks.worker - bare.worker) / megabytes});
  report("holder's memory, blocks of " + name, "blocks",
         {(peaks.holder - bare.holder) / megabytes});
}

void measure_all(const Arguments& arguments) {
  std::vector<double> sizes;
  Trust trust;
  auto local = false;
  const auto folder
    = std::filesystem::temp_directory_path() / ("troupe-exchange-" + std::to_string(getpid()));
  for (const auto& argument : arguments)
    if (argument == "--tls") {
      make_authority(folder);
      trust = make_identity(folder, "node");
    } else if (argument == "--local") {
      local = true;
      make_large_segments_shareable();
    } else {
      sizes.push_back(std::stod(argument));
    }
  if (sizes.empty())
    sizes = {1, 10, 100};
  // With a block of one number both sides need memory for code, stacks and actor systems only.
  const auto bare = measure(1, trust, local, "", true);
  report("worker's memory with a block of one number", "MB", {bare.worker});
  report("holder's memory with a block of one number", "MB", {bare.holder});
  for (auto megabytes : sizes)
    measure_and_report(megabytes, bare, trust, local);
  std::filesystem::remove_all(folder);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "[MEGABYTES...] [--tls] [--local]", 0, measure_all);
}

} // namespace troupe::bench::exchange_benchmark
