// processes MODEL BATCH RATE|sync [RUNS] [STEPS]: examples per second of two worker processes and a
// parameter holder's, compared with one process that trains alone. RATE: a limit on the share of
// time for syncing; sync: workers synchronise after every batch (rule average, staleness 0).
#include "bench/benchmarks.hpp"
#include "bench/child.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "bench/session.hpp"

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
  const Child holder{serve_holder_until_closed};
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
