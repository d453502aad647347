#pragma once
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/posted_options.hpp"

namespace gleaner::minioar {

constexpr int kServerPort = 6666;  ///< port in OAR's messages

struct Accepted {
  std::vector<JobNumber> ids;
  std::string output;  ///< output of oarsub
};

/// Submits a posted job like oarsub: options, admission rules, jobs. Errors are those of POST /jobs.
[[nodiscard]] tl::expected<Accepted, ApiError> oarsub(Engine& engine, const std::string& user, const PostedOptions& posted);

}  // namespace gleaner::minioar
