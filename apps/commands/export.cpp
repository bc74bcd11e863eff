#include "apps/commands/export.hpp"

#include "apps/folder/problem_file.hpp"
#include "apps/session/trained_model.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/parameters/held_parameters.hpp"
#include "model/formats/npz.hpp"
#include "model/formats/onnx/export.hpp"
#include "model/formats/safetensors.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe {

namespace {

using ParameterWriter = void (*)(const ByteSink&, const NamedParameters&);

bool asks_holders(const ExportCommand& command) { return !command.holders.addresses.empty(); }

TrainedModel held_model(const ExportCommand& command) {
  return model_with(command.run, [&command](const Layout& layout) {
    return held_parameters(saved_by_holders(command.holders), layout);
  });
}

NamedParameters parameters_to_export(const ExportCommand& command) {
  if (!asks_holders(command))
    return trained_parameters(command.run);
  if (!command.run.empty())
    return held_model(command).parameters;
  const auto saved = saved_by_holders(command.holders);
  if (saved.size() > 1)
    throw UsageError("the parameters are divided among " + std::to_string(saved.size())
                     + " holders, and only the model knows their shapes; give a worker's folder or "
                       "its configuration, like: troupe export run.yaml --ps ...");
  return held_parameters(saved, saved.front().layout);
}

/// The file's metadata: the origin of the parameters, and how the problem reads its data.
std::map<std::string, std::string> metadata_of(const ExportCommand& command,
                                               const NamedParameters& parameters) {
  auto metadata = parameters.metadata;
  if (!command.run.empty())
    metadata.merge(problem_metadata(command.run));
  return metadata;
}

void export_parameters(const ExportCommand& command, ParameterWriter write) {
  auto parameters = parameters_to_export(command);
  parameters.metadata = metadata_of(command, parameters);
  DurableFile file{command.output, Readers::all};
  write([&file](const void* data, std::size_t bytes) { file.write(data, bytes); }, parameters);
  file.commit();
}

void export_graph(const ExportCommand& command) {
  if (command.run.empty())
    throw UsageError("ONNX needs the model; give a worker's folder or its configuration, like: "
                     "troupe export run.yaml --ps ...");
  const auto trained = asks_holders(command) ? held_model(command) : trained_model(command.run);
  const auto* network = dynamic_cast<const Network*>(trained.model.get());
  if (network == nullptr)
    throw ConfigError("the model '" + trained.model->name()
                      + "' is not made of layers, which ONNX needs; export its parameters as "
                        ".safetensors or .npz");
  try {
    write_file(command.output,
               onnx_file(*network, trained.parameters.values.view(),
                         metadata_of(command, trained.parameters)),
               Readers::all);
  } catch (const std::invalid_argument& e) {
    throw ConfigError("cannot export '" + command.run + "': " + e.what());
  }
}

/// Writes the state that `troupe node --role ps --folder` continues from.
void export_holder(const ExportCommand& command) {
  const auto saved = saved_by_holders(command.holders);
  if (saved.size() > 1)
    throw UsageError("each of several parameter holders has its own state; export them one by one, "
                     "with a *.bin for each");
  save_holder(command.output, saved.front());
}

} // namespace

void add_export(CLI::App& app, ExportCommand& command) {
  auto* sub = app.add_subcommand("export",
                                 "Write a run's trained parameters in a format of other programs");
  sub->add_option("run", command.run,
                  "the run's folder, one of its files, or 'latest'; with --ps: the run or the "
                  "configuration that names the model");
  sub
    ->add_option("--output,-o", command.output,
                 "the file: *.safetensors, *.npz or *.onnx; with --ps also *.bin")
    ->required();
  sub->add_option("--ps", command.holders.addresses,
                  "export the current parameters of these holders: host:port,...");
  sub->add_option("--certs", command.holders.certs,
                  "folder with ca.pem, <name>.pem and <name>.key, for --ps");
  sub->add_option("--name", command.holders.name, "name of the certificate")->capture_default_str();
  sub->add_option("--token-file", command.holders.token_file,
                  "file with the cluster's token, for --ps (default: TROUPE_TOKEN, or the file "
                  "`token` in the folder of certificates)");
  sub->footer("\nExamples:\n  troupe export latest -o model.safetensors\n"
              "  troupe export latest -o model.onnx\n"
              "  troupe export runs/digits/mlp/2026-11-21T11-24-20Z/best.bin -o best.npz\n"
              "  troupe export run.yaml --ps 127.0.0.1:20000 --certs certs -o shared.safetensors\n"
              "\nTo load it: troupe train 'extensions.load={path: model.safetensors}'\n");
}

int export_run(const ExportCommand& command) {
  if (command.run.empty() && !asks_holders(command))
    throw UsageError("troupe export needs a run: its folder, one of its files, or 'latest'; or "
                     "--ps for the parameters of a cluster's holders");
  if (command.output.ends_with(".safetensors"))
    export_parameters(command, write_safetensors);
  else if (command.output.ends_with(".npz"))
    export_parameters(command, write_npz);
  else if (command.output.ends_with(".onnx"))
    export_graph(command);
  else if (command.output.ends_with(".bin") && asks_holders(command))
    export_holder(command);
  else
    throw UsageError("'" + command.output
                     + "' does not say its format; give a name that ends in .safetensors, .npz "
                       "or .onnx");
  std::cout << command.output << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
