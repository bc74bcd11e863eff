#include "torch/module_tensors.hpp"

#include "base/failure.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace troupe {

namespace {

class Collector {
public:
  void visit(const Object& owner, const std::string& prefix) {
    if (!visited_.insert(owner.get()).second)
      return;
    const auto& type = *owner->type();
    for (std::size_t i = 0; i < type.numAttributes(); ++i) {
      const auto& value = owner->getSlot(i);
      const auto name = prefix + type.getAttributeName(i);
      if (value.isModule())
        visit(value.toModule()._ivalue(), name + ".");
      else if (value.isTensor() && value.toTensor().defined())
        add({owner, i}, name, type.is_parameter(i));
      else if (value.isList())
        visit_list({owner, i}, value.toList(), name);
      else if (value.isGenericDict() || value.isTuple())
        others_.emplace_back(name, value);
    }
  }

  std::vector<ModuleTensor> take() { return std::move(module_tensors_); }
  /// Attributes that may hold tensors in ways that are not followed.
  const std::vector<std::pair<std::string, c10::IValue>>& others() const { return others_; }

private:
  void visit_list(Slot slot, const c10::List<c10::IValue>& list, const std::string& name) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (const c10::IValue value = list.get(i); value.isTensor() && value.toTensor().defined()) {
        slot.element = i;
        add(slot, name + "." + std::to_string(i), false);
      }
  }

  void add(Slot slot, const std::string& name, bool parameter) {
    const auto [found, is_new]
      = known_.try_emplace(slot.tensor().unsafeGetTensorImpl(), module_tensors_.size());
    if (is_new)
      module_tensors_.push_back({name, parameter, {}});
    auto& place = module_tensors_[found->second];
    if (parameter && !place.parameter) { // it was found in a list before
      place.parameter = true;
      place.name = name;
    }
    place.slots.push_back(std::move(slot));
  }

  std::set<const void*> visited_;
  std::map<const void*, std::size_t> known_; // by tensor
  std::vector<ModuleTensor> module_tensors_;
  std::vector<std::pair<std::string, c10::IValue>> others_;
};

bool same_geometry(const at::Tensor& a, const at::Tensor& b) {
  return a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes()
         && a.strides() == b.strides();
}

} // namespace

at::Tensor Slot::tensor() const {
  const auto& value = owner->getSlot(index);
  return element ? c10::IValue{value.toList().get(*element)}.toTensor() : value.toTensor();
}

void Slot::put(const at::Tensor& tensor) const {
  if (element)
    owner->getSlot(index).toList().set(*element, tensor);
  else
    owner->setSlot(index, tensor);
}

std::vector<ModuleTensor> tensors_in(const torch::jit::Module& module) {
  Collector collector;
  collector.visit(module._ivalue(), "");
  auto module_tensors = collector.take();
  std::stable_partition(module_tensors.begin(), module_tensors.end(),
                        [](const ModuleTensor& place) { return place.parameter; });
  return module_tensors;
}

void resolve_aliases(const torch::jit::Module& module) {
  std::map<const void*, at::Tensor> first_in;
  for (const auto& place : tensors_in(module)) {
    const auto tensor = place.tensor();
    const auto [found, is_new]
      = first_in.try_emplace(tensor.storage().unsafeGetStorageImpl(), tensor);
    if (!is_new)
      place.put(same_geometry(found->second, tensor)
                  ? found->second
                  : tensor.detach().clone().set_requires_grad(tensor.requires_grad()));
  }
}

void check_hidden_parameters(const torch::jit::Module& module, const std::string& path) {
  Collector collector;
  collector.visit(module._ivalue(), "");
  std::set<const void*> memory;
  for (const auto& place : collector.take())
    memory.insert(place.tensor().storage().unsafeGetStorageImpl());
  for (const auto& [name, value] : collector.others()) {
    c10::IValue::HashAliasedIValues inside;
    value.getSubValues(inside);
    for (const auto& each : inside)
      if (each.isTensor() && each.toTensor().defined()
          && memory.contains(each.toTensor().storage().unsafeGetStorageImpl()))
        throw DataError("'" + path + "' also keeps a parameter in " + name
                        + ", a dictionary or a tuple, where it would not be trained; keep it in an "
                          "nn.ModuleDict or a list");
  }
}

bool belongs_in_block(const ModuleTensor& place) {
  const auto tensor = place.tensor();
  return place.parameter || (tensor.is_floating_point() && tensor.numel() > 0)
         || (tensor.numel() == 1 && at::isIntegralType(tensor.scalar_type(), false));
}

TorchTensor description_of(const ModuleTensor& place, const std::string& path) {
  const auto tensor = place.tensor();
  if (tensor.layout() != at::kStrided
      || (tensor.scalar_type() != at::kFloat
          && (place.parameter || tensor.is_floating_point() || tensor.is_complex())))
    throw DataError("'" + path + "' holds " + place.name + " as "
                    + c10::toString(tensor.scalar_type())
                    + ", but Troupe trains dense float32; save the module after module.float()");
  TorchTensor result{place.name, tensor.sizes().vec(), ParameterRole::statistic};
  if (result.shape.empty())
    result.shape = {1};
  if (place.parameter)
    result.role = tensor.requires_grad() ? ParameterRole::trained : ParameterRole::frozen;
  return result;
}

} // namespace troupe
