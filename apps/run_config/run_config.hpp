// The configuration of a run, which `troupe train` reads, completes, checks and writes into the
// run's folder.
#pragma once

#include "actors/log/log_sink_kind.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "apps/catalog/trainer_rules.hpp"
#include "apps/config/config_sources.hpp"
#include "apps/run_config/sampler_options.hpp"
#include "apps/transport/control_listener.hpp"
#include "model/codecs/wire_format.hpp"
#include "model/device/devices.hpp"
#include "model/kernels/product_scope.hpp"
#include "model/training/compatibility.hpp"
#include "model/training/learner.hpp"

#include <filesystem>

namespace troupe {

/// Batches that are read on another core while earlier ones are trained on.
struct LoaderOptions {
  Step ahead = 0; ///< the maximal number; 0: each trainer reads its batches itself
  TROUPE_FIELDS(ahead);
};

struct TrainingOptions {
  Epoch epochs = 20;      ///< the total number; 0: only extensions end training
  Index batch_size = 64;  ///< examples of each worker's batches
  bool shuffle = true;    ///< a new order for each epoch, from the seed
  bool drop_last = false; ///< leave out the last batch of an epoch if it is not full
  std::int64_t seed = -1; ///< -1: random, and written into the run's configuration
  WorkerId workers
    = 1; ///< replicas in this process, each on its shard, against one parameter holder
  NanPolicy nan = NanPolicy::stop;  ///< what a loss or gradient that is not finite does
  Step batches = 0;                 ///< the total number, shared by the workers; 0: no limit
  bool scale_learning_rate = false; ///< multiply it by the number of workers
  UnusedSources unused_sources = UnusedSources::raise; ///< unused fields of the problem
  ClippingOptions clipping = {};                       ///< of each gradient, before its update
  Index threads = 1;           ///< per worker, to split its batches over; 1: only its own
  LoaderOptions loader = {};   ///< reads batches ahead
  SamplerOptions sampler = {}; ///< which rows are trained on
  std::string device = "cpu";  ///< or "cuda", "cuda:N": the card that trains
  Precision precision = Precision::float32; ///< of products on a card
  Products products = Products::library; ///< implementation of a network's larger matrix products
  TROUPE_FIELDS(epochs, batch_size, shuffle, drop_last, seed, workers, nan, batches,
                scale_learning_rate, unused_sources, clipping, threads, loader, sampler, device,
                precision, products);
};

/// How the processes of a cluster find and treat each other; unused when training alone.
struct ClusterOptions {
  std::vector<std::string> ps = {};      ///< "host:port" of each parameter holder
  std::vector<std::string> workers = {}; ///< "host:port" of each worker
  double lease = 1;                      ///< seconds between two renewals, in (0, 3600]
  double grace = 120;    ///< seconds before the end of a job's time when training is asked to end
  WireOptions wire = {}; ///< wire format of pushed parameters
  TROUPE_FIELDS(ps, workers, lease, grace, wire);
};

struct RunOptions {
  std::string root = "runs"; ///< where run folders are made
  std::string tag = "";      ///< appended to the time in the folder's name
  Step log_interval = 100; ///< batches between two lines of statistics on the console, and between
                           ///< two points in TensorBoard; 0: none. Files have every batch
  TROUPE_FIELDS(root, tag, log_interval);
};

struct RunConfig {
  config::Node tree; ///< effective, every value with its source
  TrainingOptions training;
  ValidationOptions validation;
  TestingOptions testing;
  RunOptions run;
  ClusterOptions cluster;
  ControlListenerOptions control;
  std::vector<NamedLogSink> log;               ///< where the log goes besides log.jsonl
  std::vector<ConfiguredExtension> extensions; ///< in order
  std::optional<TrainerRules> trainer;         ///< of MI-Prometheus, whose extensions come before
                                               ///< these; training.epochs is then its limit
  Sentences remarks;                           ///< to print: which options were dropped
  std::string resume; ///< what to resume from, as in `--resume`; "": a new run. It is not in
                      ///< `tree`, which therefore describes a repetition of the run
};

} // namespace troupe
