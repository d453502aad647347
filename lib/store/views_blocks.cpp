#include "lib/store/views_blocks.hpp"

#include <algorithm>

#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;

constexpr std::int64_t kKept = 1000;  ///< tasks of a row of task_blocks
constexpr std::int64_t kCountable = 20'000;

std::int64_t divided_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

template <class Query>
void read_blocks(Transaction& transaction, const Query& query, std::int64_t total, Strip& strip) {
  for (const auto& row : exec(transaction, query)) {
    TaskBlock block{.first = row.block.template as<std::int64_t>() * strip.width,
                    .counts = {.launching = *row.launching,
                               .submitted = *row.submitted,
                               .running = *row.running,
                               .done = *row.done,
                               .failed = *row.failed,
                               .cancelled = *row.cancelled}};
    block.tasks = std::clamp<std::int64_t>(total - block.first, 0, strip.width);
    auto& counts = block.counts;
    const auto moved = counts.launching + counts.submitted + counts.running + counts.done + counts.failed + counts.cancelled;
    counts.waiting = std::max<std::int64_t>(0, block.tasks - moved);
    strip.blocks.push_back(block);
  }
}

}  // namespace

Strip strip(Transaction& transaction, const Campaign& campaign, std::int64_t most) {
  Strip strip{.width = std::max<std::int64_t>(1, divided_up(campaign.total, most)), .blocks = {}};
  if (campaign.total <= kCountable) {
    read_blocks(transaction, sql::views_small_task_blocks{.width = strip.width, .campaign = campaign.id.value()}, campaign.total, strip);
    return strip;
  }
  const auto thousands = divided_up(strip.width, kKept);
  strip.width = thousands * kKept;
  read_blocks(transaction, sql::views_task_blocks{.width = static_cast<std::int32_t>(thousands), .campaign = campaign.id.value()},
              campaign.total, strip);
  return strip;
}

Progress progress(Transaction& transaction, grid::CampaignId campaign, std::int64_t most) {
  Progress progress;
  for (const auto& row : exec(transaction, sql::views_progress{.campaign = campaign.value(), .points = static_cast<std::int32_t>(most)})) {
    progress.step = grid::Seconds{row.step.as<std::int64_t>()};
    progress.slices.push_back({.time = *row.time, .tasks = *row.tasks});
  }
  return progress;
}

}  // namespace gleaner::store::views
