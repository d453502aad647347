#include "lib/jdl/input_from.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "lib/jdl/dependencies.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::string_view kInputFrom = "input_from";

std::optional<grid::CampaignId> read_campaign(const Node& node) {
  if (node.kind != NodeKind::number && node.kind != NodeKind::string) return std::nullopt;
  const auto id = text::whole_number(trim(node.text), std::int64_t{1}, kGreatestId);
  return id ? std::optional{grid::CampaignId{*id}} : std::nullopt;
}

}  // namespace

void read_input_from(const Node& node, const std::string& path, CampaignLevel& level, Findings& findings) {
  auto& campaigns = level.file.input_from;
  if (node.kind == NodeKind::array && node.elements.empty())
    findings.add(node.offset, path, "[]", "it is empty: write the campaigns whose outputs the tasks read, or leave it out");
  for (const auto& one : node.kind == NodeKind::array ? std::span{node.elements} : std::span{&node, 1}) {
    const auto campaign = read_campaign(one);
    if (!campaign)
      findings.add(
          one.offset, path, shown(one),
          fmt::format("'{}' is no campaign's number; write that of a campaign that was submitted before, such as 12", excerpt(shown(one))));
    else if (std::ranges::find(campaigns, *campaign) != campaigns.end())
      findings.add(one.offset, path, shown(one), fmt::format("the campaign {} is named twice", campaign->value()));
    else if (campaigns.size() == kMostInputFrom)
      findings.add(one.offset, path, shown(one), fmt::format("there may be {} campaigns", kMostInputFrom));
    else campaigns.push_back(*campaign);
  }
}

std::string outputs_folder(grid::CampaignId campaign) { return fmt::format("outputs-{}", campaign.value()); }

std::optional<OutputPath> output_path(const CampaignFile& file, std::string_view path) {
  for (const auto campaign : file.input_from) {
    const auto folder = outputs_folder(campaign) + "/";
    if (path.starts_with(folder)) return OutputPath{campaign, path.substr(folder.size())};
  }
  return std::nullopt;
}

void check_input_from(const Document& document, const CampaignFile& campaign, Findings& findings) {
  const auto member = std::ranges::find(document.root.members, kInputFrom, &Member::key);
  if (member == document.root.members.end()) return;
  for (const auto one : campaign.input_from) {
    const auto folder = outputs_folder(one) + "/";
    if (std::ranges::any_of(campaign.input_files, [&](const auto& pattern) { return pattern.starts_with(folder); })) continue;
    findings.add(member->value.offset, campaign_path(document.form, member->spelling), shown(member->value),
                 fmt::format("{} begins with {}: input_files says which outputs of campaign {} the tasks read, e.g. \"input_files\": "
                             "[\"{}{{1}}/result.dat\"] or [\"{}{{1}}.out\"]",
                             campaign.input_files.empty() ? "there are no input_files, and so none" : "no pattern of input_files", folder,
                             one.value(), folder, folder));
  }
}

}  // namespace gleaner::jdl
