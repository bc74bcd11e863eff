// Memory that training allocates: all of it in the first batches, then nothing.
#include "model/optimizers/make_optimizer.hpp"
#include "model/tensor/block_park.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/split_model.hpp"
#include "model/training/training_memory.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/small_zoo.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

namespace {

std::atomic<std::uint64_t> allocations{0}; ///< calls of operator new, by all threads

[[maybe_unused]] void* counted_new(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const auto size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (auto* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size)
                                                            : std::aligned_alloc(alignment, size))
    return memory;
  throw std::bad_alloc{};
}

} // namespace

// Replaces the global operator new to count all allocations; arrays call it by default. The address
// sanitizer needs its own: with it, only aligned memory is counted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TROUPE_KEEPS_OPERATOR_NEW
#endif
#endif
#ifndef TROUPE_KEEPS_OPERATOR_NEW
void* operator new(std::size_t bytes) { return counted_new(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_new(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

using namespace troupe;
using namespace troupe::test;

namespace {

std::shared_ptr<Learner> zoo_learner(const std::string& name, Index threads = 1,
                                     std::shared_ptr<BlockPark> park = nullptr) {
  auto model = small_network(name, 0.1);
  if (threads > 1)
    model = std::make_unique<SplitModel>(std::move(model), threads);
  auto optimizer = make_optimizer(AdamOptions{}, model->layout().size());
  auto learner = std::make_shared<HostLearner>(
    std::make_shared<RandomProblem>(data_for(name)), std::move(model), std::move(optimizer),
    BatchOrder{{.examples = 70, .batch_size = 16}},
    LearnerOptions{.clipping = {.norm = 1}, .park = std::move(park)});
  learner->initialize({1});
  return learner;
}

void train(Learner& learner, Step begin, Step end) {
  for (auto cursor = begin; cursor < end; ++cursor) {
    learner.read(cursor);
    learner.train(cursor);
  }
}

} // namespace

TEST_CASE("training allocates nothing from its second epoch on", "[memory]") {
  const auto name = GENERATE(from_range(zoo_names()));
  const Index threads = GENERATE(1, 2);
  if (threads > 1 && name == "resnet_small")
    return; // not split
  INFO(name << ", " << threads << " threads");
  const auto learner = zoo_learner(name, threads);
  train(*learner, 0, 5);
  const auto allocations_before = allocations.load();
  const auto aligned_before = aligned_traffic().taken;
  train(*learner, 5, 5 + 5 * rounds(4)); // epochs, each with a smaller last batch
  CHECK(allocations.load() - allocations_before == 0);
  CHECK(aligned_traffic().taken - aligned_before == 0);
}

TEST_CASE("the memory in a summary is the memory that training uses", "[M56][memory]") {
  const auto name = GENERATE(from_range(zoo_names()));
  INFO(name);
  const auto said = measure_memory([&] { return zoo_learner(name); }, 1);
  const auto block = static_cast<std::uint64_t>(small_network(name)->layout().size()) * 4;
  CHECK(said.parameters == block);
  CHECK(said.gradients == block);
  CHECK(said.optimizer == 2 * block); // Adam's mean and variance
  CHECK(said.activations > 0);
  const auto before = aligned_traffic().in_use();
  const auto learner = zoo_learner(name);
  train(*learner, 0, 5 * rounds(4));
  CHECK(aligned_traffic().in_use() - before == said.total());
}

TEST_CASE(
  "a pass without a backward pass gives the same bits as one that keeps its layers' outputs",
  "[memory]") {
  const auto name = GENERATE(from_range(zoo_names()));
  INFO(name);
  const auto model = small_network(name);
  Buffer<float> parameters(static_cast<std::size_t>(model->layout().size()));
  model->initialize(parameters, {1});
  Batch batch;
  std::vector<Index> rows(16);
  std::iota(rows.begin(), rows.end(), 0);
  RandomProblem{data_for(name)}.gather(Section::train, rows, batch);

  Chain<float> keeping{dynamic_cast<const Network&>(*model).chain()};
  keeping.begin({});
  auto before = aligned_traffic().in_use();
  const auto expected = keeping.forward(parameters, batch.inputs[0].values);
  const auto kept = aligned_traffic().in_use() - before;
  before = aligned_traffic().in_use();
  const auto y = model->forward(parameters, batch);
  const auto used = aligned_traffic().in_use() - before;
  CHECK(std::equal(y.begin(), y.end(), expected.begin(), expected.end()));
  if (name == "lenet" || name == "resnet_small" || name == "gpt_mini") // they are deep
    CHECK(used < kept * 9 / 10);
}

TEST_CASE("each thread adds a gradient, and activations for its slice", "[M56][threads][memory]") {
  const auto one = measure_memory([] { return zoo_learner("mlp"); }, 1);
  const auto two = measure_memory([] { return zoo_learner("mlp", 2); }, 2);
  CHECK(two.gradients == 2 * one.gradients);
  CHECK(two.optimizer == one.optimizer);
  CHECK(two.activations > one.activations); // the slices' copies of the batch
  CHECK(two.activations < 3 * one.activations);
}

TEST_CASE(
  "a learner that frees its steps keeps parameters and slots only, and trains to the same bits",
  "[memory]") {
  const auto usual = zoo_learner("mlp");
  const auto before = aligned_traffic().in_use();
  const auto frugal = zoo_learner("mlp");
  const auto own = aligned_traffic().in_use() - before;
  train(*usual, 0, 9);
  for (Step cursor = 0; cursor < 9; ++cursor) {
    const auto others = aligned_traffic().in_use();
    train(*frugal, cursor, cursor + 1);
    frugal->release_step();
    if (cursor > 0)
      CHECK(aligned_traffic().in_use() == others);
  }
  CHECK(own > 0);
  CHECK(frugal->parameters() == usual->parameters());
}

TEST_CASE(
  "a learner with a park keeps no numbers in memory between steps, and trains to the same bits",
  "[memory]") {
  const auto usual = zoo_learner("mlp");
  train(*usual, 0, 9);
  const auto before = aligned_traffic().in_use();
  const auto parked = zoo_learner("mlp", 1, std::make_shared<BlockPark>(1000));
  for (Step cursor = 0; cursor < 9; ++cursor) {
    train(*parked, cursor, cursor + 1);
    parked->release_step();
    CHECK(aligned_traffic().in_use() == before);
  }
  CHECK(parked->parameters() == usual->parameters());
  for (std::size_t i = 0; i < usual->slots().size(); ++i)
    CHECK(parked->slots()[i].values == usual->slots()[i].values);
}
