#pragma once

#include "troupe/apps/node_system.hpp"

#include <cstddef>
#include <span>
#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace troupe {

/// One end of a connection for blocks of floats: blocking, with deadlines; TCP, plain or with
/// mutual TLS, or within one machine, where descriptors of memory can be sent. One thread writes
/// and reads at a time; `shut` may be called from another.
class BulkSocket {
public:
  BulkSocket() = default;
  BulkSocket(BulkSocket&& other) noexcept;
  BulkSocket& operator=(BulkSocket&& other) noexcept;
  ~BulkSocket();

  /// @throws IoError that names the endpoint, after at most `deadline` seconds.
  static BulkSocket connect(const Endpoint& endpoint, const Trust& trust, double deadline);
  /// Connects within this machine, to who listens on an abstract name.
  /// @throws IoError where there is nobody within `deadline` seconds, or somebody of another user.
  static BulkSocket connect_local(const std::string& name, double deadline);
  /// Takes over an accepted descriptor of a connection within this machine.
  /// @throws IoError where the peer is of another user.
  static BulkSocket accepted_local(int descriptor);
  bool local() const { return local_; } ///< descriptors can be sent

  /// Takes over an accepted descriptor; the handshake of TLS is part of it.
  /// @throws IoError where the peer has no certificate of the authority, or is silent.
  static BulkSocket accepted(int descriptor, const Trust& trust, double deadline);

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
  explicit BulkSocket(int descriptor) : descriptor_(descriptor) {}
  void begin_tls(const Trust& trust, bool server);

  int descriptor_ = -1;
  bool local_ = false;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
};

} // namespace troupe
