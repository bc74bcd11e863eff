#include "actors/access/entry_point.hpp"

#include "base/line_limit.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>

#include <chrono>
#include <mutex>
#include <utility>

namespace troupe {

namespace {

const std::string unknown_message = "a message of no interface";

caf::mailbox_element_ptr element_of(caf::strong_actor_ptr sender, caf::message_id id,
                                    caf::message content) {
  return caf::make_mailbox_element(std::move(sender), id, caf::mailbox_element::forwarding_stack{},
                                   std::move(content));
}

/// Passive like CAF's proxies: it has no mailbox, and no exit message can end it.
class EntryPointActor final : public caf::monitorable_actor {
public:
  EntryPointActor(caf::strong_actor_ptr actor, std::vector<AccessRule> rules,
                  EntryPointOptions options)
    : EntryPointActor(caf::actor_config{}, std::move(actor), std::move(rules), std::move(options)) {
  }

  const char* name() const override { return "entry point"; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    if (element->mid.is_response())
      return answered(*element, unit);
    Request request;
    request.sender = element->sender;
    request.id = element->mid;
    auto content = element->move_content_to_message();
    if (content.match_elements<Introduce>())
      return introduce(request, content.get_as<Introduce>(0), unit);
    if (content.match_elements<Envelope>()) {
      auto& envelope = content.get_mutable_as<Envelope>(0);
      request.key = std::move(envelope.key);
      request.enveloped = true;
      content = take_content(envelope);
    }
    pass_on(std::move(request), std::move(content), unit);
  }

protected:
  void on_cleanup(const caf::error&) override {
    const std::lock_guard lock{mutex_};
    actor_.reset();
    options_.notify = nullptr; // it may hold an actor that ends with its last handle
  }

private:
  EntryPointActor(caf::actor_config config, caf::strong_actor_ptr actor,
                  std::vector<AccessRule> rules, EntryPointOptions options)
    : monitorable_actor(config),
      actor_(std::move(actor)),
      rules_(std::move(rules)),
      options_(std::move(options)),
      access_(options_.token) {}

  /// A request that a peer has sent, with the address for the answer.
  struct Request {
    caf::strong_actor_ptr sender;
    caf::message_id id;
    std::string key;
    bool enveloped = false;
    const AccessRule* rule = nullptr;
    caf::message content; ///< kept if the answer may change the peer's membership
  };

  caf::strong_actor_ptr self() const { return ctrl(); }
  double now() { return seconds_now(home_system()); }

  const AccessRule* rule_of(const caf::message& content) const {
    for (const auto& rule : rules_)
      if (rule.is_message(content))
        return &rule;
    return nullptr;
  }

  void introduce(const Request& request, const Introduce& introduce, caf::execution_unit* unit) {
    std::string refusal;
    if (introduce.protocol != protocol_version)
      refusal = "it speaks protocol " + std::to_string(introduce.protocol) + ", this process "
                + std::to_string(protocol_version)
                + "; use the same version of Troupe on all nodes";
    else if (introduce.actor != options_.actor)
      refusal = "it asks for the " + introduce.actor + "; give it another address";
    else
      refusal = access_.refusal_of(introduce.cluster);
    if (!refusal.empty() || !request.sender)
      return refuse(request, "Introduce", refusal, Error::invalid_options, unit);
    const auto key = options_.draw_key();
    {
      const std::lock_guard lock{mutex_};
      access_.introduce(key);
    }
    request.sender->get()->attach_functor(
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self()), key](const caf::error&) {
        if (const auto strong = weak.lock())
          static_cast<EntryPointActor*>(strong->get())->forget(key);
      });
    answer(request, caf::make_message(Introduced{key, access_.requires_token()}), unit);
  }

  void forget(const std::string& key) {
    const std::lock_guard lock{mutex_};
    access_.forget(key);
  }

  void pass_on(Request request, caf::message content, caf::execution_unit* unit) {
    request.rule = rule_of(content);
    if (request.rule == nullptr)
      return refuse(request, unknown_message,
                    "only the " + options_.actor + "'s messages are accepted from other nodes",
                    Error::invalid_options, unit);
    const auto demand = request.rule->demand(content);
    auto to_actor = caf::message_id{};
    std::string refusal;
    caf::strong_actor_ptr actor;
    {
      const std::lock_guard lock{mutex_};
      refusal = access_.refusal(request.key, demand, now());
      if (refusal.empty()) {
        actor = actor_;
        if (demand.leaves)
          access_.leave(request.key);
        if (request.id.is_request()) {
          to_actor = caf::make_message_id(++requests_);
          if (request.rule->change != nullptr)
            request.content = content;
          pending_[requests_] = request;
        }
      }
    }
    if (!refusal.empty())
      return refuse(request, request.rule->message, refusal, error_of(demand), unit);
    if (actor)
      actor->enqueue(element_of(self(), to_actor, std::move(content)), unit);
  }

  Error error_of(const Demand& demand) const {
    switch (demand.needs) {
    case Needs::token: return Error::unavailable; // the peer has to introduce itself again
    case Needs::introduction:
    case Needs::membership:
    case Needs::training: return Error::not_joined;
    default: return Error::invalid_options;
    }
  }

  /// An answer of the actor. Peers cannot forge one, since no other node knows the actor's address.
  void answered(caf::mailbox_element& element, caf::execution_unit* unit) {
    auto content = element.copy_content_to_message();
    Request request;
    {
      const std::lock_guard lock{mutex_};
      const auto number = element.mid.request_id().integer_value();
      const auto found = pending_.find(number);
      if (found == pending_.end() || element.sender == nullptr || element.sender != actor_)
        return;
      request = std::move(found->second);
      pending_.erase(found);
      if (request.rule->change != nullptr)
        if (const auto change = request.rule->change(request.content, content))
          access_.join(request.key, *change, now());
    }
    answer(request, std::move(content), unit);
  }

  void answer(const Request& request, caf::message content, caf::execution_unit* unit) {
    if (!request.sender || !request.id.is_request())
      return;
    if (request.enveloped)
      content = caf::make_message(Envelope{request.key, std::move(content)});
    request.sender->enqueue(element_of(self(), request.id.response_id(), std::move(content)), unit);
  }

  void refuse(const Request& request, const std::string& message, const std::string& why,
              Error code, caf::execution_unit* unit) {
    report(message, why, request.sender ? caf::to_string(request.sender->node()) : "no known node");
    const auto let_in = request.rule != nullptr || message == unknown_message;
    answer(request,
           caf::make_message(fail(
             code, let_in ? "the " + options_.actor + " refuses " + message + ": " + why : why)),
           unit);
  }

  void report(const std::string& message, const std::string& why, const std::string& node) {
    std::vector<std::string> lines;
    std::function<void(const std::string&)> say;
    {
      const std::lock_guard lock{mutex_};
      say = options_.notify;
      const auto time = home_system().clock().now();
      const auto line = options_.actor + " refuses " + message + " from " + node + ": " + why;
      if (const auto first = limit_.admit(message, line, time))
        lines.push_back(*first);
      for (auto& other : limit_.left_out(time))
        lines.push_back(std::move(other));
    }
    for (const auto& line : lines)
      if (say)
        say(line);
  }

  std::mutex mutex_; ///< never held while another actor is called
  caf::strong_actor_ptr actor_;
  const std::vector<AccessRule> rules_;
  EntryPointOptions options_;
  AccessControl access_;
  std::map<std::uint64_t, Request> pending_; ///< by the number of the request to the actor
  std::uint64_t requests_ = 0;
  LineLimit limit_;
};

} // namespace

caf::strong_actor_ptr make_entry_point(caf::actor_system& system, caf::strong_actor_ptr actor,
                                       std::vector<AccessRule> rules, EntryPointOptions options) {
  auto made = caf::make_actor<EntryPointActor, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, actor, std::move(rules), std::move(options));
  actor->get()->attach_functor(
    [weak = caf::actor_cast<caf::weak_actor_ptr>(made)](const caf::error& why) {
      if (const auto strong = weak.lock())
        static_cast<EntryPointActor*>(strong->get())->cleanup(caf::error{why}, nullptr);
    });
  return made;
}

} // namespace troupe
