#include "apps/troupe_main.hpp"

int main(int argc, char** argv) { return troupe::troupe_main(argc, argv); }
