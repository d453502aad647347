#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scenario_json.hpp"
#include "api/what_if_question.hpp"
#include "lib/grid/time.hpp"
#include "lib/text/json_writer.hpp"
#include "sim/gridsim/engine/what_if.hpp"

/// The answer to a question what if: each campaign's times before and after the change, and whom it serves.
namespace gleaner::api {

/// A campaign as the caller sees it; the new one has no id.
struct WhatIfCampaign {
  std::optional<grid::CampaignId> id{};
  std::optional<std::string> name{};  ///< empty: the caller may not read the campaign
  std::string user{};
};

struct WhatIfAnswer {
  grid::Instant time{};  ///< of the picture
  grid::Seconds age{0};  ///< of the picture, now
  const WhatIfChanges& changes;
  const gridsim::Prospects& before;
  const gridsim::Prospects& after;          ///< the same campaigns in the same order, and the new one behind them, if there is one
  std::vector<WhatIfCampaign> campaigns{};  ///< as in `after`
  std::vector<LeftOut> left_out{};
  std::vector<std::string> warnings{};
  bool follows = false;  ///< some campaigns come after others task by task
};

/// `new`, `gains`, `pays`, `same`, or `unknown`: whom a change serves, by the end of a campaign before (null: it is new) and after. Less
/// than a hundredth of the time until the end, or than a minute, is the same: so much is between two forecasts of one grid.
[[nodiscard]] std::string_view effect_of(const gridsim::Prospect* before, const gridsim::Prospect& after, bool is_known);

/// The assumptions that the times rest on, one sentence each.
[[nodiscard]] std::vector<std::string> assumptions_of(const WhatIfAnswer& answer);

[[nodiscard]] std::string what_if_json(const WhatIfAnswer& answer);

}  // namespace gleaner::api
