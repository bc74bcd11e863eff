#pragma once

#include "model/layers/layer.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

struct RecurrentOptions {
  bool last = false;    ///< put out only the state after the last step, or after the last position
                        ///< before the padding
  bool reverse = false; ///< read from right to left; the last step is then at the left end
  std::string initializer = "torch"; ///< see initializers.hpp; a gate has `hidden` outputs
  Index carry = 0; ///< batch size whose state continues in the next batch; 0: no state is carried
};

/// The common part of lstm and gru: a state h that each step computes from its input and the
/// previous state, with several gates of `hidden` units each.
///
///   x  [any, length, inputs]
///   y  [any, length, hidden], or [any, hidden] if `last` is set
///   W  [inputs, gates * hidden]   "<prefix>.weight"
///   U  [hidden, gates * hidden]   "<prefix>.hidden_weight"
///   b  [gates * hidden]           "<prefix>.bias"
///
/// x W is computed in one product for a stretch of steps, h U of all gates in one per step. The
/// gradients of W, U and x are computed stretch by stretch too, while their factors are in the
/// cache. Inside, arrays are [length, batch, ...] in reading order, so that the rows of a step are
/// adjacent. Back-propagation through time covers the whole sequence: Werbos, Proceedings of the
/// IEEE 78 (10), 1990.
///
/// A carried state ("<prefix>.carried_state" [carry, hidden], with the role "carried") is the state
/// after the last training batch: a batch that continues it (PassContext::continues) starts from
/// it. No gradient goes back beyond the batch: truncated back-propagation through time, Williams &
/// Peng, Neural Computation 2 (4), 1990. As part of the block, it is saved with the parameters.
/// Passes that do not train continue from the pass before them.
///
/// Padding (PassContext::lengths) is skipped: the state does not change, y is 0 there, and neither
/// dx nor any weight gets a gradient, as in PyTorch with a packed sequence.
template <class Scalar>
class RecurrentLayer : public Layer<Scalar> {
public:
  using Number = Scalar;

  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override { context_ = context; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  bool mixes_examples() const override {
    return options_.carry > 0;
  } // the examples of a batch have fixed places

  const RecurrentOptions& options() const { return options_; }

protected:
  /// @throws std::invalid_argument for hidden < 1 or an unknown initializer
  RecurrentLayer(Index hidden, Index gates, RecurrentOptions options);

  Index hidden() const { return hidden_; }
  Index batch() const { return batch_; } ///< of the current forward pass
  Index length() const { return length_; }
  /// False if the example has only padding at this step.
  bool reads(Index step, Index example) const {
    return context_.lengths.empty()
           || position(step) < context_.lengths[static_cast<std::size_t>(example)];
  }
  std::size_t gates_width() const { return static_cast<std::size_t>(gates_ * hidden_); }

  /// Steps for which the gates are in memory: all, or, if no backward pass follows, a stretch.
  Index kept_steps() const { return context_.forward_scratch() ? stretch() : length_; }
  /// Where those of a step are among them.
  Index slot(Index step) const { return step % kept_steps(); }

  /// x W of the step, [batch, gates * hidden]; the gates may overwrite it.
  Scalar* gates(Index step) {
    return gates_buffer_.data() + slot(step) * batch_ * gates_ * hidden_;
  }
  Scalar* gates_gradient(Index step) { return in_stretch(gradient_buffer_, step); }
  /// h before the step, [batch, hidden]; 0 before the first.
  Scalar* state(Index step) { return state_buffer_.data() + step * batch_ * hidden_; }
  std::span<const Scalar> bias(std::span<const Scalar> parameters) const {
    return parameters.subspan(static_cast<std::size_t>(bias_), gates_width());
  }

  // -- buffers for one stretch of steps --------------------------------------------------------

  /// Grows the buffer to [stretch, batch, width].
  Scalar* grow_stretch(Buffer<Scalar>& buffer, Index width) const;
  /// The step's part of a buffer as wide as the gates, [batch, gates * hidden].
  Scalar* in_stretch(Buffer<Scalar>& buffer, Index step) const {
    return buffer.data() + step % stretch() * batch_ * gates_ * hidden_;
  }

  // -- carried state -------------------------------------------------------------------------

  bool carries() const { return options_.carry > 0; }
  /// Declares [carry, hidden] numbers. @returns their offset in the block.
  Index add_carried(const std::string& name, Layout& layout) const;
  void clear_carried(Index carried, std::span<Scalar> parameters) const;
  /// Writes states[0] of `states`, [length + 1, batch, hidden].
  void begin_states(std::span<const Scalar> parameters, Index carried, Scalar* states) const;
  /// Writes the change that sets the carried state to states[length].
  void end_states(const BackwardPass<Scalar>& pass, Index carried, const Scalar* states) const;

private:
  /// Grows arrays to the current batch and length.
  virtual void prepare(std::span<const Scalar> parameters) = 0;
  /// Where h U of the step is written; where this is gates(step), it is added to x W.
  virtual Scalar* hidden_product(Index step) { return gates(step); }
  /// Computes state(step + 1) from state(step), gates(step) and hidden_product(step), also for
  /// examples that are in their padding.
  virtual void step(std::span<const Scalar> parameters, Index step) = 0;
  /// Restores further state of an example that is in its padding to that before the step.
  virtual void keep(Index /*step*/, Index /*example*/) {}
  /// Replaces dh, the gradient w.r.t. state(step + 1), by the gradient w.r.t. state(step) without
  /// the part that comes through h U. Writes gates_gradient(step), w.r.t. x W, and
  /// hidden_gradient(step). For examples in their padding, dh is unchanged and both gradients are
  /// 0.
  virtual void step_backward(Index step, Scalar* dh) = 0;
  /// The gradient w.r.t. h U of the step; those of the later steps of the stretch follow it.
  virtual const Scalar* hidden_gradient(Index step) { return gates_gradient(step); }

  /// Steps [begin, end) whose gradients are in memory at once.
  struct Stretch {
    Index begin, end;
  };

  Index stretch() const;                   ///< steps of a full one
  Stretch stretch_from(Index begin) const; ///< the last one may be shorter
  bool continues() const { return carries() && context_.continues; }
  Index position(Index step) const; ///< of the input of this step
  void read(std::span<const Scalar> x, Stretch steps);
  void keep_states(Index step);
  void write(std::span<Scalar> y);
  void add_output_gradient(std::span<const Scalar> dy, Index step, Scalar* dh) const;
  void input_products(std::span<const Scalar> parameters, Stretch steps);
  void add_hidden_product(std::span<const Scalar> parameters, Index step);
  void weight_gradients(Stretch steps, std::span<Scalar> gradient);
  void input_gradient(std::span<const Scalar> parameters, Stretch steps, std::span<Scalar> dx);

  Index hidden_, gates_;
  RecurrentOptions options_;
  Index inputs_ = 0, length_ = 0, batch_ = 0;
  PassContext context_; ///< of the current pass
  std::string prefix_;
  Index weight_ = 0, hidden_weight_ = 0, bias_ = 0, carried_ = 0; ///< offsets in the block
  Buffer<Scalar> input_buffer_;                                   ///< [kept_steps, batch, inputs]
  Buffer<Scalar> input_gradient_;                                 ///< [stretch, batch, inputs]
  Buffer<Scalar> gates_buffer_;      ///< [kept_steps, batch, gates * hidden]
  Buffer<Scalar> gradient_buffer_;   ///< [stretch, batch, gates * hidden]
  Buffer<Scalar> state_buffer_;      ///< [length + 1, batch, hidden]
  Buffer<Scalar> state_gradient_;    ///< [batch, hidden]
  Buffer<Scalar> transposed_weight_; ///< U', [gates * hidden, hidden]
};

} // namespace troupe
