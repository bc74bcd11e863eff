#include "model/layers/initializers.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

struct Initializer {
  const char* name;
  bool normal;
  double (*variance)(double in, double out);
  bool biases;
};

const Initializer initializers[] = {
  {"he_normal", true, [](double in, double) { return 2 / in; }, false},
  {"he_uniform", false, [](double in, double) { return 2 / in; }, false},
  {"xavier_normal", true, [](double in, double out) { return 2 / (in + out); }, false},
  {"xavier_uniform", false, [](double in, double out) { return 2 / (in + out); }, false},
  {"lecun_normal", true, [](double in, double) { return 1 / in; }, false},
  {"lecun_uniform", false, [](double in, double) { return 1 / in; }, false},
  {"torch", false, [](double in, double) { return 1 / (3 * in); }, true},
  {"zeros", false, [](double, double) { return 0.0; }, false},
};

const Initializer& find(const std::string& name) {
  const auto found = std::find_if(std::begin(initializers), std::end(initializers),
                                  [&](const Initializer& i) { return i.name == name; });
  if (found != std::end(initializers))
    return *found;
  throw std::invalid_argument("there is no initializer '" + name + "'; known are "
                              + joined(initializers, ", ", &Initializer::name));
}

template <class Scalar>
void draw(std::span<Scalar> values, bool normal, double variance, RandomKey key) {
  if (variance == 0) {
    std::fill(values.begin(), values.end(), Scalar{0});
    return;
  }
  Random random{key};
  const auto deviation = std::sqrt(variance), limit = std::sqrt(3 * variance);
  for (auto& x : values)
    x = static_cast<Scalar>(normal ? deviation * random.normal() : random.uniform(-limit, limit));
}

} // namespace

std::vector<std::string> initializer_names() {
  std::vector<std::string> names;
  for (const auto& i : initializers)
    names.emplace_back(i.name);
  return names;
}

void check_initializer(const std::string& initializer) { find(initializer); }

template <class Scalar>
void initialize_weights(const std::string& initializer, std::span<Scalar> weights, Index in,
                        Index out, RandomKey key) {
  const auto& chosen = find(initializer);
  draw(weights, chosen.normal, chosen.variance(double(in), double(out)), key);
}

template <class Scalar>
void initialize_biases(const std::string& initializer, std::span<Scalar> biases, Index in,
                       RandomKey key) {
  const auto& chosen = find(initializer);
  draw(biases, chosen.normal, chosen.biases ? chosen.variance(double(in), 1) : 0.0, key);
}

template void initialize_weights(const std::string&, std::span<float>, Index, Index, RandomKey);
template void initialize_weights(const std::string&, std::span<double>, Index, Index, RandomKey);
template void initialize_biases(const std::string&, std::span<float>, Index, RandomKey);
template void initialize_biases(const std::string&, std::span<double>, Index, RandomKey);

} // namespace troupe
