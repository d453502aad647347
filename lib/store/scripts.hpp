#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/grid/script.hpp"
#include "lib/store/database.hpp"

/// Scripts: the prologue and the epilogue of a campaign on a cluster. lib/grid/script.hpp has the rules.
namespace gleaner::store {

/// The pairs with scripts: those of live campaigns, and those of cancelled ones whose epilogue is still to be run.
[[nodiscard]] std::vector<grid::PairScripts> script_pairs(Transaction& transaction, grid::Instant now);

/// Writes the launch of a script, and has one that ran before run again. Returns the number of jobs: 0 when the campaign does not allow it
/// any more, or, with an event, when the database refuses it.
int plan_script(Transaction& transaction, const grid::PairScripts& pair, grid::Script script, Term term, grid::Instant now);

/// Has failed scripts of a campaign run again, all or the one with this number: epilogues always, prologues while the campaign is live. If
/// an epilogue is among them, a terminated campaign is in treatment again. Returns their number.
std::int64_t retry_scripts(Transaction& transaction, grid::CampaignId campaign, std::optional<grid::TaskNumber> task, grid::Instant now);

/// The script whose failure an event of this code reports; empty: none.
[[nodiscard]] std::optional<grid::Script> failed_script_of(std::string_view code);
/// The code of that event.
[[nodiscard]] std::string_view failure_code_of(grid::Script script);

}  // namespace gleaner::store
