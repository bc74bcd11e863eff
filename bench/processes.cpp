// processes MODEL BATCH RATE|sync [RUNS] [STEPS]: examples per second of two worker processes and a
// parameter holder's, compared with one process that trains alone. RATE: a limit on the share of
// time for syncing; sync: workers synchronise after every batch (rule average, staleness 0).
#include "actors/parameters/parameter_holder.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "bench/session.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>
#include <sys/wait.h>

#include <array>
#include <string>

namespace troupe::bench::processes_benchmark {

namespace {

struct Case {
  std::shared_ptr<const UniformProblem> problem;
  std::string model, batch, mode;
  int steps = 40;
};

struct Trained {
  double examples = 0, seconds = 0, waited = 0;
};

/// A process that runs `work`, with a pipe for its results.
class Child {
public:
  template <class Work>
  explicit Child(Work work) {
    if (pipe(results_.data()) != 0 || pipe(end_.data()) != 0)
      std::exit(1);
    pid_ = fork();
    if (pid_ != 0) {
      close(end_[0]); // so that only the child's end stays open
      return;
    }
    close(end_[1]);
    work(results_[1], end_[0]);
    std::_Exit(0);
  }
  ~Child() {
    close(end_[1]);
    waitpid(pid_, nullptr, 0);
    close(results_[0]);
    close(results_[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  template <class T>
  T hear() const {
    T value{};
    if (read(results_[0], &value, sizeof value) != sizeof value)
      std::exit(1);
    return value;
  }

private:
  std::array<int, 2> results_{}, end_{};
  pid_t pid_ = -1;
};

template <class T>
void send(int pipe, const T& value) {
  if (write(pipe, &value, sizeof value) != sizeof value)
    std::exit(1);
}

void hold(int port_pipe, int end) {
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  const auto holder = spawn_parameter_holder(system);
  const BlockListener listener{system, holder, "127.0.0.1", {}, ""};
  const PublishedActor published{
    holder_entry_point(holder), {"127.0.0.1", 0}, {}, "the parameter holder"};
  send(port_pipe, published.port());
  char byte = 0;
  while (read(end, &byte, 1) > 0)
    ;
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
}

void work(const Case& what, const ClusterMember* member, int pipe) {
  std::vector<std::string> overrides{"model.hidden=" + hidden_text(what.model),
                                     "training.batch_size=" + what.batch,
                                     "training.drop_last=true",
                                     "training.epochs=0",
                                     "training.seed=1",
                                     "optimizer.name=momentum",
                                     "extensions.finish_after.after_n_batches="
                                       + std::to_string(what.steps)};
  if (member != nullptr && what.mode == "sync")
    overrides.emplace_back("+extensions.shared_params_auto_sync={every_n_batches: 1, rule: "
                           "average, staleness: 0}");
  else if (member != nullptr)
    overrides.push_back("extensions.shared_params_rate_limited.limit.maximum_rate=" + what.mode);
  const auto result = train_session(what.problem, overrides, member);
  if (result.outcome != Outcome::finished) {
    std::fprintf(stderr, "%s\n", result.reason.c_str());
    std::_Exit(1);
  }
  const auto& finished = result.finished.front();
  send(pipe, Trained{static_cast<double>(finished.position.examples), finished.position.seconds,
                     finished.totals.gate_seconds});
}

double alone(const Case& what) {
  const Child child{[&](int pipe, int) { work(what, nullptr, pipe); }};
  const auto trained = child.hear<Trained>();
  return trained.examples / trained.seconds;
}

struct Together {
  double rate = 0, waited = 0;
};

Together together(const Case& what) {
  const Child holder{[](int pipe, int end) { hold(pipe, end); }};
  const auto port = holder.hear<std::uint16_t>();
  const auto worker = [&](WorkerId number) {
    return [&, number](int pipe, int) {
      ClusterMember member;
      member.holders = {{"127.0.0.1", port}};
      member.worker = number;
      member.workers = 2;
      work(what, &member, pipe);
    };
  };
  const Child first{worker(0)}, second{worker(1)};
  const auto a = first.hear<Trained>(), b = second.hear<Trained>();
  const auto seconds = std::max(a.seconds, b.seconds);
  return {(a.examples + b.examples) / seconds, std::max(a.waited, b.waited) / seconds};
}

void measure_all(const Arguments& arguments) {
  Case what{std::make_shared<UniformProblem>(), arguments[0], arguments[1], arguments[2],
            arguments.size() > 4 ? std::stoi(arguments[4]) : 40};
  const auto runs = arguments.size() > 3 ? std::stoi(arguments[3]) : 5;
  std::vector<double> one, two, ratios, waited;
  for (int i = 0; i < runs; ++i) {
    one.push_back(alone(what));
    const auto both = together(what);
    two.push_back(both.rate);
    ratios.push_back(both.rate / one.back());
    waited.push_back(both.waited);
  }
  report("1 process", "examples/s", one);
  report("2 worker processes and a holder", "examples/s", two);
  report("2 worker processes / 1 process", "ratio", ratios);
  report("share of time that training waited", "ratio", waited);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "M1|M3|M5 BATCH RATE|sync [RUNS] [STEPS]", 3, measure_all);
}

} // namespace troupe::bench::processes_benchmark
