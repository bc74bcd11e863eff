// A browser's connection: plain or by TLS, with deadlines that a slow peer cannot extend.
#pragma once

#include "apps/transport/tls.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace troupe {

/// The server's side of TLS for browsers, which show no certificate.
class BrowserTls {
public:
  /// @throws IoError for unusable files
  BrowserTls(const std::string& certificate, const std::string& key);
  TlsSession accept(int descriptor) const;

private:
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

class ClientSocket {
public:
  using Clock = std::chrono::steady_clock;

  /// @param descriptor is set to be non-blocking; the caller closes it. @param tls nullptr: plain
  ClientSocket(int descriptor, const BrowserTls* tls);

  /// Reads the head of a request, up to its empty line. @returns "" if it does not come in time,
  /// is longer than 16 kB, or the connection ends
  std::string read_head(std::chrono::milliseconds longest);
  /// What was read beyond the head comes first. @returns bytes; 0 or less: the end
  ssize_t read(char* data, std::size_t size);
  /// Writes all of it, or fails if the peer takes nothing for ten seconds.
  bool write(const char* data, std::size_t size);
  bool is_open() const; ///< false if the peer has closed it

  /// Until when the rest of a request has to come.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

private:
  ssize_t read_some(char* data, std::size_t size, Clock::time_point deadline);
  ssize_t write_some(const char* data, std::size_t size, Clock::time_point deadline);
  bool wait(short events, Clock::time_point deadline) const;

  int descriptor_;
  TlsSession tls_;
  std::string beyond_; ///< read, but not asked for yet
  Clock::time_point deadline_;
};

} // namespace troupe
