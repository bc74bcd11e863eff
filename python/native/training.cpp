#include "apps/commands/train.hpp"
#include "apps/process/batch_scheduling.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/run_end.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"

#include <pybind11/stl.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

namespace troupe::python {

namespace py = pybind11;

namespace {

/// A run that trains on a thread of its own, which knows nothing of Python.
class BackgroundTraining {
public:
  explicit BackgroundTraining(TrainCommand command)
    : command_(std::move(command)),
      thread_([this] { train(); }) {}

  ~BackgroundTraining() {
    interrupts_.interrupt(2);
    thread_.join();
  }
  BackgroundTraining(const BackgroundTraining&) = delete;
  BackgroundTraining& operator=(const BackgroundTraining&) = delete;

  /// @returns whether the run has begun or will not
  bool wait_for_begin(double seconds) {
    return wait(seconds, [this] { return done_ || !folder_.empty(); });
  }
  /// @returns whether it is over
  bool wait_for_end(double seconds) {
    return wait(seconds, [this] { return done_; });
  }
  void interrupt(int level) { interrupts_.interrupt(level); }

  std::string folder() {
    const std::lock_guard lock{mutex_};
    return folder_;
  }
  /// The content of result.json. @throws what ended the run without one
  std::string result() {
    const std::lock_guard lock{mutex_};
    if (failure_)
      std::rethrow_exception(failure_);
    return result_;
  }

private:
  template <class Reached>
  bool wait(double seconds, Reached reached) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::duration<double>{seconds}, reached);
  }

  template <class Change>
  void set(Change change) {
    const std::lock_guard lock{mutex_};
    change();
    changed_.notify_all();
  }

  void train() {
    schedule_as_batch();
    try {
      troupe::train(command_, nullptr, interrupts_,
                    {[this](const auto& folder) { set([&] { folder_ = folder.string(); }); },
                     [this](const auto&, const auto& folder, const auto& result) {
                       keep(folder, result);
                       return 0;
                     }});
    } catch (...) {
      set([this] { failure_ = std::current_exception(); });
    }
    set([this] { done_ = true; });
  }

  void keep(const std::filesystem::path& folder, const SessionResult& result) {
    write_results(folder, result, folder);
    set([&] { result_ = result_json(result, folder.string()); });
  }

  TrainCommand command_;
  Interrupts interrupts_{Interrupts::WithoutSignals{}};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::string folder_, result_;
  std::exception_ptr failure_;
  std::thread thread_; ///< the last member: it uses the others
};

std::unique_ptr<BackgroundTraining>
training_of(const std::vector<std::string>& arguments, const std::vector<std::string>& files,
            const std::string& resume, const std::string& folder, bool quiet, bool progress) {
  TrainCommand command;
  command.arguments = arguments;
  command.files = files;
  command.resume = resume;
  command.folder = folder;
  command.quiet = quiet;
  command.no_progress = !progress;
  return std::make_unique<BackgroundTraining>(std::move(command));
}

} // namespace

void bind_training(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  py::class_<BackgroundTraining, std::unique_ptr<BackgroundTraining, DeletesWithoutLock>>(
    module, "Training")
    .def(
      py::init([](const std::vector<std::string>& arguments, const std::vector<std::string>& files,
                  const std::string& resume, const std::string& folder, bool quiet, bool progress) {
        return std::unique_ptr<BackgroundTraining, DeletesWithoutLock>{
          training_of(arguments, files, resume, folder, quiet, progress).release()};
      }),
      py::kw_only(), py::arg("arguments"), py::arg("files"), py::arg("resume"), py::arg("folder"),
      py::arg("quiet"), py::arg("progress"))
    .def("wait_for_begin", &BackgroundTraining::wait_for_begin, Free())
    .def("wait_for_end", &BackgroundTraining::wait_for_end, Free())
    .def("interrupt", &BackgroundTraining::interrupt, Free())
    .def_property_readonly("folder", &BackgroundTraining::folder)
    .def("result", &BackgroundTraining::result);
}

} // namespace troupe::python
