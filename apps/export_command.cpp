#include "troupe/apps/export_command.hpp"

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/trained_model.hpp"
#include "troupe/messages/durable_file.hpp"
#include "troupe/model/exchange/npz.hpp"
#include "troupe/model/exchange/safetensors.hpp"
#include "troupe/model/onnx/export.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe {

namespace {

using ParameterWriter = void (*)(const ByteSink&, const NamedParameters&);

void export_parameters(const ExportCommand& command, ParameterWriter write) {
  const auto parameters = trained_parameters(command.run);
  DurableFile file{command.output};
  write([&file](const void* data, std::size_t bytes) { file.write(data, bytes); }, parameters);
  file.commit();
}

void export_graph(const ExportCommand& command) {
  const auto trained = trained_model(command.run);
  const auto* network = dynamic_cast<const Network*>(trained.model.get());
  if (network == nullptr)
    throw ConfigError("the model '" + trained.model->name()
                      + "' is not made of layers, which ONNX needs; export its parameters as "
                        ".safetensors or .npz");
  try {
    write_file(command.output,
               onnx_file(*network, trained.parameters.values.view(), trained.parameters.metadata));
  } catch (const std::invalid_argument& e) {
    throw ConfigError("cannot export '" + command.run + "': " + e.what());
  }
}

} // namespace

void add_export(CLI::App& app, ExportCommand& command) {
  auto* sub = app.add_subcommand("export", "Write what a run has trained for other programs");
  sub->add_option("run", command.run, "the run's folder, one of its files, or 'latest'")
    ->required();
  sub->add_option("--output,-o", command.output, "the file: *.safetensors, *.npz or *.onnx")
    ->required();
  sub->footer("\nExamples:\n  troupe export latest -o model.safetensors\n"
              "  troupe export latest -o model.onnx\n"
              "  troupe export runs/digits/mlp/2026-11-21T11-24-20Z/best.bin -o best.npz\n"
              "\nBack: troupe train 'extensions.load={path: model.safetensors}'\n");
}

int export_run(const ExportCommand& command) {
  if (command.output.ends_with(".safetensors"))
    export_parameters(command, write_safetensors);
  else if (command.output.ends_with(".npz"))
    export_parameters(command, write_npz);
  else if (command.output.ends_with(".onnx"))
    export_graph(command);
  else
    throw UsageError("'" + command.output
                     + "' does not say its format; give a name that ends in .safetensors, .npz "
                       "or .onnx");
  std::cout << command.output << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
