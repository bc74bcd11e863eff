// Implements Troupe's interface to TorchScript modules with libtorch.
#include "base/failure.hpp"
#include "torch/allocator.hpp"
#include "torch/module_tensors.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/script.h>

#include <algorithm>
#include <mutex>
#include <optional>

// Debian's OpenBLAS has its own threads, which at::set_num_threads does not affect; another BLAS
// does not have this function.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace troupe {

namespace {

/// The content of a file, never changed; modules that run are copies of it.
struct Original {
  torch::jit::Module module;
  std::vector<TorchTensor> tensors;
};

TorchOutput output_of(const at::Tensor& tensor) {
  return {{tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())},
          tensor.sizes().vec()};
}

/// Settings for a module's forward: one thread, and operators without optimization. The interpreter
/// would optimize after the first passes, and a resumed run would get other bits.
class PassScope {
public:
  explicit PassScope(bool training) : gradients_(training) {
    if (at::get_num_threads() != 1)
      at::set_num_threads(1);
  }

private:
  torch::jit::GraphOptimizerEnabledGuard plain_{false};
  at::AutoGradMode gradients_;
};

class LibtorchModule : public TorchModule {
public:
  explicit LibtorchModule(std::shared_ptr<const Original> original)
    : original_(std::move(original)),
      module_(original_->module.deepcopy()) {
    for (auto& place : tensors_in(module_)) {
      if (!belongs_in_block(place)) {
        constants_.push_back({place, place.tensor(), place.tensor()._version()});
        continue;
      }
      sizes_.push_back(place.tensor().sizes().vec());
      kinds_.push_back(place.tensor().scalar_type());
      place.put(at::empty({0})); // the block has the values
      module_tensors_.push_back(std::move(place));
    }
    for (const auto& tensor : original_->tensors)
      trained_.push_back(tensor.role == ParameterRole::trained);
  }

  std::string name() const override { return module_.type()->name()->name(); }
  const std::vector<TorchTensor>& tensors() const override { return original_->tensors; }
  void freeze(std::size_t tensor) override { trained_.at(tensor) = false; }

  void copy_values(std::span<float> block) const override {
    at::NoGradGuard no_gradients;
    auto* to = block.data();
    for (const auto& place : tensors_in(original_->module))
      if (belongs_in_block(place)) {
        const auto values = place.tensor().to(at::kFloat).contiguous();
        to = std::copy_n(values.data_ptr<float>(), values.numel(), to);
      }
  }

  TorchOutput predict(std::span<const float> block, const TorchInput& input) override {
    return output_of(run(block, input, false));
  }

  TorchOutput train(std::span<const float> block, const TorchInput& input,
                    std::uint64_t seed) override {
    // The process has one generator: only one pass at a time draws from it.
    static std::mutex drawing;
    if (draws_ && !*draws_)
      return output_of(run(block, input, true));
    const std::lock_guard lock{drawing};
    auto generator = at::detail::getDefaultCPUGenerator();
    generator.set_current_seed(seed);
    const auto before = generator.get_state();
    const auto& output = run(block, input, true);
    draws_ = !before.equal(generator.get_state());
    return output_of(output);
  }

  void backward(std::span<const float> output_gradient, std::span<float> gradient) override {
    std::vector<at::Tensor> leaves, found;
    for (std::size_t i = 0; i < module_tensors_.size(); ++i)
      if (trained_[i])
        leaves.push_back(module_tensors_[i].tensor());
    if (!leaves.empty() && output_.requires_grad())
      found = gradients_of(leaves, output_gradient);
    auto next = found.begin();
    std::size_t offset = 0;
    for (std::size_t i = 0; i < module_tensors_.size(); ++i) {
      const auto size = size_of(i);
      const auto part = gradient.subspan(offset, size);
      if (original_->tensors[i].role == ParameterRole::statistic)
        find_change(i, block_.subspan(offset, size), part);
      else if (trained_[i] && next != found.end() && next++->defined())
        at::from_blob(part.data(), sizes_[i], at::kFloat).copy_(*std::prev(next));
      else
        std::fill(part.begin(), part.end(), 0.0f);
      offset += size;
    }
    output_.reset();
  }

  std::unique_ptr<TorchModule> clone() const override {
    auto copy = std::make_unique<LibtorchModule>(original_);
    copy->trained_ = trained_;
    return copy;
  }

private:
  struct Constant {
    ModuleTensor place;
    at::Tensor tensor;
    std::int64_t version = 0;
  };

  std::size_t size_of(std::size_t i) const {
    return static_cast<std::size_t>(c10::multiply_integers(sizes_[i]));
  }

  /// Binds the tensors to the block, and the statistics to copies, because they may be written.
  void bind(std::span<const float> block) {
    const auto stays = block.data() == block_.data();
    block_ = block;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < module_tensors_.size(); ++i) {
      auto* const values = const_cast<float*>(block.data() + offset);
      offset += size_of(i);
      const auto statistic = original_->tensors[i].role == ParameterRole::statistic;
      if (stays && !statistic)
        continue;
      const auto view = at::from_blob(values, sizes_[i], at::kFloat);
      if (!statistic)
        module_tensors_[i].put(view.set_requires_grad(trained_[i]));
      else // an average of several workers' counters need not be an integer
        module_tensors_[i].put(kinds_[i] == at::kFloat ? view.clone() : view.round().to(kinds_[i]));
    }
  }

  const at::Tensor& run(std::span<const float> block, const TorchInput& input, bool training) {
    const PassScope scope{training};
    try {
      output_.reset();
      bind(block);
      if (training_ != training)
        module_.train(training);
      training_ = training;
      const auto x
        = at::from_blob(const_cast<float*>(input.values.data()), input.shape, at::kFloat);
      const auto y = module_.forward({input.whole ? x.to(at::kLong) : x});
      if (!y.isTensor() || y.toTensor().scalar_type() != at::kFloat)
        throw TorchError("its forward returns "
                         + (y.isTensor() ? c10::toString(y.toTensor().scalar_type()) : y.tagKind())
                         + ", and a tensor of Float is needed");
      output_ = y.toTensor().contiguous();
    } catch (const std::exception& e) {
      throw TorchError(text_of(e));
    }
    check_constants();
    return output_;
  }

  /// Troupe saves and shares what is in the block, and nothing else.
  void check_constants() const {
    for (const auto& [place, tensor, version] : constants_)
      if (!place.tensor().is_same(tensor) || tensor._version() != version)
        throw TorchError("it writes into " + place.name
                         + ", whole numbers or bits that would not be saved; make it float32");
  }

  std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& leaves,
                                       std::span<const float> output_gradient) {
    const PassScope scope{true};
    const auto dy
      = at::from_blob(const_cast<float*>(output_gradient.data()), output_.sizes(), at::kFloat);
    try {
      return torch::autograd::grad({output_}, leaves, {dy}, false, false, true);
    } catch (const std::exception& e) {
      throw TorchError(text_of(e));
    }
  }

  /// Computes the change of a statistic in a pass.
  void find_change(std::size_t i, std::span<const float> before, std::span<float> change) const {
    const auto now = module_tensors_[i].tensor().detach().to(at::kFloat).contiguous();
    if (static_cast<std::size_t>(now.numel()) != change.size())
      throw TorchError("it changes the size of " + module_tensors_[i].name);
    std::transform(now.data_ptr<float>(), now.data_ptr<float>() + change.size(), before.begin(),
                   change.begin(), std::minus<>{});
  }

  static std::string text_of(const std::exception& e) {
    const auto* error = dynamic_cast<const c10::Error*>(&e);
    return error != nullptr ? error->what_without_backtrace() : e.what();
  }

  std::shared_ptr<const Original> original_;
  torch::jit::Module module_;
  std::vector<ModuleTensor> module_tensors_; // those in the block, in its order
  std::vector<std::vector<Index>> sizes_;    // their sizes in the module
  std::vector<at::ScalarType> kinds_;        // their types in the module
  std::vector<bool> trained_;                // whether they get gradients
  std::vector<Constant> constants_;
  std::span<const float> block_; // of the last pass
  at::Tensor output_;            // of the last pass, with its graph
  std::optional<bool> training_; // the module's mode
  std::optional<bool> draws_;    // whether training draws random numbers; unknown before the first
                                 // pass
};

/// The first line, with a mark for each byte of a damaged file that must not reach a terminal.
std::string printable_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  std::replace_if(
    text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

torch::jit::Module read_module(const std::string& path) {
  try {
    return torch::jit::load(path, at::kCPU);
  } catch (const std::exception& e) {
    throw DataError("'" + path + "' is not a TorchScript module (" + printable_line(e.what())
                    + "); write it with torch.jit.save(torch.jit.script(model), \"" + path + "\")");
  }
}

void check_forward(const torch::jit::Module& module, const std::string& path) {
  const auto forward = module.find_method("forward");
  if (!forward)
    throw DataError("the module in '" + path + "' has no forward");
  const auto& arguments = forward->function().getSchema().arguments();
  const auto wanted = std::count_if(arguments.begin(), arguments.end(), [](const auto& argument) {
    return !argument.default_value().has_value();
  });
  if (wanted > 2 || arguments.size() < 2) // the module and the input
    throw DataError("forward of the module in '" + path + "' takes "
                    + std::to_string(arguments.size() - 1)
                    + " inputs, and Troupe gives one; wrap it in a module that takes one");
}

} // namespace

extern "C" TorchModule* troupe_torch_module_1(const char* path, const TorchHost& host) {
  use_memory_of(host);
  if (openblas_set_num_threads != nullptr)
    openblas_set_num_threads(1);
  auto original = std::make_shared<Original>(Original{read_module(path), {}});
  check_forward(original->module, path);
  check_hidden_parameters(original->module, path);
  resolve_aliases(original->module);
  for (const auto& place : tensors_in(original->module))
    if (belongs_in_block(place))
      original->tensors.push_back(description_of(place, path));
  return new LibtorchModule(std::move(original));
}

} // namespace troupe
