#include "model/layers/residual.hpp"

#include "model/formats/onnx/layer_writer.hpp"

namespace troupe {

OnnxValue write_residual(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& layer = dynamic_cast<const ResidualLayer<float>&>(stage.layer);
  const auto inner = writer.chain(layer.inner(), stage.x);
  auto shortcut = writer.chain(layer.shortcut(), stage.x);
  shortcut = inner.channels_first ? writer.graph.channels_first(shortcut)
                                  : writer.graph.channels_last(shortcut);
  return writer.graph.each("Add", stage.name, inner, {shortcut.name});
}

} // namespace troupe
