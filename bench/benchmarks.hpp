#pragma once

namespace troupe::bench {

/// The main functions of the benchmarks. They are compiled as one program, because their headers
/// take most of the compile time; main.cpp makes a program of each.
/// @returns the exit code, 2 if nothing was measured
namespace card_benchmark {
int run(int argc, char** argv);
}
namespace checkpoint_benchmark {
int run(int argc, char** argv);
}
namespace exchange_benchmark {
int run(int argc, char** argv);
}
namespace layers_benchmark {
int run(int argc, char** argv);
}
namespace loader_benchmark {
int run(int argc, char** argv);
}
namespace processes_benchmark {
int run(int argc, char** argv);
}
namespace pushes_benchmark {
int run(int argc, char** argv);
}
namespace reading_benchmark {
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
