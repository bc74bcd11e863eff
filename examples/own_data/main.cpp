// Trains a network on vectors of the program, and says how good it is.
#include <troupe/model/data/arrays/own_arrays.hpp>
#include <troupe/model/facade/learn.hpp>
#include <troupe/model/tensor/random.hpp>

#include <cstdio>

int main() {
  std::vector<float> points;
  std::vector<std::int32_t> same_sign;
  troupe::Random random{troupe::RandomKey{3}};
  for (auto i = 0; i < 4000; ++i) {
    const auto x = random.normal(), y = random.normal();
    points.insert(points.end(), {static_cast<float>(x), static_cast<float>(y)});
    same_sign.push_back(x * y > 0);
  }

  const auto problem = troupe::own_arrays({{"point", points, {2}}}, {{"same_sign", same_sign}},
                                          {.test_fraction = 0.2});
  auto model = troupe::learn(problem, {.model = {"mlp", {{"hidden", {32}}}},
                                       .optimizer = {"adam", {{"learning_rate", 0.01}}}});
  const auto accuracy = model.evaluate(problem).at("accuracy");
  std::printf("accuracy %g\n", accuracy);

  model.save("same_sign.safetensors");
  auto loaded = troupe::LearnedModel::load("same_sign.safetensors");
  const auto classes = loaded.predict_classes(std::vector{1.0f, 1.0f, 1.0f, -1.0f});
  std::printf("(1, 1): %d, (1, -1): %d\n", classes[0], classes[1]);
  return accuracy > 0.95 && classes[0] == 1 && classes[1] == 0 ? 0 : 1;
}
