// For sources that call oneDNN; not part of the public headers.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <type_traits>

namespace troupe {

/// Describes a convolution of oneDNN by its arguments, which version 2 of the library takes as one
/// object and version 3 one by one.
template <class Primitive>
struct DescribePrimitive {
  const dnnl::engine& engine;
  const dnnl::primitive_attr& attributes;
  const dnnl::convolution_forward::primitive_desc* forward = nullptr; ///< of a backward pass

  typename Primitive::primitive_desc operator()(const auto&... arguments) const {
#if DNNL_VERSION_MAJOR == 2
    const typename Primitive::desc all{arguments...};
    if constexpr (std::is_same_v<Primitive, dnnl::convolution_forward>)
      return {all, attributes, engine};
    else
      return {all, attributes, engine, *forward};
#else
    if constexpr (std::is_same_v<Primitive, dnnl::convolution_forward>)
      return {engine, arguments..., attributes};
    else
      return {engine, arguments..., *forward, attributes};
#endif
  }
};

} // namespace troupe
