// Processes of a benchmark: one that runs a function, and one that holds parameters.
#pragma once

#include "actors/parameters/parameter_holder.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>

namespace troupe::bench {

/// A process that runs `work`, with a pipe for its results.
class Child {
public:
  template <class Work>
  explicit Child(Work work) {
    if (pipe(results_.data()) != 0 || pipe(end_.data()) != 0)
      std::exit(1);
    open_ends().insert(end_[1]);
    pid_ = fork();
    if (pid_ != 0) {
      close(end_[0]); // so that only the child's end stays open
      return;
    }
    for (const auto end : open_ends()) // of this child and its elder siblings
      close(end);
    work(results_[1], end_[0]);
    std::_Exit(0);
  }
  ~Child() {
    close_end();
    waitpid(pid_, nullptr, 0);
    close(results_[0]);
    close(results_[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The child's `end` is at its end: what that means is the child's matter.
  void close_end() {
    if (open_ends().erase(end_[1]) > 0)
      close(end_[1]);
  }
  pid_t pid() const { return pid_; }

  template <class T>
  T hear() const {
    T value{};
    if (read(results_[0], &value, sizeof value) != sizeof value)
      std::exit(1);
    return value;
  }

private:
  /// The parent's ends, by which its children wait for it.
  static std::set<int>& open_ends() {
    static std::set<int> ends;
    return ends;
  }

  std::array<int, 2> results_{}, end_{};
  pid_t pid_ = -1;
};

template <class T>
inline void send(int pipe, const T& value) {
  if (write(pipe, &value, sizeof value) != sizeof value)
    std::exit(1);
}

/// Work of a child: a parameter holder on loopback, until `end` is closed.
inline void serve_holder_until_closed(int port_pipe, int end) {
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  const auto holder = spawn_parameter_holder(system);
  const BlockListener listener{system, holder, "127.0.0.1", {}, ""};
  const PublishedActor published{
    holder_entry_point(holder), {"127.0.0.1", 0}, {}, "the parameter holder"};
  send(port_pipe, published.port());
  char byte = 0;
  while (read(end, &byte, 1) > 0)
    ;
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
}

} // namespace troupe::bench
