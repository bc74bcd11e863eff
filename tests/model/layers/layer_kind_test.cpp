#include "model/layers/layer_kind.hpp"
#include "model/layers/relu.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace troupe;
using Catch::Contains;

namespace {

/// Of a test's own: registered as those of the library are.
const RegisterLayer own_layer{layer_kind<ReluLayer<float>>("layer_of_a_test")};

const LayerData no_data{[]() -> Shape { throw std::invalid_argument("there is no prediction"); },
                        []() -> Index { throw std::invalid_argument("there are no tokens"); },
                        []() -> Index { throw std::invalid_argument("there are no streams"); }};

config::Node list_of(config::Node entry) {
  auto list = config::Node::list();
  list.append(std::move(entry));
  return list;
}

} // namespace

TEST_CASE("a layer registered in a file of its own is made by its name", "[layer_kind]") {
  const auto layers
    = make_layers(list_of(config::Node::scalar("layer_of_a_test")), "model.layers", no_data);
  REQUIRE(layers.size() == 1);
  CHECK(layers.front()->kind() == "relu");
}

TEST_CASE("a layer without options refuses options, and an unknown layer names the nearest",
          "[layer_kind]") {
  auto with_options = config::Node::map();
  with_options.put("layer_of_a_test", config::Node::scalar("3"));
  CHECK_THROWS_WITH(make_layers(list_of(with_options), "model.layers", no_data),
                    Contains("model.layers[0].layer_of_a_test (default) has no options"));
  CHECK_THROWS_WITH(
    make_layers(list_of(config::Node::scalar("layer_of_a_text")), "model.layers", no_data),
    Contains("did you mean 'layer_of_a_test'?"));
}

TEST_CASE("a layer that asks the data for what they do not say is refused with the data's reason",
          "[layer_kind]") {
  CHECK_THROWS_WITH(make_layers(list_of(config::Node::scalar("output")), "model.layers", no_data),
                    Contains("model.layers[0].output (default): there is no prediction"));
}
