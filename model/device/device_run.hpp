// The interface between the program and a graphics card. CUDA is behind it in a library of its own
// (cuda/), loaded where a configuration asks for a card: the program starts without it.
#pragma once

#include "model/device/step_program.hpp"
#include "model/formulas/element_update.hpp"
#include "model/tensor/counter_random.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe {

/// One graphics card.
struct DeviceFacts {
  int number = 0;
  std::string name;
  std::uint64_t bytes = 0, free_bytes = 0; ///< memory
  int major = 0, minor = 0;                ///< compute capability
  int processors = 0;
};

/// Precision of the products; everything else is float32.
enum class Precision : std::uint8_t { float32, tf32, bfloat16 };

/// Consecutive trained elements with the same shares of the optimizer's settings.
struct UpdateRange {
  Index begin = 0, size = 0;
  double learning_rate = 1, weight_decay = 1;
};

/// What the card does about numbers that are not finite; as NanPolicy.
enum class DeviceNan : std::uint8_t { stop, skip, ignore, remove };

/// The part of a run that does not change from step to step.
struct DevicePlan {
  int device = 0;
  Precision precision = Precision::float32;
  Index parameters = 0;
  int slots = 0;                    ///< of the optimizer
  std::vector<UpdateRange> ranges;  ///< elements that are trained, in order
  std::vector<UpdateRange> by_name; ///< the trained parameters one by one, to clip their norms
  double clip_element = 0, clip_norm = 0, clip_parameter_norm = 0; ///< 0: off
  DeviceNan nan = DeviceNan::stop;
  std::uint64_t noise = 0; ///< value of the key of random numbers
  // -- data
  Index input_width = 0;
  Index target_width = 0; ///< classes or numbers of an example
  bool target_classes = false;
  Index resident = 0; ///< examples that stay on the card; 0: each batch is put there
  // -- order of resident examples, as BatchOrder has it for one shard
  Index batch_size = 0;
  Step batches_per_epoch = 1;
  bool shuffle = false;
  std::uint64_t order = 0;     ///< value of the key from which each epoch's is derived
  PermutationKeys permutation; ///< size, a and b; the rounds follow from the epoch
};

/// The result of one step.
struct StepOutput {
  double loss_sum = 0;  ///< over what counts
  double weight = 0;    ///< how much that is
  bool bad = false;     ///< loss or gradient was not finite
  bool dropped = false; ///< DeviceNan::stop: an earlier step was bad
};

enum class DeviceBlock : std::uint8_t { parameters, gradient, slot0, slot1 };

/// The parts of a step.
enum class StepPart : std::uint8_t { whole, gradient, update };

/// A part of the run on a card has failed; the text is CUDA's, with what was being done.
class DeviceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A run's memory on a card, and its steps; use it from one thread at a time. All functions throw
/// DeviceError.
class DeviceRun {
public:
  virtual ~DeviceRun() = default;

  /// Puts resident examples, from `first` on.
  /// @param classes, values the targets; one of them is empty
  virtual void put_examples(Index first, std::span<const float> inputs,
                            std::span<const std::int32_t> classes, std::span<const float> values)
    = 0;
  /// Makes a batch size known. Programs of other sizes stay.
  virtual void add_program(const StepProgram& program) = 0;

  /// Both wait for the steps before.
  virtual void write(DeviceBlock block, std::span<const float> values) = 0;
  virtual void read(DeviceBlock block, std::span<float> values) = 0;

  /// From the next launch on.
  /// @param cursor of the next step's batch
  /// @param taken steps that the optimizer has taken
  virtual void place(Step cursor, Step taken) = 0;
  virtual void set_rule(const OptimizerRule& rule) = 0;

  /// Puts the next batch, without waiting for the steps before; for runs without resident examples.
  virtual void put_batch(std::span<const float> inputs, std::span<const std::int32_t> classes,
                         std::span<const float> values)
    = 0;

  /// Hands `steps` steps of batches of a known size to the card, and does not wait. Those of one
  /// launch follow each other in the data. @pre steps is 1 for a part of a step and without resident
  /// examples.
  virtual void launch(Index batch, int steps, StepPart part = StepPart::whole) = 0;
  /// The most steps that one launch may have.
  virtual int steps_per_launch() const = 0;

  /// Launches that are not done.
  virtual int in_flight() = 0;
  /// Waits until at most so many are not done.
  virtual void wait(int launches) = 0;
  /// The results of steps that are done, in order, appended to `outputs`, each once. Those of
  /// StepPart::gradient have none.
  virtual void take_outputs(std::vector<StepOutput>& outputs) = 0;

  /// How often the host waited for the card, and allocated memory on it, so far.
  virtual std::uint64_t waits() const = 0;
  virtual std::uint64_t allocations() const = 0;

  /// Predicts a batch with the given program (without a backward pass), and waits for it.
  virtual void predict(const StepProgram& program, std::span<const float> inputs,
                       std::span<float> prediction)
    = 0;
};

/// The loaded library.
class DeviceLibrary {
public:
  virtual ~DeviceLibrary() = default;
  /// The cards of this machine. @param why the reason where there are none
  virtual std::vector<DeviceFacts> devices(std::string& why) = 0;
  virtual std::unique_ptr<DeviceRun> begin(const DevicePlan& plan) = 0;
};

/// The name of the library for the dynamic loader, and its exported function, whose result lives as
/// long as the process. Increase the number with any change to the declarations above or in
/// step_program.hpp.
inline constexpr const char* device_library_name = "libtroupe_cuda.so";
inline constexpr const char* device_entry = "troupe_device_library_1";
using DeviceEntry = DeviceLibrary* (*)();

} // namespace troupe
