#include "model/torch/torch_failure.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("an error of TorchScript names the expression, its parameters and the reason",
          "[torch]") {
  Layout layout;
  layout.add("fc1.weight", {3, 4});
  layout.add("fc1.bias", {3});
  layout.add("fc2.weight", {2, 3});
  const std::string message = R"(The following operation failed in the TorchScript interpreter.
Traceback of TorchScript, serialized code (most recent call last):
  File "code/__torch__.py", line 12, in forward
    x: Tensor) -> Tensor:
    y = (_0).forward(x, )
         ~~~~~~~~~~~ <--- HERE

Traceback of TorchScript, original code (most recent call last):
  File "net.py", line 7, in forward
    def forward(self, x):
        y = self.fc1(x)
            ~~~~~~~~ <--- HERE
        return self.drop(self.bn(y))
  File "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", line 114, in forward
        return F.linear(input, self.weight, self.bias)
               ~~~~~~~~ <--- HERE
RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x5 and 4x3)
)";
  CHECK(torch_failure(message, layout)
        == "at self.fc1, of fc1.weight [3, 4], fc1.bias [3]: mat1 and mat2 shapes cannot be "
           "multiplied (2x5 and 4x3)");
}

TEST_CASE("an error without a traceback is its own reason", "[torch]") {
  CHECK(torch_failure("it changes the size of order", {}) == "it changes the size of order");
  CHECK(torch_failure("", {}).empty());
  CHECK(torch_failure("~ <--- HERE", {}) == "~ <--- HERE");
}
