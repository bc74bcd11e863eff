#include "troupe/extensions/parameter_sync.hpp"

#include "troupe/messages/duration.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>

namespace troupe {

ParameterSync::ParameterSync(Extension::pointer self, ParameterSyncOptions options,
                             ParameterHolder holder, Layout layout)
  : self_(self),
    options_(options),
    holder_(std::move(holder)),
    layout_(std::move(layout)) {}

double ParameterSync::now() const {
  return std::chrono::duration<double>(self_->clock().now().time_since_epoch()).count();
}

caf::timespan ParameterSync::deadline() const {
  return std::chrono::duration_cast<caf::timespan>(
    std::chrono::duration<double>(options_.deadline));
}

caf::error ParameterSync::refusal(const std::string& request, const caf::error& error) const {
  if (error.category() == caf::atom("troupe"))
    return error;
  return fail(Error::gate_failed,
              "the parameter holder did not answer " + request + " within "
                + print_duration(std::chrono::duration<double>(options_.deadline)) + ": "
                + sentence(error));
}

caf::typed_response_promise<GateAnswer> ParameterSync::join(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto worker = event.worker;
  const auto values = event.parameters.values;
  self_->request(holder_, deadline(), Join{worker, protocol_version, layout_})
    .then(
      [=, this](const Joined& joined) mutable {
        incarnation_ = joined.incarnation;
        number_ = 0;
        self_->request(holder_, deadline(), CreateIfAbsent{worker, values})
          .then(
            [=, this](const Parameters& settled) mutable {
              version_ = settled.version;
              GateAnswer answer;
              answer.parameters = settled.values;
              promise.deliver(std::move(answer));
            },
            [=, this](const caf::error& error) mutable {
              promise.deliver(refusal("CreateIfAbsent", error));
            });
      },
      [=, this](const caf::error& error) mutable { promise.deliver(refusal("Join", error)); });
  return promise;
}

caf::typed_response_promise<GateAnswer>
ParameterSync::exchange(const LoopEvent& event, std::function<void(double, double)> done) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto begin = now();
  const auto seconds = event.position.seconds;
  self_
    ->request(holder_, deadline(),
              Exchange{{{event.worker, incarnation_, ++number_},
                        version_,
                        {options_.alpha, options_.beta},
                        event.parameters.values}})
    .then(
      [=, this, done = std::move(done)](const Parameters& settled) mutable {
        const auto end = now();
        version_ = settled.version;
        done(begin, end);
        GateAnswer answer;
        answer.parameters = settled.values;
        if (options_.timing_log)
          answer.records
            = {{"param_sync_start", Value{seconds}},
               {"param_sync_end", Value{seconds + (end - begin)}},
               {"param_sync_duration", Value{end - begin}},
               {"param_sync_staleness", Value{static_cast<std::int64_t>(settled.staleness)}}};
        promise.deliver(std::move(answer));
      },
      [=, this](const caf::error& error) mutable { promise.deliver(refusal("Exchange", error)); });
  return promise;
}

void ParameterSync::leave(const LoopEvent& event) { self_->send(holder_, Leave{event.worker}); }

void check(const ParameterSyncOptions& options) {
  if (!std::isfinite(options.alpha) || !std::isfinite(options.beta))
    throw std::invalid_argument(
      "alpha " + std::to_string(options.alpha) + " and beta " + std::to_string(options.beta)
      + " weigh shared and own parameters; give finite numbers, like 0.5");
  if (!(options.deadline > 0))
    throw std::invalid_argument("the deadline for the parameter holder is "
                                + std::to_string(options.deadline) + " s; give a positive time");
}

} // namespace troupe
