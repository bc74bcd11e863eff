#include "cuda/card_run.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr std::size_t most_staged = std::size_t{1} << 21; // floats, twice
constexpr std::size_t batches_on_the_way = 4;

} // namespace

template <class Array>
Array CardRun::take(std::size_t size) {
  ++allocations_;
  return Array{size};
}

CardRows CardRun::take_rows(Index most) {
  const auto inputs = static_cast<std::size_t>(most * plan_.input_width);
  const auto targets = static_cast<std::size_t>(most * plan_.target_width);
  CardRows rows;
  rows.most = most;
  rows.inputs = take<CardArray<float>>(inputs);
  rows.classes = take<CardArray<std::int32_t>>(plan_.target_classes ? targets : 0);
  rows.values = take<CardArray<float>>(plan_.target_classes ? 0 : targets);
  return rows;
}

BatchUploads::Place& BatchUploads::next() {
  if (places_.size() < batches_on_the_way)
    places_.push_back(std::make_unique<Place>());
  return *places_[next_++ % batches_on_the_way];
}

CardRun::CardRun(const DevicePlan& plan)
  : plan_((check_cuda(cudaSetDevice(plan.device), "choosing the card"), plan)),
    staging_(
      std::min(most_staged, static_cast<std::size_t>(std::max<Index>(1024, plan.parameters)))) {
  check_cuda(cudaMemset(state_.data(), 0, sizeof(CardState)), "clearing memory");
  resident_ = take_rows(plan.resident);
  check_cuda(cudaDeviceSynchronize(), "beginning the run");
}

CardRun::~CardRun() {
  static_cast<void>(cudaSetDevice(plan_.device));
  static_cast<void>(cudaStreamSynchronize(streams_.main()));
  static_cast<void>(cudaStreamSynchronize(streams_.beside()));
}

/// Actors change threads, and each thread has its own current card.
void CardRun::use_card() const { check_cuda(cudaSetDevice(plan_.device), "choosing the card"); }

float* CardRun::at(DeviceArray array) const {
  switch (array.space) {
  case DeviceSpace::parameters: return optimizer_.block(DeviceBlock::parameters) + array.offset;
  case DeviceSpace::gradient: return optimizer_.block(DeviceBlock::gradient) + array.offset;
  case DeviceSpace::workspace:
    return (prediction_.running ? prediction_.workspace : workspace_).data() + array.offset;
  case DeviceSpace::inputs:
    return (prediction_.running ? prediction_.inputs : batch_.inputs).data() + array.offset;
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
  put(resident_.inputs.data(), inputs, plan_.input_width);
  put(resident_.classes.data(), classes, plan_.target_width);
  put(resident_.values.data(), values, plan_.target_width);
}

void CardRun::put_batch(std::span<const float> inputs, std::span<const std::int32_t> classes,
                        std::span<const float> values) {
  use_card();
  auto& place = uploads_.next();
  check_cuda(cudaEventSynchronize(place.copied.get()), "copying a batch");
  const auto put = [&](auto& pinned, auto* to, const auto& from) {
    if (from.empty())
      return;
    if (pinned.size() < from.size())
      pinned = take<std::remove_reference_t<decltype(pinned)>>(from.size());
    std::copy(from.begin(), from.end(), pinned.data());
    check_cuda(cudaMemcpyAsync(to, pinned.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                               streams_.main()),
               "copying a batch");
  };
  put(place.inputs, batch_.inputs.data(), inputs);
  put(place.classes, batch_.classes.data(), classes);
  put(place.values, batch_.values.data(), values);
  place.copied.record(streams_.main());
}

// -- programs ------------------------------------------------------------------------------------

/// Takes memory for a program. Graphs and products that hold old addresses are made again.
void CardRun::grow(const StepProgram& program) {
  const auto rows = std::max(most_rows_, program.rows);
  const auto batch = std::max(batch_.most, program.batch);
  const auto workspace = static_cast<std::size_t>(program.workspace);
  if (rows == most_rows_ && batch == batch_.most && workspace <= workspace_.size())
    return;
  drain();
  most_rows_ = rows;
  row_losses_ = take<CardArray<double>>(static_cast<std::size_t>(rows) * most_steps);
  batch_ = take_rows(batch);
  if (workspace > workspace_.size())
    workspace_ = take<CardArray<float>>(workspace);
  for (auto& [size, prepared] : programs_) {
    prepared.graphs.clear();
    prepared.launched = false;
    make_products(prepared);
  }
}

void CardRun::make_products(PreparedProgram& prepared) const {
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
  const auto beside = op.beside && !prediction_.running;
  if (beside)
    streams_.fork();
  const auto stream = beside ? streams_.beside() : streams_.main();
  product.launch(stream, beside ? beside_scratch_ : main_scratch_);
  if (!product.epilogue_left())
    return;
  if (op.epilogue == Epilogue::column_sums)
    sum_columns(stream, product.b(), op.k, op.n, product.bias());
  else
    add_bias(stream, product.c(), product.bias(), op.m, op.n, op.epilogue == Epilogue::bias_relu);
}

void CardRun::enqueue_ops(const PreparedProgram& prepared, int k) {
  auto product = prepared.products.begin();
  for (const auto& op : prepared.program.ops) {
    if (std::holds_alternative<ProductOp>(op)) {
      enqueue_product(*product++);
    } else if (const auto* activation = std::get_if<ActivateOp>(&op)) {
      activate(streams_.main(), *activation, at(activation->x), at(activation->y));
    } else if (const auto* slope = std::get_if<SlopeOp>(&op)) {
      multiply_slope(streams_.main(), *slope, at(slope->x), at(slope->y), at(slope->d));
    } else if (const auto* dropout = std::get_if<DropOp>(&op)) {
      drop(streams_.main(), *dropout, state_.data(), k, plan_.noise, at(dropout->x),
           at(dropout->y));
    } else if (const auto* loss = std::get_if<LossOp>(&op)) {
      compute_loss(streams_.main(),
                   {at(loss->prediction), at(loss->gradient), batch_.classes.data(),
                    batch_.values.data(), loss->rows, loss->width, loss->loss,
                    row_losses_.data() + most_rows_ * k},
                   state_.data(), k, plan_.nan);
    }
  }
}

void CardRun::enqueue_gradient(PreparedProgram& prepared, int k) {
  streams_.fork();
  optimizer_.begin(streams_.beside(), state_.data(), k);
  if (plan_.resident > 0)
    gather_rows(streams_.main(),
                {resident_.inputs.data(), plan_.target_classes ? resident_.classes.data() : nullptr,
                 resident_.values.data(), batch_.inputs.data(), batch_.classes.data(),
                 batch_.values.data(), plan_.input_width, plan_.target_width, plan_.batch_size,
                 plan_.batches_per_epoch, plan_.shuffle, plan_.order, plan_.permutation},
                state_.data(), k, prepared.program.batch);
  enqueue_ops(prepared, k);
  streams_.join();
}

void CardRun::enqueue_update(const PreparedProgram& prepared, int k, int steps, bool given) {
  optimizer_.update(streams_.main(), state_.data(), k, given);
  const auto& program = prepared.program;
  const LossOp* loss = nullptr;
  for (const auto& op : program.ops)
    loss = std::holds_alternative<LossOp>(op) ? &std::get<LossOp>(op) : loss;
  const auto counted = loss->loss.on_classes() ? loss->rows : loss->rows * loss->width;
  streams_.fork();
  finish_step(streams_.beside(), state_.data(), k, steps, row_losses_.data() + most_rows_ * k,
              loss->rows, loss->loss.masked ? 0.0 : static_cast<double>(counted), plan_.nan,
              launches_.ring(), LaunchQueue::ring_size);
  if (k + 1 == steps)
    streams_.join();
}

void CardRun::enqueue(PreparedProgram& prepared, int steps, StepPart part) {
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
  const auto stream = streams_.main();
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
  launches_.add(stream, part == StepPart::gradient ? 0 : steps);
}

/// With DeviceNan::skip the optimizer's step count depends on the step before.
int CardRun::steps_per_launch() const { return plan_.nan == DeviceNan::skip ? 1 : most_steps; }

int CardRun::in_flight() {
  use_card();
  return launches_.in_flight();
}

void CardRun::wait(int launches) {
  while (in_flight() > launches) {
    ++waits_;
    launches_.wait_for_first();
  }
}

void CardRun::take_outputs(std::vector<StepOutput>& outputs) {
  static_cast<void>(in_flight());
  launches_.take_outputs(outputs);
}

// -- state ---------------------------------------------------------------------------------------

void CardRun::drain() {
  ++waits_;
  check_cuda(cudaStreamSynchronize(streams_.main()), "training");
}

void CardRun::place(Step cursor, Step taken) {
  use_card();
  set_state(streams_.main(), state_.data(), cursor, taken);
}

void CardRun::set_rule(const OptimizerRule& rule) {
  use_card();
  if (optimizer_.set_rule(streams_.main(), rule)) // graphs hold the kernel of the other kind
    for (auto& [size, prepared] : programs_)
      prepared.graphs.clear();
}

void CardRun::copy_to_card(float* device, std::span<const float> host) {
  use_card();
  for (std::size_t part = 0; part * staging_.half < host.size(); ++part) {
    const auto from = host.subspan(part * staging_.half)
                        .first(std::min(staging_.half, host.size() - part * staging_.half));
    const auto& moved = staging_.moved[part % 2];
    check_cuda(cudaEventSynchronize(moved.get()), "copying a block");
    std::copy(from.begin(), from.end(), staging_.place(part));
    check_cuda(cudaMemcpyAsync(device + part * staging_.half, staging_.place(part),
                               from.size_bytes(), cudaMemcpyHostToDevice, streams_.main()),
               "copying a block");
    moved.record(streams_.main());
  }
  drain();
}

void CardRun::copy_from_card(const float* device, std::span<float> host) {
  use_card();
  ++waits_;
  const auto parts = (host.size() + staging_.half - 1) / staging_.half;
  for (std::size_t next = 0; next <= parts; ++next) { // a part is copied while the next one moves
    if (next < parts) {
      const auto begin = next * staging_.half;
      check_cuda(cudaMemcpyAsync(staging_.place(next), device + begin,
                                 std::min(staging_.half, host.size() - begin) * sizeof(float),
                                 cudaMemcpyDeviceToHost, streams_.main()),
                 "copying a block");
      staging_.moved[next % 2].record(streams_.main());
    }
    if (next == 0)
      continue;
    const auto begin = (next - 1) * staging_.half;
    check_cuda(cudaEventSynchronize(staging_.moved[(next - 1) % 2].get()), "copying a block");
    std::copy_n(staging_.place(next - 1), std::min(staging_.half, host.size() - begin),
                host.data() + begin);
  }
}

void CardRun::write(DeviceBlock which, std::span<const float> values) {
  copy_to_card(optimizer_.block(which), values);
  if (which != DeviceBlock::gradient)
    return;
  given_gradient_ = true;
  clear_bad(streams_.main(), state_.data());
}

void CardRun::read(DeviceBlock which, std::span<float> values) {
  copy_from_card(optimizer_.block(which), values);
}

void CardRun::predict(const StepProgram& program, std::span<const float> inputs,
                      std::span<float> prediction) {
  use_card();
  drain();
  prediction_.running = true;
  auto& prepared = prediction_.prepared;
  try {
    if (!prepared || prepared->program.batch != program.batch) {
      if (prediction_.workspace.size() < static_cast<std::size_t>(program.workspace))
        prediction_.workspace = take<CardArray<float>>(static_cast<std::size_t>(program.workspace));
      if (prediction_.inputs.size() < inputs.size())
        prediction_.inputs = take<CardArray<float>>(inputs.size());
      prepared.emplace();
      prepared->program = program;
      make_products(*prepared);
    }
    check_cuda(cudaMemcpyAsync(prediction_.inputs.data(), inputs.data(), inputs.size_bytes(),
                               cudaMemcpyHostToDevice, streams_.main()),
               "copying a batch");
    enqueue_ops(*prepared, 0);
    copy_from_card(at(program.prediction), prediction);
  } catch (...) {
    prediction_.running = false;
    throw;
  }
  prediction_.running = false;
}

} // namespace troupe
