#include "actors/access/remote_handle.hpp"

#include "base/line_limit.hpp"
#include "base/same_secret.hpp"
#include "messages/control/control.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>

#include <map>
#include <mutex>
#include <utility>

namespace troupe {

namespace {

/// Passive like CAF's proxies: it forwards messages in the sender's thread.
class RemoteHandleActor final : public caf::monitorable_actor {
public:
  RemoteHandleActor(caf::strong_actor_ptr entry, std::function<void(const std::string&)> notify)
    : RemoteHandleActor(caf::actor_config{}, std::move(entry), std::move(notify)) {}

  const char* name() const override { return "remote handle"; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    if (element->mid.is_response())
      return answered(*element, unit);
    if (came_from_another_node(unit))
      return refuse();
    if (element->content().match_elements<caf::exit_msg>()) {
      cleanup(std::move(element->content().get_mutable_as<caf::exit_msg>(0).reason), unit);
      return;
    }
    send_on(*element, unit);
  }

protected:
  void on_cleanup(const caf::error&) override {
    const std::lock_guard lock{mutex_};
    entry_.reset();
  }

private:
  RemoteHandleActor(caf::actor_config config, caf::strong_actor_ptr entry,
                    std::function<void(const std::string&)> notify)
    : monitorable_actor(config),
      entry_(std::move(entry)),
      notify_(std::move(notify)) {}

  struct Asked {
    caf::strong_actor_ptr by;
    caf::message_id id;
  };

  caf::strong_actor_ptr self() const { return ctrl(); }

  /// The thread of the connections only delivers messages of other nodes.
  bool came_from_another_node(const caf::execution_unit* unit) {
    auto& system = home_system();
    return unit != nullptr && system.has_middleman() && unit == &system.middleman().backend();
  }

  void send_on(caf::mailbox_element& element, caf::execution_unit* unit) {
    auto content = element.move_content_to_message();
    auto id = caf::message_id{};
    caf::strong_actor_ptr entry;
    std::string key;
    {
      const std::lock_guard lock{mutex_};
      entry = entry_;
      key = key_;
      if (entry && element.mid.is_request()) {
        id = caf::make_message_id(++requests_);
        asked_[requests_] = {element.sender, element.mid};
      }
    }
    if (!entry) {
      auto asked = Asked{element.sender, element.mid};
      return answer(asked, caf::make_message(fail(Error::unavailable, "the connection has ended")),
                    unit);
    }
    if (!content.match_elements<Introduce>())
      content = caf::make_message(Envelope{key, std::move(content)});
    entry->enqueue(caf::make_mailbox_element(self(), id, {}, std::move(content)), unit);
  }

  void answered(caf::mailbox_element& element, caf::execution_unit* unit) {
    auto content = element.move_content_to_message();
    Asked asked;
    {
      const std::lock_guard lock{mutex_};
      const auto found = asked_.find(element.mid.request_id().integer_value());
      if (found == asked_.end())
        return;
      if (content.match_elements<Envelope>()) {
        auto& envelope = content.get_mutable_as<Envelope>(0);
        if (key_.empty() || !same_secret(envelope.key, key_))
          return; // not from the entry point
        content = take_content(envelope);
      } else if (content.match_elements<Introduced>()) {
        if (!key_.empty())
          return;
        key_ = content.get_as<Introduced>(0).key;
      } else if (!content.match_elements<caf::error>()) {
        return;
      }
      asked = found->second;
      asked_.erase(found);
    }
    answer(asked, std::move(content), unit);
  }

  void answer(const Asked& asked, caf::message content, caf::execution_unit* unit) {
    if (asked.by && asked.id.is_request())
      asked.by->enqueue(
        caf::make_mailbox_element(self(), asked.id.response_id(), {}, std::move(content)), unit);
  }

  void refuse() {
    std::optional<std::string> line;
    {
      const std::lock_guard lock{mutex_};
      line = limit_.admit("",
                          "an unrequested message was refused: it came from another "
                          "node to an actor of this process",
                          home_system().clock().now());
    }
    if (line && notify_)
      notify_(*line);
  }

  std::mutex mutex_; ///< never held while another actor is called
  caf::strong_actor_ptr entry_;
  std::string key_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t requests_ = 0;
  LineLimit limit_;
  const std::function<void(const std::string&)> notify_;
};

} // namespace

caf::strong_actor_ptr make_remote_handle(caf::actor_system& system, const EntryPoint& entry,
                                         std::function<void(const std::string& line)> notify) {
  const auto proxy = caf::actor_cast<caf::strong_actor_ptr>(entry);
  auto made = caf::make_actor<RemoteHandleActor, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, proxy, std::move(notify));
  proxy->get()->attach_functor(
    [weak = caf::actor_cast<caf::weak_actor_ptr>(made)](const caf::error& why) {
      if (const auto strong = weak.lock())
        static_cast<RemoteHandleActor*>(strong->get())->cleanup(caf::error{why}, nullptr);
    });
  return made;
}

} // namespace troupe
