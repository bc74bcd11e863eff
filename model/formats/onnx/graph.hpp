#pragma once

#include "model/formats/onnx/protobuf.hpp"
#include "model/tensor/layout.hpp"

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

inline constexpr int onnx_opset = 13; ///< of operators that are written
inline constexpr int onnx_ir = 7;     ///< the format's version that came with it

/// An array that flows through an ONNX graph.
///
/// Here the channels of images and sequences come last, in ONNX's operators first. Who needs them
/// first turns the array and leaves it so; it is turned back where somebody needs them last.
struct OnnxValue {
  std::string name;
  Shape shape;                 ///< as a layer here sees it: [any, ..., channels]
  bool channels_first = false; ///< it lies as [any, channels, ...]
  bool whole = false;          ///< of type int64 instead of float
};

using OnnxAttribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

/// A graph in the making: nodes in the order in which they run, and constant arrays. Fields as in
/// onnx.proto of ONNX 1.8; operators as in its opset 13.
class OnnxGraph {
public:
  /// Declares the graph's only input; any_size is called "batch".
  OnnxValue input(std::string name, Shape shape, bool whole);
  /// Names the graph's only output.
  void output(const OnnxValue& value, const std::string& name);

  /// Adds a node with one output. @returns its name, after `name`.
  std::string node(const std::string& op, const std::string& name,
                   const std::vector<std::string>& inputs, const OnnxAttributes& attributes = {});
  /// Adds a node with several outputs. @returns their names.
  std::vector<std::string> node(const std::string& op, const std::string& name,
                                const std::vector<std::string>& inputs,
                                const OnnxAttributes& attributes, std::size_t outputs);
  /// The same operator on each number of `value`, or on two arrays that lie alike.
  OnnxValue each(const std::string& op, const std::string& name, const OnnxValue& value,
                 const std::vector<std::string>& others = {},
                 const OnnxAttributes& attributes = {});

  /// Adds a constant array. @returns its name: `name`, which nobody else may use.
  std::string constant(const std::string& name, const Shape& shape, std::span<const float> values);
  std::string constant(const std::string& name, const Shape& shape,
                       const std::vector<std::int64_t>& values);
  /// A single number, of shape [].
  std::string number(const std::string& name, float value);

  OnnxValue channels_first(const OnnxValue& value);
  OnnxValue channels_last(const OnnxValue& value);
  /// With another shape; `any_size` stays what it is. Channels last, before and after.
  OnnxValue reshaped(const std::string& name, const OnnxValue& value, Shape shape);

  /// The file: a ModelProto. @param metadata what the file says of itself
  std::string file(const std::string& name, const std::map<std::string, std::string>& metadata,
                   const std::string& version) const;

private:
  ProtobufMessage declaration(const std::string& name, const Shape& shape, bool whole) const;
  void add_constant(const std::string& name, const Shape& shape, int type, std::string_view bytes);

  ProtobufMessage graph_;
  std::map<std::string, int> used_; ///< names of nodes, and how often each was asked for
};

} // namespace troupe
