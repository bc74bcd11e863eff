#pragma once

namespace troupe {

/// Takes the places of standard input, output and error where the program was started without
/// them. Else the next file that it opens would get the place, and what is meant for the console
/// would be written into that file. Call it before any file is opened.
///
/// Writing results to an output that is not there still fails.
void occupy_standard_streams();

/// Lets this process go on where whoever read its lines has gone (`2>&1 | tee log`, and Ctrl-C,
/// which ends `tee`, too): a program that trains has more to do than to be read. Programs that only
/// print stay with the system's way, by which `troupe log | head` ends in silence.
void outlive_readers();

} // namespace troupe
