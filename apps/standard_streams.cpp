#include "troupe/apps/standard_streams.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>

namespace troupe {

void occupy_standard_streams() {
  // Open takes the lowest place that is free. One that can only be read refuses results.
  for (const auto place : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(place, F_GETFD) < 0
        && open("/dev/null", place == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

void outlive_readers() { ::signal(SIGPIPE, SIG_IGN); }

} // namespace troupe
