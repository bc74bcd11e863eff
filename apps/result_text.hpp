#pragma once

#include "troupe/apps/run_session.hpp"
#include "troupe/messages/continuous_evaluation.hpp"

#include <string>

namespace troupe {

/// "digits: 20000 examples to train on, ...; mlp with 203530 parameters; adam; 1 worker; seed 17"
std::string headline(const RunConfig& config, const Problem& problem, const Model& model);

/// The result of a run for people: a line per metric, what was trained, and where the run lies.
std::string result_text(const SessionResult& result, const std::string& folder);

/// The same for programs: one JSON object.
std::string result_json(const SessionResult& result, const std::string& folder);

/// What a continuous evaluator has found, for people and for programs.
std::string evaluation_text(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);
std::string evaluation_json(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);

/// 16 hexadecimal digits that differ where a bit of the parameters differs (XXH3).
std::string fingerprint(const Block& block);

} // namespace troupe
