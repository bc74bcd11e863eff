#include "python/native/module.hpp"

#include "apps/config/plugins.hpp"
#include "troupe/version.hpp"

// What the package troupe, in python/troupe/, is made of. It is private: its users are there.
PYBIND11_MODULE(_native, module) {
  using namespace troupe::python;
  module.attr("version") = troupe::version;
  bind_failures(module);
  bind_problem(module);
  bind_extension(module);
  bind_training(module);
  bind_run(module);
  bind_log(module);
  bind_control(module);
  bind_plugins(module);
  troupe::check_registered_names();
}
