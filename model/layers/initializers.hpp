#pragma once

#include "model/tensor/random.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// How the initial weights are drawn, by name: mean 0, and a variance that depends on the number of
/// inputs (`in`) and outputs (`out`) of a unit.
///
///   he_normal, he_uniform          2 / in            He et al. 2015, arXiv:1502.01852, eq. 10
///   xavier_normal, xavier_uniform  2 / (in + out)    Glorot & Bengio, AISTATS 2010, eq. 16
///   lecun_normal, lecun_uniform    1 / in            LeCun et al., "Efficient BackProp", 1998, 4.6
///   torch                          1 / (3 in)        uniform in +-1 / sqrt(in), biases too
///   zeros                          0
///
/// "Uniform" is uniform in +-sqrt(3 variance). Biases start at 0 except with torch.
std::vector<std::string> initializer_names();

/// @throws std::invalid_argument, listing the known names, if `initializer` is not one of them
void check_initializer(const std::string& initializer);

/// Draws weights, of one unit after the other. @throws std::invalid_argument for an unknown name
template <class Scalar>
void initialize_weights(const std::string& initializer, std::span<Scalar> weights, Index in,
                        Index out, RandomKey key);
/// Draws biases: 0, except with torch. @throws std::invalid_argument for an unknown name
template <class Scalar>
void initialize_biases(const std::string& initializer, std::span<Scalar> biases, Index in,
                       RandomKey key);

} // namespace troupe
