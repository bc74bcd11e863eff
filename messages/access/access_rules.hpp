// Which need each message has that other nodes can send. A message without a line here does not
// compile: an entry point asks for the demand of each message of its interface.
#pragma once

#include "messages/access/access_control.hpp"
#include "messages/control/control.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/message.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe {

// -- parameter holder -----------------------------------------------------------------------------

inline Demand demand_of(const Join&) { return {Needs::token}; }
/// After a lost connection a member renews its lease without joining again; the holder checks its
/// incarnation.
inline Demand demand_of(const Renew&) { return {Needs::introduction}; }
inline Demand demand_of(const GetHolderStatus&) { return {Needs::introduction}; }
inline Demand demand_of(const SaveHolder&) { return {Needs::introduction}; }
inline Demand demand_of(const Pull& pull) { return {Needs::membership, pull.worker}; }
inline Demand demand_of(const Await& await) { return {Needs::membership, await.worker}; }
inline Demand demand_of(const PullPart& pull) { return {Needs::membership, pull.worker}; }
inline Demand demand_of(const Leave& leave) { return {Needs::membership, leave.worker, true}; }
inline Demand demand_of(const CreateIfAbsent& create) { return {Needs::training, create.worker}; }
inline Demand demand_of(const Push& push) { return {Needs::training, push.id.worker}; }
inline Demand demand_of(const Exchange& exchange) { return demand_of(exchange.push); }
inline Demand demand_of(const PushPart& push) { return {Needs::training, push.id.worker}; }
inline Demand demand_of(const StopAll&) { return {Needs::training}; }
inline Demand demand_of(const UseBlockPort&) { return {Needs::own_process}; }
inline Demand demand_of(const RestoreHolder&) { return {Needs::own_process}; }

inline MembershipChange membership_change(const Join& join, const Joined&) {
  return {join.worker, join.lease, join.is_reader};
}
inline MembershipChange membership_change(const Renew& renew, const Renewed&) {
  return {renew.worker};
}

// -- remote control -------------------------------------------------------------------------------

inline Demand demand_of(const ControlRequest&) { return {Needs::nothing}; }
inline Demand demand_of(const TailLog&) { return {Needs::nothing}; }

// -- the rules of an interface --------------------------------------------------------------------

/// What an entry point knows about one message of its actor's interface.
struct AccessRule {
  std::string message; ///< its name, for reports
  bool (*is_message)(const caf::message& content);
  Demand (*demand)(const caf::message& content);
  /// How the answer changed the sender's membership; nothing: not at all. Null if no answer to this
  /// message changes it.
  std::optional<MembershipChange> (*change)(const caf::message& content,
                                            const caf::message& answer);
};

namespace detail {

template <class Message, class Answer>
concept ChangesMembership = requires {
  membership_change(std::declval<const Message&>(), std::declval<const Answer&>());
};

template <class Message, class Answer>
std::optional<MembershipChange> membership_change_by_answer(const caf::message& content,
                                                            const caf::message& answer) {
  if (!answer.match_elements<Answer>())
    return {}; // an error
  return membership_change(content.get_as<Message>(0), answer.get_as<Answer>(0));
}

template <class Message, class Answer>
AccessRule access_rule(caf::typed_mpi<caf::detail::type_list<Message>, caf::output_tuple<Answer>>) {
  AccessRule rule;
  const std::string name = caf::type_name_by_id<caf::type_id<Message>::value>::value;
  rule.message = name.substr(name.rfind(':') + 1);
  rule.is_message = [](const caf::message& content) { return content.match_elements<Message>(); };
  rule.demand = [](const caf::message& content) { return demand_of(content.get_as<Message>(0)); };
  rule.change = nullptr;
  if constexpr (ChangesMembership<Message, Answer>)
    rule.change = &membership_change_by_answer<Message, Answer>;
  return rule;
}

template <class... Signatures>
std::vector<AccessRule> access_rules(const caf::typed_actor<Signatures...>*) {
  return {access_rule(Signatures{})...};
}

} // namespace detail

/// A rule for each message of the interface.
template <class Interface>
std::vector<AccessRule> access_rules() {
  return detail::access_rules(static_cast<const Interface*>(nullptr));
}

} // namespace troupe
