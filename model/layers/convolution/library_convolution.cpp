#include "model/layers/convolution/library_convolution.hpp"

#include <cassert>

#ifdef TROUPE_PRODUCT_DNNL
#include "model/kernels/library_threads.hpp"
#include "model/layers/convolution/describe_primitive.hpp"

#include <unordered_map>
#endif

namespace troupe {

#ifdef TROUPE_PRODUCT_DNNL

bool worth_library_convolution(const Windows& windows, Index outputs, ConvolutionPass pass) {
  const auto& [y, x, channels, groups] = windows;
  if (y.dilation > 1 || x.dilation > 1)
    return false;
  if (groups > 1)
    return groups == channels && groups == outputs && channels >= 8; // one number in each register
  constexpr Index whole = 16; // channels that fill registers of any processor
  if (outputs % whole != 0)
    return false;
  if (channels < whole) // colours; the first layer needs no gradient of its input
    return pass == ConvolutionPass::forward && channels > 1 && channels <= 4;
#ifdef __AVX512F__
  return channels % whole == 0;
#else
  return false;
#endif
}

namespace {

using dnnl::memory;
using LibraryDims = memory::dims;

const dnnl::engine& library_engine() {
  static const dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  return engine;
}

memory memory_at(const memory::desc& what, const float* numbers) {
  return {what, library_engine(), const_cast<float*>(numbers)};
}

float* room(Buffer<float>& buffer, const memory::desc& what) {
  const auto size = (what.get_size() + sizeof(float) - 1) / sizeof(float);
  if (buffer.size() < size)
    buffer = Buffer<float>(size);
  return buffer.data();
}

} // namespace

/// A pass for a number of images.
struct LibraryConvolution::Prepared {
  /// The arguments of a convolution in the library's terms: channels come before height and width in
  /// the lists of sizes, but not in memory.
  struct Geometry {
    Geometry(const Windows& windows, Index outputs, Index images) {
      const auto& [y, x, channels, groups] = windows;
      using Tag = memory::format_tag;
      const auto in = channels / groups, out = outputs / groups;
      const auto weight_sizes = groups > 1 ? LibraryDims{groups, out, in, y.kernel, x.kernel}
                                           : LibraryDims{out, in, y.kernel, x.kernel};
      const auto floats = memory::data_type::f32;
      this->x = {{images, channels, y.length, x.length}, floats, Tag::nhwc};
      this->y = {{images, outputs, y.positions(), x.positions()}, floats, Tag::nhwc};
      bias = {{outputs}, floats, Tag::x};
      weights = {weight_sizes, floats, groups > 1 ? Tag::hwigo : Tag::hwio};
      any_weights = {weight_sizes, floats, Tag::any};
      strides = {y.stride, x.stride};
      padding = {y.padding, x.padding};
    }

    memory::desc x, y, bias, weights, any_weights;
    LibraryDims strides, padding;
  };

  /// A primitive that takes its scratchpad as an argument: memory that the library keeps by itself
  /// belongs to the thread that creates the primitive.
  class Step {
  public:
    Step() = default;
    template <class Description>
    Step(const dnnl::primitive& primitive, const Description& description)
      : primitive_(primitive),
        scratchpad_(description.scratchpad_desc()) {}

    static dnnl::primitive_attr attributes() {
      dnnl::primitive_attr attributes;
      attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      return attributes;
    }

    void run(std::unordered_map<int, memory> arguments, Buffer<float>& scratchpad) const {
      arguments.emplace(DNNL_ARG_SCRATCHPAD, memory_at(scratchpad_, room(scratchpad, scratchpad_)));
      dnnl::stream stream{library_engine()};
      primitive_.execute(stream, arguments);
    }

  private:
    dnnl::primitive primitive_;
    memory::desc scratchpad_;
  };

  Prepared(const Geometry& geometry, ConvolutionPass pass, Index images)
    : images(images),
      geometry(geometry) {
    const auto& [x, y, bias, plain, any, strides, padding] = geometry;
    constexpr auto direct = dnnl::algorithm::convolution_direct;
    const auto attributes = Step::attributes();
    const auto& engine = library_engine();
    const auto forward = DescribePrimitive<dnnl::convolution_forward>{engine, attributes}(
      dnnl::prop_kind::forward_training, direct, x, any, bias, y, strides, padding, padding);
    if (pass == ConvolutionPass::forward) {
      take<dnnl::convolution_forward>(forward, forward.weights_desc());
    } else if (pass == ConvolutionPass::backward_input) {
      const DescribePrimitive<dnnl::convolution_backward_data> describe{engine, attributes,
                                                                        &forward};
      const auto backward = describe(direct, x, any, y, strides, padding, padding);
      take<dnnl::convolution_backward_data>(backward, backward.weights_desc());
    } else {
      const DescribePrimitive<dnnl::convolution_backward_weights> describe{engine, attributes,
                                                                           &forward};
      const auto backward = describe(direct, x, any, bias, y, strides, padding, padding);
      take<dnnl::convolution_backward_weights>(backward, backward.diff_weights_desc());
    }
    const auto gradient = pass == ConvolutionPass::backward_parameters;
    const dnnl::reorder::primitive_desc order{engine, gradient ? weights : plain, engine,
                                              gradient ? plain : weights, attributes};
    reorder = {dnnl::reorder{order}, order};
  }

  /// @param its_weights the order that the primitive wants
  template <class Primitive>
  void take(const typename Primitive::primitive_desc& description,
            const memory::desc& its_weights) {
    convolution = {Primitive{description}, description};
    weights = its_weights;
  }

  Index images;
  Geometry geometry;
  Step convolution, reorder;
  memory::desc weights;
};

std::shared_ptr<const LibraryConvolution::Prepared>
LibraryConvolution::prepare(ConvolutionPass pass, std::size_t numbers) {
  assert(worth_library_convolution(windows_, outputs_, pass));
  use_calling_thread_only();
  auto& prepared = prepared_[static_cast<std::size_t>(pass)];
  const auto images = static_cast<Index>(numbers) / windows_.image_size();
  if (!prepared || prepared->images != images)
    prepared = std::make_shared<const Prepared>(Prepared::Geometry{windows_, outputs_, images},
                                                pass, images);
  return prepared;
}

void LibraryConvolution::forward(const float* w, const float* b, std::span<const float> x,
                                 float* y) {
  const auto pass = prepare(ConvolutionPass::forward, x.size());
  const auto& of = pass->geometry;
  const auto weights = memory_at(pass->weights, room(weights_, pass->weights));
  pass->reorder.run({{DNNL_ARG_FROM, memory_at(of.weights, w)}, {DNNL_ARG_TO, weights}},
                    scratchpad_);
  pass->convolution.run({{DNNL_ARG_SRC, memory_at(of.x, x.data())},
                         {DNNL_ARG_WEIGHTS, weights},
                         {DNNL_ARG_BIAS, memory_at(of.bias, b)},
                         {DNNL_ARG_DST, memory_at(of.y, y)}},
                        scratchpad_);
}

void LibraryConvolution::backward_parameters(std::span<const float> x, const float* dy, float* dw,
                                             float* db) {
  const auto pass = prepare(ConvolutionPass::backward_parameters, x.size());
  const auto& of = pass->geometry;
  const auto weights = memory_at(pass->weights, room(weights_, pass->weights));
  pass->convolution.run({{DNNL_ARG_SRC, memory_at(of.x, x.data())},
                         {DNNL_ARG_DIFF_DST, memory_at(of.y, dy)},
                         {DNNL_ARG_DIFF_WEIGHTS, weights},
                         {DNNL_ARG_DIFF_BIAS, memory_at(of.bias, db)}},
                        scratchpad_);
  pass->reorder.run({{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, memory_at(of.weights, dw)}},
                    scratchpad_);
}

void LibraryConvolution::backward_input(const float* w, const float* dy, std::span<float> dx) {
  const auto pass = prepare(ConvolutionPass::backward_input, dx.size());
  const auto& of = pass->geometry;
  const auto weights = memory_at(pass->weights, room(weights_, pass->weights));
  pass->reorder.run({{DNNL_ARG_FROM, memory_at(of.weights, w)}, {DNNL_ARG_TO, weights}},
                    scratchpad_);
  pass->convolution.run({{DNNL_ARG_DIFF_SRC, memory_at(of.x, dx.data())},
                         {DNNL_ARG_WEIGHTS, weights},
                         {DNNL_ARG_DIFF_DST, memory_at(of.y, dy)}},
                        scratchpad_);
}

#else

struct LibraryConvolution::Prepared {};

bool worth_library_convolution(const Windows&, Index, ConvolutionPass) { return false; }

void LibraryConvolution::forward(const float*, const float*, std::span<const float>, float*) {
  assert(!"worth_library_convolution()");
}

void LibraryConvolution::backward_parameters(std::span<const float>, const float*, float*, float*) {
  assert(!"worth_library_convolution()");
}

void LibraryConvolution::backward_input(const float*, const float*, std::span<float>) {
  assert(!"worth_library_convolution()");
}

#endif

} // namespace troupe
