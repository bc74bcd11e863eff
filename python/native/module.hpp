// The parts of the extension module troupe._native, each bound in its own file.
#pragma once

#include <pybind11/pybind11.h>

namespace troupe::python {

void bind_failures(pybind11::module_& module);
void bind_problem(pybind11::module_& module);
void bind_extension(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_run(pybind11::module_& module);
void bind_log(pybind11::module_& module);
void bind_control(pybind11::module_& module);
void bind_plugins(pybind11::module_& module);

} // namespace troupe::python
