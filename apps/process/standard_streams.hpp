#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace troupe {

/// Opens /dev/null as standard input, output and error if the program was started without them.
/// Otherwise the next opened file would get that descriptor, and console output would be written
/// into it. Call it before any file is opened.
///
/// Writing results to a missing standard output still fails.
void reserve_standard_streams();

/// Keeps this process running when the reader of its output is gone (`2>&1 | tee log`, where Ctrl-C
/// also ends `tee`) or has stopped reading (Ctrl-S, `less`, a hanging connection). What std::cerr
/// cannot write within a second is dropped, and a line says so once the reader reads again; results
/// on std::cout wait. Programs that only print keep the system's default, so that `troupe log |
/// head` ends silently.
void survive_closed_outputs();

/// From now on results wait for a reader for only a second too: this process was asked to end.
void stop_waiting_for_readers();

/// Exits with success if the pipe of its results has lost its reader, as with `| head -1`: a
/// program that follows a log would notice only at the next row, which may never come.
void exit_if_output_closed();

/// Writes as fast as the reader reads. @param patient asked every 20 ms while nothing is read
/// @returns whether everything is written.
bool write_while(int descriptor, std::string_view bytes, const std::function<bool()>& patient);
/// The same, until nothing was read for `limit` in all.
bool write_within(int descriptor, std::string_view bytes, std::chrono::milliseconds limit);

} // namespace troupe
