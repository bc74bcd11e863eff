// layers [CASE...]: forward and backward pass of single layers, in milliseconds of processor time
// and as shares of the core's peak, beside oneDNN's convolutions in their own blocked layouts, alternating. Without
// cases those of `layers list`. layers.py adds PyTorch.
//
// A case is a kind and its sizes:
//   conv2d:BATCH,SIDE,CHANNELS,OUTPUTS,KERNEL,STRIDE,GROUPS   padded by KERNEL / 2
//   linear:BATCH,INPUTS,OUTPUTS
//   attention:BATCH,LENGTH,WIDTH,HEADS                        causal
//   batch_norm:BATCH,SIDE,CHANNELS    layer_norm:BATCH,LENGTH,WIDTH    relu:NUMBERS
#include "bench/benchmarks.hpp"
#include "bench/peak.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "model/layers/attention/multi_head_attention.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/layer_norm.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/relu.hpp"
#include "model/tensor/buffer.hpp"
#include "model/tensor/compute_scope.hpp"

#include <time.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#ifdef TROUPE_PRODUCT_DNNL
#include "model/kernels/library_threads.hpp"
#include "model/layers/convolution/describe_primitive.hpp"

#include <unordered_map>
#endif

namespace troupe::bench::layers_benchmark {

namespace {

const char* const known_cases[] = {"conv2d:32,64,3,64,3,1,1",
                                   "conv2d:64,32,16,16,3,1,1",
                                   "conv2d:64,32,16,32,3,2,1",
                                   "conv2d:64,16,32,32,3,1,1",
                                   "conv2d:64,8,64,64,3,1,1",
                                   "conv2d:32,32,64,64,3,1,1",
                                   "conv2d:32,16,128,128,3,1,1",
                                   "conv2d:32,8,256,256,3,1,1",
                                   "conv2d:32,16,128,256,3,2,1",
                                   "conv2d:32,32,64,64,1,1,1",
                                   "conv2d:32,16,256,64,1,1,1",
                                   "conv2d:32,16,64,256,1,1,1",
                                   "conv2d:64,32,16,32,1,2,1",
                                   "conv2d:32,16,256,512,1,2,1",
                                   "conv2d:32,32,64,64,3,1,64",
                                   "conv2d:32,16,256,256,3,2,256",
                                   "conv2d:32,12,20,50,5,1,1",
                                   "linear:256,1024,1024",
                                   "attention:8,512,64,1",
                                   "attention:8,128,128,4",
                                   "batch_norm:64,32,16",
                                   "layer_norm:32,64,256",
                                   "relu:2000000"};

/// A kind and its sizes.
struct Case {
  explicit Case(const std::string& text) : name(text), kind(text.substr(0, text.find(':'))) {
    for (auto at = kind.size(); at < text.size(); at = text.find(',', at + 1))
      sizes.push_back(std::stol(text.substr(at + 1)));
  }

  Index operator[](std::size_t i) const {
    if (i >= sizes.size())
      throw std::invalid_argument("the case '" + name + "' has too few sizes");
    return sizes[i];
  }

  std::string name, kind;
  std::vector<Index> sizes;
};

/// A layer, the shape of its input, and the multiplications and additions of its forward pass.
struct Subject {
  std::unique_ptr<Layer<float>> layer;
  Shape input;
  Index batch = 0;
  double operations = 0;
};

Subject subject(const Case& c) {
  const auto with = [](Index batch, auto layer, Shape input, Index operations = 0) {
    return Subject{std::make_unique<decltype(layer)>(std::move(layer)), std::move(input), batch,
                   2.0 * static_cast<double>(operations)};
  };
  if (c.kind == "conv2d") {
    const auto pixels = (c[1] + 2 * (c[4] / 2) - c[4]) / c[5] + 1;
    return with(
      c[0],
      ConvolutionLayer<float>{
        2, {.channels = c[3], .kernel = c[4], .stride = c[5], .padding = c[4] / 2, .groups = c[6]}},
      {any_size, c[1], c[1], c[2]}, c[0] * pixels * pixels * c[4] * c[4] * c[2] / c[6] * c[3]);
  }
  if (c.kind == "linear")
    return with(c[0], LinearLayer<float>{c[2]}, {any_size, c[1]}, c[0] * c[1] * c[2]);
  if (c.kind == "attention") // the projections and the half of the scores that a causal layer sees
    return with(c[0], MultiHeadAttentionLayer<float>{{.heads = c[3], .causal = true}},
                {any_size, c[1], c[2]}, c[0] * c[1] * c[2] * (4 * c[2] + c[1]));
  if (c.kind == "batch_norm")
    return with(c[0], BatchNormLayer<float>{}, {any_size, c[1], c[1], c[2]});
  if (c.kind == "layer_norm")
    return with(c[0], LayerNormLayer<float>{}, {any_size, c[1], c[2]});
  if (c.kind == "relu")
    return with(1, ReluLayer<float>{}, {any_size, c[0]});
  throw std::invalid_argument("no layer '" + c.kind + "'; 'list' prints cases");
}

/// Seconds that this thread has computed: other programs on the core make the clock's useless.
double computed() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A computation that is measured beside others.
struct Competitor {
  std::string name;
  double operations;
  std::function<void()> compute;
  std::vector<double> seconds = {};
};

Buffer<float> numbers(std::size_t n, std::uint64_t key) {
  Random random{{key}};
  Buffer<float> drawn(n);
  for (auto& number : drawn)
    number = static_cast<float>(random.uniform(-1, 1));
  return drawn;
}

/// A layer with its memory.
class Passes {
public:
  explicit Passes(Subject subject) : subject_(std::move(subject)) {
    Layout layout;
    const auto output = subject_.layer->connect(subject_.input, "layer", layout);
    const auto count = [&](const Shape& shape) {
      return static_cast<std::size_t>(subject_.batch * known_width(shape, "a benchmark"));
    };
    const auto parameters = static_cast<std::size_t>(layout.size());
    parameters_ = numbers(parameters, 1);
    x_ = numbers(count(subject_.input), 2);
    y_ = Buffer<float>(count(output));
    dy_ = numbers(y_.size(), 3);
    dx_ = Buffer<float>(x_.size());
    gradient_ = Buffer<float>(parameters);
  }

  void forward() {
    subject_.layer->begin({.training = true});
    subject_.layer->forward(parameters_, x_, in_place() ? x_ : y_);
  }

  void backward() {
    const auto& y = in_place() ? x_ : y_;
    subject_.layer->backward({.parameters = parameters_,
                              .x = x_,
                              .y = y,
                              .dy = dy_,
                              .dx = in_place() ? dy_ : dx_,
                              .gradient = gradient_});
  }

private:
  bool in_place() const { return subject_.layer->in_place(); }

  Subject subject_;
  Buffer<float> parameters_, x_, y_, dy_, dx_, gradient_;
};

#ifdef TROUPE_PRODUCT_DNNL

/// oneDNN's convolutions with the layouts that they like best, without the reorders that images
/// and weights in another layout need.
class BlockedConvolution {
public:
  explicit BlockedConvolution(const Case& c) {
    use_calling_thread_only();
    using dnnl::memory;
    const auto any = memory::format_tag::any;
    const auto floats = memory::data_type::f32;
    const auto padding = c[4] / 2, pixels = (c[1] + 2 * padding - c[4]) / c[5] + 1;
    const memory::dims step{c[5], c[5]}, around{padding, padding};
    const memory::desc x{{c[0], c[2], c[1], c[1]}, floats, any};
    const memory::desc y{{c[0], c[3], pixels, pixels}, floats, any};
    const memory::desc b{{c[3]}, floats, memory::format_tag::x};
    const auto w = c[6] > 1
                     ? memory::desc{{c[6], c[3] / c[6], c[2] / c[6], c[4], c[4]}, floats, any}
                     : memory::desc{{c[3], c[2], c[4], c[4]}, floats, any};
    const auto direct = dnnl::algorithm::convolution_direct;
    const dnnl::primitive_attr plain;
    const auto forward = DescribePrimitive<dnnl::convolution_forward>{engine_, plain}(
      dnnl::prop_kind::forward_training, direct, x, w, b, y, step, around, around);
    const auto to_x = DescribePrimitive<dnnl::convolution_backward_data>{engine_, plain, &forward}(
      direct, x, w, y, step, around, around);
    const auto to_w = DescribePrimitive<dnnl::convolution_backward_weights>{
      engine_, plain, &forward}(direct, x, w, b, y, step, around, around);
    forward_
      = prepared(dnnl::convolution_forward{forward}, {{DNNL_ARG_SRC, forward.src_desc()},
                                                      {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                                                      {DNNL_ARG_BIAS, forward.bias_desc()},
                                                      {DNNL_ARG_DST, forward.dst_desc()}});
    to_x_ = prepared(dnnl::convolution_backward_data{to_x},
                     {{DNNL_ARG_DIFF_SRC, to_x.diff_src_desc()},
                      {DNNL_ARG_WEIGHTS, to_x.weights_desc()},
                      {DNNL_ARG_DIFF_DST, to_x.diff_dst_desc()}});
    to_w_ = prepared(dnnl::convolution_backward_weights{to_w},
                     {{DNNL_ARG_SRC, to_w.src_desc()},
                      {DNNL_ARG_DIFF_DST, to_w.diff_dst_desc()},
                      {DNNL_ARG_DIFF_WEIGHTS, to_w.diff_weights_desc()},
                      {DNNL_ARG_DIFF_BIAS, to_w.diff_bias_desc()}});
  }

  void forward() { forward_(); }
  void backward() {
    to_w_();
    to_x_();
  }

private:
  std::function<void()> prepared(const dnnl::primitive& primitive,
                                 const std::vector<std::pair<int, dnnl::memory::desc>>& arguments) {
    std::unordered_map<int, dnnl::memory> memories;
    for (const auto& [argument, description] : arguments) {
      dnnl::memory memory{description, engine_};
      const auto drawn = numbers(description.get_size() / sizeof(float), 4);
      std::copy(drawn.begin(), drawn.end(), static_cast<float*>(memory.get_data_handle()));
      memories.emplace(argument, memory);
    }
    return [this, primitive, memories] { primitive.execute(stream_, memories); };
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::function<void()> forward_, to_x_, to_w_;
};

#endif

void measure(const std::string& text, double peak) {
  const Case c{text};
  auto what = subject(c);
  const auto operations = what.operations;
  Passes passes{std::move(what)};
  std::vector<Competitor> competitors{
    {c.name + " forward", operations, [&] { passes.forward(); }},
    {c.name + " backward", 2 * operations, [&] { passes.backward(); }}};
#ifdef TROUPE_PRODUCT_DNNL
  std::unique_ptr<BlockedConvolution> blocked;
  if (c.kind == "conv2d") {
    blocked = std::make_unique<BlockedConvolution>(c);
    competitors.push_back(
      {c.name + " forward, oneDNN blocked", operations, [&] { blocked->forward(); }});
    competitors.push_back(
      {c.name + " backward, oneDNN blocked", 2 * operations, [&] { blocked->backward(); }});
  }
#endif
  ComputeScope scope;
  const auto began = computed();
  for (int round = 0; round < 5 || computed() - began < 0.5; ++round)
    for (auto& competitor : competitors) {
      const auto start = computed();
      competitor.compute();
      if (round > 0)
        competitor.seconds.push_back(computed() - start);
    }
  for (const auto& [name, done, compute, seconds] : competitors) {
    std::vector<double> milliseconds, shares;
    for (const auto second : seconds) {
      milliseconds.push_back(second * 1e3);
      shares.push_back(done / second / peak);
    }
    report(name, "ms", milliseconds);
    if (done > 0 && peak > 0)
      report(name + ", share of the peak", "ratio", shares);
  }
}

void measure_all(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "list") {
    for (const auto* name : known_cases)
      std::puts(name);
    return;
  }
  const auto peak = measured_peak();
  report("peak", "GFLOP/s", {peak / 1e9});
  if (arguments.empty())
    for (const auto* name : known_cases)
      measure(name, peak);
  for (const auto& name : arguments)
    measure(name, peak);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "[list | CASE...]", 0, measure_all);
}

} // namespace troupe::bench::layers_benchmark
