// Python objects that C++ keeps, and memory of C++ that Python shows.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace troupe::python {

namespace py = pybind11;

/// Keeps a Python object for C++, whose last holder may be on any thread.
inline std::shared_ptr<py::object> kept(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            if (!Py_IsInitialized())
              return; // the interpreter has ended, and the object with it
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

/// Deletes an object of C++ without Python's lock, which its threads may need to end.
struct DeletesWithoutLock {
  template <class Object>
  void operator()(Object* object) const {
    const py::gil_scoped_release free;
    delete object;
  }
};

/// A read-only array over memory of C++, which lives as long as `owner`: no copy.
template <class Number>
py::array array_over(std::span<const Number> numbers, std::vector<py::ssize_t> shape,
                     std::shared_ptr<const void> owner) {
  auto* const held = new std::shared_ptr<const void>(std::move(owner));
  const py::capsule base{
    held, [](void* pointer) { delete static_cast<std::shared_ptr<const void>*>(pointer); }};
  py::array_t<Number> array{std::move(shape), numbers.data(), base};
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// An array that takes over the numbers: no copy.
template <class Number>
py::array array_of(std::vector<Number> numbers) {
  auto* const held = new std::vector<Number>(std::move(numbers));
  const py::capsule base{held,
                         [](void* pointer) { delete static_cast<std::vector<Number>*>(pointer); }};
  return py::array_t<Number>{static_cast<py::ssize_t>(held->size()), held->data(), base};
}

/// The numbers of an array that is contiguous and of this type. @throws py::type_error for others
template <class Number>
std::span<const Number> span_of(const py::array& array, const char* what) {
  if (!py::isinstance<py::array_t<Number, py::array::c_style>>(array))
    throw py::type_error(std::string{what} + " is not a contiguous array of "
                         + py::str(py::dtype::of<Number>()).cast<std::string>());
  return {static_cast<const Number*>(array.data()), static_cast<std::size_t>(array.size())};
}

} // namespace troupe::python
