#pragma once

#include "apps/transport/listener.hpp"
#include "apps/transport/record_cipher.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// One end of a block connection: blocking, with deadlines; over TCP, plain or with mutual TLS, or
/// within one machine, where memory descriptors can be sent. One thread reads and writes at a time;
/// `shut` may be called from another.
class BlockSocket {
public:
  BlockSocket() = default;

  /// @throws IoError that names the endpoint, after at most `deadline` seconds.
  static BlockSocket connect(const Endpoint& endpoint, const Trust& trust, double deadline);
  /// Connects within this machine to the listener of an abstract name.
  /// @throws IoError if nothing listens within `deadline` seconds, or the listener belongs to
  /// another user.
  static BlockSocket connect_local(const std::string& name, double deadline);
  /// Takes over an accepted connection.
  explicit BlockSocket(AcceptedConnection connection);
  bool local() const { return local_; } ///< descriptors can be sent

  /// Marks the peer as trusted. @throws IoError if too many peers are connected.
  void admit();
  void refuse(const std::string& why); ///< of an accepted one: reports why it ends

  /// If the connection is mutual TLS: from now on blocks are encrypted as records under keys of the
  /// session, in less time than by TLS itself. Both ends call it between the same messages.
  void use_records();

  /// @throws IoError if the connection ends, a record was changed on its way, or a piece makes no
  /// progress within the deadline.
  void write(std::span<const std::byte> bytes);
  void read(std::span<std::byte> bytes);
  void write_descriptor(int descriptor); ///< @pre local()
  int read_descriptor();                 ///< the caller closes it; @pre local()
  /// Waits for the first byte of the next message, without a deadline. @returns false at the end.
  bool wait();

  /// Seconds a piece may make no progress; 0: no limit.
  void set_deadline(double seconds);
  void shut(); ///< ends reading and writing; thread-safe

private:
  explicit BlockSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  void receive_record(std::span<std::byte> bytes);
  void send_all(std::span<const std::byte> bytes);
  void receive_all(std::span<std::byte> bytes);

  Descriptor descriptor_;
  bool local_ = false;
  TlsSession tls_; ///< until use_records()
  std::optional<RecordCipher> cipher_;
  std::vector<std::byte> sealed_, opened_; ///< the record that is sent, or was received last
  std::span<const std::byte> unread_;      ///< the rest of a received record
  std::unique_ptr<ListenerPlace> place_;   ///< destroyed before the descriptor closes
};

} // namespace troupe
