// A graphics card that is not there: carries out the programs of a run with the formulas that the
// kernels use, in plain loops, so that all but the kernels' loops is tested on any machine.
#pragma once

#include "model/device/device_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>

namespace troupe::test {

/// The memory of a step: what its operations read and write.
template <class Scalar>
struct StepMemory {
  std::vector<Scalar> parameters, gradient, workspace, inputs, values;
  std::vector<std::int32_t> classes;

  Scalar* at(DeviceArray array) {
    switch (array.space) {
    case DeviceSpace::parameters: return parameters.data() + array.offset;
    case DeviceSpace::gradient: return gradient.data() + array.offset;
    case DeviceSpace::workspace: return workspace.data() + array.offset;
    case DeviceSpace::inputs: return inputs.data() + array.offset;
    }
    return nullptr;
  }
};

template <class Scalar>
void carry_out(const ProductOp& op, StepMemory<Scalar>& memory) {
  const auto *a = memory.at(op.a), *b = memory.at(op.b);
  auto* c = memory.at(op.c);
  auto* bias = memory.at(op.bias);
  for (Index i = 0; i < op.m; ++i)
    for (Index j = 0; j < op.n; ++j) {
      Scalar sum = 0;
      for (Index l = 0; l < op.k; ++l)
        sum += a[op.a_transposed ? l * op.m + i : i * op.k + l]
               * b[op.b_transposed ? j * op.k + l : l * op.n + j];
      if (op.epilogue == Epilogue::bias || op.epilogue == Epilogue::bias_relu)
        sum += bias[j];
      c[i * op.n + j] = op.epilogue == Epilogue::bias_relu && sum < 0 ? Scalar{0} : sum;
    }
  if (op.epilogue == Epilogue::column_sums)
    for (Index j = 0; j < op.n; ++j) {
      bias[j] = 0;
      for (Index l = 0; l < op.k; ++l)
        bias[j] += b[l * op.n + j];
    }
}

/// What the loss of a step adds up to.
struct LossSum {
  double sum = 0, weight = 0;
};

template <class Scalar>
LossSum carry_out(const LossOp& op, StepMemory<Scalar>& memory) {
  const auto* z = memory.at(op.prediction);
  auto* dz = memory.at(op.gradient);
  LossSum total;
  const auto on_classes = op.loss.on_classes();
  for (Index i = 0; i < (on_classes ? op.rows : op.rows * op.width); ++i)
    total.weight += on_classes ? memory.classes[i] != -1
                               : !is_masked(op.loss.element, double(memory.values[i]));
  for (Index row = 0; row < op.rows; ++row) {
    const auto* zr = z + row * op.width;
    auto* dr = dz + row * op.width;
    double largest = zr[0], sum = 0, shifted = 0;
    for (Index j = 0; j < op.width; ++j)
      largest = std::max(largest, double(zr[j]));
    for (Index j = 0; j < op.width; ++j) {
      sum += std::exp(zr[j] - largest);
      shifted += zr[j] - largest;
    }
    const auto kept = 1 - op.loss.label_smoothing;
    const auto dealt = op.loss.label_smoothing / double(op.width);
    for (Index j = 0; j < op.width; ++j) {
      const auto i = row * op.width + j;
      double value = 0, slope = 0;
      if (op.loss.kind == DeviceLoss::Kind::softmax_cross_entropy) {
        const auto c = memory.classes[row];
        if (c != -1) {
          value = j == c ? std::log(sum) - kept * (zr[c] - largest) - dealt * shifted : 0;
          slope = std::exp(zr[j] - largest) / sum - dealt - (j == c ? kept : 0);
        }
      } else if (op.loss.kind == DeviceLoss::Kind::negative_log_likelihood) {
        value = j == memory.classes[row] ? -double(zr[j]) : 0;
        slope = j == memory.classes[row] ? -1 : 0;
      } else if (op.loss.kind == DeviceLoss::Kind::mean_squared_error) {
        const auto error = double(z[i]) - double(memory.values[i]);
        value = error * error;
        slope = 2 * error;
      } else if (!is_masked(op.loss.element, double(memory.values[i]))) {
        const auto term = element_term(op.loss.element, double(z[i]), double(memory.values[i]));
        value = term.value;
        slope = term.slope;
      }
      total.sum += value;
      dr[j] = static_cast<Scalar>(total.weight == 0 ? 0 : slope / total.weight);
    }
  }
  return total;
}

/// @param noise the key of the batch's random numbers
template <class Scalar>
LossSum carry_out(const StepProgram& program, StepMemory<Scalar>& memory, std::uint64_t noise) {
  memory.workspace.assign(static_cast<std::size_t>(program.workspace), Scalar(NAN)); // poison
  LossSum loss;
  for (const auto& op : program.ops) {
    if (const auto* product = std::get_if<ProductOp>(&op)) {
      carry_out(*product, memory);
    } else if (const auto* a = std::get_if<ActivateOp>(&op)) {
      for (Index i = 0; i < a->size; ++i)
        memory.at(a->y)[i] = activated(a->kind, memory.at(a->x)[i], Scalar(a->slope));
    } else if (const auto* s = std::get_if<SlopeOp>(&op)) {
      for (Index i = 0; i < s->size; ++i)
        memory.at(s->d)[i]
          *= activation_slope(s->kind, memory.at(s->x)[i], memory.at(s->y)[i], Scalar(s->slope));
    } else if (const auto* d = std::get_if<DropOp>(&op)) {
      const auto key = key_of_role(noise, d->role);
      const auto limit = static_cast<std::uint32_t>(d->rate * 4294967296.0);
      for (Index i = 0; i < d->size; ++i)
        memory.at(d->y)[i] = bits_at(key, static_cast<std::uint64_t>(i)) < limit
                               ? Scalar{0}
                               : memory.at(d->x)[i] * Scalar(1 / (1 - d->rate));
    } else if (const auto* l = std::get_if<LossOp>(&op)) {
      loss = carry_out(*l, memory);
    }
  }
  return loss;
}

/// A run on that card. Launches are carried out when they are waited for, or when three more are in
/// flight, so that a learner that does not wait reads old numbers.
class HostCard : public DeviceRun {
public:
  explicit HostCard(const DevicePlan& plan) : plan_(plan) {
    const auto size = static_cast<std::size_t>(plan.parameters);
    memory_.parameters.assign(size, NAN);
    memory_.gradient.assign(size, 0);
    slot0_.assign(plan.slots > 0 ? size : 0, NAN);
    slot1_.assign(plan.slots > 1 ? size : 0, NAN);
  }

  void put_examples(Index, std::span<const float> inputs, std::span<const std::int32_t> classes,
                    std::span<const float> values) override {
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    classes_.insert(classes_.end(), classes.begin(), classes.end());
    values_.insert(values_.end(), values.begin(), values.end());
  }
  void add_program(const StepProgram& program) override { programs_[program.batch] = program; }
  void write(DeviceBlock which, std::span<const float> values) override {
    wait(0);
    std::copy(values.begin(), values.end(), block(which).begin());
    given_ = given_ || which == DeviceBlock::gradient;
  }
  void read(DeviceBlock which, std::span<float> values) override {
    wait(0);
    std::copy(block(which).begin(), block(which).end(), values.begin());
  }
  void place(Step cursor, Step taken) override {
    wait(0);
    cursor_ = cursor;
    taken_ = taken;
    failed_ = false;
  }
  void set_rule(const OptimizerRule& rule) override {
    wait(0);
    rule_ = rule;
  }
  void put_batch(std::span<const float> inputs, std::span<const std::int32_t> classes,
                 std::span<const float> values) override {
    wait(0);
    memory_.inputs.assign(inputs.begin(), inputs.end());
    memory_.classes.assign(classes.begin(), classes.end());
    memory_.values.assign(values.begin(), values.end());
  }
  void launch(Index batch, int steps, StepPart part) override {
    launches_.push_back({batch, steps, part});
    ++launched;
  }
  int steps_per_launch() const override { return plan_.nan == DeviceNan::skip ? 1 : 8; }
  int in_flight() override {
    while (launches_.size() > 3)
      carry_out_one();
    return static_cast<int>(launches_.size());
  }
  void wait(int launches) override {
    ++waits_;
    while (static_cast<int>(launches_.size()) > launches)
      carry_out_one();
  }
  void take_outputs(std::vector<StepOutput>& outputs) override {
    outputs.insert(outputs.end(), outputs_.begin(), outputs_.end());
    outputs_.clear();
  }
  std::uint64_t waits() const override { return waits_; }
  std::uint64_t allocations() const override { return 0; }
  void predict(const StepProgram& program, std::span<const float> inputs,
               std::span<float> prediction) override {
    auto memory = memory_;
    memory.inputs.assign(inputs.begin(), inputs.end());
    test::carry_out(program, memory, 0);
    std::copy_n(memory.at(program.prediction), prediction.size(), prediction.begin());
  }

  int launched = 0;

private:
  struct Launch {
    Index batch;
    int steps;
    StepPart part;
  };

  std::vector<float>& block(DeviceBlock which) {
    switch (which) {
    case DeviceBlock::parameters: return memory_.parameters;
    case DeviceBlock::gradient: return memory_.gradient;
    case DeviceBlock::slot0: return slot0_;
    case DeviceBlock::slot1: return slot1_;
    }
    return slot1_;
  }

  void carry_out_one() {
    const auto launch = launches_.front();
    launches_.pop_front();
    for (int i = 0; i < launch.steps; ++i) {
      if (launch.part != StepPart::update)
        find_gradient(programs_.at(launch.batch));
      if (launch.part != StepPart::gradient)
        update();
    }
  }

  void gather(Index batch) {
    const auto copy = [](auto& to, const auto& from, Index row, Index width) {
      to.insert(to.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
    };
    memory_.inputs.clear();
    memory_.classes.clear();
    memory_.values.clear();
    auto keys = plan_.permutation;
    set_rounds(keys, key_of_number(plan_.order, cursor_ / plan_.batches_per_epoch));
    for (Index i = 0; i < batch; ++i) {
      const auto place
        = (cursor_ % plan_.batches_per_epoch) * static_cast<std::uint64_t>(plan_.batch_size)
          + static_cast<std::uint64_t>(i);
      const auto row = static_cast<Index>(plan_.shuffle ? permuted(keys, place) : place);
      copy(memory_.inputs, inputs_, row, plan_.input_width);
      if (plan_.target_classes)
        copy(memory_.classes, classes_, row, plan_.target_width);
      else
        copy(memory_.values, values_, row, plan_.target_width);
    }
  }

  void find_gradient(const StepProgram& program) {
    if (plan_.resident > 0)
      gather(program.batch);
    loss_ = test::carry_out(program, memory_, key_of_number(plan_.noise, cursor_));
    given_ = false;
  }

  double clip_range(const UpdateRange& range, double limit) {
    double squares = 0;
    for (Index i = range.begin; i < range.begin + range.size; ++i)
      squares += double(memory_.gradient[i]) * double(memory_.gradient[i]);
    const auto norm = std::sqrt(squares);
    if (limit > 0 && std::isfinite(norm) && norm > limit)
      for (Index i = range.begin; i < range.begin + range.size; ++i)
        memory_.gradient[i] *= static_cast<float>(limit / norm);
    return squares;
  }

  void update() {
    StepOutput output{loss_.sum, loss_.weight};
    output.dropped = failed_;
    auto& gradient = memory_.gradient;
    double squares = 0;
    for (const auto& range : plan_.ranges)
      for (Index i = range.begin; i < range.begin + range.size; ++i) {
        if (plan_.nan == DeviceNan::remove && !std::isfinite(gradient[i]))
          gradient[i] = 0;
        if (const auto limit = static_cast<float>(plan_.clip_element); limit > 0)
          gradient[i] = std::clamp(gradient[i], -limit, limit);
      }
    if (plan_.clip_parameter_norm > 0)
      for (const auto& range : plan_.by_name)
        clip_range(range, plan_.clip_parameter_norm);
    for (const auto& range : plan_.ranges)
      squares += clip_range(range, 0);
    const auto norm = std::sqrt(squares);
    if (plan_.clip_norm > 0 && std::isfinite(norm) && norm > plan_.clip_norm)
      for (const auto& range : plan_.ranges)
        for (Index i = range.begin; i < range.begin + range.size; ++i)
          gradient[i] *= static_cast<float>(plan_.clip_norm / norm);
    const auto checked = plan_.nan == DeviceNan::stop || plan_.nan == DeviceNan::skip;
    const auto needs_norm = plan_.clip_norm > 0 || plan_.nan == DeviceNan::skip || given_;
    auto bad
      = checked && ((needs_norm && !std::isfinite(norm)) || (!given_ && !std::isfinite(loss_.sum)));
    ++cursor_;
    if (!bad && !failed_) {
      ++taken_;
      for (const auto& range : plan_.ranges) {
        const auto u = element_update(rule_, range.learning_rate, range.weight_decay,
                                      static_cast<double>(taken_));
        for (Index i = range.begin; i < range.begin + range.size; ++i)
          if (plan_.nan == DeviceNan::stop && !std::isfinite(gradient[i]))
            bad = true; // this element stays, others move; the next step is dropped
          else
            move(u, i);
      }
    }
    output.bad = bad && !failed_;
    outputs_.push_back(output);
    failed_ = plan_.nan == DeviceNan::stop && (bad || failed_);
  }

  void move(const ElementUpdate& u, Index i) {
    float none = 0;
    auto &w = memory_.parameters[i], &m = slot0_.empty() ? none : slot0_[i],
         &v = slot1_.empty() ? none : slot1_[i];
    const auto g = memory_.gradient[i];
    switch (rule_.kind) {
    case UpdateKind::sgd: w = moved<UpdateKind::sgd>(u, w, g, m, v); break;
    case UpdateKind::momentum: w = moved<UpdateKind::momentum>(u, w, g, m, v); break;
    case UpdateKind::nesterov: w = moved<UpdateKind::nesterov>(u, w, g, m, v); break;
    case UpdateKind::adam: w = moved<UpdateKind::adam>(u, w, g, m, v); break;
    case UpdateKind::rmsprop: w = moved<UpdateKind::rmsprop>(u, w, g, m, v); break;
    case UpdateKind::adagrad: w = moved<UpdateKind::adagrad>(u, w, g, m, v); break;
    case UpdateKind::adadelta: w = moved<UpdateKind::adadelta>(u, w, g, m, v); break;
    }
  }

  DevicePlan plan_;
  StepMemory<float> memory_;
  std::vector<float> slot0_, slot1_, inputs_, values_;
  std::vector<std::int32_t> classes_;
  std::map<Index, StepProgram> programs_;
  OptimizerRule rule_;
  Step cursor_ = 0, taken_ = 0;
  bool failed_ = false, given_ = false;
  LossSum loss_;
  std::deque<Launch> launches_;
  std::vector<StepOutput> outputs_;
  std::uint64_t waits_ = 0;
};

} // namespace troupe::test
