#pragma once

#include "troupe/apps/node_system.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace troupe {

/// One end of a TCP connection for blocks of floats: blocking, with deadlines, plain or with mutual
/// TLS. One thread writes and reads at a time; `shut` may be called from another.
class BulkSocket {
public:
  BulkSocket() = default;
  BulkSocket(BulkSocket&& other) noexcept;
  BulkSocket& operator=(BulkSocket&& other) noexcept;
  ~BulkSocket();

  /// @throws IoError that names the endpoint, after at most `deadline` seconds.
  static BulkSocket connect(const Endpoint& endpoint, const Trust& trust, double deadline);
  /// Takes over an accepted descriptor; the handshake of TLS is part of it.
  /// @throws IoError where the peer has no certificate of the authority, or is silent.
  static BulkSocket accepted(int descriptor, const Trust& trust, double deadline);

  /// @throws IoError where the connection ends or a piece does not move within the deadline.
  void write(std::span<const std::byte> bytes);
  void read(std::span<std::byte> bytes);
  /// Waits for the first byte of the next message, as long as it takes. @returns false at the end.
  bool wait();

  /// Seconds for which a piece may stand still; 0: for ever.
  void set_deadline(double seconds);
  void shut(); ///< ends reading and writing, in any thread

private:
  explicit BulkSocket(int descriptor) : descriptor_(descriptor) {}
  void begin_tls(const Trust& trust, bool server);

  int descriptor_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
};

} // namespace troupe
