#include "cuda/card_run.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {

namespace {

constexpr int ring_size = 1024;                      // far more than the steps in flight
constexpr std::size_t staged = std::size_t{1} << 22; // floats
constexpr std::size_t batches_on_the_way = 4;

/// Whether the update needs the norm of the whole gradient.
bool needs_norm(const DevicePlan& plan) {
  return plan.clip_norm > 0 || plan.nan == DeviceNan::skip;
}

} // namespace

CardGraph::CardGraph(cudaGraph_t captured) {
  const auto result = cudaGraphInstantiate(&graph_, captured, 0);
  static_cast<void>(cudaGraphDestroy(captured));
  check_cuda(result, "building a graph");
}

template <class Array>
Array CardRun::take(std::size_t size) {
  ++allocations_;
  return Array{size};
}

CardRun::CardRun(const DevicePlan& plan)
  : plan_((check_cuda(cudaSetDevice(plan.device), "choosing the card"), plan)),
    parameters_(static_cast<std::size_t>(plan.parameters)),
    gradient_(static_cast<std::size_t>(plan.parameters)),
    slot0_(static_cast<std::size_t>(plan.slots > 0 ? plan.parameters : 0)),
    slot1_(static_cast<std::size_t>(plan.slots > 1 ? plan.parameters : 0)),
    state_(1),
    rule_(1),
    ranges_(plan.ranges.size()),
    by_name_(plan.by_name.size()),
    updates_(plan.ranges.size() * most_steps),
    ring_(ring_size),
    staging_(std::min(staged, static_cast<std::size_t>(std::max<Index>(1024, plan.parameters)))) {
  const auto copy = [](auto& to, const auto& from) {
    if (!from.empty())
      check_cuda(
        cudaMemcpy(to.data(), from.data(), from.size() * sizeof from[0], cudaMemcpyHostToDevice),
        "describing the run");
  };
  copy(ranges_, plan.ranges);
  copy(by_name_, plan.by_name);
  for (const auto& range : plan.ranges)
    norm_count_ += norm_parts_of(range.size);
  norm_parts_ = take<CardArray<double>>(static_cast<std::size_t>(std::max(1, norm_count_)));
  const auto clear = [](const auto& array, std::size_t size) {
    if (array.size() > 0)
      check_cuda(cudaMemset(array.data(), 0, array.size() * size), "clearing memory");
  };
  clear(gradient_, sizeof(float));
  clear(state_, sizeof(CardState));
  const auto examples = static_cast<std::size_t>(plan.resident);
  all_inputs_ = take<CardArray<float>>(examples * static_cast<std::size_t>(plan.input_width));
  const auto targets = examples * static_cast<std::size_t>(plan.target_width);
  all_classes_ = take<CardArray<std::int32_t>>(plan.target_classes ? targets : 0);
  all_values_ = take<CardArray<float>>(plan.target_classes ? 0 : targets);
  check_cuda(cudaDeviceSynchronize(), "beginning the run");
}

CardRun::~CardRun() {
  static_cast<void>(cudaSetDevice(plan_.device));
  static_cast<void>(cudaStreamSynchronize(main_.get()));
  static_cast<void>(cudaStreamSynchronize(beside_.get()));
}

/// Actors change threads, and each thread has its own current card.
void CardRun::use_card() const { check_cuda(cudaSetDevice(plan_.device), "choosing the card"); }

float* CardRun::at(DeviceArray array) const {
  switch (array.space) {
  case DeviceSpace::parameters: return parameters_.data() + array.offset;
  case DeviceSpace::gradient: return gradient_.data() + array.offset;
  case DeviceSpace::workspace:
    return (predicts_ ? prediction_workspace_ : workspace_).data() + array.offset;
  case DeviceSpace::inputs: return (predicts_ ? prediction_inputs_ : inputs_).data() + array.offset;
  }
  return nullptr;
}

float* CardRun::block(DeviceBlock which) const {
  switch (which) {
  case DeviceBlock::parameters: return parameters_.data();
  case DeviceBlock::gradient: return gradient_.data();
  case DeviceBlock::slot0: return slot0_.data();
  case DeviceBlock::slot1: return slot1_.data();
  }
  return nullptr;
}

// -- data ----------------------------------------------------------------------------------------

void CardRun::put_examples(Index first, std::span<const float> inputs,
                           std::span<const std::int32_t> classes, std::span<const float> values) {
  use_card();
  const auto put = [first](auto* to, const auto& from, Index width) {
    if (!from.empty())
      check_cuda(
        cudaMemcpy(to + first * width, from.data(), from.size_bytes(), cudaMemcpyHostToDevice),
        "copying examples");
  };
  put(all_inputs_.data(), inputs, plan_.input_width);
  put(all_classes_.data(), classes, plan_.target_width);
  put(all_values_.data(), values, plan_.target_width);
}

void CardRun::put_batch(std::span<const float> inputs, std::span<const std::int32_t> classes,
                        std::span<const float> values) {
  use_card();
  if (slots_.size() < batches_on_the_way)
    slots_.push_back(std::make_unique<Slot>());
  auto& slot = *slots_[next_slot_++ % batches_on_the_way];
  check_cuda(cudaEventSynchronize(slot.copied.get()), "copying a batch");
  const auto put = [&](auto& pinned, auto* to, const auto& from) {
    if (from.empty())
      return;
    if (pinned.size() < from.size())
      pinned = take<std::remove_reference_t<decltype(pinned)>>(from.size());
    std::copy(from.begin(), from.end(), pinned.data());
    check_cuda(
      cudaMemcpyAsync(to, pinned.data(), from.size_bytes(), cudaMemcpyHostToDevice, main_.get()),
      "copying a batch");
  };
  put(slot.inputs, inputs_.data(), inputs);
  put(slot.classes, classes_.data(), classes);
  put(slot.values, values_.data(), values);
  slot.copied.record(main_.get());
}

// -- programs ------------------------------------------------------------------------------------

/// Takes memory for a program. Graphs and products that hold old addresses are made again.
void CardRun::grow(const StepProgram& program) {
  const auto rows = std::max(most_rows_, program.rows);
  const auto batch = std::max(most_batch_, program.batch);
  const auto workspace = static_cast<std::size_t>(program.workspace);
  if (rows == most_rows_ && batch == most_batch_ && workspace <= workspace_.size())
    return;
  drain();
  most_rows_ = rows;
  most_batch_ = batch;
  row_losses_ = take<CardArray<double>>(static_cast<std::size_t>(rows) * most_steps);
  inputs_ = take<CardArray<float>>(static_cast<std::size_t>(batch * plan_.input_width));
  const auto targets = static_cast<std::size_t>(batch * plan_.target_width);
  classes_ = take<CardArray<std::int32_t>>(plan_.target_classes ? targets : 0);
  values_ = take<CardArray<float>>(plan_.target_classes ? 0 : targets);
  if (workspace > workspace_.size())
    workspace_ = take<CardArray<float>>(workspace);
  for (auto& [size, prepared] : programs_) {
    prepared.graphs.clear();
    prepared.launched = false;
    make_products(prepared);
  }
}

void CardRun::make_products(Prepared& prepared) const {
  prepared.products.clear();
  for (const auto& op : prepared.program.ops)
    if (const auto* product = std::get_if<ProductOp>(&op)) {
      auto* bias = product->epilogue == Epilogue::none ? nullptr : at(product->bias);
      prepared.products.emplace_back(products_, *product, plan_.precision, at(product->a),
                                     at(product->b), at(product->c), bias);
    }
}

void CardRun::add_program(const StepProgram& program) {
  use_card();
  grow(program);
  auto& prepared = programs_[program.batch];
  prepared.program = program;
  make_products(prepared);
}

// -- a step --------------------------------------------------------------------------------------

void CardRun::enqueue_product(const CardProduct& product) {
  const auto& op = product.op();
  const auto beside = op.beside && !predicts_;
  if (beside) {
    fork_.record(main_.get());
    fork_.hold(beside_.get());
  }
  const auto stream = beside ? beside_.get() : main_.get();
  product.launch(stream, beside ? beside_scratch_ : main_scratch_);
  if (!product.epilogue_left())
    return;
  if (op.epilogue == Epilogue::column_sums)
    sum_columns(stream, product.b(), op.k, op.n, product.bias());
  else
    add_bias(stream, product.c(), product.bias(), op.m, op.n, op.epilogue == Epilogue::bias_relu);
}

void CardRun::enqueue_ops(const Prepared& prepared, int k) {
  auto product = prepared.products.begin();
  for (const auto& op : prepared.program.ops) {
    if (std::holds_alternative<ProductOp>(op)) {
      enqueue_product(*product++);
    } else if (const auto* activation = std::get_if<ActivateOp>(&op)) {
      activate(main_.get(), *activation, at(activation->x), at(activation->y));
    } else if (const auto* slope = std::get_if<SlopeOp>(&op)) {
      multiply_slope(main_.get(), *slope, at(slope->x), at(slope->y), at(slope->d));
    } else if (const auto* dropout = std::get_if<DropOp>(&op)) {
      drop(main_.get(), *dropout, state_.data(), k, plan_.noise, at(dropout->x), at(dropout->y));
    } else if (const auto* loss = std::get_if<LossOp>(&op)) {
      compute_loss(main_.get(),
                   {at(loss->prediction), at(loss->gradient), classes_.data(), values_.data(),
                    loss->rows, loss->width, loss->loss, row_losses_.data() + most_rows_ * k},
                   state_.data(), k, plan_.nan);
    }
  }
}

void CardRun::enqueue_gradient(Prepared& prepared, int k) {
  fork_.record(main_.get());
  fork_.hold(beside_.get());
  begin_step(beside_.get(), state_.data(), k, rule_.data(), ranges_.data(),
             static_cast<int>(plan_.ranges.size()), updates_.data() + plan_.ranges.size() * k);
  if (plan_.resident > 0)
    gather_rows(main_.get(),
                {all_inputs_.data(), plan_.target_classes ? all_classes_.data() : nullptr,
                 all_values_.data(), inputs_.data(), classes_.data(), values_.data(),
                 plan_.input_width, plan_.target_width, plan_.batch_size, plan_.batches_per_epoch,
                 plan_.shuffle, plan_.order, plan_.permutation},
                state_.data(), k, prepared.program.batch);
  enqueue_ops(prepared, k);
  join_.record(beside_.get());
  join_.hold(main_.get());
}

void CardRun::enqueue_update(const Prepared& prepared, int k, int steps, bool given) {
  const auto stream = main_.get();
  if (plan_.nan == DeviceNan::remove || plan_.clip_element > 0)
    for (const auto& range : plan_.ranges)
      prepare_gradient(stream, gradient_.data() + range.begin, range.size,
                       plan_.nan == DeviceNan::remove, plan_.clip_element);
  if (plan_.clip_parameter_norm > 0)
    clip_parameters(stream, gradient_.data(), by_name_.data(),
                    static_cast<int>(plan_.by_name.size()), plan_.clip_parameter_norm,
                    state_.data(), k);
  NormArguments norm;
  if (needs_norm(plan_) || given) {
    auto* parts = norm_parts_.data();
    for (const auto& range : plan_.ranges) {
      norm_parts(stream, gradient_.data() + range.begin, range.size, parts);
      parts += norm_parts_of(range.size);
    }
    norm = {norm_parts_.data(), norm_count_, plan_.clip_norm};
  }
  for (std::size_t i = 0; i < plan_.ranges.size(); ++i)
    update_elements(stream, kind_,
                    {parameters_.data(), gradient_.data(), slot0_.data(), slot1_.data(),
                     plan_.ranges[i].begin, plan_.ranges[i].size,
                     updates_.data() + plan_.ranges.size() * static_cast<std::size_t>(k) + i, norm,
                     plan_.nan},
                    state_.data(), k);
  const auto& program = prepared.program;
  const LossOp* loss = nullptr;
  for (const auto& op : program.ops)
    loss = std::holds_alternative<LossOp>(op) ? &std::get<LossOp>(op) : loss;
  const auto counted = loss->loss.on_classes() ? loss->rows : loss->rows * loss->width;
  fork_.record(stream);
  fork_.hold(beside_.get());
  finish_step(beside_.get(), state_.data(), k, steps, row_losses_.data() + most_rows_ * k,
              loss->rows, loss->loss.masked ? 0.0 : static_cast<double>(counted), plan_.nan,
              ring_.data(), ring_size);
  if (k + 1 != steps)
    return;
  join_.record(beside_.get());
  join_.hold(stream);
}

void CardRun::enqueue(Prepared& prepared, int steps, StepPart part) {
  for (int k = 0; k < steps; ++k) {
    if (part != StepPart::update)
      enqueue_gradient(prepared, k);
    if (part != StepPart::gradient)
      enqueue_update(prepared, k, steps, part == StepPart::update && given_gradient_);
  }
}

void CardRun::launch(Index batch, int steps, StepPart part) {
  use_card();
  auto& prepared = programs_.at(batch);
  const auto stream = main_.get();
  if (part != StepPart::whole || !prepared.launched) { // the first launch loads the kernels
    for (int i = 0; i < steps; ++i)
      enqueue(prepared, 1, part);
    prepared.launched = true;
  } else {
    auto found = prepared.graphs.find(steps);
    if (found == prepared.graphs.end()) {
      check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                 "capturing a step");
      cudaGraph_t graph = nullptr;
      try {
        enqueue(prepared, steps, part);
      } catch (...) {
        static_cast<void>(cudaStreamEndCapture(stream, &graph));
        throw;
      }
      check_cuda(cudaStreamEndCapture(stream, &graph), "capturing a step");
      found = prepared.graphs.try_emplace(steps, graph).first;
    }
    found->second.launch(stream);
  }
  if (part == StepPart::update)
    given_gradient_ = false;
  if (spare_events_.empty())
    spare_events_.push_back(std::make_unique<CardEvent>());
  launches_.push_back({std::move(spare_events_.back()), part == StepPart::gradient ? 0 : steps});
  spare_events_.pop_back();
  launches_.back().done->record(stream);
}

/// With DeviceNan::skip the optimizer's step count depends on the step before.
int CardRun::steps_per_launch() const { return plan_.nan == DeviceNan::skip ? 1 : most_steps; }

int CardRun::in_flight() {
  use_card();
  while (!launches_.empty()) {
    const auto state = cudaEventQuery(launches_.front().done->get());
    if (state == cudaErrorNotReady)
      break;
    check_cuda(state, "training");
    waiting_outputs_ += launches_.front().outputs;
    spare_events_.push_back(std::move(launches_.front().done));
    launches_.pop_front();
  }
  return static_cast<int>(launches_.size());
}

void CardRun::wait(int launches) {
  while (in_flight() > launches) {
    ++waits_;
    check_cuda(cudaEventSynchronize(launches_.front().done->get()), "training");
  }
}

void CardRun::take_outputs(std::vector<StepOutput>& outputs) {
  static_cast<void>(in_flight());
  for (; waiting_outputs_ > 0; --waiting_outputs_)
    outputs.push_back(ring_.data()[taken_outputs_++ % ring_size]);
}

// -- state ---------------------------------------------------------------------------------------

void CardRun::drain() {
  ++waits_;
  check_cuda(cudaStreamSynchronize(main_.get()), "training");
}

void CardRun::place(Step cursor, Step taken) {
  use_card();
  set_state(main_.get(), state_.data(), cursor, taken);
}

void CardRun::set_rule(const OptimizerRule& rule) {
  use_card();
  if (kind_ != rule.kind) // graphs hold the kernel of the other kind
    for (auto& [size, prepared] : programs_)
      prepared.graphs.clear();
  kind_ = rule.kind;
  troupe::set_rule(main_.get(), rule_.data(), rule);
}

void CardRun::copy_in_parts(float* device, float* host, std::size_t size, bool to_card) {
  use_card();
  for (std::size_t done = 0; done < size; done += staging_.size()) {
    const auto part = std::min(staging_.size(), size - done);
    const auto bytes = part * sizeof(float);
    if (to_card)
      std::memcpy(staging_.data(), host + done, bytes);
    check_cuda(cudaMemcpyAsync(to_card ? device + done : staging_.data(),
                               to_card ? staging_.data() : device + done, bytes,
                               to_card ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                               main_.get()),
               "copying a block");
    drain();
    if (!to_card)
      std::memcpy(host + done, staging_.data(), bytes);
  }
}

void CardRun::write(DeviceBlock which, std::span<const float> values) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): only read
  copy_in_parts(block(which), const_cast<float*>(values.data()), values.size(), true);
  if (which != DeviceBlock::gradient)
    return;
  given_gradient_ = true;
  clear_bad(main_.get(), state_.data());
}

void CardRun::read(DeviceBlock which, std::span<float> values) {
  copy_in_parts(block(which), values.data(), values.size(), false);
}

void CardRun::predict(const StepProgram& program, std::span<const float> inputs,
                      std::span<float> prediction) {
  use_card();
  drain();
  predicts_ = true;
  try {
    if (!predicting_ || predicting_->program.batch != program.batch) {
      if (prediction_workspace_.size() < static_cast<std::size_t>(program.workspace))
        prediction_workspace_ = take<CardArray<float>>(static_cast<std::size_t>(program.workspace));
      if (prediction_inputs_.size() < inputs.size())
        prediction_inputs_ = take<CardArray<float>>(inputs.size());
      predicting_.emplace();
      predicting_->program = program;
      make_products(*predicting_);
    }
    check_cuda(cudaMemcpyAsync(prediction_inputs_.data(), inputs.data(), inputs.size_bytes(),
                               cudaMemcpyHostToDevice, main_.get()),
               "copying a batch");
    enqueue_ops(*predicting_, 0);
    copy_in_parts(at(program.prediction), prediction.data(), prediction.size(), false);
  } catch (...) {
    predicts_ = false;
    throw;
  }
  predicts_ = false;
}

} // namespace troupe
