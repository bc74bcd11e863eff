#include "messages/checkpoint/checkpoint.hpp"

namespace troupe {} // namespace troupe
