#include "apps/dashboard/http_server.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto head_time = 5s;  // in which the head of a request has to come
constexpr auto idle_time = 15s; // between the requests of a connection
constexpr std::size_t most_threads = 192;
constexpr std::size_t longest_body = std::size_t{64} << 10;

constexpr auto content_policy
  = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// A connection as httplib reads and writes it: the head first, then the body.
class HeadAndBody : public httplib::Stream {
public:
  HeadAndBody(ClientSocket& socket, int descriptor, std::string head)
    : socket_(socket),
      descriptor_(descriptor),
      head_(std::move(head)) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return socket_.is_open(); }
  ssize_t read(char* data, size_t size) override {
    if (at_ == head_.size())
      return socket_.read(data, size);
    const auto taken = std::min(size, head_.size() - at_);
    std::copy_n(head_.data() + at_, taken, data);
    at_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* data, size_t size) override {
    return socket_.write(data, size) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  socket_t socket() const override { return descriptor_; }

private:
  ClientSocket& socket_;
  int descriptor_;
  std::string head_;
  std::size_t at_ = 0;
};

/// Threads for connections: one is started where all are busy, up to a limit. A page that follows
/// events keeps one.
class ConnectionThreads : public httplib::TaskQueue {
public:
  ~ConnectionThreads() override { end(); }

  /// Nothing in old versions of httplib, true if it took the task in new ones.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

  Taken enqueue(std::function<void()> task) override {
    add(std::move(task));
    return static_cast<Taken>(true);
  }
  void shutdown() override { end(); }

private:
  void add(std::function<void()> task) {
    const std::lock_guard lock{mutex_};
    tasks_.push_back(std::move(task));
    if (idle_ < tasks_.size() && threads_.size() < most_threads)
      threads_.emplace_back([this] { work(); });
    arrived_.notify_one();
  }

  void end() {
    {
      const std::lock_guard lock{mutex_};
      ends_ = true;
    }
    arrived_.notify_all();
    for (auto& thread : threads_)
      thread.join();
    threads_.clear();
  }

  void work() {
    std::unique_lock lock{mutex_};
    for (;;) {
      ++idle_;
      arrived_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty())
        return;
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

/// At most one line a second, with the number of requests that were refused so far.
class RefusalLines {
public:
  void add(int status, const std::string& sentence) {
    const std::lock_guard lock{mutex_};
    ++count_;
    const auto now = std::chrono::steady_clock::now();
    if (count_ > 1 && now - said_ < 1s)
      return;
    said_ = now;
    std::cerr << "troupe: a request was refused (" << status << ", " << count_
              << " so far): " << sentence << std::endl;
  }

private:
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::chrono::steady_clock::time_point said_;
};

RequestHead head_of(const httplib::Request& request) {
  return {request.method,
          request.path,
          request.get_param_value("token"),
          request.get_header_value("Host"),
          request.get_header_value("Origin"),
          request.get_header_value("Authorization"),
          request.get_header_value("Cookie"),
          request.get_header_value("Content-Type")};
}

} // namespace

std::string needed_head(const std::string& head) {
  std::string needed;
  for (std::size_t begin = 0; begin < head.size();) {
    const auto end = std::min(head.find("\r\n", begin), head.size() - 2) + 2;
    const auto line = std::string_view{head}.substr(begin, end - begin);
    const auto name = lower_case(line.substr(0, line.find(':')));
    auto keeps = true;
    for (const auto* left_out : {"range", "if-range", "accept-encoding", "expect", "upgrade",
                                 "transfer-encoding", "content-encoding"})
      keeps = keeps && (begin == 0 || name != left_out);
    if (keeps)
      needed += line;
    begin = end;
  }
  return needed;
}

class HttpServer::Impl : public httplib::Server {
public:
  Impl(DashboardApi& api, EventHub& hub, const Endpoint& endpoint, AccessRules rules,
       std::unique_ptr<const BrowserTls> tls)
    : api_(api),
      hub_(hub),
      rules_(std::move(rules)),
      tls_(std::move(tls)) {
    new_task_queue = [] { return new ConnectionThreads; };
    set_payload_max_length(longest_body);
    set_tcp_nodelay(true); // head and body are two writes, of which the second would wait 40 ms
    set_keep_alive_max_count(1000);
    set_default_headers({{"Content-Security-Policy", content_policy},
                         {"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}});
    set_pre_routing_handler(
      [this](const auto& request, auto& response) { return route(request, response); });
    Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response, role_of(request));
    });
    set_exception_handler([](const auto&, auto& response, const auto&) {
      put(error_answer(500, "the dashboard failed; look at its terminal"), response);
    });
    set_error_handler(Handler{[](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        put(error_answer(response.status, "the request cannot be read; send one of HTTP/1.1"),
            response);
    }});
    const auto host = endpoint.host.empty() ? "127.0.0.1" : endpoint.host;
    port_ = endpoint.port == 0                  ? bind_to_any_port(host)
            : bind_to_port(host, endpoint.port) ? endpoint.port
                                                : -1;
    if (port_ <= 0)
      throw IoError("cannot listen on " + host + ":" + std::to_string(endpoint.port)
                    + "; choose a free port with --listen " + host + ":0");
    if (rules_.cookie.empty())
      rules_.cookie = "troupe_" + std::to_string(port_);
    listener_ = std::thread{[this] { listen_after_bind(); }};
  }

  ~Impl() override {
    while (!is_running()) // stop() does nothing before
      std::this_thread::sleep_for(1ms);
    ends_ = true;
    stop();
    hub_.close();
    listener_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

private:
  bool process_and_close_socket(socket_t descriptor) override {
    {
      ClientSocket socket{descriptor, tls_.get()};
      auto closed = false;
      for (auto first = true; !closed && !ends_; first = false) {
        auto head = needed_head(first ? socket.read_head(head_time) : socket.read_head(idle_time));
        if (head.empty())
          break;
        HeadAndBody stream{socket, descriptor, std::move(head)};
        if (!answer_one(stream, closed))
          break;
      }
    }
    shutdown(descriptor, SHUT_RDWR);
    close(descriptor);
    return true;
  }

  /// New versions of httplib also take the addresses of both ends, which the dashboard does not use.
  bool answer_one(auto& stream, bool& closed) {
    constexpr auto unchanged = [](httplib::Request&) {};
    if constexpr (requires { process_request(stream, false, closed, unchanged); })
      return process_request(stream, false, closed, unchanged);
    else
      return process_request(stream, "", 0, "", 0, false, closed, unchanged);
  }

  AccessRole role_of(const httplib::Request& request) const {
    return admit(head_of(request), rules_).role;
  }

  HandlerResponse route(const httplib::Request& request, httplib::Response& response) {
    const auto head = head_of(request);
    const auto admission = admit(head, rules_);
    if (admission.status != 0) {
      refusals_.add(admission.status, admission.sentence);
      put(error_answer(admission.status, admission.sentence), response);
      if (admission.status == 401)
        response.set_header("WWW-Authenticate", "Bearer");
      return HandlerResponse::Handled;
    }
    if (head.method == "POST")
      return HandlerResponse::Unhandled; // its body is read first
    if (head.path == "/" && !head.token.empty()) {
      response.set_header("Set-Cookie", rules_.cookie + "=" + rules_.tokens.of(admission.role)
                                          + "; HttpOnly; SameSite=Strict; Path=/"
                                          + (rules_.tls ? "; Secure" : ""));
      response.set_redirect("/", 303);
      return HandlerResponse::Handled;
    }
    respond(request, response, admission.role);
    return HandlerResponse::Handled;
  }

  void respond(const httplib::Request& request, httplib::Response& response, AccessRole role) {
    ApiRequest asked{request.method, request.path, request.body, {}, role};
    for (const auto& [name, value] : request.params)
      asked.parameters.emplace(name, value);
    auto answer = api_.answer(asked);
    if (answer.status == 403)
      refusals_.add(answer.status, answer.body);
    put(std::move(answer), response);
  }

  static void put(ApiAnswer answer, httplib::Response& response) {
    response.status = answer.status;
    if (answer.events == nullptr) {
      response.set_content(answer.body, answer.type);
      return;
    }
    const auto queue = answer.events;
    response.set_header("X-Accel-Buffering", "no");
    response.set_chunked_content_provider(
      answer.type,
      [queue, quiet = 0](std::size_t, httplib::DataSink& sink) mutable {
        return send_events(*queue, sink, quiet);
      },
      [queue](bool) { queue->close(); });
  }

  static bool send_events(EventQueue& queue, httplib::DataSink& sink, int& quiet) {
    constexpr int seconds_between_comments = 15;
    std::string text;
    for (const auto& event : queue.take(1s))
      text += *event;
    if (text.empty() && ++quiet >= seconds_between_comments)
      text = ": the dashboard is there\n\n";
    if (!text.empty()) {
      quiet = 0;
      if (!sink.write(text.data(), text.size()))
        return false;
    }
    return !queue.closed();
  }

  DashboardApi& api_;
  EventHub& hub_;
  AccessRules rules_;
  std::unique_ptr<const BrowserTls> tls_;
  RefusalLines refusals_;
  std::atomic<bool> ends_{false};
  int port_ = -1;
  std::thread listener_;
};

HttpServer::HttpServer(DashboardApi& api, EventHub& hub, const Endpoint& endpoint,
                       AccessRules rules, std::unique_ptr<const BrowserTls> tls)
  : impl_(std::make_unique<Impl>(api, hub, endpoint, std::move(rules), std::move(tls))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return impl_->port(); }

} // namespace troupe
