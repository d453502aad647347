#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/grid/campaign_type.hpp"

namespace gleaner::api {

enum class Wish { store, check_only };

/// What comes before the parameters of a submission.
struct SubmissionHead {
  std::string jdl;     ///< the text of the campaign file
  std::string source;  ///< its name, empty: unknown
  std::optional<grid::CampaignType> type;
  std::optional<std::int64_t> nb_jobs;
  Wish wish = Wish::store;
};

/// Reads the first line of an NDJSON submission; the error says what is wrong. Its values are strings,
/// numbers and booleans: where an array or an object begins, the reading ends.
[[nodiscard]] tl::expected<SubmissionHead, std::string> read_head(std::string_view line);

}  // namespace gleaner::api
