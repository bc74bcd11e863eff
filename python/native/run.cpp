#include "apps/folder/run_folder.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/trained_model.hpp"
#include "model/training/predict_arrays.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"
#include "python/native/named_arrays.hpp"

#include <pybind11/stl.h>

#include <mutex>
#include <string>

namespace troupe::python {

namespace {

/// The trained model of a run.
class RunModel {
public:
  /// @param run a run's folder: its best state, if the result is about that; or a file of it
  explicit RunModel(const std::string& run) : trained_(trained_model(state_of(run))) {}

  py::dict parameters() const {
    return named_arrays(trained_.parameters.layout, trained_.parameters.values);
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> names;
    for (const auto& field : trained_.model->inputs())
      names.push_back(field.name);
    return names;
  }

  /// Predicts on this thread, without Python's lock.
  py::array predict(const std::vector<py::array>& arrays) {
    const auto fields = trained_.model->inputs();
    const auto examples = examples_of(arrays, fields);
    std::vector<std::span<const float>> inputs;
    for (const auto& array : arrays)
      inputs.push_back(span_of<float>(array, "an input"));
    const auto wanted = trained_.model->prediction().shape;
    std::vector<py::ssize_t> shape{wanted.begin(), wanted.end()};
    shape.front() = examples;
    py::array_t<float> predicted{shape};
    auto* to = predicted.mutable_data();
    {
      const py::gil_scoped_release free;
      const std::lock_guard lock{mutex_};
      predict_arrays(*trained_.model, trained_.parameters.values.view(), trained_.data, inputs,
                     examples,
                     [&to](std::span<const float> y) { to = std::copy(y.begin(), y.end(), to); });
    }
    return predicted;
  }

private:
  static std::string state_of(const std::string& run) {
    const auto path = existing_path(run);
    const auto best = std::filesystem::is_directory(path) ? best_state_in(path) : path;
    return best.empty() ? run : best.string();
  }

  static Index examples_of(const std::vector<py::array>& arrays,
                           const std::vector<FieldSpec>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto& array = arrays.at(i);
      const Shape shape(array.shape(), array.shape() + array.ndim());
      auto expected = fields[i].shape;
      if (!shape.empty() && !expected.empty())
        expected.front() = arrays.front().shape(0);
      if (shape != expected)
        throw py::value_error("the array has the shape " + to_string(shape)
                              + ", but the model's input is " + to_string(fields[i])
                              + "; the first dimension is the number of examples");
    }
    return arrays.front().shape(0);
  }

  TrainedModel trained_;
  std::mutex mutex_; ///< a model serves one thread
};

} // namespace

void bind_run(py::module_& module) {
  py::class_<RunModel>(module, "RunModel")
    .def(py::init<const std::string&>(), py::call_guard<py::gil_scoped_release>())
    .def("parameters", &RunModel::parameters)
    .def_property_readonly("inputs", &RunModel::inputs)
    .def("predict", &RunModel::predict);
  module.def("folder_of_run", [](const std::string& run) { return folder_of_run(run).string(); });
}

} // namespace troupe::python
