// Steers a run that was started with --control, as `troupe ctl` does: steer latest status
#include <troupe/apps/transport/control_client.hpp>
#include <troupe/base/failure.hpp>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) try {
  troupe::ControlClient run{{.run = argc > 1 ? argv[1] : "latest"}};
  const auto answer
    = run.ask(argc > 2 ? argv[2] : "status", {argv + std::min(argc, 3), argv + argc});
  for (const auto& line : answer.lines)
    std::cout << line << '\n';
  return answer.ok ? 0 : 1;
} catch (const troupe::Failure& e) { // there is no such run, it is frozen, or it refuses
  std::cerr << e.what() << '\n';
  return static_cast<int>(e.code());
}
