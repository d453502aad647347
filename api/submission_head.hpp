#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/grid/campaign_type.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::api {

enum class SubmissionMode { store, check_only };

/// The head of a submission, before its parameters.
struct SubmissionHead {
  std::string jdl;     ///< the text of the campaign file
  std::string source;  ///< name of the campaign file; empty: unknown
  std::optional<grid::CampaignType> type;
  std::optional<std::int64_t> nb_jobs;
  SubmissionMode mode = SubmissionMode::store;
  jdl::Doubts doubts = jdl::Doubts::reported;
  std::string input_manifest{};          ///< SHA-256 of the list of its input files; empty: none
  std::optional<std::int64_t> digest{};  ///< of the whole request, where it has an Idempotency-Key
};

/// Reads the first line of an NDJSON submission, whose values are strings, numbers and booleans; reading stops at an array or an object.
/// Error: why the line is invalid.
[[nodiscard]] tl::expected<SubmissionHead, std::string> read_head(std::string_view line);

}  // namespace gleaner::api
