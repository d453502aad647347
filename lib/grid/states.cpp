#include "lib/grid/states.hpp"

#include <utility>

namespace gleaner::grid {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<CampaignState, 4> kCampaignNames{{{CampaignState::in_treatment, "in_treatment"},
                                                  {CampaignState::paused, "paused"},
                                                  {CampaignState::terminated, "terminated"},
                                                  {CampaignState::cancelled, "cancelled"}}};
constexpr Names<TaskState, 7> kTaskNames{{{TaskState::waiting, "waiting"},
                                          {TaskState::launching, "launching"},
                                          {TaskState::submitted, "submitted"},
                                          {TaskState::running, "running"},
                                          {TaskState::done, "done"},
                                          {TaskState::failed, "failed"},
                                          {TaskState::cancelled, "cancelled"}}};
constexpr Names<JobState, 9> kJobNames{{{JobState::planned, "planned"},
                                        {JobState::launching, "launching"},
                                        {JobState::remote_waiting, "remote_waiting"},
                                        {JobState::running, "running"},
                                        {JobState::terminated, "terminated"},
                                        {JobState::error, "error"},
                                        {JobState::killed, "killed"},
                                        {JobState::unknown, "unknown"},
                                        {JobState::pooled, "pooled"}}};
constexpr Names<LaunchState, 6> kLaunchNames{{{LaunchState::planned, "planned"},
                                              {LaunchState::launching, "launching"},
                                              {LaunchState::accepted, "accepted"},
                                              {LaunchState::refused, "refused"},
                                              {LaunchState::unknown, "unknown"},
                                              {LaunchState::void_, "void"}}};
constexpr Names<JobEnd, 16> kEndNames{{{JobEnd::done, "done"},
                                       {JobEnd::task_error, "task_error"},
                                       {JobEnd::rerun_first, "rerun_first"},
                                       {JobEnd::rerun_last, "rerun_last"},
                                       {JobEnd::preempted, "preempted"},
                                       {JobEnd::walltime, "walltime"},
                                       {JobEnd::killed_by_us, "killed_by_us"},
                                       {JobEnd::killed_elsewhere, "killed_elsewhere"},
                                       {JobEnd::node_failure, "node_failure"},
                                       {JobEnd::cannot_start, "cannot_start"},
                                       {JobEnd::never_began, "never_began"},
                                       {JobEnd::lost, "lost"},
                                       {JobEnd::bad_request, "bad_request"},
                                       {JobEnd::duplicate, "duplicate"},
                                       {JobEnd::never_submitted, "never_submitted"},
                                       {JobEnd::not_reached, "not_reached"}}};

constexpr std::array<Transition<CampaignState>, 7> kCampaignTransitions{{
    {CampaignState::in_treatment, CampaignState::paused},
    {CampaignState::paused, CampaignState::in_treatment},
    {CampaignState::in_treatment, CampaignState::terminated},
    {CampaignState::paused, CampaignState::terminated},
    {CampaignState::in_treatment, CampaignState::cancelled},
    {CampaignState::paused, CampaignState::cancelled},
    {CampaignState::terminated, CampaignState::in_treatment},
}};

constexpr std::array<Transition<TaskState>, 19> kTaskTransitions{{
    {TaskState::waiting, TaskState::launching},   {TaskState::waiting, TaskState::submitted}, {TaskState::waiting, TaskState::cancelled},
    {TaskState::launching, TaskState::submitted}, {TaskState::launching, TaskState::waiting}, {TaskState::launching, TaskState::failed},
    {TaskState::launching, TaskState::cancelled}, {TaskState::submitted, TaskState::running}, {TaskState::submitted, TaskState::done},
    {TaskState::submitted, TaskState::waiting},   {TaskState::submitted, TaskState::failed},  {TaskState::submitted, TaskState::cancelled},
    {TaskState::running, TaskState::submitted},   {TaskState::running, TaskState::done},      {TaskState::running, TaskState::waiting},
    {TaskState::running, TaskState::failed},      {TaskState::running, TaskState::cancelled}, {TaskState::done, TaskState::waiting},
    {TaskState::failed, TaskState::waiting},
}};

constexpr std::array<Transition<JobState>, 24> kJobTransitions{{
    {JobState::planned, JobState::launching},
    {JobState::planned, JobState::error},
    {JobState::launching, JobState::remote_waiting},
    {JobState::launching, JobState::unknown},
    {JobState::launching, JobState::error},
    {JobState::unknown, JobState::remote_waiting},
    {JobState::unknown, JobState::error},
    {JobState::remote_waiting, JobState::running},
    {JobState::remote_waiting, JobState::terminated},
    {JobState::remote_waiting, JobState::error},
    {JobState::remote_waiting, JobState::killed},
    {JobState::running, JobState::remote_waiting},
    {JobState::running, JobState::terminated},
    {JobState::running, JobState::error},
    {JobState::running, JobState::killed},
    {JobState::unknown, JobState::terminated},
    {JobState::error, JobState::remote_waiting},
    {JobState::error, JobState::unknown},
    {JobState::remote_waiting, JobState::unknown},
    {JobState::running, JobState::unknown},
    {JobState::pooled, JobState::terminated},
    {JobState::pooled, JobState::error},
    {JobState::pooled, JobState::killed},
    {JobState::error, JobState::pooled},
}};

constexpr std::array<Transition<LaunchState>, 12> kLaunchTransitions{{
    {LaunchState::planned, LaunchState::launching},
    {LaunchState::planned, LaunchState::void_},
    {LaunchState::launching, LaunchState::accepted},
    {LaunchState::launching, LaunchState::refused},
    {LaunchState::launching, LaunchState::void_},
    {LaunchState::launching, LaunchState::unknown},
    {LaunchState::unknown, LaunchState::accepted},
    {LaunchState::unknown, LaunchState::void_},
    {LaunchState::void_, LaunchState::accepted},
    {LaunchState::void_, LaunchState::unknown},
    {LaunchState::accepted, LaunchState::unknown},
    {LaunchState::planned, LaunchState::refused},
}};

template <class Enum, std::size_t N>
std::string_view find_name(const Names<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "?";
}

template <class Enum, std::size_t N>
std::optional<Enum> find_value(const Names<Enum, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

Charge charge_of(JobEnd end) {
  switch (end) {
    case JobEnd::task_error:
    case JobEnd::walltime:
    case JobEnd::bad_request: return Charge::task;
    case JobEnd::done:
    case JobEnd::rerun_first:
    case JobEnd::rerun_last:
    case JobEnd::preempted:
    case JobEnd::killed_by_us:
    case JobEnd::killed_elsewhere:
    case JobEnd::node_failure:
    case JobEnd::cannot_start:
    case JobEnd::never_began:
    case JobEnd::lost:
    case JobEnd::duplicate:
    case JobEnd::never_submitted:
    case JobEnd::not_reached: return Charge::nobody;
  }
  return Charge::nobody;
}

std::span<const Transition<CampaignState>> campaign_transitions() { return kCampaignTransitions; }
std::span<const Transition<TaskState>> task_transitions() { return kTaskTransitions; }
std::span<const Transition<JobState>> job_transitions() { return kJobTransitions; }
std::span<const Transition<LaunchState>> launch_transitions() { return kLaunchTransitions; }

std::string_view name_of(CampaignState state) { return find_name(kCampaignNames, state); }
std::string_view name_of(TaskState state) { return find_name(kTaskNames, state); }
std::string_view name_of(JobState state) { return find_name(kJobNames, state); }
std::string_view name_of(LaunchState state) { return find_name(kLaunchNames, state); }
std::string_view name_of(JobEnd end) { return find_name(kEndNames, end); }

std::optional<CampaignState> campaign_state(std::string_view name) { return find_value(kCampaignNames, name); }
std::optional<TaskState> task_state(std::string_view name) { return find_value(kTaskNames, name); }
std::optional<JobState> job_state(std::string_view name) { return find_value(kJobNames, name); }
std::optional<LaunchState> launch_state(std::string_view name) { return find_value(kLaunchNames, name); }
std::optional<JobEnd> job_end(std::string_view name) { return find_value(kEndNames, name); }

}  // namespace gleaner::grid
