#include "apps/process/shutdown_deadline.hpp"

#include "apps/process/complaint.hpp"

#include <signal.h>
#include <unistd.h>

#include <string>

namespace troupe {

namespace {

constexpr unsigned longest_end = 5; // seconds

/// Prepared for the signal handler, which must not allocate.
std::string& last_sentences() {
  static auto& text = *new std::string;
  return text;
}
volatile sig_atomic_t last_code = 0;

void end_now(int) {
  const auto& text = last_sentences();
  const auto written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written); // there is no other way to report
  _exit(last_code);
}

} // namespace

void ShutdownDeadline::begin(const std::exception_ptr& failure) {
  const auto complaint = complaint_of(failure);
  auto& text = last_sentences();
  text.clear();
  for (const auto& sentence : complaint.sentences)
    text += "troupe: " + sentence + "\n";
  last_code = static_cast<int>(complaint.code);
  begun_ = true;
  ::signal(SIGALRM, end_now);
  alarm(longest_end);
}

ShutdownDeadline::~ShutdownDeadline() {
  if (!begun_)
    return;
  alarm(0);
  ::signal(SIGALRM, SIG_DFL);
}

} // namespace troupe
