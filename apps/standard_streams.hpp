#pragma once

namespace troupe {

/// Takes the places of standard input, output and error where the program was started without
/// them. Else the next file that it opens would get the place, and what is meant for the console
/// would be written into that file. Call it before any file is opened.
///
/// Writing results to an output that is not there still fails.
void occupy_standard_streams();

} // namespace troupe
