#include "lib/jdl/dependencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {
namespace {

std::optional<std::variant<grid::CampaignId, std::string>> read_campaign(const Node& node, const std::string& path, Findings& findings) {
  const bool is_text = node.kind == NodeKind::number || node.kind == NodeKind::string;
  const auto text = is_text ? trim(node.text) : std::string_view{};
  if (const auto id = text::whole_number(text, std::int64_t{0}, kGreatestId)) return grid::CampaignId{*id};
  if (node.kind == NodeKind::string && !text.empty()) return std::string{text};
  findings.add(node.offset, path, shown(node),
               fmt::format("'{}' is no campaign; write its number, such as 12, or its name", excerpt(shown(node))));
  return std::nullopt;
}

/// Where the tasks of after_each run.
constexpr std::string_view kClusterKey = "after_each_cluster";

}  // namespace

void read_cluster_of_each(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  constexpr std::array<std::string_view, 2> kAnswers{"same", "any"};
  const auto text =
      read_choice(node, path, "same or any", kAnswers,
                  "neither same (a task runs where the one that it comes after ran, as its files are there) nor any", findings);
  into.file.any_cluster = text == "any";
}

void check_dependencies(const Document& document, CampaignFile& campaign, Findings& findings) {
  std::ranges::stable_sort(campaign.dependencies, {}, &Dependency::kind);
  const bool is_each =
      std::ranges::find(document.root.members, name_of(grid::DependencyKind::after_each), &Member::key) != document.root.members.end();
  const auto refuse = [&](std::string_view key, std::string_view why) {
    const auto member = std::ranges::find(document.root.members, key, &Member::key);
    if (member == document.root.members.end()) return;
    findings.add(member->value.offset, campaign_path(document.form, member->spelling), shown(member->value), std::string{why});
  };
  if (!is_each) refuse(kClusterKey, "it says where tasks of after_each run, and there is no after_each: write both, or leave it out");
  if (!is_each || campaign.any_cluster) return;
  const auto refuse_replica = [&](std::string_view key, std::string_view what) {
    refuse(key, fmt::format("a replica would run on another cluster, where the files of after_each's tasks are not: {}, or write "
                            "\"after_each_cluster\": \"any\" if they need none",
                            what));
  };
  if (campaign.replicas_allowed) refuse_replica("replicas", "leave out replicas");
  else if (campaign.may_replicate()) refuse_replica("scheduler", "choose another scheduler than finalize");
}

void read_dependencies(grid::DependencyKind kind, const Node& value, const std::string& path, std::vector<Dependency>& into,
                       Findings& findings) {
  if (value.kind == NodeKind::array && value.elements.empty())
    findings.add(value.offset, path, "[]", "it is empty: write the campaigns that come first, or leave it out");
  const auto campaigns = value.kind == NodeKind::array ? std::span{value.elements} : std::span{&value, 1};
  for (const auto& node : campaigns) {
    auto campaign = read_campaign(node, path, findings);
    if (!campaign) continue;
    const auto known = *campaign == std::variant<grid::CampaignId, std::string>{kNotSubmittedYet}
                           ? into.end()
                           : std::ranges::find(into, *campaign, &Dependency::on);
    if (known != into.end())
      findings.add(node.offset, path, shown(node),
                   fmt::format("the campaign {} is named twice, in {} and in {}: once is enough", text_of(*campaign), name_of(known->kind),
                               name_of(kind)));
    else if (into.size() == kMostDependencies)
      findings.add(node.offset, path, shown(node), fmt::format("a campaign comes after {} others at most", kMostDependencies));
    else into.push_back({kind, std::move(*campaign)});
  }
}

std::string text_of(const std::variant<grid::CampaignId, std::string>& campaign) {
  if (const auto* id = std::get_if<grid::CampaignId>(&campaign)) return fmt::format("{}", id->value());
  return fmt::format("'{}'", excerpt(std::get<std::string>(campaign)));
}

}  // namespace gleaner::jdl
