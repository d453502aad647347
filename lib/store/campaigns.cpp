#include "lib/store/campaigns.hpp"

#include <algorithm>

#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/events.hpp"
#include "lib/store/scripts.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

std::optional<std::int64_t> seconds(std::optional<grid::Seconds> time) { return time ? std::optional{time->count()} : std::nullopt; }

enum class Brakes { of_the_grid, all };
/// A brake that was set by hand ends with its event, or with its campaign.
void lift_brakes(Transaction& transaction, grid::CampaignId campaign, Brakes which) {
  exec(transaction, sql::campaigns_lift_brakes{.campaign = campaign, .by_hand = which == Brakes::all});
  exec(transaction, sql::campaigns_forgive{.campaign = campaign});
}

}  // namespace

std::variant<grid::CampaignId, Repeated> create_campaign(Transaction& transaction, const NewCampaign& campaign, grid::Instant now) {
  // A restored database must not give ids in the epoch of before.
  (void)is_recovering(transaction, now);
  const std::string type{name_of(campaign.type)};
  detail::Array groups;
  for (const auto& group : campaign.groups) groups.add(std::string_view{group});
  const auto created = exec(transaction, sql::campaigns_create{
                                             .user = campaign.user,
                                             .name = campaign.name,
                                             .type = type,
                                             .jdl = campaign.jdl,
                                             .now = now,
                                             .key = campaign.idempotency_key,
                                             .digest = campaign.digest,
                                             .groups = groups,
                                         });
  if (!created.empty()) return created[0].id.as<grid::CampaignId>();
  const auto known = find_repeated(transaction, campaign);
  if (!known) throw Unavailable{"the campaign of this key has just been removed"};
  return *known;
}

std::optional<Repeated> find_repeated(Transaction& transaction, const NewCampaign& campaign) {
  const auto known = exec(
      transaction,
      sql::campaigns_find_repeated{.jdl = campaign.jdl, .digest = campaign.digest, .user = campaign.user, .key = campaign.idempotency_key});
  if (known.empty()) return std::nullopt;
  return Repeated{*known[0].id, *known[0].same};
}

void record_admitted(Transaction& transaction, grid::CampaignId campaign, std::string_view name, const std::string& jdl) {
  exec(transaction, sql::campaigns_record_admitted{.name = name, .jdl = jdl, .campaign = campaign});
}

bool add_campaign_cluster(Transaction& transaction, grid::CampaignId campaign, const NewCampaignCluster& c) {
  return !exec(transaction,
               sql::campaigns_ask_cluster{
                   .campaign = campaign,
                   .priority = c.priority,
                   .exec_file = c.exec_file,
                   .exec_directory = c.exec_directory,
                   .resources = c.resources,
                   .resources_per_job = c.resources_per_job,
                   .nodes_per_job = c.nodes_per_job,
                   .walltime_s = c.walltime.count(),
                   .properties = c.properties,
                   .project = c.project,
                   .job_types = c.job_types,
                   .best_effort = c.best_effort,
                   .max_jobs = c.max_jobs,
                   .max_walltime_s = seconds(c.max_walltime),
                   .output_directory = c.output_directory,
                   .output_files = c.output_files,
                   .prologue = c.prologue.text,
                   .prologue_walltime_s = seconds(c.prologue.walltime),
                   .epilogue = c.epilogue.text,
                   .epilogue_walltime_s = seconds(c.epilogue.walltime),
                   .cluster = c.name,
               })
              .empty();
}

struct TaskWriter::Implementation {
  Implementation(pqxx::work& work, grid::CampaignId id, Requests requests, std::int64_t first_number)
      : stream{open(work, requests)}, campaign{std::to_string(id.value())}, first{first_number}, next{first_number} {}
  static pqxx::stream_to open(pqxx::work& work, Requests requests) {
#if PQXX_VERSION_MAJOR < 7
    std::vector<std::string> columns{"campaign_id", "number", "form", "parameter"};
    if (requests == Requests::by_task) columns.emplace_back("request");
    return pqxx::stream_to{work, "tasks", columns};
#else
    if (requests == Requests::by_task)
      return pqxx::stream_to::table(work, {"tasks"}, {"campaign_id", "number", "form", "parameter", "request"});
    return pqxx::stream_to::table(work, {"tasks"}, {"campaign_id", "number", "form", "parameter"});
#endif
  }
  pqxx::stream_to stream;
  std::string campaign;
  const std::int64_t first;
  std::int64_t next;
};

TaskWriter::TaskWriter(Transaction& transaction, grid::CampaignId campaign, Requests requests, std::int64_t first) {
  try {
    implementation_ = std::make_unique<Implementation>(transaction.implementation().work, campaign, requests, first);
  } catch (...) {
    detail::rethrow("tasks");
  }
}

TaskWriter::~TaskWriter() {
  // An unfinished stream completes the COPY when it is destroyed; the transaction is rolled back anyway.
  try {
    implementation_.reset();
  } catch (...) {  // the connection is abandoned with the transaction
  }
}

void TaskWriter::add(ParameterForm form, std::string_view parameter) {
  try {
    implementation_->stream << std::make_tuple(implementation_->campaign, implementation_->next, std::string(1, static_cast<char>(form)),
                                               std::string{parameter});
  } catch (...) {
    detail::rethrow("tasks");
  }
  ++implementation_->next;
}

void TaskWriter::add(ParameterForm form, std::string_view parameter, int request) {
  try {
    implementation_->stream << std::make_tuple(implementation_->campaign, implementation_->next, std::string(1, static_cast<char>(form)),
                                               std::string{parameter}, request);
  } catch (...) {
    detail::rethrow("tasks");
  }
  ++implementation_->next;
}

std::int64_t TaskWriter::finish() {
  try {
    implementation_->stream.complete();
  } catch (...) {
    detail::rethrow("tasks");
  }
  return implementation_->next - implementation_->first;
}

void write_numbered_tasks(Transaction& transaction, grid::CampaignId campaign, std::int64_t count, std::int64_t first) {
  exec(transaction, sql::campaigns_write_numbered_tasks{.campaign = campaign, .first = first, .tasks = count});
}

void complete_campaign(Transaction& transaction, grid::CampaignId campaign, std::int64_t tasks) {
  exec(transaction, sql::campaigns_complete{.tasks = tasks, .campaign = campaign});
  wake_up(transaction);
}

std::optional<CampaignOwner> campaign_owner(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::campaigns_owner{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  return CampaignOwner{*rows[0].user_name, rows[0].state.as(grid::campaign_state), *rows[0].total};
}

bool hold_campaign(Transaction& transaction, grid::CampaignId campaign) {
  if (exec(transaction, sql::campaigns_hold{.campaign = campaign}).empty()) return false;
  wake_up(transaction);
  return true;
}

bool resume_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  if (exec(transaction, sql::campaigns_resume{.campaign = campaign}).empty()) {
    const auto owner = campaign_owner(transaction, campaign);
    if (!owner || owner->state != grid::CampaignState::in_treatment) return false;
  }
  close_event(transaction, "MAX_FAILS", {.campaign = campaign, .cluster = {}}, now);
  lift_brakes(transaction, campaign, Brakes::of_the_grid);
  wake_up(transaction);
  return true;
}

bool cancel_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  if (exec(transaction, sql::campaigns_cancel{.now = now, .campaign = campaign}).empty()) return false;
  exec(transaction, sql::campaigns_cancel_returned{.campaign = campaign, .most = std::numeric_limits<std::int64_t>::max()});
  exec(transaction, sql::campaigns_cancel_untaken{.campaign = campaign});
  lift_brakes(transaction, campaign, Brakes::all);
  close_event(transaction, kAwaitsInVain, {.campaign = campaign, .cluster = {}}, now);
  wake_up(transaction);
  return true;
}

std::int64_t cancel_returned_tasks(Transaction& transaction, grid::CampaignId campaign, std::int64_t most) {
  if (exec(transaction, sql::campaigns_lock_live{.campaign = campaign}).empty()) return 0;
  if (!exec(transaction, sql::campaigns_has_returned_more{.campaign = campaign, .most = most})[0].found.as<bool>()) return 0;
  return static_cast<std::int64_t>(exec(transaction, sql::campaigns_cancel_returned{.campaign = campaign, .most = most}).size());
}

std::int64_t acknowledge_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  return static_cast<std::int64_t>(exec(transaction, sql::campaigns_acknowledge{.now = now, .campaign = campaign}).size());
}

std::vector<grid::TaskNumber> retry_failed_tasks(Transaction& transaction, const FailedTasks& failed, grid::Instant now) {
  const auto& [campaign, cluster, range, most, group] = failed;
  const auto any = exec(transaction,
                        sql::campaigns_has_failed_tasks{
                            .campaign = campaign, .first = range.first, .last = range.last, .failure = group, .cluster = cluster})[0]
                       .found.as<bool>();
  if (!any || exec(transaction, sql::campaigns_reopen{.campaign = campaign}).empty()) return {};
  exec(transaction, sql::campaigns_uncleaned{.campaign = campaign});
  std::vector<grid::TaskNumber> tasks;
  for (const auto& row : exec(transaction, sql::campaigns_retry_failed_tasks{.campaign = campaign,
                                           .first = range.first,
                                           .last = range.last,
                                           .failure = group,
                                           .cluster = cluster,
                                           .most = most,
                                           .now = now}))
    tasks.push_back(*row.number);
  std::ranges::sort(tasks);
  exec(transaction, sql::campaigns_forgive_fewer{.campaign = campaign});
  if (!cluster) lift_brakes(transaction, campaign, Brakes::of_the_grid);
  wake_up(transaction);
  return tasks;
}

std::int64_t fix_campaign_events(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  retry_scripts(transaction, campaign, std::nullopt, now);
  judge_withheld(transaction, campaign);
  const auto closed = exec(transaction, sql::campaigns_fix_events{.now = now, .campaign = campaign});
  lift_brakes(transaction, campaign, Brakes::all);
  wake_up(transaction);
  return static_cast<std::int64_t>(closed.size());
}

std::optional<EventOwner> event_owner(Transaction& transaction, std::int64_t event) {
  const auto rows = exec(transaction, sql::events_owner{.event = event});
  if (rows.empty()) return std::nullopt;
  EventOwner owner;
  owner.user = rows[0].user_name;
  owner.campaign = rows[0].campaign_id;
  owner.cluster = rows[0].cluster_id;
  owner.open = *rows[0].open;
  return owner;
}

bool fix_event(Transaction& transaction, std::int64_t event, grid::Instant now) {
  const auto rows = exec(transaction, sql::events_fix{.now = now, .event = event});
  if (rows.empty()) return false;
  const std::optional<grid::CampaignId> campaign = rows[0].campaign_id;
  const std::optional<grid::ClusterId> cluster = rows[0].cluster_id;
  if (const auto script = failed_script_of(rows[0].code.as<std::string>()); script && campaign && cluster)
    retry_scripts(transaction, *campaign, grid::task_of(*script, *cluster), now);
  if (campaign && rows[0].code.as<std::string>() == kGivenWrong) judge_withheld(transaction, *campaign);
  const Target target{.campaign = campaign, .cluster = cluster};
  if (rows[0].code.as<std::string>() == kBlacklisted) clear_brake(transaction, target);
  else if (campaign || cluster) release_brake(transaction, target);
  wake_up(transaction);
  return true;
}

}  // namespace gleaner::store
