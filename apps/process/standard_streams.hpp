#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace troupe {

/// Takes the places of standard input, output and error where the program was started without
/// them. Else the next file that it opens would get the place, and what is meant for the console
/// would be written into that file. Call it before any file is opened.
///
/// Writing results to an output that is not there still fails.
void occupy_standard_streams();

/// Lets this process go on where whoever read its lines has gone (`2>&1 | tee log`, and Ctrl-C,
/// which ends `tee`, too), or reads no more (Ctrl-S, `less`, a connection that hangs): a program
/// that trains has more to do than to be read. What std::cerr cannot write within a second is left
/// out, of which who reads on is told; results on std::cout wait. Programs that only print stay
/// with the system's way, by which `troupe log | head` ends in silence.
void outlive_readers();

/// From now on results wait for a reader for a second, too: this process was asked to end.
void wait_no_longer_for_readers();

/// Ends the process, with success, where the pipe of its results has lost its reader, as with
/// `| head -1`: following a log, it would notice at the next row only, which may never come.
void end_with_reader();

/// Writes as fast as somebody reads. @param patient asked each 20 ms in which nobody does
/// @returns whether all is written.
bool write_while(int descriptor, std::string_view bytes, const std::function<bool()>& patient);
/// The same, until nobody has read for so long.
bool write_within(int descriptor, std::string_view bytes, std::chrono::milliseconds limit);

} // namespace troupe
