#include "base/failure.hpp"
#include "python/native/module.hpp"

#include <dlfcn.h>

namespace troupe::python {

namespace {

/// Python loads a module so that others do not see its symbols. Plugins need them, as they need the
/// program's.
void show_symbols_to_plugins() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&bind_plugins), &self) == 0
      || dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr)
    throw IoError("plugins cannot be loaded from Python on this system; train with the program");
}

} // namespace

void bind_plugins(pybind11::module_& module) {
  module.def("show_symbols_to_plugins", show_symbols_to_plugins);
}

} // namespace troupe::python
