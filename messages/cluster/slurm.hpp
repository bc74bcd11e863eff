// What Slurm provides to a task: the names of the job's nodes, and the end of its time.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The most names that `expand_node_list` returns, and the longest name.
constexpr std::size_t most_nodes = 65'536;
constexpr std::size_t longest_node_name = 253;

/// The names in a node list as Slurm abbreviates it, in its order; the last bracket varies fastest.
///
///   n[1-3,7],login          n1 n2 n3 n7 login
///   gpu[001-010]x           gpu001x ... gpu010x: padded to the width of a range's first number
///   r[1-2]n[1-2]            r1n1 r1n2 r2n1 r2n2
///
/// As `scontrol show hostnames`, a repeated name is returned repeatedly.
/// @throws std::invalid_argument with the column (from 1) and what was expected there; also for
/// more
///         than `most_nodes` names.
std::vector<std::string> expand_node_list(std::string_view list);

/// Reads a duration as Slurm writes and accepts it (sbatch --time, squeue %l and %L):
///
///   MM   MM:SS   HH:MM:SS   D-HH   D-HH:MM   D-HH:MM:SS   UNLIMITED
///
/// Only the first field may exceed its clock. A number alone means minutes, unlike in
/// `parse_duration`.
/// @returns infinity for UNLIMITED or INFINITE.
/// @throws std::invalid_argument for anything else, saying what to write.
std::chrono::duration<double> parse_slurm_time(std::string_view text);

/// When the job of these environment variables is killed: SLURM_JOB_END_TIME, in seconds since
/// 1970. Slurm 22.05 does not set it: give `job_end` the output of `squeue -h -j ID -o %L`.
/// @param name of the variable, for other schedulers
/// @returns nothing if it is not set or not known, or the job has no time limit.
/// @throws std::invalid_argument if it is no such number.
std::optional<std::chrono::system_clock::time_point>
job_end(const std::map<std::string, std::string>& variables,
        const std::string& name = "SLURM_JOB_END_TIME");

/// Whether Slurm writes this in place of an unknown time or number, in any case: NOT_SET, INVALID,
/// N/A, NONE, UNKNOWN, (null).
bool is_unknown_to_slurm(std::string_view text);

/// Reads the answer of `squeue -h -o %L`: one line for each job, which may be several tasks of an
/// array or parts of a heterogeneous job.
/// @returns the shortest time left; infinity if it is unlimited, nothing if no line gives one.
std::optional<std::chrono::duration<double>> shortest_time_left(std::string_view answer);

/// When a job ends that has `time_left` at `now`, in the format of `parse_slurm_time`.
/// @returns nothing if it is unlimited. @throws as `parse_slurm_time`.
std::optional<std::chrono::system_clock::time_point>
job_end(std::chrono::system_clock::time_point now, std::string_view time_left);
std::optional<std::chrono::system_clock::time_point>
job_end(std::chrono::system_clock::time_point now, std::chrono::duration<double> time_left);

/// When to start the last checkpoint so that `margin` is left until `end`.
/// @throws std::invalid_argument for a negative margin.
std::chrono::steady_clock::time_point drain_moment(std::chrono::steady_clock::time_point end,
                                                   std::chrono::seconds margin);

} // namespace troupe
