#pragma once
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/posted_options.hpp"

namespace gleaner::minioar {

constexpr int kServerPort = 6666;  ///< OAR's own, in its messages

struct Accepted {
  std::vector<JobNumber> ids;
  std::string output;  ///< what oarsub prints
};

/// Submits a posted job as oarsub does: options, admission rules, jobs. The errors are those of POST /jobs.
[[nodiscard]] tl::expected<Accepted, ApiError> oarsub(Engine& engine, const std::string& user, const PostedOptions& posted);

}  // namespace gleaner::minioar
