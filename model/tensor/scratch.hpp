#pragma once

#include "model/tensor/buffer.hpp"

#include <span>
#include <vector>

namespace troupe {

/// Memory that the layers of a network use one after the other within a pass: a stack of arrays.
/// It only grows, so that the steady state does not allocate. For one thread.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch&) {} ///< a copy has memory of its own
  Scratch& operator=(const Scratch&) { return *this; }

  /// Numbers to be written before they are read, valid until they are given back.
  template <class Scalar>
  std::span<Scalar> take(std::size_t size) {
    if (taken_ == arrays_.size())
      arrays_.emplace_back();
    auto& array = arrays_[taken_++];
    if (array.size() < size * sizeof(Scalar)) {
      array = {}; // first, so that both are never there at once
      array = Buffer<std::byte>(size * sizeof(Scalar));
    }
    return {reinterpret_cast<Scalar*>(array.data()), size};
  }

  /// How many arrays are taken.
  std::size_t taken() const { return taken_; }
  /// Gives back all arrays but the first `taken` ones.
  void give_back_from(std::size_t taken) { taken_ = taken; }

private:
  std::vector<Buffer<std::byte>> arrays_;
  std::size_t taken_ = 0;
};

/// Gives back at its end what was taken since its beginning.
class ScratchScope {
public:
  /// @param scratch null: there is nothing to give back
  explicit ScratchScope(Scratch* scratch)
    : scratch_(scratch),
      taken_(scratch ? scratch->taken() : 0) {}
  ~ScratchScope() {
    if (scratch_)
      scratch_->give_back_from(taken_);
  }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

private:
  Scratch* scratch_;
  std::size_t taken_;
};

/// An array of a layer: in the scratch of a pass, or, if it has to outlive the layer's part of the
/// pass, in memory of its own.
template <class Scalar>
class PassArray {
public:
  /// Numbers to be written before they are read. @param scratch null: in memory of its own
  std::span<Scalar> take(Scratch* scratch, std::size_t size) {
    if (scratch)
      return numbers_ = scratch->take<Scalar>(size);
    if (own_.size() < size)
      own_ = Buffer<Scalar>(size);
    return numbers_ = {own_.data(), size};
  }
  /// What was taken last.
  std::span<Scalar> numbers() const { return numbers_; }
  Scalar* data() const { return numbers_.data(); }

private:
  Buffer<Scalar> own_;
  std::span<Scalar> numbers_;
};

} // namespace troupe
