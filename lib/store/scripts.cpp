#include "lib/store/scripts.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

constexpr std::string_view kPrologueFailed = "PROLOGUE_FAILED";
constexpr std::string_view kEpilogueFailed = "EPILOGUE_FAILED";

/// Locks the campaign. Empty: it is being removed.
std::optional<grid::CampaignState> lock(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::scripts_lock{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  return rows[0].state.as(grid::campaign_state);
}

int launch(Transaction& transaction, const grid::PairScripts& pair, grid::Script script, Term term, grid::Instant now) {
  const auto state = lock(transaction, pair.campaign);
  if (!state || *state == grid::CampaignState::terminated) return 0;
  if (script == grid::Script::prologue && *state != grid::CampaignState::in_treatment) return 0;
  const auto task = grid::task_of(script, pair.cluster);
  exec(transaction, sql::scripts_add{.campaign = pair.campaign, .task = task, .now = now});
  const auto rows = exec(
      transaction,
      sql::scripts_launch{
          .campaign = pair.campaign, .task = task, .cluster = pair.cluster, .term = term, .now = now, .script = grid::name_of(script)});
  return rows.empty() ? 0 : 1;
}

}  // namespace

std::vector<grid::PairScripts> script_pairs(Transaction& transaction, grid::Instant now) {
  const auto state_of = [](const auto& field) {
    return field.has_value() ? std::optional{field.as(grid::task_state)} : std::optional<grid::TaskState>{};
  };
  std::vector<grid::PairScripts> pairs;
  for (const auto& row : exec_prepared(transaction, sql::scripts_pairs{.now = now})) {
    grid::PairScripts pair{.campaign = *row.campaign_id, .cluster = *row.cluster_id, .facts = {}};
    auto& facts = pair.facts;
    facts.campaign = row.campaign_state.as(grid::campaign_state);
    facts.waiting_tasks = *row.waiting_tasks;
    facts.settled = *row.settled;
    facts.usable = *row.usable;
    facts.has_prologue = *row.has_prologue;
    facts.has_epilogue = *row.has_epilogue;
    facts.prepared = *row.prepared;
    facts.epilogue_due = *row.epilogue_due;
    facts.began = *row.began;
    facts.live_jobs = *row.live_jobs;
    facts.prologue = state_of(row.prologue);
    facts.epilogue = state_of(row.epilogue);
    pairs.push_back(pair);
  }
  return pairs;
}

int plan_script(Transaction& transaction, const grid::PairScripts& pair, grid::Script script, Term term, grid::Instant now) {
  int jobs = 0;
  const bool written = write_or_note(transaction, {.campaign = pair.campaign, .cluster = pair.cluster},
                                     fmt::format("the launch of its {}", grid::name_of(script)), now,
                                     [&] { jobs = launch(transaction, pair, script, term, now); });
  return written ? jobs : 0;
}

std::int64_t retry_scripts(Transaction& transaction, grid::CampaignId campaign, std::optional<grid::TaskNumber> task, grid::Instant now) {
  if (!lock(transaction, campaign)) return 0;
  std::int64_t scripts = 0;
  bool has_epilogue = false;
  for (const auto& row : exec(transaction, sql::scripts_retry{.campaign = campaign, .task = task, .now = now})) {
    ++scripts;
    has_epilogue = has_epilogue || grid::script_of(*row.number) == grid::Script::epilogue;
  }
  if (has_epilogue && !exec(transaction, sql::scripts_reopen{.campaign = campaign}).empty())
    exec(transaction, sql::campaigns_uncleaned{.campaign = campaign});
  return scripts;
}

std::optional<grid::Script> failed_script_of(std::string_view code) {
  if (code == kPrologueFailed) return grid::Script::prologue;
  if (code == kEpilogueFailed) return grid::Script::epilogue;
  return std::nullopt;
}

std::string_view failure_code_of(grid::Script script) { return script == grid::Script::prologue ? kPrologueFailed : kEpilogueFailed; }

}  // namespace gleaner::store
