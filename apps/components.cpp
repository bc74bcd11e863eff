#include "troupe/apps/components.hpp"

#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/config/nearest.hpp"
#include "troupe/apps/layer_kinds.hpp"
#include "troupe/messages/text.hpp"
#include "troupe/model/make_optimizer.hpp"
#include "troupe/model/network.hpp"
#include "troupe/model/problems/addition.hpp"
#include "troupe/model/problems/csv.hpp"
#include "troupe/model/problems/digits.hpp"
#include "troupe/model/problems/idx.hpp"
#include "troupe/model/problems/image_folder.hpp"
#include "troupe/model/problems/npy.hpp"
#include "troupe/model/problems/recall.hpp"
#include "troupe/model/problems/text.hpp"
#include "troupe/model/zoo/lenet.hpp"

#include <stdexcept>

namespace troupe {

namespace {

using config::Node;

/// One kind of component: what it is called, its options, and how it is made from them.
template <class Product, class... Context>
struct Kind {
  std::string name;
  std::function<Node()> defaults;
  std::function<Product(const Node& section, const std::string& path, Context... context)> make;
};

/// Options of a section, without its name. @throws ConfigError
template <class Options>
Options options_of(const Node& section, const std::string& path, Options options = {}) {
  auto without_name = section;
  without_name.erase("name");
  if (auto errors = config::decode(without_name, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

template <class Loader, class Options>
Kind<std::shared_ptr<const Problem>> problem_kind(std::string name) {
  return {std::move(name), [] { return config::encode(Options{}); },
          [](const Node& section, const std::string& path) -> std::shared_ptr<const Problem> {
            return std::make_shared<Loader>(options_of<Options>(section, path));
          }};
}

template <class Options>
Kind<OptimizerFactory> optimizer_kind(std::string name, Options defaults = {}) {
  return {std::move(name), [defaults] { return config::encode(defaults); },
          [defaults](const Node& section, const std::string& path) -> OptimizerFactory {
            const auto options = options_of<Options>(section, path, defaults);
            make_optimizer(options, 1); // refuses what cannot be, before anything is spawned
            return [options](Index size) { return make_optimizer(options, size); };
          }};
}

const auto& problem_kinds() {
  static const std::vector<Kind<std::shared_ptr<const Problem>>> kinds{
    problem_kind<Digits, DigitsOptions>("digits"),
    problem_kind<Idx, IdxOptions>("idx"),
    problem_kind<Csv, CsvOptions>("csv"),
    problem_kind<ImageFolder, ImageFolderOptions>("images"),
    problem_kind<Npy, NpyOptions>("npy"),
    problem_kind<SerialRecall, RecallOptions>("serial_recall"),
    problem_kind<ReverseRecall, RecallOptions>("reverse_recall"),
    problem_kind<Addition, AdditionOptions>("addition"),
    problem_kind<Text, TextOptions>("text"),
  };
  return kinds;
}

/// Of the model "network", besides its layers.
struct LayeredOptions {
  std::string loss = "auto";            ///< as NetworkOptions
  std::string input = "";               ///< as NetworkOptions
  std::vector<std::string> frozen = {}; ///< as NetworkOptions
  FIELDS(loss, input, frozen);
};

Node layered_defaults() {
  auto defaults = config::encode(LayeredOptions{});
  defaults.put("layers", Node::list());
  return defaults;
}

std::unique_ptr<Model> make_layered(const Node& section, const std::string& path,
                                    const DataSpec& data) {
  auto others = section;
  others.erase("layers");
  const auto options = options_of<LayeredOptions>(others, path);
  const auto* layers = section.find("layers");
  return std::make_unique<Network>(make_layers(layers ? *layers : Node{}, path + ".layers", data),
                                   data, options.loss, options.input, "network", options.frozen);
}

const auto& model_kinds() {
  static const std::vector<Kind<std::unique_ptr<Model>, const DataSpec&>> kinds{
    {"mlp", [] { return config::encode(NetworkOptions{}); },
     [](const Node& section, const std::string& path,
        const DataSpec& data) -> std::unique_ptr<Model> {
       return std::make_unique<BasicNetwork<float>>(data,
                                                    options_of<NetworkOptions>(section, path));
     }},
    {"network", layered_defaults, make_layered},
    {"lenet", [] { return config::encode(LenetOptions{}); },
     [](const Node& section, const std::string& path,
        const DataSpec& data) -> std::unique_ptr<Model> {
       return make_lenet<float>(data, options_of<LenetOptions>(section, path));
     }},
  };
  return kinds;
}

const auto& optimizer_kinds() {
  static const std::vector<Kind<OptimizerFactory>> kinds{
    optimizer_kind<SgdOptions>("sgd"),
    optimizer_kind<SgdOptions>("momentum", {.momentum = 0.9}),
    optimizer_kind<SgdOptions>("nesterov", {.momentum = 0.9, .nesterov = true}),
    optimizer_kind<AdamOptions>("adam"),
    optimizer_kind<AdamWOptions>("adamw"),
    optimizer_kind<RmsPropOptions>("rmsprop"),
    optimizer_kind<AdaGradOptions>("adagrad"),
    optimizer_kind<AdaDeltaOptions>("adadelta"),
  };
  return kinds;
}

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds)
    names.push_back(kind.name);
  return names;
}

template <class Kinds>
const auto& find_component(const Kinds& kinds, const std::string& section, const std::string& name,
                           const std::string& source) {
  for (const auto& kind : kinds)
    if (kind.name == name)
      return kind;
  const auto names = names_of(kinds);
  const auto near = config::nearest(name, names);
  throw ConfigError(section + ".name is '" + name + "' (" + source + "), which is unknown; "
                    + (near ? "did you mean '" + *near + "'? " : "") + "known: " + joined(names));
}

template <class Kinds>
Node defaults_of(const Kinds& kinds, const std::string& section, const std::string& name,
                 const std::string& source) {
  const auto options = find_component(kinds, section, name, source).defaults();
  auto node = Node::map();
  node.put("name", Node::scalar(name, config::default_source, true));
  for (const auto& entry : options.entries())
    node.put(entry.key, entry.value);
  return node;
}

/// Makes the component that a section names; what its constructor refuses becomes a ConfigError
/// that names the section.
template <class Kinds, class... Context>
auto make_from(const Kinds& kinds, const std::string& section, const Node& node,
               Context&&... context) {
  const auto* name = node.find("name");
  if (name == nullptr || !name->is_scalar())
    throw ConfigError(section + " needs a name, like {name: " + kinds.front().name + "}");
  const auto& kind = find_component(kinds, section, name->text(), name->source());
  try {
    return kind.make(node, section, std::forward<Context>(context)...);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(section + " '" + kind.name + "': " + e.what());
  }
}

} // namespace

Node problem_defaults(const std::string& name, const std::string& source) {
  return defaults_of(problem_kinds(), "problem", name, source);
}
Node model_defaults(const std::string& name, const std::string& source) {
  return defaults_of(model_kinds(), "model", name, source);
}
Node optimizer_defaults(const std::string& name, const std::string& source) {
  return defaults_of(optimizer_kinds(), "optimizer", name, source);
}

std::shared_ptr<const Problem> make_problem(const Node& section) {
  return make_from(problem_kinds(), "problem", section);
}
std::unique_ptr<Model> make_model(const Node& section, const DataSpec& data) {
  return make_from(model_kinds(), "model", section, data);
}
OptimizerFactory make_optimizer_factory(const Node& section) {
  return make_from(optimizer_kinds(), "optimizer", section);
}

std::vector<std::string> problem_names() { return names_of(problem_kinds()); }
std::vector<std::string> model_names() { return names_of(model_kinds()); }
std::vector<std::string> optimizer_names() { return names_of(optimizer_kinds()); }

Section section_from(const std::string& text) {
  for (auto known : {Section::train, Section::validation, Section::test})
    if (text == to_string(known))
      return known;
  throw UsageError("there is no section '" + text + "'; give train, validation or test");
}

} // namespace troupe
