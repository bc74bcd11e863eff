#include "model/formats/onnx/export.hpp"
#include "model/formats/protobuf.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/output.hpp"
#include "model/layers/relu.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// A user's own layer, which the exporter does not know.
class CustomLayer : public ReluLayer<float> {
public:
  std::string kind() const override { return "strange"; }
};

} // namespace

TEST_CASE("a Protocol Buffers message has the bytes of the specification", "[onnx]") {
  ProtobufMessage inner, outer;
  inner.integer(1, 150); // the specification's first example
  CHECK(inner.bytes() == "\x08\x96\x01");
  outer.message(3, inner).text(2, "testing").real(20, -2.5f).integer(1, -1);
  CHECK(outer.bytes()
        == std::string{"\x1a\x03\x08\x96\x01\x12\x07testing\xa5\x01\x00\x00\x20\xc0"
                       "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                       31});
}

TEST_CASE("a kind of layer that ONNX does not know is refused by name", "[onnx]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 2}}},
                      {{"y", ElementType::class_index, {any_size}, 3}}};
  Network::Layers layers;
  layers.push_back(std::make_unique<CustomLayer>());
  layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(data)));
  const Network network{std::move(layers), data};
  const std::vector<float> parameters(static_cast<std::size_t>(network.layout().size()));
  CHECK_THROWS_WITH(onnx_file(network, parameters, {}),
                    Contains("'strange0' is of kind 'strange'") && Contains(".safetensors"));
}

TEST_CASE("a transposed parameter of a layer without a bias is refused by name", "[onnx]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 4}, 3}},
                      {{"y", ElementType::class_index, {any_size, 4}, 3}}};
  Network::Layers layers;
  layers.push_back(std::make_unique<EmbeddingLayer<float>>(3, 5));
  layers.push_back(std::make_unique<LinearLayer<float>>(3));
  const Network network{
    std::move(layers), data, {.share = {{"embedding0.weight", "linear0.weight^T"}}}};
  const std::vector<float> parameters(static_cast<std::size_t>(network.layout().size()));
  CHECK_THROWS_WITH(onnx_file(network, parameters, {}),
                    Contains("'embedding0.weight' is 'linear0.weight^T'")
                      && Contains(".safetensors"));
}
