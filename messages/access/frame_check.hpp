#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// Checks what a peer sends to actors (CAF's BASP, version 0.17) before CAF reads it. CAF 0.17
/// dereferences a null pointer if a handshake has no content, allocates any length that a header
/// claims, treats a message as a stream's if its number says so, and lets any node end any actor,
/// ask its internal actors for services and speak for other nodes.
///
///   header, 32 bytes, big-endian:  operation 1, unused 2, flags 1, length of the payload 4,
///                                  operation data 8, source actor 8, destination actor 8
class FrameCheck {
public:
  enum class Side { accepts, connects };
  static constexpr std::size_t header_size = 32;

  explicit FrameCheck(Side side) : side_(side) {}

  /// The next bytes: a header, or the payload that the last header announced.
  /// @returns why the connection must end; "" if it may continue.
  std::string refuse(std::span<const char> bytes);

  /// Whether the peer's handshake came first and was complete.
  bool introduced() const { return introduced_; }

private:
  enum class Operation : std::uint8_t {
    server_handshake,
    client_handshake,
    direct_message,
    routed_message,
    monitor_message,
    down_message,
    heartbeat
  };
  struct Header {
    Operation operation = Operation::heartbeat;
    bool to_a_name = false; ///< addressed to an internal actor of CAF
    std::uint32_t payload = 0;
    std::uint64_t data = 0, receiver = 0;
  };

  static Header read(std::span<const char> bytes);
  std::string refuse_header() const;
  std::string refuse_payload(std::span<const char> payload);
  std::string refuse_message(std::span<const char> payload) const;

  Side side_;
  Header header_;
  bool payload_comes_ = false;
  bool introduced_ = false;
  std::string node_; ///< the node that the peer claims to be, in its encoding; only for peers that
                     ///< connected here
};

} // namespace troupe
