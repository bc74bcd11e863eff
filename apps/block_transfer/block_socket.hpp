#pragma once

#include "apps/transport/listener.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace troupe {

/// One end of a connection for blocks of floats: blocking, with deadlines; TCP, plain or with
/// mutual TLS, or within one machine, where descriptors of memory can be sent. One thread writes
/// and reads at a time; `shut` may be called from another.
class BlockSocket {
public:
  BlockSocket() = default;

  /// @throws IoError that names the endpoint, after at most `deadline` seconds.
  static BlockSocket connect(const Endpoint& endpoint, const Trust& trust, double deadline);
  /// Connects within this machine, to who listens on an abstract name.
  /// @throws IoError where there is nobody within `deadline` seconds, or somebody of another user.
  static BlockSocket connect_local(const std::string& name, double deadline);
  /// Takes over what a listener has accepted.
  explicit BlockSocket(AcceptedConnection connection);
  bool local() const { return local_; } ///< descriptors can be sent

  /// The peer has shown that it belongs here. @throws IoError where too many are here already.
  void admit();
  void refuse(const std::string& why); ///< of an accepted one: says why it ends

  /// @throws IoError where the connection ends or a piece does not move within the deadline.
  void write(std::span<const std::byte> bytes);
  void read(std::span<std::byte> bytes);
  void write_descriptor(int descriptor); ///< @pre local()
  int read_descriptor();                 ///< the caller's to close; @pre local()
  /// Waits for the first byte of the next message, as long as it takes. @returns false at the end.
  bool wait();

  /// Seconds for which a piece may stand still; 0: for ever.
  void set_deadline(double seconds);
  void shut(); ///< ends reading and writing, in any thread

private:
  explicit BlockSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
  bool local_ = false;
  TlsSession tls_;
  std::unique_ptr<ListenerPlace> place_; ///< behind the descriptor, which closes after it
};

} // namespace troupe
