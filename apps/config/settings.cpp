#include "troupe/apps/config/settings.hpp"

#include <utility>

namespace troupe::config {

View View::view(std::string_view dotted) const { return {*settings_, below(dotted)}; }

Path View::below(std::string_view dotted) const {
  auto path = at_;
  for (auto& key : parse_path(dotted))
    path.push_back(std::move(key));
  return path;
}

Node View::effective() const { return get("").value_or(Node::map()); }

std::optional<Node> View::get(std::string_view dotted) const {
  const auto tree = settings_->effective();
  const auto* node = config::get(tree, below(dotted));
  return node == nullptr ? std::optional<Node>{} : *node;
}

void View::add_defaults(const Node& values) { settings_->add(settings_->defaults_, at_, values); }

void View::add_config(const Node& values) { settings_->add(settings_->config_, at_, values); }

void View::delete_default(std::string_view dotted) { remove(settings_->defaults_, below(dotted)); }

void View::delete_config(std::string_view dotted) { remove(settings_->config_, below(dotted)); }

std::vector<Leaf> View::leafs() const { return config::leafs(effective()); }

Path View::set_leaf(std::string_view name, Node value) {
  auto path = find_leaf(effective(), name);
  auto whole = at_;
  whole.insert(whole.end(), path.begin(), path.end());
  set(settings_->config_, whole, std::move(value));
  return path;
}

Node Settings::effective() const {
  auto tree = defaults_;
  merge(tree, config_); // `add` let no clash in
  return tree;
}

void Settings::add(Node& tree, const Path& at, const Node& values) {
  auto wrapped = Node::map(values.source());
  set(wrapped, at, values);
  auto changed = tree;
  auto errors = merge(changed, wrapped);
  std::swap(tree, changed);
  if (errors.empty()) {
    auto trial = defaults_;
    errors = merge(trial, config_);
  }
  if (errors.empty())
    return;
  std::swap(tree, changed);
  throw ConfigError(std::move(errors));
}

} // namespace troupe::config
