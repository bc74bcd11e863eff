// A lossy connection to a parameter holder.
#pragma once

#include "messages/parameters/parameters.hpp"
#include "model/codecs/error_feedback.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>
#include <vector>

namespace troupe::test {

/// A connection to a holder on which pushes are sent as bfloat16.
inline ParameterHolder lossy_connection(DeterministicSystem& world, const ParameterHolder& holder) {
  const auto behave = [=](caf::event_based_actor* self) -> caf::behavior {
    return {
      [=](const Join& join) { return self->delegate(holder, join); },
      [=](const CreateIfAbsent& create) { return self->delegate(holder, create); },
      [=](const Renew& renew) { return self->delegate(holder, renew); },
      [=](const Pull& pull) { return self->delegate(holder, pull); },
      [=](const Leave& leave) { self->send(holder, leave); },
      [=](Exchange& exchange) {
        auto& push = exchange.push;
        ErrorFeedback feedback{push.values.size()};
        const auto residual = std::exchange(push.residual, Block{});
        if (push.last)
          push.values = with_residual(push.values, residual);
        else if (!residual.empty())
          feedback.restore(residual);
        std::vector<std::byte> bytes;
        if (!push.last) {
          REQUIRE(
            feedback.encode({.format = WireFormat::bfloat16}, push.values.view(), bytes).empty());
          REQUIRE(decode(WireFormat::bfloat16, bytes, push.values.edit()).empty());
        }
        auto promise = self->make_response_promise<Parameters>();
        self->request(holder, caf::infinite, exchange)
          .then(
            [=, left = push.last ? Block{} : feedback.residual()](Parameters& answer) mutable {
              answer.residual = left;
              promise.deliver(std::move(answer));
            },
            [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
        return promise;
      },
    };
  };
  return world.keep(caf::actor_cast<ParameterHolder>(world.system.spawn(behave)));
}

} // namespace troupe::test
