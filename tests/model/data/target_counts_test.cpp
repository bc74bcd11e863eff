#include "model/data/table/csv.hpp"
#include "model/data/target_counts.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/flatten.hpp"
#include "model/layers/output.hpp"
#include "model/layers/residual.hpp"
#include "model/training/linear_reference.hpp"
#include "model/zoo/minimum_batch.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

Csv table_of(const test::DataFolder& folder, const std::string& text, double test_fraction = 0) {
  CsvOptions options{.path = folder.write("x.csv", text)};
  options.split = "ordered";
  options.validation_fraction = 0;
  options.test_fraction = test_fraction;
  return Csv(options);
}

} // namespace

TEST_CASE("targets are counted by class, and numbers by their range", "[target_counts]") {
  const test::DataFolder folder;
  const auto classes = count_targets(table_of(folder, "x,y\n1,a\n2,b\n3,a\n4,a\n"), Section::train);
  CHECK(classes.classes == std::vector<Index>{3, 1});
  CHECK(classes.different_classes() == 2);
  CHECK(classes.examples == 4);
  const auto numbers = count_targets(table_of(folder, "x,y\n1,0.5\n2,1.5\n"), Section::train);
  CHECK(numbers.numbers == 2);
  CHECK(numbers.least == -1);
  CHECK(numbers.most == 1);
}

TEST_CASE("batch normalization of single positions needs two examples", "[minimum_batch]") {
  const auto data = [](const Shape& input) {
    return DataSpec{{{"x", ElementType::float32, input}},
                    {{"y", ElementType::class_index, {any_size}, 2}}};
  };
  const auto layer_of = [](const DataSpec& spec, bool inside) {
    Network::Layers layers, inner;
    inner.push_back(std::make_unique<BatchNormLayer<float>>());
    if (inside)
      layers.push_back(std::make_unique<ResidualLayer<float>>(std::move(inner)));
    else
      layers = std::move(inner);
    layers.push_back(std::make_unique<FlattenLayer<float>>());
    layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(spec)));
    return layer_needing_two_examples(Network(std::move(layers), spec));
  };
  CHECK(layer_of(data({any_size, 3}), false) == "batch_norm0");
  CHECK(layer_of(data({any_size, 3}), true) != "");
  CHECK(layer_of(data({any_size, 1, 1, 3}), false) == "batch_norm0");
  CHECK(layer_of(data({any_size, 2, 2, 3}), false).empty());
  CHECK(layer_needing_two_examples(Network(data({any_size, 3}))).empty());
}

TEST_CASE("the linear reference fits a line with levels exactly", "[linear_reference]") {
  const test::DataFolder folder;
  std::string text = "x,word,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + (i % 3 == 0 ? ",a," : ",b,")
            + std::to_string(2 * i + (i % 3 == 0 ? 5 : 0)) + ".25\n";
  const auto found = linear_reference(table_of(folder, text, 0.25), Section::test);
  REQUIRE(found);
  CHECK(found->metric == "r2");
  CHECK(found->value == Approx(1).margin(1e-6));
}

TEST_CASE("the linear reference for classes is an accuracy", "[linear_reference]") {
  const test::DataFolder folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i % 20) + (i % 20 < 10 ? ",low\n" : ",high\n");
  const auto found = linear_reference(table_of(folder, text, 0.5), Section::test);
  REQUIRE(found);
  CHECK(found->metric == "accuracy");
  CHECK(found->value == 1);
  CHECK_FALSE(linear_reference(table_of(folder, text), Section::test)); // an empty section
}
