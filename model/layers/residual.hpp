#pragma once

#include "model/layers/chain.hpp"
#include "model/layers/relu.hpp"

namespace troupe {

/// Residual block, y = f(x) + s(x): f are the inner layers, s the shortcut's layers, or the
/// identity if it has none. f(x) and s(x) have the same shape.
///
/// The inner layers' parameters are named "<prefix>.<kind><number>.weight", the shortcut's
/// "<prefix>.shortcut.<kind><number>.weight". He, Zhang, Ren & Sun, "Deep residual learning for
/// image recognition", CVPR 2016, eqs. 1 and 2.
template <class Scalar>
class ResidualLayer : public Layer<Scalar>, public Rectifying {
public:
  using Layers = typename Chain<Scalar>::Layers;

  /// @throws std::invalid_argument if there are no inner layers
  explicit ResidualLayer(Layers layers, Layers shortcut = {});

  std::string kind() const override { return "residual"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return rectifies_; }
  void rectify() override { rectifies_ = true; }
  bool supports_padding() const override {
    return inner_.kind_without_padding_support().empty()
           && shortcut_.kind_without_padding_support().empty();
  }
  bool mixes_last_size() const override {
    return inner_.mixes_last_size() || shortcut_.mixes_last_size();
  }
  bool mixes_examples() const override {
    return inner_.mixes_examples() || shortcut_.mixes_examples();
  }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  const Chain<Scalar>& inner() const { return inner_; }
  const Chain<Scalar>& shortcut() const { return shortcut_; }

private:
  struct Unconnected {
    Layers inner, shortcut;
  };

  ResidualLayer(const ResidualLayer& other); ///< clone

  Unconnected unconnected_; ///< empty after connect
  Chain<Scalar> inner_, shortcut_;
  bool identity_ = false;  ///< the shortcut has no layers
  bool rectifies_ = false; ///< y = max(f(x) + s(x), 0)
};

} // namespace troupe
