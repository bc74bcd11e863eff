// All messages of the interfaces that other nodes reach, derived from the interfaces themselves.
#pragma once

#include "messages/access/access_rules.hpp"
#include "messages/access/entry_point.hpp"
#include "messages/control/control.hpp"
#include "messages/grid/grid_access_rules.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/make_message.hpp>

#include <vector>

namespace troupe::test {

namespace detail {

template <class Message, class Answer>
caf::message blank(caf::typed_mpi<caf::detail::type_list<Message>, caf::output_tuple<Answer>>) {
  return caf::make_message(Message{});
}

template <class... Signatures>
std::vector<caf::message> blanks(const caf::typed_actor<Signatures...>*) {
  return {blank(Signatures{})...};
}

} // namespace detail

/// One message of each kind that the interface accepts, with default values only.
template <class Interface>
std::vector<caf::message> messages_of() {
  return detail::blanks(static_cast<const Interface*>(nullptr));
}

} // namespace troupe::test
