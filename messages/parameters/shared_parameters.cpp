#include "messages/parameters/shared_parameters.hpp"

#include "messages/parameters/selection.hpp"
#include "messages/requests/error.hpp"
#include "model/update_rules/apply_rule.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <cmath>

namespace troupe {

std::string SharedParameters::adopt(const Layout& layout) {
  if (!layout_.parameters().empty())
    return layout.difference(layout_);
  layout_ = layout;
  versions_.assign(layout_.parameters().size(), 0);
  return "";
}

void SharedParameters::create(const Block& values) {
  values_ = values;
  created_ = true;
}

caf::error SharedParameters::check_created() const {
  if (created_)
    return {};
  return fail(Error::not_created, "the holder has no parameters yet; send CreateIfAbsent first");
}

std::map<std::string, Version> SharedParameters::versions() const {
  std::map<std::string, Version> versions;
  for (std::size_t i = 0; i < versions_.size(); ++i)
    versions[layout_.parameters()[i].name] = versions_[i];
  return versions;
}

namespace {

bool touches(const Fragment& fragment, const Parameter& parameter) {
  return fragment.is_whole()
         || (fragment.begin < parameter.offset + parameter.size()
             && parameter.offset < fragment.begin + fragment.size);
}

} // namespace

Block SharedParameters::update(const UpdateRule& rule, std::vector<Block>& contributions,
                               const Fragment& fragment) {
  if (traits_of(rule).keeps_state && rule.name != rule_) {
    if (!rule_.empty())
      velocity_ = Block{}; // another rule's
    rule_ = rule.name;
  }
  auto answer = fragment.is_whole() ? apply(rule, values_, velocity_, contributions, layout_)
                                    : update_part(rule, contributions, fragment);
  ++version_;
  for (std::size_t i = 0; i < versions_.size(); ++i)
    if (const auto& parameter = layout_.parameters()[i]; touches(fragment, parameter))
      ++versions_[i];
  return answer;
}

Block SharedParameters::update_part(const UpdateRule& rule, std::vector<Block>& contributions,
                                    const Fragment& fragment) {
  auto values = part_of(values_, fragment);
  if (traits_of(rule).keeps_state && velocity_.size() != values_.size())
    velocity_ = Block{values_.size()};
  auto velocity = velocity_.empty() ? Block{} : part_of(velocity_, fragment);
  auto answer = apply(rule, values, velocity, contributions, layout_of(layout_, fragment));
  replace_part(values_, fragment, values);
  if (!velocity_.empty())
    replace_part(velocity_, fragment, velocity);
  return answer;
}

// -- single parameters ----------------------------------------------------------------------------

caf::expected<std::pair<std::vector<Index>, Shape>>
SharedParameters::locate(const Selection& selection) const {
  if (auto error = check_created())
    return error;
  const auto* parameter = layout_.find(selection.name);
  if (parameter == nullptr)
    return fail(Error::unknown_name, "the holder has no parameter '" + selection.name + "'");
  std::vector<Index> offsets;
  Shape shape;
  if (auto defect = select(*parameter, selection, offsets, shape); !defect.empty())
    return fail(Error::shape_mismatch, defect);
  return std::pair{std::move(offsets), std::move(shape)};
}

std::size_t SharedParameters::place_of(const Selection& selection) const {
  return static_cast<std::size_t>(layout_.find(selection.name) - layout_.parameters().data());
}

caf::expected<Part> SharedParameters::part(const Selection& selection) const {
  auto located = locate(selection);
  if (!located)
    return located.error();
  const auto& [offsets, shape] = *located;
  auto values = Block::uninitialized(static_cast<Index>(offsets.size()));
  auto out = values.edit();
  const auto in = values_.view();
  for (std::size_t i = 0; i < offsets.size(); ++i)
    out[i] = in[static_cast<std::size_t>(offsets[i])];
  return Part{versions_[place_of(selection)], shape, std::move(values)};
}

caf::error SharedParameters::change(const PushPart& push) {
  const auto worker = "worker " + std::to_string(push.id.worker);
  const auto [alpha, beta] = push.weights;
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    return fail(Error::invalid_options, "the weights alpha " + std::to_string(alpha) + ", beta "
                                          + std::to_string(beta) + " of " + worker
                                          + " are not finite");
  auto located = locate(push.selection);
  if (!located)
    return located.error();
  const auto& offsets = located->first;
  if (push.values.size() != static_cast<Index>(offsets.size()))
    return fail(Error::shape_mismatch, worker + " pushes " + std::to_string(push.values.size())
                                         + " values for a selection of "
                                         + std::to_string(offsets.size()) + " elements of '"
                                         + push.selection.name + "'");
  auto shared = values_.edit();
  const auto incoming = push.values.view();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    auto& value = shared[static_cast<std::size_t>(offsets[i])];
    value = alpha * value + beta * incoming[i];
  }
  ++versions_[place_of(push.selection)];
  ++version_;
  return {};
}

// -- saving ---------------------------------------------------------------------------------------

void SharedParameters::save(SavedHolder& saved) const {
  saved.layout = layout_;
  saved.version = version_;
  saved.versions = versions_;
  saved.values = values_;
  saved.velocity = velocity_;
  saved.rule = rule_;
}

std::string SharedParameters::restore(const SavedHolder& saved) {
  if (auto defect = saved.layout.defect(); !defect.empty())
    return defect;
  const auto size = saved.layout.size();
  if (saved.values.size() != size || (!saved.velocity.empty() && saved.velocity.size() != size)
      || saved.versions.size() != saved.layout.parameters().size())
    return "its values are not of its layout's size";
  if (!saved.rule.empty() && update_rule_kinds().find(saved.rule) == nullptr)
    return unknown_rule(saved.rule);
  layout_ = saved.layout;
  values_ = saved.values;
  created_ = !values_.empty() || saved.version > 0;
  velocity_ = saved.velocity;
  rule_ = saved.rule;
  version_ = saved.version;
  versions_ = saved.versions;
  return "";
}

} // namespace troupe
