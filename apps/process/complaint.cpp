#include "apps/process/complaint.hpp"

#include "apps/process/process_limits.hpp"
#include "base/failure.hpp"

#include <filesystem>

namespace troupe {

Complaint complaint_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Failure& e) {
    return {e.code(), e.sentences()};
  } catch (const std::filesystem::filesystem_error& e) { // a path that no file can have
    return {
      ExitCode::io,
      {"cannot use '" + e.path1().string() + "': " + e.code().message() + "; give another path"}};
  } catch (const std::exception& e) {
    const auto limit = sentence_of_limit(e);
    return {ExitCode::internal, {limit ? *limit : std::string{"a bug in Troupe: "} + e.what()}};
  } catch (...) {
    return {ExitCode::internal, {"a bug in Troupe: an exception of unknown type"}};
  }
}

} // namespace troupe
