#include "apps/transport/control_client.hpp"
#include "base/failure.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace troupe::python {

namespace py = pybind11;

namespace {

/// A connection to a run. If the run freezes, the client is left where it is: its destructor would
/// wait for the connection.
class Connection {
  template <class Use>
  auto with_client(Use use) {
    const std::lock_guard lock{mutex_};
    if (!client_)
      throw Failure(ExitCode::unavailable, {"the connection is closed; connect again"});
    try {
      return use(*client_);
    } catch (const Failure& e) {
      if (e.code() == ExitCode::unavailable)
        static_cast<void>(client_.release()); // NOLINT(bugprone-unused-return-value): see above
      throw;
    }
  }

public:
  explicit Connection(const ControlAccess& access)
    : client_(std::make_unique<ControlClient>(access)) {}

  std::pair<bool, std::vector<std::string>> ask(const std::string& verb,
                                                const std::vector<std::string>& arguments) {
    return with_client([&](ControlClient& client) {
      auto answer = client.ask(verb, arguments);
      return std::pair{answer.ok, std::move(answer.lines)};
    });
  }

  /// The rows as JSON, the number of those that were skipped, and whether no more will come.
  std::tuple<std::vector<std::string>, std::uint64_t, bool> next_rows(std::uint64_t rows) {
    return with_client([&](ControlClient& client) {
      auto tail = client.next_rows(rows);
      return std::tuple{std::move(tail.lines), tail.missed, tail.ended};
    });
  }

  void close() {
    const std::lock_guard lock{mutex_};
    client_.reset();
  }

private:
  std::mutex mutex_;
  std::unique_ptr<ControlClient> client_;
};

} // namespace

void bind_control(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  using Held = std::unique_ptr<Connection, DeletesWithoutLock>;
  py::class_<Connection, Held>(module, "Connection")
    .def(py::init([](const std::string& run, const std::string& token_file,
                     const std::string& certs, const std::string& name) {
           const py::gil_scoped_release free;
           return Held{new Connection{{run, token_file, certs, name}}};
         }),
         py::kw_only(), py::arg("run"), py::arg("token_file"), py::arg("certs"), py::arg("name"))
    .def("ask", &Connection::ask, Free())
    .def("next_rows", &Connection::next_rows, Free())
    .def("close", &Connection::close, Free());
}

} // namespace troupe::python
