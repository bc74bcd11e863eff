#include "model/training/model_kind.hpp"

namespace troupe {

namespace {

Registry<ModelKind>& registered_models() {
  static Registry<ModelKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<ModelKind>& model_kinds() { return registered_models(); }

RegisterModel::RegisterModel(ModelKind kind) { registered_models().add(std::move(kind)); }

} // namespace troupe
