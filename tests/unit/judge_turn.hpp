#pragma once
#include <fmt/format.h>

#include "updator/judge.hpp"

namespace gleaner::updator {

using oar::RemoteState;

inline constexpr Patience kPatience{.launch = grid::Seconds{300}, .evidence = grid::Seconds{120}, .delay = grid::Seconds{5}};
inline const grid::Instant kNow = grid::from_unix(1'800'000'000);

/// Live jobs of one campaign, and what a cluster says of them. Job i has OAR's id 1000 + i.
class Turn {
 public:
  Turn() { poll.began = kNow; }

  store::LiveJob& has(std::int64_t id, grid::JobState state = grid::JobState::running, std::int64_t launch = 1) {
    store::LiveJob job;
    job.id = grid::JobId{id};
    job.remote = grid::RemoteJobId{1000 + id};
    job.state = state;
    job.campaign = grid::CampaignId{7};
    job.task = grid::TaskNumber{id};
    job.launch = job.fence = grid::LaunchId{launch};
    job.tag = fmt::format("tag-{}", launch);
    job.login = "alice";
    job.exec_directory = "$HOME";
    live.push_back(job);
    return live.back();
  }
  oar::RemoteJob& shows(std::int64_t id, RemoteState state, std::optional<int> status = {}) {
    oar::RemoteJob remote;
    remote.id = grid::RemoteJobId{1000 + id};
    remote.state = state;
    if (status) remote.exit_status = *status << 8;
    if (state != RemoteState::waiting) remote.started = kNow - grid::Seconds{600};
    remote.stderr_path = fmt::format("/home/alice/{}", id);
    return poll.ours[remote.id] = remote;
  }
  void explains(std::int64_t id, const char* event, std::optional<std::int64_t> resubmitted_as = {}) {
    oar::JobDetails details{.job = poll.ours.at(grid::RemoteJobId{1000 + id}),
                            .events = {{.type = event, .description = {}}},
                            .resubmitted_as = {},
                            .resubmit_of = {},
                            .types = {},
                            .directory = {},
                            .stdout_file = {},
                            .stderr_file = {},
                            .hosts = {}};
    if (resubmitted_as) details.resubmitted_as = grid::RemoteJobId{*resubmitted_as};
    poll.details.emplace(details.job.id, details);
  }
  void lists(std::vector<std::string> names, std::int64_t launch = 1) {
    poll.evidence.insert_or_assign(grid::LaunchId{launch}, Reading{grid::EvidenceIndex{names}});
  }
  void cannot_list(std::int64_t launch = 1) {
    poll.evidence.insert_or_assign(grid::LaunchId{launch}, Reading{tl::unexpected{std::string{"no answer"}}});
  }

  [[nodiscard]] Judged judged() const { return judge(live, poll, kPatience); }
  [[nodiscard]] std::vector<std::int64_t> fences() const {
    std::vector<std::int64_t> ids;
    for (const auto& fence : fences_to_read(live, poll, kPatience)) ids.push_back(fence.fence.value());
    return ids;
  }
  [[nodiscard]] std::vector<std::int64_t> errors() const {
    std::vector<std::int64_t> ids;
    for (const auto& job : errors_to_explain(live, poll, kPatience)) ids.push_back(job.id.value() - 1000);
    return ids;
  }

  std::vector<store::LiveJob> live;
  Poll poll;
};

inline const grid::Instant kLongAgo = kNow - grid::Seconds{60};

inline std::vector<std::string_view> ends(const Judged& judged) {
  std::vector<std::string_view> names;
  for (const auto& over : judged.over) names.push_back(grid::name_of(over.end));
  return names;
}

}  // namespace gleaner::updator
