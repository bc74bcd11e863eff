// Makes libdoses.so a plugin.
#include <troupe/base/plugin.hpp>

TROUPE_PLUGIN;
