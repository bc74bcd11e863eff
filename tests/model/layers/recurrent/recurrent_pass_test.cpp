#include "model/layers/recurrent/bidirectional.hpp"
#include "model/layers/recurrent/gru.hpp"
#include "model/layers/recurrent/lstm.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

constexpr Index sequence_length = 40, sequence_width = 3, sequences = 32; // several stretches

std::vector<float> numbers_of_seed(std::size_t size, std::uint64_t seed) {
  Random random{{seed}};
  std::vector<float> numbers(size);
  for (auto& number : numbers)
    number = static_cast<float>(random.uniform(-1, 1));
  return numbers;
}

} // namespace

TEMPLATE_TEST_CASE("a recurrent layer gives the same bits in a pass that no backward pass follows",
                   "[memory]", LstmLayer<float>, GruLayer<float>,
                   BidirectionalLayer<LstmLayer<float>>, BidirectionalLayer<GruLayer<float>>) {
  TestType layer{5, {}};
  Layout layout;
  const auto output = layer.connect({any_size, sequence_length, sequence_width}, "layer", layout);
  const auto parameters = numbers_of_seed(static_cast<std::size_t>(layout.size()), 1);
  const auto x = numbers_of_seed(sequences * sequence_length * sequence_width, 2);
  const auto size = static_cast<std::size_t>(sequences * sequence_length * output.back());
  std::vector<float> kept(size), not_kept(size);
  Scratch scratch;
  PassContext context;
  context.training = true;
  layer.begin(context);
  layer.forward(parameters, x, kept);
  context.training = false;
  context.scratch = &scratch;
  TestType another{5, {}};
  Layout again;
  another.connect({any_size, sequence_length, sequence_width}, "layer", again);
  another.begin(context);
  another.forward(parameters, x, not_kept);
  CHECK(kept == not_kept);
}
