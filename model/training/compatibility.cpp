#include "model/training/compatibility.hpp"

#include "base/text/text.hpp"

#include <algorithm>

namespace troupe {

namespace {

bool sizes_agree(Index a, Index b) { return a == b || a == any_size || b == any_size; }

/// @returns the first index where the first `count` sizes differ, `count` where none does
std::size_t first_mismatch(const Shape& a, const Shape& b, std::size_t count) {
  std::size_t i = 0;
  while (i < count && sizes_agree(a[i], b[i]))
    ++i;
  return i;
}

std::string dimensions(const Shape& shape) {
  return std::to_string(shape.size()) + (shape.size() == 1 ? " dimension " : " dimensions ")
         + to_string(shape);
}

std::string names(const std::vector<FieldSpec>& fields) {
  return fields.empty() ? "none" : joined(fields, ", ", &FieldSpec::name);
}

std::string input_mismatch(const DataSpec& problem, const std::string& model,
                           const FieldSpec& needed) {
  const auto who = "input '" + needed.name + "'";
  const auto given = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                  [&](const FieldSpec& f) { return f.name == needed.name; });
  if (given == problem.inputs.end())
    return "model '" + model + "' needs " + who + " " + to_string(needed.shape)
           + ", which the problem does not have (it has: " + names(problem.inputs)
           + "); name one of these as the model's input";
  if (given->type != needed.type)
    return who + " is " + to_string(given->type) + " " + to_string(given->shape)
           + " in the problem, but model '" + model + "' needs " + to_string(needed.type) + " "
           + to_string(needed.shape) + "; convert the problem's data or choose another model";
  if (given->shape.size() != needed.shape.size())
    return who + " has " + dimensions(given->shape) + " in the problem, but model '" + model
           + "' needs " + dimensions(needed.shape) + "; reshape the problem's data";
  const auto at = first_mismatch(given->shape, needed.shape, needed.shape.size());
  if (at < needed.shape.size())
    return who + " has the shape " + to_string(given->shape) + " in the problem, but model '"
           + model + "' needs " + to_string(needed.shape) + ": size " + std::to_string(at)
           + " differs; build the model for this problem";
  if (needed.type == ElementType::class_index && given->classes > needed.classes)
    return who + " holds " + std::to_string(given->classes) + " classes in the problem, but model '"
           + model + "' has " + std::to_string(needed.classes)
           + "; build the model for this problem";
  return "";
}

std::string target_mismatch(const DataSpec& problem, const FieldSpec& prediction, TargetKind kind,
                            const std::string& loss) {
  if (problem.targets.empty())
    return "loss " + loss + " has nothing to compare with: the problem has no target; give it one";
  const auto& target = problem.targets.front();
  const auto &p = prediction.shape, &t = target.shape;
  const auto both = ": prediction " + to_string(p) + ", target '" + target.name + "' "
                    + to_string(target.type) + " " + to_string(t);
  if (kind == TargetKind::same_shape) {
    if (target.type != ElementType::float32)
      return "loss " + loss + " compares with numbers, not with classes" + both
             + "; use softmax_cross_entropy";
    if (p.size() != t.size())
      return "loss " + loss + " needs as many dimensions of the target as of the prediction" + both
             + "; reshape the target";
    if (first_mismatch(p, t, p.size()) < p.size())
      return "loss " + loss + " needs a target of the prediction's sizes" + both
             + "; build the model for this problem";
    return "";
  }
  if (target.type != ElementType::class_index)
    return "loss " + loss + " compares with classes, not with numbers" + both
           + "; use mean_squared_error or binary_cross_entropy";
  if (p.size() != t.size() + 1)
    return "loss " + loss + " needs a target of one dimension less than the prediction" + both
           + "; give one class, not one number for each class";
  if (first_mismatch(p, t, t.size()) < t.size())
    return "loss " + loss + " needs a class for each row of the prediction" + both
           + "; build the model for this problem";
  if (p.back() != any_size && target.classes > p.back())
    return "loss " + loss + " meets " + std::to_string(target.classes)
           + " classes, but the model predicts " + std::to_string(p.back()) + both
           + "; build the model for this problem";
  return "";
}

} // namespace

template <class Scalar>
std::vector<std::string> mismatches_of(const DataSpec& problem, const BasicModel<Scalar>& model) {
  std::vector<std::string> mismatches;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty())
      mismatches.push_back(std::move(sentence));
  };
  for (const auto& needed : model.inputs())
    add(input_mismatch(problem, model.name(), needed));
  add(target_mismatch(problem, model.prediction(), model.target_kind(), model.loss_name()));
  return mismatches;
}

std::vector<std::string> unused_sources(const DataSpec& problem,
                                        const std::vector<FieldSpec>& inputs) {
  std::vector<std::string> unused;
  for (const auto& given : problem.inputs)
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const FieldSpec& needed) { return needed.name == given.name; }))
      unused.push_back(given.name);
  for (std::size_t i = 1; i < problem.targets.size(); ++i)
    unused.push_back(problem.targets[i].name);
  return unused;
}

template std::vector<std::string> mismatches_of(const DataSpec&, const BasicModel<float>&);
template std::vector<std::string> mismatches_of(const DataSpec&, const BasicModel<double>&);

} // namespace troupe
