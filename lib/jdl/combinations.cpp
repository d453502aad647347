#include "lib/jdl/combinations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/given.hpp"
#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

/// Why the campaign cannot have checkpoints beside its other keys; empty: it can, or has none.
std::optional<std::string> wrong_beside_checkpoint(const CampaignFile& campaign) {
  if (!campaign.scheduling.checkpoint) return std::nullopt;
  if (grid::is_grouped(campaign.scheduling.grouping) || campaign.scheduling.side_by_side)
    return "tasks that write checkpoints have a job each: leave out temporal_grouping and dimensional_grouping";
  if (campaign.may_replicate())
    return fmt::format("a replica would begin without the checkpoint, on another cluster: {}",
                       campaign.replicas_allowed ? "leave out replicas, or checkpoint"
                                                 : "choose another scheduler than finalize, or leave out checkpoint");
  return std::nullopt;
}

/// The keys of one campaign file.
class Combinations {
 public:
  Combinations(const Document& document, CampaignFile& campaign, Findings& findings)
      : document_{document}, campaign_{campaign}, findings_{findings} {}

  void check() {
    check_side_by_side();
    check_retries();
    check_checkpoint();
    check_durations();
    check_given();
    check_finalize();
    if (is_test()) check_tests();
    else doubt_pools();
  }

 private:
  /// A key of the top level as it is stated; null: it is not.
  [[nodiscard]] const Member* stated(std::string_view key) const {
    const auto& members = document_.root.members;
    const auto member = std::ranges::find(members, key, &Member::key);
    return member == members.end() ? nullptr : &*member;
  }

  void refuse(const Member& member, std::string message) { refuse(member, member.value.offset, std::move(message)); }
  void refuse(const Member& member, std::size_t offset, std::string message) {
    findings_.add(offset, campaign_path(document_.form, member.spelling), shown(member.value), std::move(message));
  }
  void doubt(const Member& member, std::string message) {
    findings_.doubt_pair(member.value.offset, campaign_path(document_.form, member.spelling), shown(member.value), std::move(message));
  }

  [[nodiscard]] bool is_test() const { return campaign_.type == CampaignType::test; }

  /// Tasks that run side by side are those of a pool, on one node.
  void check_side_by_side() {
    const auto* const member = stated("dimensional_grouping");
    if (member == nullptr || !campaign_.scheduling.side_by_side || is_test()) return;
    auto& grouping = campaign_.scheduling.grouping;
    if (stated("temporal_grouping") == nullptr) grouping = grid::Grouping::on;
    if (!grid::is_grouped(grouping))
      return refuse(*member, "tasks run side by side in jobs that take several: write \"temporal_grouping\": true, too");
    for (const auto& section : campaign_.clusters) {
      const auto wrong = section.has_expressions()
                             ? std::optional{fmt::format("{} gives each task a request of its own", key_of_own(section))}
                             : grid::wrong_for_side_by_side(section.resources);
      if (wrong)
        return refuse(*member, fmt::format("on {}, {}: write \"resources\": \"/nodes=1\" or \"/nodes=1/core=8\", or leave this key out",
                                           section.name, *wrong));
    }
  }

  /// The key that gives each task a request of its own.
  static std::string_view key_of_own(const ClusterSection& section) {
    if (!section.memory_mb.empty()) return "memory_mb";
    return section.resources_expression.empty() ? "walltime" : "resources";
  }

  void check_retries() {
    const auto* const which = stated("retry_on");
    const auto* const most = stated("max_attempts");
    const auto& scheduling = campaign_.scheduling;
    if (which != nullptr && !scheduling.retries)
      refuse(*which, which->offset, "it has no effect alone: write how often, too, e.g. \"retries\": 3");
    if (which != nullptr && scheduling.retries == 0) doubt(*which, "retry_on has no effect with \"retries\": 0");
    if (most == nullptr || scheduling.retries.value_or(0) < scheduling.max_attempts.value_or(scheduling.retries.value_or(0) + 1)) return;
    doubt(*most,
          fmt::format("with max_attempts {0} a task has {0} job{1} in all, so that at most {2} of its {3} retries can be used: write "
                      "\"max_attempts\": {4} or more, or fewer retries",
                      *scheduling.max_attempts, *scheduling.max_attempts == 1 ? "" : "s", *scheduling.max_attempts - 1, *scheduling.retries,
                      *scheduling.retries + 1));
  }

  void check_checkpoint() {
    const auto* const member = stated("checkpoint");
    if (member == nullptr || !campaign_.scheduling.checkpoint) return;
    if (stated("temporal_grouping") == nullptr && !campaign_.scheduling.side_by_side) campaign_.scheduling.grouping = grid::Grouping::off;
    if (auto wrong = wrong_beside_checkpoint(campaign_)) refuse(*member, member->offset, std::move(*wrong));
  }

  /// A task ends at its walltime at the latest.
  void check_durations() {
    const auto* const least = stated("min_duration");
    if (least == nullptr || !campaign_.scheduling.min_duration) return;
    for (const auto& section : campaign_.clusters) {
      if (!section.walltime_expression.empty() || *campaign_.scheduling.min_duration < section.walltime) continue;
      return doubt(
          *least,
          fmt::format("with a min_duration of {} each task on {} would end too soon, as its walltime is {}: write a shorter "
                      "min_duration, or a longer walltime",
                      grid::format_walltime(*campaign_.scheduling.min_duration), section.name, grid::format_walltime(section.walltime)));
    }
  }

  void check_finalize() {
    const auto* const replicas = stated("replicas");
    if (replicas != nullptr && !campaign_.replicas_allowed && campaign_.may_replicate())
      refuse(*replicas, "\"scheduler\": \"finalize\" gives tasks replicas, and \"replicas\": \"refused\" none: leave out one of the two");
  }

  void check_given() {
    const auto* const member = stated("given");
    if (member == nullptr || campaign_.given.empty()) return;
    if (auto wrong = wrong_given(campaign_)) refuse(*member, member->offset, std::move(*wrong));
  }

  /// A test campaign is one task on each cluster, before all others.
  void check_tests() {
    const auto* const after_each = stated("after_each");
    if (after_each != nullptr && !campaign_.any_cluster && campaign_.clusters.size() > 1)
      refuse(*after_each,
             "a test campaign (test_mode) has one task on each cluster, and each task of after_each runs on the cluster of the one that "
             "it comes after, which may be the same for all: write \"after_each_cluster\": \"any\", or one cluster");
    struct Useless {
      std::string_view key;
      bool is_asked;
      std::string_view why;
    };
    const auto& scheduling = campaign_.scheduling;
    const std::array useless{
        Useless{"temporal_grouping", grid::is_grouped(scheduling.grouping), "each of its tasks has a job of its own"},
        Useless{"dimensional_grouping", scheduling.side_by_side, "each of its tasks has a job of its own"},
        Useless{"replicas", campaign_.replicas_allowed, "its tasks get no replicas"},
        Useless{"scheduler", scheduling.scheduler.has_value(), "it has one task on each cluster"},
    };
    for (const auto& each : useless) {
      const auto* const member = each.is_asked ? stated(each.key) : nullptr;
      if (member != nullptr) doubt(*member, fmt::format("{} has no effect in a test campaign (test_mode): {}", member->spelling, each.why));
    }
  }

  /// Decisions for each task alone have no effect on tasks that share a job.
  void doubt_pools() {
    const auto* member = stated("temporal_grouping");
    if (member == nullptr) member = stated("dimensional_grouping");
    if (member == nullptr || !grid::is_grouped(campaign_.scheduling.grouping)) return;
    const auto& grouping = member->spelling;
    const auto section = std::ranges::find_if(campaign_.clusters, &ClusterSection::has_expressions);
    if (section == campaign_.clusters.end()) return;
    doubt(*member, fmt::format("{0} with {1}: {1} gives each task a request of its own, so each has a job of its own, and {0} has no "
                               "effect; leave out {1}, or {0}",
                               grouping, key_of_own(*section)));
  }

  const Document& document_;
  CampaignFile& campaign_;
  Findings& findings_;
};

}  // namespace

void check_combinations(const Document& document, CampaignFile& campaign, Findings& findings) {
  Combinations{document, campaign, findings}.check();
}

}  // namespace gleaner::jdl
