// Trains a user-defined problem and model. The problem: which doses of a drug have an effect. The
// model: the dose at which half of the cases respond, and the slope of the curve there.
#include <troupe/actors/local_run.hpp>
#include <troupe/extensions/monitoring/stream_monitoring.hpp>
#include <troupe/extensions/stopping/finish_after.hpp>
#include <troupe/model/data/split.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/training/check_gradient.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

using namespace troupe;

const FieldSpec dose{.name = "dose", .shape = {any_size, 1}};
const FieldSpec effect{.name = "effect", .shape = {any_size, 1}};
const DataSpec trial_spec{.inputs = {dose}, .targets = {effect}};

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

/// Doses from 0 to 4; at 1.5 half of the cases respond. Row k of a section is a function of
/// (section, k), so it is the same in every process.
class Trial final : public Problem {
public:
  std::string name() const override { return "trial"; }
  const DataSpec& spec() const override { return trial_spec; }
  Index size(Section section) const override { return section == Section::train ? 8000 : 2000; }
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    resize(batch, trial_spec, static_cast<Index>(rows.size()));
    const auto key = RandomKey{1}.derive(to_string(section));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Random random{key, static_cast<std::uint64_t>(rows[i])};
      const auto x = random.uniform(0, 4);
      batch.inputs[0].values[i] = static_cast<float>(x);
      batch.targets[0].values[i] = random.uniform() < sigmoid(5 * (x - 1.5)) ? 1.0f : 0.0f;
    }
  }
};

/// p(effect | x) = sigmoid(z), z = exp(s) (x - m); the loss is the mean of -log p of the outcomes.
/// Parameters, in the order of the block: the median m, and s.
class DoseResponse final : public CopiedModel<DoseResponse> {
public:
  DoseResponse() {
    layout_.add("median", {1});
    layout_.add("log_slope", {1});
  }

  std::string name() const override { return "dose_response"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override { return {dose}; }
  FieldSpec prediction() const override { return effect; }
  std::string loss_name() const override { return "binary_cross_entropy"; }

  void initialize(std::span<float> parameters, RandomKey key) const override {
    parameters[0] = static_cast<float>(Random{key.derive("median")}.normal());
    parameters[1] = 0;
  }

  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override {
    predicted_.resize(static_cast<std::size_t>(batch.size));
    for (std::size_t i = 0; i < predicted_.size(); ++i)
      predicted_[i] = static_cast<float>(sigmoid(logit(parameters, batch, i)));
    return predicted_;
  }

  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override {
    double loss = 0, dm = 0, ds = 0;
    for (std::size_t i = 0; i < batch.targets[0].values.size(); ++i) {
      const auto z = logit(parameters, batch, i), dz = sigmoid(z) - batch.targets[0].values[i];
      loss += loss_of(z, batch.targets[0].values[i]);
      dm -= dz * std::exp(parameters[1]);
      ds += dz * z;
    }
    const auto examples = static_cast<double>(batch.size);
    gradient[0] = static_cast<float>(dm / examples);
    gradient[1] = static_cast<float>(ds / examples);
    return loss / examples;
  }

  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override {
    for (std::size_t i = 0; i < batch.targets[0].values.size(); ++i) {
      const auto z = logit(parameters, batch, i), happened = double{batch.targets[0].values[i]};
      metrics.add_mean("loss", loss_of(z, happened), 1);
      metrics.add_mean("accuracy", (z > 0) == (happened > 0) ? 1 : 0, 1);
    }
  }

private:
  static double logit(std::span<const float> parameters, const Batch& batch, std::size_t i) {
    return std::exp(parameters[1]) * (batch.inputs[0].values[i] - parameters[0]);
  }
  static double loss_of(double z, double happened) {
    return std::log1p(std::exp(z)) - z * happened; // -log p
  }

  Layout layout_;
  std::vector<float> predicted_; // reused
};

/// Compares the model's gradient with differences of its loss.
void check_own_gradient(const Problem& problem) {
  DoseResponse model;
  Batch batch;
  problem.gather(Section::train, std::vector<Index>{0, 1, 2, 3}, batch);
  std::vector<float> parameters{1, 0.5f};
  const auto check = check_gradient<float>(model, parameters, batch);
  if (check.error > 0.01)
    throw std::logic_error("the gradient of " + check.parameter + " is "
                           + std::to_string(check.computed) + ", not "
                           + std::to_string(check.expected));
}

} // namespace

int main() try {
  RunActorsOptions options;
  options.problem = std::make_shared<Trial>();
  options.model = std::make_shared<DoseResponse>();
  options.make_optimizer
    = [](Index size) { return make_optimizer(AdamOptions{.learning_rate = 0.01}, size); };
  options.order.batch_size = 50;
  check_own_gradient(*options.problem);
  LocalRun run{options};
  const auto validation = spawn_stream_monitoring(run.system(), {.gate = true},
                                                  run.actors().evaluator, run.actors().logger);
  run.add_gate({"validation", stream_monitoring_conditions(), validation, Shows::parameters});
  run.add_gate({"enough", Conditions{}.set_trigger("after_n_epochs", 10),
                spawn_finish_after(run.system(), "10 epochs")});

  const auto finished = run.train().front();
  for (const auto& [name, value] : run.row(finished.position.batches))
    std::printf("%s %s\n", name.c_str(), to_string(value).c_str());
  const auto median = finished.parameters.values.view()[0];
  std::printf("after %s: median %.3f\n", finished.causes.front().c_str(), median);
  return std::abs(median - 1.5f) < 0.1f ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return EXIT_FAILURE;
}
