#include "lib/store/dependencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/grid/clock.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

/// The most tasks of one dependency that a transaction releases, in some 50 ms.
constexpr int kReleasedAtOnce = 2000;
constexpr int kLookedAtOnce = 500;

/// The most ranges of tasks that are named as waiting in vain, in some 600 characters.
constexpr int kRangesNamed = 40;

void hold(Transaction& transaction, grid::CampaignId campaign) {
  exec(transaction, sql::dependencies_hold{.campaign = campaign});
  exec(transaction, sql::dependencies_hold_bags{.campaign = campaign});
}

std::vector<FreedTask> freed_tasks(Transaction& transaction, grid::CampaignId campaign, const Array& numbers) {
  std::vector<FreedTask> tasks;
  for (const auto& row : exec(transaction, sql::dependencies_given{.campaign = campaign, .tasks = numbers})) {
    auto& task = tasks.emplace_back();
    task.number = *row.number;
    task.form = row.form.as<std::string>() == "a" ? ParameterForm::arguments : ParameterForm::line;
    task.parameter = *row.parameter;
    for (auto given = row.given.as<std::string>(); !given.empty();) {
      const auto end = std::min(given.find(' '), given.size());
      task.given.push_back(given.substr(0, end));
      given.erase(0, end + 1);
    }
  }
  return tasks;
}

void withhold(Transaction& transaction, grid::CampaignId campaign, const FreedRequests& requests, grid::Instant now) {
  const Target target{.campaign = campaign, .cluster = {}};
  if (requests.withheld.empty()) {
    // Their predecessors were done anew, or they are cancelled.
    if (!withheld_tasks(transaction, campaign)) static_cast<void>(close_event(transaction, kGivenWrong, target, now));
    return;
  }
  Array tasks, reasons;
  for (const auto& [task, why] : requests.withheld) {
    tasks.add(task.value());
    reasons.add(text::clean_text(why));
  }
  exec(transaction, sql::dependencies_withhold{.tasks = tasks, .reasons = reasons, .campaign = campaign});
  const auto withheld = withheld_tasks(transaction, campaign);
  if (!withheld) return;
  static_cast<void>(open_event(
      transaction,
      {.code = kGivenWrong, .target = target, .job = {}, .message = withheld->text(campaign), .occurrences = std::ssize(requests.withheld)},
      now));
}

/// Gives tasks that were put into the bag just now the requests that follow from what others gave. Those that have none leave it again.
/// Returns the number of these.
int request_given(Transaction& transaction, grid::CampaignId campaign, const std::string& numbers, const RequestFreed& request,
                  grid::Instant now) {
  Array freed;
  for (std::size_t at = 0; at < numbers.size();) {
    const auto end = std::min(numbers.find(' ', at), numbers.size());
    freed.add(std::string_view{numbers}.substr(at, end - at));
    at = end + 1;
  }
  const auto known = freed_tasks(transaction, campaign, freed);
  exec(transaction, sql::dependencies_unwithhold{.campaign = campaign, .tasks = freed});
  const auto requests = request(transaction, campaign, known);
  Array tasks, by_number;
  for (const auto& [task, number] : requests.tasks) {
    tasks.add(task.value());
    by_number.add(std::int64_t{number});
  }
  exec(transaction, sql::dependencies_request{.tasks = tasks, .requests = by_number, .campaign = campaign});
  add_freed_requests(transaction, campaign, requests.added);
  withhold(transaction, campaign, requests, now);
  return static_cast<int>(requests.withheld.size());
}

/// Releases the next tasks of one dependency. Returns their number; empty: its campaign's tasks are appended just now, which numbers
/// requests.
std::optional<int> release(Database& database, std::optional<Term> term, const ToRelease& one, const RequestFreed& request,
                           grid::Instant now) {
  std::optional<int> tasks;
  transact(database, term, [&](Transaction& transaction) {
    tasks.reset();
    const auto locked = exec(transaction, sql::dependencies_lock_waiting{.campaign = one.campaign});
    const bool takes_given = !locked.empty() && *locked[0].takes_given;
    if (takes_given && !*exec(transaction, sql::dependencies_try_appends{.campaign = one.campaign})[0].taken) return;
    const auto rows =
        exec(transaction, sql::dependencies_release{.campaign = one.campaign, .on = one.on, .most = kReleasedAtOnce, .now = now});
    int released = *rows[0].released;
    if (takes_given && released > 0) released -= request_given(transaction, one.campaign, rows[0].numbers.as<std::string>(), request, now);
    tasks = released;
  });
  return tasks;
}

bool is_fed(Transaction& transaction, grid::CampaignId campaign) {
  return *exec(transaction, sql::dependencies_feeds{.campaign = campaign})[0].fed;
}

}  // namespace

std::optional<grid::CampaignId> find_campaign(Transaction& transaction, const std::string& user, const std::string& name,
                                              grid::CampaignId except) {
  const auto rows = exec(transaction, sql::dependencies_find{.user = user, .name = name, .except = except});
  return rows.empty() ? std::nullopt : std::optional{rows[0].id.as<grid::CampaignId>()};
}

std::optional<WrongDependency> wrong_dependency(Transaction& transaction, std::int64_t tasks, std::span<NewDependency> dependencies) {
  Array ids;
  for (const auto& one : dependencies) ids.add(one.on.value());
  std::map<grid::CampaignId, grid::Awaited> found;
  for (const auto& row : exec(transaction, sql::dependencies_lock{.campaigns = ids})) {
    auto& other = found[*row.id];
    other.state = row.state.as(grid::campaign_state);
    other.tasks = *row.total;
    other.failed = *row.failed;
    other.cancelled = *row.cancelled;
  }
  for (auto& one : dependencies) {
    const auto known = found.find(one.on);
    if (known == found.end()) return WrongDependency{one.kind, fmt::format("there is no campaign {}", one.on.value())};
    auto& other = known->second;
    other.kind = one.kind;
    one.stuck = is_stuck(other);
    if (one.stuck && other.state == grid::CampaignState::cancelled)
      return WrongDependency{one.kind, fmt::format("campaign {} was cancelled, so that this one would never start", one.on.value())};
    if (one.kind == grid::DependencyKind::after_each && tasks > other.tasks)
      return WrongDependency{one.kind, fmt::format("campaign {} has {} tasks, and this one {}: task {} would wait for none", one.on.value(),
                                                   other.tasks, tasks, other.tasks)};
  }
  return std::nullopt;
}

void add_dependencies(Transaction& transaction, grid::CampaignId campaign, std::span<const NewDependency> dependencies, grid::Instant now) {
  for (const auto& one : dependencies)
    exec(transaction, sql::dependencies_add{.campaign = campaign, .kind = std::string{name_of(one.kind)}, .now = now, .on = one.on});
  if (is_fed(transaction, campaign)) hold(transaction, campaign);
}

std::vector<std::string> unseen_clusters(Transaction& transaction, grid::CampaignId on, std::span<const std::string> names) {
  Array seen;
  for (const auto& name : names) seen.add(name);
  std::vector<std::string> unseen;
  for (const auto& row : exec(transaction, sql::dependencies_unseen{.on = on, .names = seen})) unseen.push_back(*row.name);
  return unseen;
}

std::optional<WrongDependency> crowded_dependency(Transaction& transaction, const std::string& user, int most,
                                                  std::span<const NewDependency> dependencies) {
  Array ids;
  for (const auto& one : dependencies) ids.add(one.on.value());
  for (const auto& row : exec(transaction, sql::dependencies_waiting{.campaigns = ids})) {
    const auto own = row.of_owner.as<std::int64_t>();
    const auto others = row.of_others.as<std::int64_t>();
    const auto owner = row.user_name.as<std::string>();
    const auto id = row.id.as<grid::CampaignId>();
    const bool is_own = owner == user;
    if (own + others < most && (is_own || others < (most + 1) / 2)) continue;
    const auto one = std::ranges::find(dependencies, id, &NewDependency::on);
    return WrongDependency{one->kind, fmt::format("{} campaigns wait for campaign {} already, {} of them of others than {}: {} may "
                                                  "(max_dependents), and half of these are kept for {}",
                                                  own + others, id.value(), others, owner, most, owner)};
  }
  return std::nullopt;
}

std::string Withheld::text(grid::CampaignId campaign) const {
  const auto others = tasks > 1 ? fmt::format("; further tasks that wait so: {}", tasks - 1) : "";
  return fmt::format(
      "task {} waits, as what it asks for cannot be computed: {}{}. 'gridsub --fix {}' has the JDL's own numbers used instead (the key "
      "given); 'griddel {} --task {}' cancels it",
      first.value(), why, others, campaign.value(), campaign.value(), first.value());
}

std::optional<Withheld> withheld_tasks(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::dependencies_withheld{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  return Withheld{.tasks = *rows[0].tasks, .first = *rows[0].number, .why = *rows[0].why};
}

std::optional<std::string> why_withheld(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task) {
  const auto rows = exec(transaction, sql::dependencies_withheld_task{.campaign = campaign, .task = task});
  return rows.empty() ? std::nullopt : std::optional{rows[0].why.as<std::string>()};
}

void judge_withheld(Transaction& transaction, grid::CampaignId campaign) {
  exec(transaction, sql::dependencies_judge_withheld{.campaign = campaign});
}

std::vector<ToRelease> dependencies_to_release(Transaction& transaction, int most, grid::Instant now) {
  std::vector<ToRelease> due;
  for (const auto& row : exec(transaction, sql::dependencies_to_release{.now = now, .most = most}))
    due.push_back({*row.campaign_id, *row.on_campaign});
  return due;
}

Released release_freed(Database& database, std::optional<Term> term, std::chrono::milliseconds time, grid::Instant now,
                       const RequestFreed& request, const NotReleased& refused) {
  const auto end = grid::SteadyClock::now() + time;
  Released released;
  while (grid::SteadyClock::now() < end) {
    std::vector<ToRelease> due;
    transact(database, term, [&](Transaction& transaction) { due = dependencies_to_release(transaction, kLookedAtOnce, now); });
    bool any = false;
    for (const auto& one : due) {
      if (grid::SteadyClock::now() >= end) break;
      try {
        const auto tasks = release(database, term, one, request, now);
        if (!tasks) continue;
        released.tasks += *tasks;
        ++released.dependencies;
        any = true;
      } catch (const Refused& error) {
        refused(one, error.what());
        any = true;
      } catch (const TimedOut& error) {
        refused(one, error.what());
        any = true;
      }
    }
    if (!any) break;
  }
  if (released.dependencies == 0) return released;
  transact(database, term, [&](Transaction& transaction) {
    write_or_note(transaction, {}, "that all tasks of dependencies are released", now,
                  [&] { exec(transaction, sql::dependencies_note_released{.now = now}); });
    write_or_note(transaction, {}, "the end of notes about tasks that others waited for", now,
                  [&] { exec(transaction, sql::dependencies_forget_freed{}); });
  });
  return released;
}

std::vector<Holder> lock_holders(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<Holder> holders;
  for (const auto& row : exec(transaction, sql::dependencies_lock_awaited{.campaign = campaign}))
    holders.push_back({.id = *row.id, .tasks = *row.total});
  return holders;
}

void hold_appended(Transaction& transaction, grid::CampaignId campaign, std::int64_t first) {
  if (!is_fed(transaction, campaign)) return;
  hold(transaction, campaign);
  exec(transaction, sql::dependencies_scan_from{.first = first, .campaign = campaign});
}

void follow_again(Transaction& transaction, std::optional<grid::CampaignId> campaign) {
  if (campaign && is_fed(transaction, *campaign)) hold(transaction, *campaign);
  exec(transaction, sql::dependencies_follow{.campaign = campaign});
}

void note_files_out_of_reach(Transaction& transaction, grid::ClusterId retired, grid::Instant now) {
  for (const auto& row : exec(transaction, sql::dependencies_out_of_reach{.cluster = retired})) {
    const grid::CampaignId campaign = *row.id;
    const auto tasks = row.tasks.as<std::int64_t>();
    open_event(
        transaction,
        {.code = kFilesOutOfReach,
         .target = {.campaign = campaign, .cluster = retired},
         .job = {},
         .message = fmt::format(
             "{0} is retired, where {1} task{2} of campaign {3} ran, and no cluster of this campaign has the homes of there: the tasks "
             "that come after them run on any of its clusters, and do not find their files. 'gridsub --hold {4}' pauses them; when "
             "{0} is enabled again, they wait for it",
             row.cluster.as<std::string>(), tasks, tasks == 1 ? "" : "s", row.on_campaign.as<std::int64_t>(), campaign.value())},
        now);
  }
}

void note_files_in_reach(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  exec(transaction, sql::events_close_of_cluster{.now = now, .code = kFilesOutOfReach, .cluster = cluster});
}

std::string cancellation_of(const InVain& waiting) {
  const auto id = waiting.campaign.value();
  const auto tasks = fmt::format("'griddel {} --task {}' cancels ", id, waiting.tasks);
  if (waiting.unnamed == 0) return tasks + "them";
  return tasks + fmt::format("some, and leaves {}; 'griddel {}' cancels the campaign", waiting.unnamed, id);
}

std::vector<InVain> waiting_in_vain(Transaction& transaction, grid::CampaignId on) {
  std::vector<InVain> waiting;
  for (const auto& row : exec(transaction, sql::dependencies_in_vain{.ranges = kRangesNamed, .whole = true, .on = on}))
    waiting.push_back({.campaign = *row.id, .is_own = *row.is_own, .tasks = {}});
  return waiting;
}

std::vector<InVain> note_waiting_in_vain(Transaction& transaction, grid::CampaignId on, Gone gone, grid::Instant now) {
  std::vector<InVain> waiting;
  for (const auto& row : exec(transaction, sql::dependencies_in_vain{.ranges = kRangesNamed, .whole = gone != Gone::tasks, .on = on})) {
    auto& one = waiting.emplace_back(InVain{.campaign = *row.id, .is_own = *row.is_own, .tasks = row.numbers.value_or("")});
    const auto id = one.campaign.value();
    const std::int64_t tasks = *row.tasks;
    one.unnamed = tasks - row.named.as<std::int64_t>();
    const auto message =
        one.tasks.empty()
            ? fmt::format(
                  "it waits until all tasks of campaign {0} are done, and {1}, so that it cannot end: 'griddel {2}' cancels it; submit "
                  "it again without '{3}': {0}",
                  on.value(), gone == Gone::from_here ? "that one was deleted" : "some were cancelled", id, row.kind.as<std::string>())
            : fmt::format("{} of its tasks wait for tasks of campaign {} that were cancelled, so that it cannot end: {}", tasks, on.value(),
                          cancellation_of(one));
    open_event(transaction, {.code = kAwaitsInVain, .target = {.campaign = one.campaign, .cluster = {}}, .job = {}, .message = message},
               now);
  }
  return waiting;
}

void note_ended(Transaction& transaction, std::span<const grid::CampaignId> ended, grid::Instant now) {
  Array ids;
  for (const auto campaign : ended) {
    ids.add(campaign.value());
    (void)note_waiting_in_vain(transaction, campaign, Gone::tasks, now);
  }
  exec(transaction, sql::events_close_of_campaigns{.now = now, .code = kAwaitsInVain, .campaigns = ids});
}

HeldAgain hold_again(Transaction& transaction, grid::CampaignId on, std::span<const grid::TaskNumber> tasks) {
  Array numbers;
  for (const auto task : tasks) numbers.add(task.value());
  if (exec(transaction, sql::dependencies_lock_followers{.on = on}).empty()) return {};
  for (const auto& row : exec(transaction, sql::dependencies_unmeet{.on = on})) {
    if (*row.task_by_task) hold(transaction, *row.campaign_id);
  }
  HeldAgain held;
  held.waiting = static_cast<std::int64_t>(exec(transaction, sql::dependencies_hold_again{.tasks = numbers, .on = on}).size());
  held.not_held = *exec(transaction, sql::dependencies_not_held{.tasks = numbers, .on = on})[0].tasks;
  return held;
}

std::vector<OpenDependency> open_dependencies(Transaction& transaction, std::optional<grid::CampaignId> campaign) {
  std::vector<OpenDependency> dependencies;
  for (const auto& row : exec_prepared(transaction, sql::dependencies_open{.campaign = campaign})) {
    auto& one = dependencies.emplace_back();
    one.campaign = *row.campaign_id;
    one.waiting = *row.waiting;
    one.awaited.campaign = *row.on_campaign;
    one.awaited.kind = row.kind.as(grid::dependency_kind);
    if (row.state.has_value()) one.awaited.state = row.state.as(grid::campaign_state);
    one.awaited.tasks = *row.tasks;
    one.awaited.left = *row.left;
    one.awaited.failed = *row.failed;
    one.awaited.cancelled = *row.cancelled;
    one.awaited.first_failed = row.first_failed;
  }
  return dependencies;
}

void read_awaited(Transaction& transaction, std::vector<grid::CampaignFacts>& campaigns) {
  for (const auto& [id, waiting, awaited] : open_dependencies(transaction)) {
    const auto campaign = std::ranges::lower_bound(campaigns, id, {}, &grid::CampaignFacts::id);
    if (campaign == campaigns.end() || campaign->id != id) continue;
    const bool is_each = awaited.kind == grid::DependencyKind::after_each;
    if (is_each) campaign->held_tasks = std::max<std::int64_t>(0, waiting - campaign->waiting_tasks);
    // The dependency that only a user can end is shown first.
    auto& shown = is_each ? campaign->holds_tasks : campaign->awaits;
    if (!shown || (is_stuck(awaited) && !is_stuck(*shown))) shown = awaited;
  }
}

std::vector<ShownDependency> dependencies_of(Transaction& transaction, const std::vector<std::int64_t>& campaigns) {
  std::vector<ShownDependency> dependencies;
  Array ids;
  for (const auto id : campaigns) ids.add(id);
  for (const auto& row : exec(transaction, sql::dependencies_of{.campaigns = ids})) {
    ShownDependency one{.campaign = *row.campaign_id, .on = *row.on_campaign, .name = row.name};
    one.kind = row.kind.as(grid::dependency_kind);
    one.met = *row.met;
    dependencies.push_back(std::move(one));
  }
  return dependencies;
}

}  // namespace gleaner::store
