#include "apps/catalog/components.hpp"

#include "apps/catalog/component_kind.hpp"
#include "apps/catalog/layer_kinds.hpp"
#include "apps/catalog/torch_file.hpp"
#include "apps/folder/problem_file.hpp"
#include "base/config/unknown_key.hpp"
#include "model/data/arrays/npy.hpp"
#include "model/data/fitted_problem.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/images/idx.hpp"
#include "model/data/images/image_folder.hpp"
#include "model/data/sequences/addition.hpp"
#include "model/data/sequences/recall.hpp"
#include "model/data/sequences/tagging.hpp"
#include "model/data/table/csv.hpp"
#include "model/data/text/text.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/zoo/char_lstm.hpp"
#include "model/zoo/gpt_mini.hpp"
#include "model/zoo/lenet.hpp"
#include "model/zoo/lstm_tagger.hpp"
#include "model/zoo/network.hpp"
#include "model/zoo/resnet_small.hpp"

namespace troupe {

namespace {

using config::Node;

using ProblemKind
  = ComponentKind<std::shared_ptr<const Problem>, const std::string&, const ChooseTrainingRows&>;

template <class Loader, class Options>
ProblemKind problem_kind(std::string name) {
  // A problem whose options give the number of examples reads no files.
  constexpr auto makes_examples = requires(Options options) { options.train; };
  return {std::move(name), [] { return config::encode(Options{}); },
          [](const Node& section, const std::string& path, [[maybe_unused]] const std::string& fit,
             [[maybe_unused]] const ChooseTrainingRows& choose) -> std::shared_ptr<const Problem> {
            const auto options = options_of<Options>(section, path);
            if constexpr (std::is_constructible_v<Loader, const Options&, const std::string&,
                                                  const ChooseTrainingRows&>)
              return std::make_shared<Loader>(options, fit, choose);
            else if constexpr (std::is_base_of_v<FittedProblem, Loader>)
              return std::make_shared<Loader>(options, fit);
            else
              return std::make_shared<Loader>(options);
          },
          makes_examples};
}

template <class Options>
ComponentKind<OptimizerFactory> optimizer_kind(std::string name, Options defaults = {}) {
  return {std::move(name), [defaults] { return config::encode(defaults); },
          [defaults](const Node& section, const std::string& path) -> OptimizerFactory {
            const auto options = options_of<Options>(section, path, defaults);
            make_optimizer(options, 1); // reports invalid options before anything is spawned
            return [options](Index size) { return make_optimizer(options, size); };
          }};
}

const auto& problem_kinds() {
  static const std::vector<ProblemKind> kinds{
    problem_kind<Digits, DigitsOptions>("digits"),
    problem_kind<Idx, IdxOptions>("idx"),
    problem_kind<Csv, CsvOptions>("csv"),
    problem_kind<ImageFolder, ImageFolderOptions>("images"),
    problem_kind<Npy, NpyOptions>("npy"),
    problem_kind<SerialRecall, RecallOptions>("serial_recall"),
    problem_kind<ReverseRecall, RecallOptions>("reverse_recall"),
    problem_kind<Addition, AdditionOptions>("addition"),
    problem_kind<Tagging, TaggingOptions>("tagging"),
    problem_kind<Text, TextOptions>("text"),
  };
  return kinds;
}

using ModelKind = ComponentKind<std::unique_ptr<Model>, const DataSpec&>;

/// Takes the options common to all networks out of `section`. @throws ConfigError
NetworkBasics take_basics(Node& section, const std::string& path) {
  auto basics = Node::map(section.source());
  basics.put("name", Node{}); // options_of removes it
  for (const auto& key : config::encode(NetworkBasics{}).keys())
    if (const auto* value = section.find(key)) {
      basics.put(key, *value);
      section.erase(key);
    }
  return options_of<NetworkBasics>(basics, path);
}

Node with_basics(Node defaults) {
  const auto basics = config::encode(NetworkBasics{});
  for (const auto& [key, value] : basics.entries())
    defaults.put(key, value);
  return defaults;
}

/// A network of the zoo: its own options and the common ones.
template <class Options, class Make>
ModelKind zoo_kind(std::string name, Make make) {
  return {std::move(name), [] { return with_basics(config::encode(Options{})); },
          [make](const Node& section, const std::string& path,
                 const DataSpec& data) -> std::unique_ptr<Model> {
            auto others = section;
            const auto basics = take_basics(others, path);
            return make(data, options_of<Options>(others, path), basics);
          }};
}

/// The perceptron with other defaults.
ModelKind perceptron_kind(std::string name, const NetworkOptions& defaults) {
  return {std::move(name), [defaults] { return config::encode(defaults); },
          [defaults](const Node& section, const std::string& path,
                     const DataSpec& data) -> std::unique_ptr<Model> {
            return std::make_unique<Network>(data,
                                             options_of<NetworkOptions>(section, path, defaults));
          }};
}

Node layered_defaults() {
  auto defaults = Node::map();
  defaults.put("layers", Node::list());
  return with_basics(std::move(defaults));
}

std::unique_ptr<Model> make_layered(const Node& section, const std::string& path,
                                    const DataSpec& data) {
  auto others = section;
  const auto basics = take_basics(others, path);
  for (const auto& [key, value] : others.entries())
    if (key != "name" && key != "layers")
      throw ConfigError(config::unknown_key(key, path, value.source(), layered_defaults().keys()));
  const auto* layers = section.find("layers");
  return std::make_unique<Network>(make_layers(layers ? *layers : Node{}, path + ".layers", data),
                                   data, basics);
}

ModelKind torch_kind() {
  return {"torch", [] { return config::encode(TorchOptions{}); },
          [](const Node& section, const std::string& path, const DataSpec& data) {
            return make_torch_model(options_of<TorchOptions>(section, path), data);
          }};
}

const auto& model_kinds() {
  static const std::vector<ModelKind> kinds{
    perceptron_kind("mlp", {}),
    perceptron_kind("linear", {.hidden = {}}),
    {"network", layered_defaults, make_layered},
    zoo_kind<LenetOptions>("lenet", make_lenet<float>),
    zoo_kind<ResnetSmallOptions>("resnet_small", make_resnet_small<float>),
    zoo_kind<CharLstmOptions>("char_lstm", make_char_lstm<float>),
    zoo_kind<LstmTaggerOptions>("lstm_tagger", make_lstm_tagger<float>),
    zoo_kind<GptMiniOptions>("gpt_mini", make_gpt_mini<float>),
    torch_kind(),
  };
  return kinds;
}

const auto& optimizer_kinds() {
  static const std::vector<ComponentKind<OptimizerFactory>> kinds{
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

struct OptimizerScales {
  std::vector<ParameterScale> scales;
  FIELDS(scales);
};

} // namespace

Node problem_defaults(const std::string& name, const std::string& source) {
  return defaults_of(problem_kinds(), "problem", name, source);
}
Node model_defaults(const std::string& name, const std::string& source) {
  auto defaults = defaults_of(model_kinds(), "model", name, source);
  defaults.put("load", Node::scalar("", config::default_source, true));
  return defaults;
}
Node optimizer_defaults(const std::string& name, const std::string& source) {
  auto defaults = defaults_of(optimizer_kinds(), "optimizer", name, source);
  defaults.put("scales", Node::list());
  return defaults;
}

std::shared_ptr<const Problem> make_problem(const Node& section, const std::string& fit,
                                            const ChooseTrainingRows& choose) {
  auto problem = make_from(problem_kinds(), "problem", section, fit, choose);
  if (!fit.empty())
    check_fit(fit, *problem);
  return problem;
}
bool makes_examples(const Node& section) {
  return kind_named_by(problem_kinds(), "problem", section).makes_examples;
}
std::unique_ptr<Model> make_model(const Node& section, const DataSpec& data) {
  auto model = section;
  for (const auto* key : {"load", "save_intermediate"}) // about the model's files
    model.erase(key);
  return make_from(model_kinds(), "model", model, data);
}
OptimizerFactory make_optimizer_factory(const Node& section) {
  auto optimizer = section;
  optimizer.erase("scales");
  return make_from(optimizer_kinds(), "optimizer", optimizer);
}
std::vector<ParameterScale> optimizer_scales(const Node& section) {
  OptimizerScales options;
  auto only = Node::map(section.source());
  if (const auto* scales = section.find("scales"))
    only.put("scales", *scales);
  if (auto errors = config::decode(only, options, "optimizer"); !errors.empty())
    throw ConfigError(errors);
  return options.scales;
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
