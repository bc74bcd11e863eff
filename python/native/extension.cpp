#include "extensions/monitoring/function_extension.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"
#include "python/native/named_arrays.hpp"

#include <pybind11/stl.h>

#include <stdexcept>
#include <string>

namespace troupe::python {

namespace {

/// An event as a callable sees it, and what it asks for.
struct SeenEvent {
  LoopEvent event;
  Layout layout;
  FunctionAnswer answer = {};
};

Value record_value(const std::string& name, const py::handle& value) {
  if (py::isinstance<py::bool_>(value))
    return Value{value.cast<bool>()};
  if (py::isinstance<py::int_>(value))
    return Value{value.cast<std::int64_t>()};
  if (py::isinstance<py::str>(value))
    return Value{value.cast<std::string>()};
  if (PyFloat_Check(value.ptr()) || py::hasattr(value, "__float__"))
    return Value{py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>()};
  throw py::type_error("record '" + name + "' is "
                       + py::repr(py::type::handle_of(value)).cast<std::string>()
                       + "; return a number, a bool or a text for each name");
}

Records returned_records(const py::object& returned) {
  Records records;
  if (returned.is_none())
    return records;
  if (!py::isinstance<py::dict>(returned))
    throw py::type_error("the extension returned "
                         + py::repr(py::type::handle_of(returned)).cast<std::string>()
                         + "; return a dict of records, or None");
  for (const auto& [name, value] : returned.cast<py::dict>()) {
    const auto text = py::str(name).cast<std::string>();
    records[text] = record_value(text, value);
  }
  return records;
}

/// The text of a Python exception, without its traceback: "ValueError: no such file".
std::string exception_sentence(const py::error_already_set& error) {
  auto text = py::str(error.type().attr("__name__")).cast<std::string>();
  const auto message = py::str(error.value()).cast<std::string>();
  return message.empty() ? text : text + ": " + message;
}

FunctionAnswer call(const py::object& callable, const LoopEvent& event, const Layout& layout) {
  const py::gil_scoped_acquire gil;
  try {
    const auto seen = py::cast(SeenEvent{event, layout});
    auto records = returned_records(callable(seen));
    auto answer = seen.cast<const SeenEvent&>().answer;
    answer.records = std::move(records);
    return answer;
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(
      exception_sentence(error)); // destroyed here, where Python's lock is held
  } catch (const py::builtin_exception& error) {
    throw std::runtime_error(std::string{"TypeError: "} + error.what());
  }
}

/// A callable that a configuration can name, while Python keeps this.
struct HandedCallable {
  std::shared_ptr<ExtensionFunction> function;
  std::string handle;
};

HandedCallable handed(py::object callable) {
  auto function = std::make_shared<ExtensionFunction>(
    [callable = kept(std::move(callable))](const LoopEvent& event, const Layout& layout) {
      return call(*callable, event, layout);
    });
  const auto handle = hand_over(function);
  return {std::move(function), handle};
}

void bind_event(py::module_& module) {
  const auto of_event
    = [](auto read) { return [read](const SeenEvent& seen) { return read(seen.event); }; };
  const auto of_position
    = [](auto read) { return [read](const SeenEvent& seen) { return read(seen.event.position); }; };
  py::class_<SeenEvent>(module, "Event")
    .def_property_readonly("moment", of_event([](const auto& e) { return to_string(e.callback); }))
    .def_property_readonly("worker", of_event([](const auto& e) { return e.worker; }))
    .def_property_readonly("batches", of_position([](const auto& p) { return p.batches; }))
    .def_property_readonly("epochs", of_position([](const auto& p) { return p.epochs; }))
    .def_property_readonly("examples", of_position([](const auto& p) { return p.examples; }))
    .def_property_readonly("seconds", of_position([](const auto& p) { return p.seconds; }))
    .def_property_readonly("loss", of_event([](const auto& e) { return e.loss; }))
    .def_property_readonly("learning_rate", of_event([](const auto& e) { return e.learning_rate; }))
    .def_property_readonly("lost", of_event([](const auto& e) { return e.lost; }))
    .def_property_readonly("reason", of_event([](const auto& e) { return e.reason; }))
    .def_property_readonly(
      "parameters",
      [](const SeenEvent& seen) { return named_arrays(seen.layout, seen.event.parameters.values); })
    .def_property_readonly(
      "gradient",
      [](const SeenEvent& seen) { return named_arrays(seen.layout, seen.event.gradient); })
    .def("stop",
         [](SeenEvent& seen, const std::string& reason) {
           if (reason.empty())
             throw py::value_error("reason is empty; say why training ends");
           seen.answer.stop = reason;
         })
    .def("set", [](SeenEvent& seen, const py::kwargs& settings) {
      for (const auto& [name, value] : settings)
        seen.answer.settings[name.cast<std::string>()] = value.cast<double>();
    });
}

} // namespace

void bind_extension(py::module_& module) {
  bind_event(module);
  py::class_<HandedCallable>(module, "HandedCallable")
    .def(py::init(&handed))
    .def_readonly("handle", &HandedCallable::handle);
}

} // namespace troupe::python
