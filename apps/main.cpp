#include "apps/program.hpp"

int main(int argc, char** argv) { return troupe::run_program(argc, argv); }
