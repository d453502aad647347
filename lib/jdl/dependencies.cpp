#include "lib/jdl/dependencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::int64_t kGreatestId = 1'000'000'000'000'000;

std::optional<std::variant<grid::CampaignId, std::string>> read_campaign(const Node& node, const std::string& path, Findings& findings) {
  const bool is_text = node.kind == NodeKind::number || node.kind == NodeKind::string;
  const auto text = is_text ? trim(node.text) : std::string_view{};
  if (const auto id = text::whole_number(text, std::int64_t{0}, kGreatestId)) return grid::CampaignId{*id};
  if (node.kind == NodeKind::string && !text.empty()) return std::string{text};
  findings.add(node.offset, path, shown(node),
               fmt::format("'{}' is no campaign; write its number, such as 12, or its name", excerpt(shown(node))));
  return std::nullopt;
}

}  // namespace

bool read_dependency_key(const Member& member, const std::string& path, std::vector<Dependency>& into, Findings& findings) {
  const auto kind = grid::dependency_kind(member.key);
  if (!kind) return false;
  const auto& value = member.value;
  if (value.kind == NodeKind::array && value.elements.empty())
    findings.add(value.offset, path, "[]", "it is empty: write the campaigns that come first, or leave it out");
  const auto campaigns = value.kind == NodeKind::array ? std::span{value.elements} : std::span{&value, 1};
  for (const auto& node : campaigns) {
    auto campaign = read_campaign(node, path, findings);
    if (!campaign) continue;
    const bool is_known = *campaign != std::variant<grid::CampaignId, std::string>{kNotSubmittedYet} &&
                          std::ranges::find(into, *campaign, &Dependency::on) != into.end();
    if (is_known)
      findings.add(node.offset, path, shown(node), fmt::format("the campaign {} is named twice: once is enough", text_of(*campaign)));
    else if (into.size() == kMostDependencies)
      findings.add(node.offset, path, shown(node), fmt::format("a campaign comes after {} others at most", kMostDependencies));
    else into.push_back({*kind, std::move(*campaign)});
  }
  return true;
}

std::string text_of(const std::variant<grid::CampaignId, std::string>& campaign) {
  if (const auto* id = std::get_if<grid::CampaignId>(&campaign)) return fmt::format("{}", id->value());
  return fmt::format("'{}'", excerpt(std::get<std::string>(campaign)));
}

}  // namespace gleaner::jdl
