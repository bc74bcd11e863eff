#include "apps/catalog/components.hpp"
#include "apps/config/yaml.hpp"
#include "model/zoo/layered_network.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

DataSpec digits_of_28() {
  return {{{"images", ElementType::float32, {any_size, 28, 28}, 0}},
          {{"label", ElementType::class_index, {any_size}, 10}}};
}

std::unique_ptr<Model> layered(const std::string& layers, const std::string& more = "") {
  return make_model(config::read_yaml("{name: network, layers: " + layers + more + "}", "run.yaml"),
                    digits_of_28());
}

} // namespace

TEST_CASE("a network is made of the layers that a configuration lists", "[components]") {
  const auto model
    = layered("[{conv2d: {channels: 6, kernel: 5}}, batch_norm, relu, {max_pooling: "
              "2}, {residual: [{conv2d: {channels: 6, padding: 1}}, silu]}, flatten, "
              "{dropout: 0.2}, {linear: 20}, {leaky_relu: 0.1}, output]");
  CHECK(model->prediction().shape == Shape{any_size, 10});
  CHECK(model->layout().find("conv2d0.weight")->shape == Shape{5, 5, 1, 6});
  CHECK(model->layout().find("residual0.conv2d0.weight")->shape == Shape{3, 3, 6, 6});
  CHECK(model->layout().find("linear0.weight")->shape == Shape{12 * 12 * 6, 20});
  CHECK(model->layout().find("linear1.weight")->shape == Shape{20, 10});
}

TEST_CASE("every kind of layer is made from its name and its options", "[components]") {
  for (const auto* each :
       {"[flatten, {linear: {outputs: 4, initializer: torch}}, output]",
        "[{conv1d: {channels: 3, stride: 2}}, tanh, global_pooling, sigmoid, output, softmax]",
        "[{conv2d: 4}, {average_pooling: {size: 3, stride: 2}}, global_pooling, output]",
        "[flatten, {linear: 5}, {residual: {layers: [{linear: 6}], shortcut: [{linear: 6}]}}, "
        "output]"}) {
    INFO(each);
    CHECK(layered(each)->prediction().shape == Shape{any_size, 10});
  }
}

TEST_CASE("a mistake in a list of layers names the entry and the known names", "[components]") {
  CHECK_THROWS_WITH(layered("[relu, {conv2dd: {}}]"),
                    Contains("model.layers[1] is 'conv2dd'") && Contains("did you mean 'conv2d'?"));
  CHECK_THROWS_WITH(layered("[{conv2d: {chanels: 3}}]"), Contains("model.layers[0].conv2d")
                                                           && Contains("'chanels'")
                                                           && Contains("'channels'"));
  CHECK_THROWS_WITH(layered("[{dropout: 1}]"),
                    Contains("model.layers[0].dropout") && Contains("less than 1"));
  CHECK_THROWS_WITH(layered("[{relu: 1}]"), Contains("no options"));
  CHECK_THROWS_WITH(layered("[{residual: [tnah]}]"),
                    Contains("model.layers[0].residual[0]") && Contains("'tanh'"));
  CHECK_THROWS_WITH(layered("[{linear: 3, relu: 1}]"), Contains("model.layers[0]"));
  CHECK_THROWS_WITH(layered("[]"), Contains("model.layers") && Contains("list of layers"));
  CHECK_THROWS_WITH(layered("[{conv2d: 3}, flatten, {conv2d: 3}]"),
                    Contains("'conv2d1'") && Contains("[any, 2028]"));
}

TEST_CASE("frozen parameters of a network are named or refused with the known names",
          "[components]") {
  const auto model = layered("[flatten, {linear: 5}, output]", ", frozen: ['linear0.*']");
  CHECK(model->layout().find("linear0.bias")->role == ParameterRole::frozen);
  CHECK(model->layout().find("linear1.bias")->role == ParameterRole::trained);
  CHECK_THROWS_WITH(layered("[flatten, output]", ", frozen: [conv]"),
                    Contains("'conv'") && Contains("linear0.weight"));
}

TEST_CASE("the zoo makes a lenet", "[components]") {
  const auto lenet
    = make_model(config::read_yaml("{name: lenet, activation: tanh}", "run.yaml"), digits_of_28());
  CHECK(lenet->name() == "lenet");
  CHECK(lenet->layout().size() == 61'706);
}

TEST_CASE("the layers of sequences are made from a list, over the problem's tokens",
          "[components]") {
  const DataSpec tokens{{{"text", ElementType::float32, {any_size, 6}, 9}},
                        {{"next", ElementType::class_index, {any_size, 6}, 9}}};
  for (const auto* each :
       {"[{embedding: 8}, {lstm: 4}, output]",
        "[{embedding: 8}, {gru: {hidden: 4, last: true}}, output]",
        "[{embedding: 8}, {lstm: {hidden: 4, bidirectional: true}}, output]",
        "[{embedding: {width: 8}}, position_embedding, {transformer_block: 2}, layer_norm, output]",
        "[{embedding: 8}, {multi_head_attention: {heads: 2, causal: true}}, gelu, output]"}) {
    INFO(each);
    const auto model = make_model(
      config::read_yaml(std::string{"{name: network, layers: "} + each + "}", "run.yaml"), tokens);
    CHECK(model->prediction().shape == Shape{any_size, 6, 9});
    CHECK(model->layout().find("embedding0.weight")->shape == Shape{9, 8});
  }
}

TEST_CASE("a state carries over to the next batch if the problem's rows do",
          "[components][carry]") {
  const auto section = config::read_yaml(
    "{name: network, layers: [{embedding: 3}, {gru: {hidden: 4, carry: true}}, output]}",
    "run.yaml");
  DataSpec tokens{{{"text", ElementType::float32, {any_size, 6}, 9}},
                  {{"next", ElementType::class_index, {any_size, 6}, 9}}};
  CHECK_THROWS_WITH(make_model(section, tokens),
                    Contains("model.layers[1].gru") && Contains("set problem.streams of text"));
  tokens.streams = 5;
  CHECK(make_model(section, tokens)->layout().find("gru0.carried_state")->shape == Shape{5, 4});
}

TEST_CASE("a configuration can make parameters share memory", "[components][sharing]") {
  const std::string layers = "[flatten, {linear: 5}, {linear: 5}, {linear: 5}, output]";
  const auto model = layered(layers, ", share: {linear2.weight: linear1.weight}");
  CHECK(model->layout().find("linear1.weight") != nullptr);
  CHECK(model->layout().find("linear2.weight") == nullptr);
  CHECK(model->layout().find("linear2.bias") != nullptr);
  CHECK_THROWS_WITH(layered(layers, ", share: {linear2.weight: linear0.weight}"),
                    Contains("linear2.weight") && Contains("[784, 5]"));
}

TEST_CASE("every network of the zoo takes the options common to all networks", "[components]") {
  const DataSpec tokens{{{"text", ElementType::float32, {any_size, 6}, 9}},
                        {{"next", ElementType::class_index, {any_size, 6}, 9}}};
  for (const std::string name : {"char_lstm", "lstm_tagger", "gpt_mini"}) {
    const auto model
      = make_model(config::read_yaml("{name: " + name
                                       + ", label_smoothing: 0.1, metrics: [top_3], frozen: "
                                         "['embedding*']}",
                                     "run.yaml"),
                   tokens);
    CHECK(model->name() == name);
    CHECK(model->layout().find("embedding0.weight")->role == ParameterRole::frozen);
  }
  for (const std::string name : {"lenet", "resnet_small", "linear"}) {
    const auto model = make_model(
      config::read_yaml("{name: " + name + ", loss: multi_margin}", "run.yaml"), digits_of_28());
    CHECK(model->loss_name() == "multi_margin");
    CHECK_THROWS_WITH(
      make_model(config::read_yaml("{name: " + name + ", los: auto}", "run.yaml"), digits_of_28()),
      Contains("'los'"));
  }
  CHECK_THROWS_WITH(layered("[output]", ", layrs: 3"), Contains("layrs") && Contains("'layers'"));
}

TEST_CASE("a network without layers is refused", "[components]") {
  CHECK_THROWS_WITH(layered("[]"), Contains("is empty; give a list of layers"));
  CHECK_THROWS_WITH(layered("relu"), Contains("is 'relu'; give a list of layers"));
}
