// `troupe` with the problem, the model, the metric, the update rule, the log sink and the extension of this folder linked to it.
#include <troupe/apps/troupe_main.hpp>

int main(int argc, char** argv) { return troupe::troupe_main(argc, argv); }
