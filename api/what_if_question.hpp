#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "api/readership.hpp"
#include "lib/grid/id.hpp"
#include "lib/process/config.hpp"
#include "lib/store/scenario.hpp"

namespace gleaner::api {

/// The changes of the grid that a question assumes.
struct WhatIfChanges {
  struct OfCampaign {
    std::optional<int> priority{};  ///< 1 to 7
    std::optional<bool> paused{};
    bool operator==(const OfCampaign&) const = default;
  };
  std::vector<std::string> clusters_off{};  ///< they get no further job; those that they run go on
  grid::Seconds off_after{0};               ///< they are off from so much later on
  std::optional<std::string> order{};       ///< campaign_order
  grid::Seconds after{0};                   ///< the new campaign is submitted so much later
  std::map<grid::CampaignId, OfCampaign> campaigns{};
  bool operator==(const WhatIfChanges&) const = default;
};

struct WhatIfQuestion {
  std::optional<std::string> jdl{};  ///< the text of a campaign that is not submitted
  WhatIfChanges changes{};
  [[nodiscard]] bool is_empty() const { return !jdl && changes == WhatIfChanges{}; }
};

/// The longest time by which a submission, or the end of clusters, can be put off.
inline constexpr grid::Seconds kLongestAfter{7 * 86400};

/// Reads `{"jdl": TEXT, "changes": {"clusters_off": [NAME], "off_after": SECONDS, "order": TEXT, "after": SECONDS, "campaigns": [{"id",
/// "priority", "paused"}]}}`, of which each key may be missing. Errors: answers that name the key and the value. The order is checked by
/// whoever simulates it.
[[nodiscard]] Asked<WhatIfQuestion> read_what_if(std::string_view body);

/// Whether the changes are of clusters and campaigns that the state has, and of campaigns that the caller may read. Errors: answers.
[[nodiscard]] Asked<void> check_changes(const WhatIfChanges& changes, const store::GridState& state, const Readership& readership);

/// Changes the state, which is of `now`, and the configuration.
void apply_changes(const WhatIfChanges& changes, store::GridState& state, process::Config& config, grid::Instant now);

/// Sentences on changes that have less effect than expected.
[[nodiscard]] std::vector<std::string> notes_on(const WhatIfChanges& changes, const process::Config& config);

}  // namespace gleaner::api
