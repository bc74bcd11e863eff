#include "model/device/device_learner.hpp"

#include "model/data/repeatable_rows.hpp"
#include "model/device/network_program.hpp"
#include "model/training/batch_statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// The targets of an example: classes or numbers.
Index target_width_of(const Network& network, const Problem& problem) {
  static_cast<void>(network);
  return problem.spec().targets.at(0).width();
}

/// The trained elements, cut where a share changes.
std::vector<UpdateRange> trained_ranges(const Layout& layout,
                                        const std::vector<ScaledStretch>& stretches, bool by_name) {
  std::vector<UpdateRange> ranges;
  const auto add = [&](Index begin, Index end, double rate, double decay) {
    auto* last = ranges.empty() ? nullptr : &ranges.back();
    if (!by_name && last && last->begin + last->size == begin && last->learning_rate == rate
        && last->weight_decay == decay)
      last->size += end - begin;
    else
      ranges.push_back({begin, end - begin, rate, decay});
  };
  for (const auto& parameter : layout.parameters()) {
    if (parameter.role != ParameterRole::trained)
      continue;
    const auto end = parameter.offset + parameter.size();
    if (stretches.empty() || by_name)
      add(parameter.offset, end, 1, 1);
    else
      for (const auto& s : stretches)
        if (std::max(parameter.offset, s.begin) < std::min(end, s.begin + s.size))
          add(std::max(parameter.offset, s.begin), std::min(end, s.begin + s.size), s.learning_rate,
              s.weight_decay);
  }
  return ranges;
}

DeviceNan device_nan(NanPolicy policy) {
  switch (policy) {
  case NanPolicy::stop: return DeviceNan::stop;
  case NanPolicy::skip: return DeviceNan::skip;
  case NanPolicy::ignore: return DeviceNan::ignore;
  case NanPolicy::remove: return DeviceNan::remove;
  }
  return DeviceNan::stop;
}

std::uint64_t bytes_of_examples(const DevicePlan& plan, Index examples) {
  return static_cast<std::uint64_t>(examples)
         * static_cast<std::uint64_t>(plan.input_width + plan.target_width) * sizeof(float);
}

/// True where the same examples can be read in any order, again and again.
bool may_stay(const Problem& problem) {
  return !problem.endless() && problem.curriculum_epochs() == 0 && has_repeatable_rows(problem);
}

void refuse_measured(const Layout& layout) {
  for (const auto& parameter : layout.parameters())
    if (is_measured(parameter.role))
      throw std::invalid_argument("parameter '" + parameter.name + "' is a "
                                  + to_string(parameter.role)
                                  + ", which has no version for a graphics card; set "
                                    "training.device: cpu, or leave it out");
}

} // namespace

DevicePlan device_plan(const Problem& problem, const Model& model, const Optimizer& optimizer,
                       const BatchOrder& order, const LearnerOptions& options,
                       const DeviceLearnerOptions& device) {
  const auto& network = network_for_device(model);
  static_cast<void>(network_program(network, 1, true)); // refuses what a card cannot compute
  refuse_measured(model.layout());
  const auto rule = optimizer.rule();
  if (!rule)
    throw std::invalid_argument("optimizer '" + optimizer.name()
                                + "' has no version for a graphics card; set training.device: cpu, "
                                  "or another optimizer");
  if (options.statistics && !statistics_sources(problem, model).empty())
    throw std::invalid_argument(
      "statistics of each batch have no version for a graphics card; leave the extension "
      "statistics out, or set training.device: cpu");
  const auto& target = problem.spec().targets.at(0);
  DevicePlan plan;
  plan.device = device.number;
  plan.precision = device.precision;
  plan.parameters = model.layout().size();
  plan.slots = slots_of(rule->kind);
  const auto stretches = scaled_stretches(model.layout(), options.scales);
  plan.ranges = trained_ranges(model.layout(), stretches, false);
  plan.by_name = trained_ranges(model.layout(), stretches, true);
  plan.clip_element = options.clipping.element;
  plan.clip_norm = options.clipping.norm;
  plan.clip_parameter_norm = options.clipping.parameter_norm;
  plan.nan = device_nan(options.nan);
  plan.noise = options.noise.value;
  plan.input_width = problem.spec().inputs.at(network.input_index()).width();
  plan.target_width = target_width_of(network, problem);
  plan.target_classes = target.type == ElementType::class_index;
  const auto& from = order.options();
  plan.batch_size = from.batch_size;
  plan.batches_per_epoch = std::max<Step>(1, order.batches_per_epoch());
  plan.shuffle = from.shuffle;
  plan.order = from.key.derive("epoch").value;
  plan.permutation = Permutation{order.shard_size(), {}}.keys();
  if (bytes_of_examples(plan, order.shard_size()) <= device.resident_bytes && may_stay(problem))
    plan.resident = order.shard_size();
  return plan;
}

std::uint64_t device_bytes(const DevicePlan& plan, const StepProgram& largest) {
  constexpr std::uint64_t libraries = std::uint64_t{600} << 20; // CUDA's context and workspaces
  const auto blocks = static_cast<std::uint64_t>(plan.parameters) * sizeof(float)
                      * static_cast<std::uint64_t>(2 + plan.slots);
  return libraries + blocks + static_cast<std::uint64_t>(largest.workspace) * sizeof(float)
         + bytes_of_examples(plan, plan.resident + 2 * plan.batch_size);
}

DeviceLearner::DeviceLearner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                             std::unique_ptr<Optimizer> optimizer, BatchOrder order,
                             LearnerOptions options, const DeviceLearnerOptions& device,
                             const BeginDeviceRun& begin)
  : Learner(std::move(problem), std::move(model), std::move(optimizer), std::move(order),
            std::move(options)),
    plan_(device_plan(this->problem(), *model_, *optimizer_, this->order(), options_, device)),
    run_(begin(plan_)),
    handed_(plan_.nan),
    slots_(optimizer_->slots()) {
  if (plan_.resident > 0)
    load_examples();
  set_parameters(Block{layout().size()});
  restore_optimizer(optimizer_->steps(), optimizer_->slots());
}

// -- data ----------------------------------------------------------------------------------------

void DeviceLearner::check_targets(const Batch& batch) {
  const auto& network = network_for_device(*model_);
  const auto width = network.prediction().shape.back();
  const auto numbers = static_cast<std::size_t>(batch.size * network.prediction().width());
  scratch_.assign(2 * numbers, 0.0f);
  const std::span<float> zeros{scratch_.data(), numbers}, rest{scratch_.data() + numbers, numbers};
  network.loss().loss_and_gradient({zeros, width, batch.targets.at(0), 1}, rest);
}

void DeviceLearner::load_examples() {
  constexpr Index at_once = 1024;
  const auto& order = this->order().options();
  const auto input = network_for_device(*model_).input_index();
  std::vector<Index> rows;
  Batch batch;
  for (Index first = 0; first < plan_.resident; first += at_once) {
    rows.resize(static_cast<std::size_t>(std::min(at_once, plan_.resident - first)));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = (first + static_cast<Index>(i)) * order.shards + order.shard;
    problem().gather(Section::train, rows, batch);
    check_targets(batch);
    const auto& target = batch.targets.at(0);
    run_->put_examples(first, batch.inputs.at(input).values, target.classes, target.values);
  }
}

Index DeviceLearner::examples_of(Step cursor) const {
  if (plan_.resident == 0)
    return read_.batch.size;
  const auto first = static_cast<Index>(cursor % plan_.batches_per_epoch) * plan_.batch_size;
  return std::min(plan_.batch_size, plan_.resident - first);
}

void DeviceLearner::read(Step cursor) {
  phase_ = Phase::read;
  cursor_ = cursor;
  if (reads_batches()) {
    reader_.read(cursor, read_);
    check_targets(read_.batch);
  }
}

ReadBatch DeviceLearner::use(ReadBatch batch) {
  phase_ = Phase::read;
  if (!batch.error.empty())
    throw std::runtime_error(batch.error);
  std::swap(read_, batch);
  check_targets(read_.batch);
  return batch;
}

void DeviceLearner::put_read_batch() {
  const auto& batch = read_.batch;
  const auto& target = batch.targets.at(0);
  run_->put_batch(batch.inputs.at(network_for_device(*model_).input_index()).values, target.classes,
                  target.values);
}

// -- steps ---------------------------------------------------------------------------------------

void DeviceLearner::prepare(Index examples) {
  if (std::find(prepared_.begin(), prepared_.end(), examples) != prepared_.end())
    return;
  run_->add_program(network_program(network_for_device(*model_), examples, true));
  prepared_.push_back(examples);
}

void DeviceLearner::place(Step cursor) {
  if (expected_ == cursor)
    return;
  flush();
  run_->wait(0);
  take_outputs();
  run_->place(cursor, handed_.taken());
  expected_ = cursor;
}

void DeviceLearner::compute_gradient(Step cursor, bool) {
  cursor_ = cursor;
  phase_ = Phase::computed; // where nobody asks for the gradient, the step is one launch
}

void DeviceLearner::launch_gradient() {
  const auto examples = examples_of(cursor_);
  prepare(examples);
  place(cursor_);
  flush();
  if (reads_batches())
    put_read_batch();
  run_->launch(examples, 1, StepPart::gradient);
  phase_ = Phase::launched;
}

StepResult DeviceLearner::update(Step cursor) {
  const auto examples = examples_of(cursor);
  if (!failure_.empty()) {
    handed_.drop(examples);
    return {0, examples, 0, false, StepState::pending};
  }
  prepare(examples);
  place(cursor);
  if (const auto rule = optimizer_->rule(); rule != rule_) {
    flush();
    run_->set_rule(*rule);
    rule_ = rule;
  }
  if (examples != collected_examples_)
    flush();
  if (phase_ == Phase::launched) {
    flush();
    run_->launch(examples, 1, StepPart::update);
  } else if (reads_batches()) {
    put_read_batch();
    run_->launch(examples, 1);
  } else {
    ++collected_;
    collected_examples_ = examples;
  }
  handed_.add({cursor, examples});
  if (collected_ == run_->steps_per_launch())
    flush();
  phase_ = Phase::updated;
  stale_ = true;
  expected_ = cursor + 1;
  pace();
  return {0, examples, 0, false, StepState::pending};
}

void DeviceLearner::flush() {
  if (collected_ == 0)
    return;
  if (collected_ == run_->steps_per_launch()) {
    run_->launch(collected_examples_, collected_);
  } else { // graphs of one step serve every other number
    for (int i = 0; i < collected_; ++i)
      run_->launch(collected_examples_, 1);
  }
  collected_ = 0;
}

void DeviceLearner::pace() {
  const auto before = handed_.without_result();
  if (before <= lag_.most())
    return;
  flush();
  while (handed_.without_result() > lag_.most() && run_->in_flight() > 0) {
    run_->wait(run_->in_flight() - 1);
    take_outputs();
  }
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  lag_.waited(before - handed_.without_result(), now.count());
}

void DeviceLearner::take_outputs() {
  outputs_.clear();
  run_->take_outputs(outputs_);
  for (const auto& output : outputs_)
    if (const auto stopped = handed_.done(output); stopped && failure_.empty())
      failure_ = failure_of(*stopped);
}

std::string DeviceLearner::failure_of(const HandedSteps::Stopped& stopped) const {
  const auto& [cursor, examples] = stopped.step;
  std::vector<Index> rows;
  auto order = this->order();
  order.rows(cursor, rows);
  try {
    refuse_not_finite(cursor, stopped.loss, examples, rows.empty() ? -1 : rows.front());
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

std::span<const StepResult> DeviceLearner::late_results() { return handed_.take_results(); }

void DeviceLearner::settle() {
  flush();
  run_->wait(0);
  take_outputs();
  if (failure_.empty())
    return;
  expected_.reset(); // the card drops steps until it is placed again
  throw std::runtime_error(std::exchange(failure_, ""));
}

// -- state ---------------------------------------------------------------------------------------

Step DeviceLearner::optimizer_steps() {
  flush();
  run_->wait(0);
  take_outputs();
  return handed_.taken();
}

const std::vector<OptimizerSlot>& DeviceLearner::slots() {
  flush();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto values = Block::uninitialized(layout().size());
    run_->read(i == 0 ? DeviceBlock::slot0 : DeviceBlock::slot1, values.edit());
    slots_[i].values = std::move(values);
  }
  return slots_;
}

void DeviceLearner::restore_optimizer(Step steps, std::vector<OptimizerSlot> slots) {
  flush();
  run_->wait(0);
  take_outputs();
  optimizer_->restore(steps, std::move(slots));
  slots_ = optimizer_->slots();
  for (std::size_t i = 0; i < slots_.size(); ++i)
    run_->write(i == 0 ? DeviceBlock::slot0 : DeviceBlock::slot1, slots_[i].values.view());
  handed_.restore(steps);
  expected_.reset();
}

const Block& DeviceLearner::parameters() const {
  if (std::exchange(stale_, false)) {
    const_cast<DeviceLearner*>(this)->flush(); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    auto values = Block::uninitialized(layout().size());
    run_->read(DeviceBlock::parameters, values.edit());
    parameters_ = std::move(values);
  }
  return parameters_;
}

void DeviceLearner::set_parameters(Block parameters) {
  check_size("block", parameters.size());
  flush();
  run_->write(DeviceBlock::parameters, parameters.view());
  parameters_ = std::move(parameters);
  stale_ = false;
}

std::span<const float> DeviceLearner::gradient() {
  if (phase_ == Phase::computed)
    launch_gradient();
  flush();
  gradient_.resize(static_cast<std::size_t>(layout().size()));
  run_->read(DeviceBlock::gradient, gradient_);
  for (const auto& parameter : layout().parameters())
    if (parameter.role != ParameterRole::trained)
      std::fill_n(gradient_.begin() + parameter.offset, parameter.size(), 0.0f);
  return gradient_;
}

void DeviceLearner::set_gradient(std::span<const float> gradient) {
  check_size("gradient", static_cast<Index>(gradient.size()));
  if (phase_ == Phase::computed)
    launch_gradient();
  run_->write(DeviceBlock::gradient, gradient);
}

} // namespace troupe
