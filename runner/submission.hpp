#pragma once
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lib/oar/submit_request.hpp"
#include "lib/store/launches.hpp"

namespace gleaner::runner {

/// The POST of a launch. Error: which part of the campaign cannot be submitted.
[[nodiscard]] tl::expected<oar::SubmitRequest, std::string> request_of(const store::LaunchToMake& launch,
                                                                       const std::vector<store::LaunchLine>& lines,
                                                                       std::string_view cluster, std::string_view grid);

}  // namespace gleaner::runner
