// The remote holder's work; remote_holder.cpp only wires it to messages.
#pragma once

#include "actors/parameters/remote_holder_options.hpp"
#include "base/back_off.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/parameters/shard_map.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <list>
#include <optional>

namespace troupe {

using RemoteHolderActor = RemoteHolder::extend<caf::reacts_to<CheckShards>>;

class RemoteHolderState {
public:
  static constexpr const char* name = "remote holder";
  using Self = RemoteHolderActor::stateful_pointer<RemoteHolderState>;

  void begin(Self self, Connector connector, RemoteHolderOptions options);

  caf::result<Joined> join(const Join& join);
  caf::result<Renewed> renewed() const;
  caf::result<Parameters> create(const CreateIfAbsent& create);
  caf::result<Parameters> pull();
  caf::result<Parameters> await(Version after);
  caf::result<Parameters> exchange(Exchange& exchange);
  caf::result<Applied> push(Push& push);
  caf::result<Part> pull_part(const PullPart& pull);
  caf::result<Applied> push_part(const PushPart& push);
  caf::result<HolderStatus> status();
  void leave();
  void stop_all(const StopAll& stop);
  void watch(const Trainer& trainer);
  caf::error not_here(const std::string& request) const;

  void connection_ended(const caf::down_msg& down);
  void look();

private:
  static constexpr auto control_deadline = std::chrono::seconds{10}; ///< of a small request

  static constexpr unsigned most_tries = 20; ///< for parts that fit together, or other values

  /// One holder and the way to it.
  struct Shard {
    std::optional<ShardRoute> route;
    bool connecting = false, joining = false, renewing = false;
    BackOff back_off;
    double try_from = 0; ///< when the next try may begin
    double renew_from = 0;
    unsigned silent = 0;           ///< renewals in a row without an answer
    std::uint64_t incarnation = 0; ///< of the worker there; 0: has to join
    bool created = false;          ///< whether there were parameters when it joined
    Version seen = 0;              ///< the newest that it has told of
    Version restored = 0;          ///< see Joined::restored
    std::string last_error;        ///< why there is no way
    std::uint64_t drift = 0; ///< its mark less shard 0's: pushes that have reached one of them only
  };

  enum class Kind : std::uint8_t { create, pull, await, exchange };

  using Answers = std::vector<std::optional<Parameters>>; ///< by shard

  /// A request for parameters that is under way to all shards.
  struct Operation {
    std::uint64_t ticket = 0;
    Kind kind = Kind::pull;
    Push push;               ///< of an exchange
    Block values;            ///< of a create
    bool main_first = false; ///< of a create
    Version after = 0;       ///< of an await
    bool refetch = false;    ///< an exchange that was refused: it gets the present parameters
    double since = 0;
    unsigned tries = 0; ///< pulls that did not fit together
    std::vector<bool> sent;
    Answers answers;
    caf::typed_response_promise<Parameters> promise;
    std::optional<caf::typed_response_promise<Applied>> applied; ///< of a push, in its place
    /// Whoever pushed has been answered that it is late, and goes on. The other holders have it or
    /// get it all the same: were it missing at one of them, the rounds of the ranges would be
    /// shifted against each other from then on.
    bool given_up = false;
  };
  using Operations = std::list<Operation>;

  /// An end for all workers, which the holder passes on.
  struct Ending {
    StopAll stop;
    double since = 0;
    std::optional<double> at; ///< when all others have heard of it, once the holder has
    bool told = false;        ///< people know that it waits for the holder
  };

  /// The worker's trainer is told to end from outside.
  struct Interrupt {
    std::optional<double> since; ///< when it was first heard of
    double ask_from = 0;         ///< when the trainers are asked about it again
    bool told = false;           ///< people know that others are not waited for
  };

  double now() const;
  void say(Level level, const std::string& text);
  std::string shard_name(std::size_t shard) const;

  // -- ways ----------------------------------------------------------------------------------
  void connect(std::size_t shard);
  void connected(std::size_t shard, const ShardRoute& route);
  bool is_connection(std::size_t shard,
                     const caf::actor_addr& control) const; ///< not an earlier one
  void outage_may_be_over(std::size_t shard);
  void lose(std::size_t shard, const std::string& why);
  bool reachable() const; ///< every shard has a way, and has admitted the worker
  void speak_of_outage();
  bool needs_first_parameters() const; ///< without which the worker cannot go on alone
  caf::error no_way_found() const;

  // -- membership ----------------------------------------------------------------------------
  void join_shard(std::size_t shard);
  void joined(std::size_t shard, const Joined& answer);
  void speak_of_loss(std::size_t shard, const Joined& answer); ///< where the holder came back older
  void refused(std::size_t shard, const caf::error& error);
  void make_connection(const caf::error& error); ///< for the process that has superseded this one
  /// A holder no longer knows the worker: it joins everywhere anew, and its push is void.
  void rejoin();
  void renew(std::size_t shard);
  void heard(const Renewed& renewed);
  void hear_of_end(const StopAll& stop); ///< without a reason: the holder does not know of any
  void look_at_end();
  void give_up_ending();
  void pass_on_stop(const StopAll& stop);
  /// Lets nobody who is interrupted wait for others that hang.
  void look_at_interrupt();
  void ask_whether_interrupted();

  // -- operations ----------------------------------------------------------------------------
  Operation& add(Kind kind);
  caf::result<Parameters> begin_operation(Operation& operation);
  static caf::error out_of_reach();
  /// Why a request cannot be carried now; nothing where it can.
  caf::error cannot(const std::string& request) const;
  caf::error check(const PushId& id) const;
  caf::error check_size(const Block& values) const;
  caf::error check_residual(const Push& push) const;
  void send_all();
  void send(Operation& operation, std::size_t shard);
  template <class Request>
  void request(Operation& operation, std::size_t shard, const Request& request);
  Operations::iterator find(std::uint64_t ticket);
  void answered(std::uint64_t ticket, std::size_t shard, Parameters& parameters);
  void failed(std::uint64_t ticket, std::size_t shard, const caf::error& error);
  /// What the ways to all shards have left out of one push.
  Block joined_residual(const Answers& answers) const;
  /// Whether all shards have applied the same pushes.
  bool fit_together(const Answers& answers) const;
  Parameters put_together(Answers& answers) const;
  void ask_again(Operation& operation);
  void complete(Operations::iterator operation);
  void give_up(Operations::iterator operation, const caf::error& error);
  void give_up_late(); ///< what has waited too long for a way
  /// Gives it up, but carries a push to those of several holders that do not have it yet.
  void let_go(Operations::iterator operation, const caf::error& error);
  static void refuse(Operation& operation, const caf::error& error);
  /// Whether a push before it is under way to that shard: rounds take the pushes of a worker in
  /// turn.
  bool waits_behind(const Operation& operation, std::size_t shard) const;
  static bool pushes(const Operation& operation);

  // -- single parameters, and the status -----------------------------------------------------
  template <class Answer, class Request>
  caf::result<Answer> forward(std::size_t shard, const Request& request);
  /// The shard that keeps a whole parameter.
  caf::expected<std::size_t> shard_with(const std::string& parameter) const;

  Self self_ = nullptr;
  Connector connector_;
  RemoteHolderOptions options_;
  std::vector<Shard> shards_;
  std::optional<Join> join_; ///< as the worker sent it
  ShardMap map_;
  std::optional<caf::typed_response_promise<Joined>> joining_;
  double joining_since_ = 0;
  std::uint64_t joins_ = 0; ///< the incarnation that the worker knows of: that at shard 0
  bool stale_ = false;      ///< taken for lost since its last exchange
  caf::error superseded_;   ///< by another process; none: it is not
  Operations operations_;
  std::uint64_t tickets_ = 0;
  Renewed news_; ///< the last of shard 0
  std::vector<Trainer> watching_;
  bool stop_passed_on_ = false;
  std::optional<Ending> ending_;    ///< asked for by the worker's own trainer
  Interrupt interrupt_;             ///< of this training
  std::optional<double> out_since_; ///< since when a shard is out of reach
  bool outage_told_ = false;
  bool looking_ = false;
};

} // namespace troupe
