#include "apps/process/complaint.hpp"
#include "base/failure.hpp"
#include "python/native/module.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Raises the exception of troupe.errors for the exit code with which the program would end.
void raise(const std::exception_ptr& failure) {
  const auto complaint = complaint_of(failure);
  const auto error
    = py::module_::import("troupe.errors")
        .attr("error_of")(static_cast<int>(complaint.code), lines_of(complaint.sentences));
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

} // namespace

void bind_failures(py::module_&) {
  py::register_exception_translator([](std::exception_ptr failure) { // NOLINT: pybind11's type
    try {
      std::rethrow_exception(failure);
    } catch (const Failure&) {
      raise(failure);
    }
  });
}

} // namespace troupe::python
