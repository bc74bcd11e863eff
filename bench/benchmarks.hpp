#pragma once

namespace troupe::bench {

/// Each benchmark's main function: they are compiled together, for their headers cost more than
/// they do, and main.cpp makes a program of each.
/// @returns the exit code, 2 where it did not measure
namespace checkpoint_benchmark {
int run(int argc, char** argv);
}
namespace exchange_benchmark {
int run(int argc, char** argv);
}
namespace loader_benchmark {
int run(int argc, char** argv);
}
namespace processes_benchmark {
int run(int argc, char** argv);
}
namespace slow_observer_benchmark {
int run(int argc, char** argv);
}
namespace subscriptions_benchmark {
int run(int argc, char** argv);
}
namespace threads_benchmark {
int run(int argc, char** argv);
}
namespace throughput_benchmark {
int run(int argc, char** argv);
}
namespace workers_benchmark {
int run(int argc, char** argv);
}

} // namespace troupe::bench
