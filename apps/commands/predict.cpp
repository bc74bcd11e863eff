#include "apps/commands/predict.hpp"

#include "apps/session/trained_model.hpp"
#include "apps/testing/predict_table.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "model/formats/npy_reader.hpp"
#include "model/formats/npy_writer.hpp"
#include "model/training/predict_arrays.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

/// @returns the number of examples. @throws DataError for arrays that do not fit the model's input.
Index check_examples(const NpyArray& array, const FieldSpec& field, const std::string& path) {
  auto expected = field.shape;
  if (!array.shape.empty())
    expected.front() = array.shape.front();
  if (array.shape != expected || array.values.empty())
    throw DataError(path + " has the shape " + to_string(array.shape)
                    + ", but the model's input is " + to_string(field)
                    + "; the first dimension is the number of examples, at least one");
  return array.shape.front();
}

/// @throws UsageError if the predictions would overwrite their input.
void check_other_file(const PredictCommand& command) {
  const auto archive = command.input.find(".npz:");
  const std::filesystem::path input
    = archive == std::string::npos ? command.input : command.input.substr(0, archive + 4);
  std::error_code missing;
  if (std::filesystem::equivalent(input, command.output, missing))
    throw UsageError(
      "'" + command.output
      + "' is the input, which the predictions would overwrite; give the output another name");
}

} // namespace

void add_predict(CLI::App& app, PredictCommand& command) {
  auto* sub = app.add_subcommand(
    "predict", "Write a trained model's predictions for a table or for NumPy arrays");
  sub->add_option("run", command.run, "the run's folder, one of its files, or 'latest'")
    ->required();
  sub->add_option("--input,-i", command.input, "examples: x.csv, x.npy, or data.npz:x")->required();
  sub->add_option("--output,-o", command.output, "file for the predictions: *.csv or *.npy")
    ->required();
  sub->footer("\nA table is read like the run's own table, without the column to predict. Its "
              "predictions are the\nclass and the probability of each class, or the value in the "
              "unit of the target. Arrays hold the\nmodel's inputs; their predictions are the "
              "model's outputs before the loss: for classes, logits\nwithout a softmax.\n"
              "\nExamples:\n  troupe predict latest --input new.csv -o predicted.csv\n"
              "  troupe predict latest --input x.npy -o y.npy\n");
}

namespace {

void write_predictions(const PredictCommand& command) {
  if (!command.output.ends_with(".npy"))
    throw UsageError("'" + command.output
                     + "' is not the name of a NumPy array; give a name that ends in .npy");
  auto trained = trained_model(command.run);
  const auto array = read_npy(command.input);
  check_finite(array, command.input);
  auto shape = trained.model->prediction().shape;
  shape.front() = check_examples(array, trained.model->inputs().front(), command.input);
  DurableFile file{command.output, Readers::all};
  const auto header = npy_header(shape);
  file.write(header.data(), header.size());
  try {
    predict_arrays(*trained.model, trained.parameters.values.view(), trained.data, {array.values},
                   shape.front(),
                   [&file](std::span<const float> y) { file.write(y.data(), y.size_bytes()); });
  } catch (const std::invalid_argument& e) { // a token that the model does not know
    throw DataError(command.input + " cannot be predicted from: " + e.what());
  }
  file.commit();
}

/// Whether a path names arrays; any other name is a table.
bool names_arrays(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".npz")
         || path.find(".npz:") != std::string::npos;
}

} // namespace

int predict(const PredictCommand& command) {
  check_other_file(command);
  if (names_arrays(command.input))
    write_predictions(command);
  else if (command.output.ends_with(".csv"))
    predict_table(command.run, command.input, command.output);
  else
    throw UsageError("'" + command.output + "' is not the name of a table, which '" + command.input
                     + "' is read as; give a name that ends in .csv");
  std::cout << command.output << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
