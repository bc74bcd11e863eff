// Runs one benchmark, the one that TROUPE_BENCHMARK names.

#include "bench/benchmarks.hpp"

int main(int argc, char** argv) { return troupe::bench::TROUPE_BENCHMARK::run(argc, argv); }
