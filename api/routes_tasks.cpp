// Routes that read tasks and jobs.
#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <ranges>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/limits.hpp"
#include "api/list_form.hpp"
#include "api/output.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "api/task_json.hpp"
#include "lib/process/log.hpp"
#include "lib/store/checkpoints.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/views_tasks.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

/// Bytes of memory for a page: its parameters as stored and as written, and a constant per task.
constexpr std::uint64_t kParameters = std::uint64_t{20} << 20U;
constexpr std::uint64_t kTask = 3000;
/// The most bytes of an answer. JSON makes parameters up to twelve times longer, so a page may end before its window does. The answer is
/// built in a buffer that grows by half, and then copied, so it takes up to three times its size.
constexpr std::uint64_t kText = std::uint64_t{4} << 20U;
constexpr std::uint64_t kTextOfTask = kTask / 3;

constexpr std::string_view kHeld{"held"};  ///< waiting ones that a user holds
constexpr std::array<std::string_view, 8> kTaskStates{"waiting", "launching", "submitted", "running", "done", "failed", "cancelled", kHeld};

Asked<views::TaskFilter> asked_tasks(const Call& call) {
  views::TaskFilter filter;
  const auto names = list(call, "state");
  for (const auto& name : names) {
    if (name == kHeld) {
      if (names.size() > 1)
        return tl::unexpected{error(Code::bad_value, "state=held: it goes with no other state: held tasks are some of the waiting ones")};
      filter.held = true;
      filter.states.push_back(grid::TaskState::waiting);
      continue;
    }
    const auto state = grid::task_state(name);
    if (!state)
      return tl::unexpected{
          error(Code::bad_value, fmt::format("state={}: no such state{}", jdl::excerpt(name), text::did_you_mean(name, kTaskStates)))};
    filter.states.push_back(*state);
  }
  if (call.request.parameter("failure")) {
    const auto group = number(call, "failure", 0, {0, std::numeric_limits<std::int64_t>::max()});
    if (!group) return tl::unexpected{group.error()};
    if (names.size() > 1 || (names.size() == 1 && (filter.held || filter.states.front() != grid::TaskState::failed)))
      return tl::unexpected{
          error(Code::bad_value, fmt::format("failure={}: it goes with no state but 'failed': the tasks of a group have failed", *group))};
    filter.failure = *group;
    filter.states = {grid::TaskState::failed};
  }
  const auto after = number(call, "after", -1, {-1, std::numeric_limits<std::int32_t>::max()});
  if (!after) return tl::unexpected{after.error()};
  filter.from = *after + 1;
  return filter;
}

struct Tasks {
  views::Campaign campaign;
  views::Page<views::Task> page;
  bool more;
};

/// One more task than requested shows whether there is a next page.
std::optional<Tasks> load_tasks(const Call& call, grid::CampaignId id, const views::TaskFilter& filter, views::Window window) {
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<Tasks> {
    auto campaign = views::campaign(transaction, id);
    if (!campaign) return std::nullopt;
    auto page = views::tasks(transaction, *campaign, filter, {window.limit + 1, window.offset});
    const bool full = std::ssize(page.items) > window.limit;
    if (full) page.items.pop_back();
    const bool more = full || page.is_cut;
    return Tasks{std::move(*campaign), std::move(page), more};
  });
}

std::string next_href(const Call& call, const Tasks& tasks, const views::TaskFilter& filter, views::Window window) {
  const bool by_number = !filter.states.empty() || filter.from > 0;
  if (by_number && window.offset == 0) return href_with(call, {{"after", std::to_string(tasks.page.items.back().number.value())}});
  return href_with(call, {{"offset", std::to_string(window.offset + std::ssize(tasks.page.items))}});
}

/// Removes the tasks that exceed the size of an answer from the page; at least one stays.
void write_tasks(text::JsonWriter& json, Tasks& tasks, std::int64_t limit) {
  const auto most = kText + static_cast<std::uint64_t>(limit) * kTextOfTask;
  auto& items = tasks.page.items;
  std::size_t written = 0;
  json.key("items").array(std::views::iota(std::size_t{0}, items.size()), [&](std::size_t i) {
    if (written > 0 && json.size() > most) return;
    json.object([&] { write_task(json, items[i], tasks.campaign.id); });
    ++written;
  });
  tasks.more = tasks.more || written < items.size();
  items.resize(written);
}

/// All tasks that a request asks for, some thousands at a time, each in a transaction of its own. Memory is that of one such part.
class TaskStream {
 public:
  /// Adds a task to the text; the beginning of the text is what precedes all of them.
  struct Form {
    std::string_view head;
    void (*add)(std::string& text, const views::Task& task, grid::CampaignId campaign);
  };
  TaskStream(Connections& connections, views::Campaign campaign, views::TaskFilter filter, views::Window window, Form form)
      : connections_{connections}, campaign_{std::move(campaign)}, filter_{std::move(filter)}, window_{window}, form_{form} {}

  [[nodiscard]] bool write(http::Sink& sink) try {
    std::string text{form_.head};
    while (window_.limit > 0) {
      const views::Window part{std::min(window_.limit, kPart), window_.offset};
      const auto page =
          connections_.read([&](store::Transaction& transaction) { return views::tasks(transaction, campaign_, filter_, part); });
      for (const auto& task : page.items) form_.add(text, task, campaign_.id);
      const bool is_last = page.items.empty() || (std::ssize(page.items) < part.limit && !page.is_cut);
      window_ = {window_.limit - std::ssize(page.items), 0};
      if (!page.items.empty()) filter_.from = page.items.back().number.value() + 1;
      if (!sink.write(text)) return false;
      if (is_last) break;
      text.clear();
    }
    return true;
  } catch (const std::exception& failure) {
    process::log::warning("list of tasks failed", {{"campaign", campaign_.id.value()}, {"why", failure.what()}});
    return false;
  }

  static constexpr std::int64_t kPart = 5000;
  /// Bytes of memory for one part.
  static constexpr std::uint64_t kMemory = kParameters + static_cast<std::uint64_t>(kPart) * kTask;

 private:
  Connections& connections_;
  views::Campaign campaign_;
  views::TaskFilter filter_;
  views::Window window_;
  Form form_;
};

http::Response stream_tasks(const Call& call, std::string_view content_type, TaskStream::Form form) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  auto filter = asked_tasks(call);
  if (!filter) return filter.error();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto limit = number(call, "limit", kMost, {1, kMost});
  if (!limit) return limit.error();
  const auto offset = number(call, "offset", 0, {0, kMost});
  if (!offset) return offset.error();
  auto campaign =
      call.connections.read([&](store::Transaction& transaction) { return views::campaign(transaction, grid::CampaignId{*id}); });
  if (!campaign) return no_campaign(call);
  auto memory = take_memory(call, TaskStream::kMemory);
  if (!memory) return memory.error();
  http::Response response;
  response.headers.add("Content-Type", std::string{content_type});
  auto tasks =
      std::make_shared<TaskStream>(call.connections, std::move(*campaign), std::move(*filter), views::Window{*limit, *offset}, form);
  response.stream = [tasks](http::Sink& sink) { return tasks->write(sink); };
  response.kept = std::move(*memory);
  return response;
}

http::Response tasks_as_csv(const Call& call) {
  return stream_tasks(call, "text/csv; charset=utf-8", {.head = kTaskCsvHead, .add = add_csv_row});
}

http::Response tasks_as_ndjson(const Call& call) {
  return stream_tasks(call, "application/x-ndjson",
                      {.head = {}, .add = [](std::string& text, const views::Task& task, grid::CampaignId campaign) {
                         text::JsonWriter json;
                         json.object([&] { write_task(json, task, campaign); });
                         text += json.text();
                         text += '\n';
                       }});
}

http::Response page_of_tasks(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto filter = asked_tasks(call);
  if (!filter) return filter.error();
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = take_memory(call, kParameters + static_cast<std::uint64_t>(part->limit) * kTask);
  if (!memory) return memory.error();
  auto tasks = load_tasks(call, grid::CampaignId{*id}, *filter, *part);
  if (!tasks) return no_campaign(call);
  text::JsonWriter json;
  json.object([&] {
    write_tasks(json, *tasks, part->limit);
    const PageEnd end{
        .window = *part, .shown = std::ssize(tasks->page.items), .total = tasks->page.total, .parent = campaign_path(tasks->campaign.id)};
    write_page_end(json, call, end, tasks->more ? std::optional{next_href(call, *tasks, *filter, *part)} : std::nullopt);
  });
  return with_memory(answer(json), std::move(*memory));
}

http::Response list_tasks(const Call& call) {
  const auto form = asked_form(call);
  if (!form) return form.error();
  auto response = *form == ListForm::csv ? tasks_as_csv(call) : *form == ListForm::ndjson ? tasks_as_ndjson(call) : page_of_tasks(call);
  response.headers.add("Vary", "Accept");
  return response;
}

struct TaskDetail {
  std::string user;
  views::Task task;
  std::vector<views::Job> jobs;
  std::vector<store::Cluster> clusters{};
  std::optional<store::KeptTask> kept{};
  std::optional<std::string> withheld{};
};

/// The hosts of the last few jobs that started, by job. Each cluster is asked once; one that has no turn or does not answer is left out.
std::map<grid::JobId, std::vector<std::string>> ask_hosts(const Call& call, const TaskDetail& detail) {
  constexpr std::size_t kMostJobs = 8;
  constexpr std::chrono::milliseconds kPatienceOfList{500};
  std::map<grid::ClusterId, std::vector<const views::Job*>> by_cluster;
  std::size_t wanted = 0;
  for (const auto& job : std::views::reverse(detail.jobs)) {
    if (!job.remote_id || !job.started_at || wanted == kMostJobs) continue;
    by_cluster[job.cluster].push_back(&job);
    ++wanted;
  }
  std::map<grid::JobId, std::vector<std::string>> hosts;
  for (const auto& cluster : detail.clusters) {
    const auto jobs = by_cluster.find(cluster.id);
    if (jobs == by_cluster.end()) continue;
    const auto turn = call.cluster_turns.take(cluster.id, call.caller.user, kPatienceOfList);
    if (!turn) continue;
    auto known = hosts_of(call.config, cluster, jobs->second);
    for (std::size_t i = 0; i < known.size(); ++i) hosts.emplace(jobs->second[i]->id, std::move(known[i]));
  }
  return hosts;
}

http::Response show_task(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto number = id_of(call.parts[1]);
  std::optional<std::int64_t> total;
  const auto detail = call.connections.read([&](store::Transaction& transaction) -> std::optional<TaskDetail> {
    const auto campaign = views::campaign(transaction, grid::CampaignId{*id});
    total = campaign ? std::optional{campaign->total} : std::nullopt;
    if (!campaign || !number || *number < 0) return std::nullopt;
    const views::TaskFilter filter{.states = {}, .held = false, .from = *number};
    auto page = views::tasks(transaction, *campaign, filter, {1, 0});
    if (page.items.empty()) return std::nullopt;
    TaskDetail found{campaign->user, std::move(page.items.front()),
                     views::jobs_of_task(transaction, campaign->id, grid::TaskNumber{*number})};
    found.kept = store::kept_task(transaction, campaign->id, grid::TaskNumber{*number});
    found.withheld = store::why_withheld(transaction, campaign->id, grid::TaskNumber{*number});
    if (flag(call, "hosts") && may_change(call, found.user)) found.clusters = store::clusters(transaction);
    return found;
  });
  if (!total) return no_campaign(call);
  if (!detail)
    return error(Code::no_such_task, fmt::format("campaign {} has no task {}{}", *id, jdl::excerpt(call.parts[1]),
                                                 *total > 0 ? fmt::format(": its tasks are 0 to {}", *total - 1) : std::string{}));
  const auto hosts = ask_hosts(call, *detail);
  const auto hosts_of_job = [&](grid::JobId job) { return hosts.contains(job) ? hosts.at(job) : std::vector<std::string>{}; };
  text::JsonWriter json;
  json.object([&] {
    write_task(json, detail->task, grid::CampaignId{*id});
    json.field("campaign_id", *id);
    const auto kept = [&](bool follows) {
      return detail->kept && detail->kept->follows == follows ? std::optional{detail->kept->cluster} : std::nullopt;
    };
    json.field("waits_for_checkpoint_on", kept(false));
    json.field("waits_for_files_on", kept(true));
    json.field("withheld", detail->withheld);
    json.key("jobs").array(detail->jobs, [&](const views::Job& job) { json.object([&] { write_job(json, job, hosts_of_job(job.id)); }); });
    write_links(json, {{"self", call.request.path}, {"parent", campaign_path(grid::CampaignId{*id}) + "/tasks"}});
  });
  return answer(json);
}

http::Response show_job(const Call& call) {
  const auto unknown = [&] { return error(Code::no_such_job, fmt::format("there is no job '{}'", jdl::excerpt(call.parts[0]))); };
  const auto id = id_of(call.parts[0]);
  if (!id) return unknown();
  const auto job = call.connections.read([&](store::Transaction& transaction) { return views::job(transaction, grid::JobId{*id}); });
  if (!job) return unknown();
  text::JsonWriter json;
  json.object([&] { write_job(json, *job); });
  return answer(json);
}

}  // namespace

std::span<const Route> task_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/tasks", Access::identified, list_tasks, "state... after failure limit offset format"},
      Route{"GET", "/v1/campaigns/:id/tasks.csv", Access::identified, tasks_as_csv, "state... after failure limit offset", Etag::none},
      Route{"GET", "/v1/campaigns/:id/tasks.ndjson", Access::identified, tasks_as_ndjson, "state... after failure limit offset",
            Etag::none},
      Route{"GET", "/v1/campaigns/:id/tasks/:task", Access::identified, show_task, "hosts"},
      Route{"GET", "/v1/jobs/:id", Access::identified, show_job},
  };
  return kRoutes;
}

}  // namespace gleaner::api
