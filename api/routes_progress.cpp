// The routes of the pictures of a campaign: the states of all its tasks, block by block, and those that ended, by time.
#include <array>
#include <optional>

#include "api/answers.hpp"
#include "api/router.hpp"
#include "lib/store/views_blocks.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr std::int64_t kMostBlocks = 1000;
constexpr std::int64_t kMostPoints = 1000;
constexpr std::int64_t kUsualPoints = 300;

struct StripOfCampaign {
  views::Campaign campaign;
  views::Strip strip;
};

/// A state that no task of the block has is left out.
void write_block(text::JsonWriter& json, const views::TaskBlock& block, std::string_view untaken) {
  const auto write = [&](std::string_view state, std::int64_t tasks) {
    if (tasks > 0) json.field(state, tasks);
  };
  const bool cancelled = untaken == name_of(grid::TaskState::cancelled);
  json.field("first", block.first);
  json.field("tasks", block.tasks);
  write("waiting", cancelled ? 0 : block.counts.waiting);
  write("launching", block.counts.launching);
  write("submitted", block.counts.submitted);
  write("running", block.counts.running);
  write("done", block.counts.done);
  write("failed", block.counts.failed);
  write("cancelled", block.counts.cancelled + (cancelled ? block.counts.waiting : 0));
}

http::Response show_strip(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto most = number(call, "blocks", kMostBlocks, {1, kMostBlocks});
  if (!most) return most.error();
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<StripOfCampaign> {
    auto campaign = views::campaign(transaction, grid::CampaignId{*id});
    if (!campaign) return std::nullopt;
    auto strip = views::strip(transaction, *campaign, *most);
    return StripOfCampaign{std::move(*campaign), std::move(strip)};
  });
  if (!found) return no_campaign(call);
  const auto& [campaign, strip] = *found;
  // The tasks of a cancelled campaign that were never taken from its bag keep their state (campaigns.cancel_untaken).
  const auto untaken = name_of(campaign.state == grid::CampaignState::cancelled ? grid::TaskState::cancelled : grid::TaskState::waiting);
  text::JsonWriter json;
  json.object([&] {
    json.field("total_tasks", campaign.total);
    json.field("block_tasks", strip.width);
    json.field("others", untaken);
    json.key("blocks").array(strip.blocks, [&](const views::TaskBlock& block) { json.object([&] { write_block(json, block, untaken); }); });
  });
  return answer(json);
}

http::Response show_progress(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto most = number(call, "points", kUsualPoints, {1, kMostPoints});
  if (!most) return most.error();
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<views::Progress> {
    if (!views::campaign(transaction, grid::CampaignId{*id})) return std::nullopt;
    return views::progress(transaction, grid::CampaignId{*id}, *most);
  });
  if (!found) return no_campaign(call);
  text::JsonWriter json;
  json.object([&] {
    json.field("step", found->step.count());
    json.key("items").array(found->slices, [&](const views::Progress::Slice& slice) {
      json.object([&] {
        json.field("time", slice.time);
        json.field("tasks", slice.tasks);
      });
    });
  });
  return answer(json);
}

}  // namespace

std::span<const Route> progress_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/strip", Access::identified, show_strip, "blocks"},
      Route{"GET", "/v1/campaigns/:id/progress", Access::identified, show_progress, "points"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
