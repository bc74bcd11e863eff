#pragma once

#include "model/formats/protobuf.hpp"
#include "model/tensor/layout.hpp"

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

inline constexpr int onnx_opset = 13; ///< version of the operators
inline constexpr int onnx_ir = 7;     ///< version of the file format that introduced it

/// An array that flows through an ONNX graph.
///
/// In Troupe the channels of images and sequences come last, in ONNX's operators first. A layer
/// that needs them first transposes the array and leaves it so; the next layer that needs them last
/// transposes it back.
struct OnnxValue {
  std::string name;
  Shape shape;                 ///< in Troupe's order: [any, ..., channels]
  bool channels_first = false; ///< its memory order is [any, channels, ...]
  bool whole = false;          ///< of type int64 instead of float
};

using OnnxAttribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

/// Builds a graph: nodes in execution order, and constant arrays. Fields as in onnx.proto of ONNX
/// 1.8; operators as in its opset 13.
class OnnxGraph {
public:
  /// Declares the graph's single input; any_size is called "batch".
  OnnxValue input(std::string name, Shape shape, bool whole);
  /// Names the graph's single output.
  void output(const OnnxValue& value, const std::string& name);

  /// Adds a node with one output. @returns the output's name, derived from `name`
  std::string node(const std::string& op, const std::string& name,
                   const std::vector<std::string>& inputs, const OnnxAttributes& attributes = {});
  /// Adds a node with several outputs. @returns their names
  std::vector<std::string> node(const std::string& op, const std::string& name,
                                const std::vector<std::string>& inputs,
                                const OnnxAttributes& attributes, std::size_t outputs);
  /// Applies an operator to each number of `value`, or of two arrays with the same layout.
  OnnxValue each(const std::string& op, const std::string& name, const OnnxValue& value,
                 const std::vector<std::string>& others = {},
                 const OnnxAttributes& attributes = {});

  /// Adds a constant array. @returns its name: `name`, which must be unique
  std::string constant(const std::string& name, const Shape& shape, std::span<const float> values);
  std::string constant(const std::string& name, const Shape& shape,
                       const std::vector<std::int64_t>& values);
  /// A single number, of shape [].
  std::string number(const std::string& name, float value);

  OnnxValue channels_first(const OnnxValue& value);
  OnnxValue channels_last(const OnnxValue& value);
  /// Changes the shape; `any_size` stays. Channels are last, before and after.
  OnnxValue reshaped(const std::string& name, const OnnxValue& value, Shape shape);

  /// The file: a ModelProto. @param metadata key-value pairs for the file
  std::string file(const std::string& name, const std::map<std::string, std::string>& metadata,
                   const std::string& version) const;

private:
  ProtobufMessage declaration(const std::string& name, const Shape& shape, bool whole) const;
  void add_constant(const std::string& name, const Shape& shape, int type, std::string_view bytes);

  ProtobufMessage graph_;
  std::map<std::string, int> used_; ///< names of nodes, and how often each was used
};

} // namespace troupe
