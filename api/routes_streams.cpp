// Routes that ask clusters for jobs: their stdout and stderr, and what OAR says of them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/limits.hpp"
#include "api/output.hpp"
#include "api/remote_job_json.hpp"
#include "api/router.hpp"
#include "lib/store/views_outputs.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr int kUsualLines = 20;
constexpr std::chrono::seconds kPatienceOfStream{2};
/// Bytes of memory for an output: as read, in printable form, and as JSON.
constexpr std::uint64_t kRoomOfOutput = 12 * kMostOutputBytes;

struct OutputRequest {
  Stream stream = Stream::out;
  std::optional<int> attempt{};
  int lines = kUsualLines;
};

Asked<OutputRequest> read_request(const Call& call, Stream stream) {
  const auto lines = number(call, "lines", kUsualLines, {1, kMostOutputLines});
  if (!lines) return tl::unexpected{lines.error()};
  OutputRequest asked{.stream = stream, .attempt = {}, .lines = static_cast<int>(*lines)};
  if (!call.request.parameter("attempt")) return asked;
  const auto attempt = number(call, "attempt", 0, {0, 1'000'000});
  if (!attempt) return tl::unexpected{attempt.error()};
  asked.attempt = static_cast<int>(*attempt);
  return asked;
}

/// The job whose output is shown, with its task and its cluster.
struct Shown {
  views::Job job;
  grid::TaskState task{};
  store::Cluster cluster;
  std::optional<store::Cluster> reader;  ///< another cluster with the same homes, if this one does not answer
};

std::string task_text(grid::CampaignId campaign, std::int64_t task) {
  return fmt::format("task {} of campaign {}", task, campaign.value());
}

http::Response no_output(Code code, std::string_view why) {
  auto response = error(code, why);
  if (code == Code::busy) response.headers.add("Retry-After", "2");
  return response;
}

/// Why a task has no job that could have an output.
std::string without_job(grid::CampaignId campaign, const views::Task& task, std::optional<int> attempt,
                        const std::vector<views::Job>& jobs) {
  const auto who = task_text(campaign, task.number.value());
  if (jobs.empty()) return fmt::format("there is no file: {} is {}, and never had a job", who, grid::name_of(task.state));
  return fmt::format("there is no file: {} has had no attempt {}; its attempts are {} to {}", who, attempt.value_or(0),
                     jobs.front().attempt, jobs.back().attempt);
}

/// Null: there is no such cluster any more.
std::optional<store::Cluster> cluster_of(store::Transaction& transaction, grid::ClusterId id) {
  for (auto& cluster : store::clusters(transaction)) {
    if (cluster.id == id) return std::move(cluster);
  }
  return std::nullopt;
}

Asked<Shown> find_shown(const Call& call, grid::CampaignId campaign, std::int64_t number, std::optional<int> attempt,
                        std::optional<grid::JobId> job) {
  using Found = Asked<Shown>;
  return call.connections.read([&](store::Transaction& transaction) -> Found {
    const auto known = views::campaign(transaction, campaign);
    if (!known) return tl::unexpected{error(Code::no_such_campaign, "there is no " + campaign_text(campaign))};
    if (!may_change(call, known->user)) return tl::unexpected{not_yours(call, campaign_text(campaign), known->user)};
    const auto missing = [&] { return tl::unexpected{error(Code::no_such_task, "there is no " + task_text(campaign, number))}; };
    const auto page = views::tasks(transaction, *known, {.states = {}, .from = number}, {1, 0});
    if (page.items.empty() || page.items.front().number.value() != number) return missing();
    const auto jobs = views::jobs_of_task(transaction, campaign, grid::TaskNumber{number});
    const auto is_it = [&](const views::Job& one) { return one.id == job; };
    const auto named = std::find_if(jobs.begin(), jobs.end(), is_it);
    const auto* const shown = job && named != jobs.end() ? &*named : shown_job(jobs, attempt);
    if (shown == nullptr) return tl::unexpected{error(Code::no_such_output, without_job(campaign, page.items.front(), attempt, jobs))};
    if (const auto why = why_no_output(*shown)) return tl::unexpected{error(Code::no_such_output, *why)};
    auto cluster = cluster_of(transaction, shown->cluster);
    if (!cluster)
      return tl::unexpected{error(Code::no_such_output, fmt::format("there is no file: cluster {} was removed", shown->cluster_name))};
    const auto reader = views::output_reader(transaction, {.campaign = campaign, .cluster = shown->cluster, .login = shown->login});
    return Shown{*shown, page.items.front().state, std::move(*cluster), reader ? cluster_of(transaction, *reader) : std::nullopt};
  });
}

std::string json_of(const Shown& shown, const Output& output, Stream stream) {
  const auto& job = shown.job;
  text::JsonWriter json;
  json.object([&] {
    json.field("output", output.tail.text);
    json.field("stream", name_of(stream));
    json.field("campaign_id", job.campaign);
    json.field("task", job.task);
    json.field("task_state", grid::name_of(shown.task));
    json.field("job_id", job.id);
    json.field("job_state", grid::name_of(job.state));
    json.field("attempt", job.attempt);
    json.field("cluster_id", job.cluster);
    json.field("cluster_name", job.cluster_name);
    json.field("remote_id", job.remote_id);
    json.field("path", output.path);
    json.key("hosts").array(output.hosts);
    json.field("lines", output.tail.lines);
    json.field("is_whole", output.tail.is_whole);
    json.field("is_cut", output.tail.is_cut);
    const auto path = campaign_path(job.campaign);
    write_links(json, {{"parent", fmt::format("{}/tasks/{}", path, job.task.value())},
                       {"item", fmt::format("/v1/jobs/{}", job.id.value()), "job"}});
  });
  return json.text();
}

http::Response no_turn(const Shown& shown) {
  return no_output(Code::busy, fmt::format("{} answers others' requests for outputs now, or does not answer: try again in a few seconds",
                                           shown.cluster.name));
}

http::Response show(const Call& call, const Shown& shown, const OutputRequest& asked) {
  auto memory = take_memory(call, kRoomOfOutput);
  if (!memory) return memory.error();
  const auto turn = call.cluster_turns.take(shown.reader.value_or(shown.cluster).id, call.caller.user, kPatienceOfStream);
  if (!turn) return no_turn(shown);
  const auto output = shown.reader ? read_through(call.config, *shown.reader, shown.job, asked.stream, asked.lines)
                                   : read_output(call.config, shown.cluster, shown.job, asked.stream, asked.lines);
  if (!output) return no_output(output.error().code, output.error().why);
  return with_memory(answer(200, json_of(shown, *output, asked.stream)), std::move(*memory));
}

/// The answer to a part of the path that is no task's number.
http::Response no_task(const Call& call, grid::CampaignId campaign) {
  const bool is_known =
      call.connections.read([&](store::Transaction& transaction) { return views::campaign(transaction, campaign).has_value(); });
  if (!is_known) return no_campaign(call);
  return error(Code::no_such_task, fmt::format("{} has no task '{}'", campaign_text(campaign), jdl::excerpt(call.parts[1])));
}

http::Response of_task(const Call& call, Stream stream) {
  const auto id = id_of(call.parts[0]);
  const auto task = id_of(call.parts[1]);
  if (!id) return no_campaign(call);
  if (!task || *task < 0) return no_task(call, grid::CampaignId{*id});
  const auto asked = read_request(call, stream);
  if (!asked) return asked.error();
  const auto shown = find_shown(call, grid::CampaignId{*id}, *task, asked->attempt, std::nullopt);
  return shown ? show(call, *shown, *asked) : shown.error();
}

Asked<Shown> find_job(const Call& call) {
  const auto id = id_of(call.parts[0]);
  const auto job =
      id ? call.connections.read([&](store::Transaction& transaction) { return views::job(transaction, grid::JobId{*id}); }) : std::nullopt;
  if (!job) return tl::unexpected{error(Code::no_such_job, fmt::format("there is no job '{}'", jdl::excerpt(call.parts[0])))};
  return find_shown(call, job->campaign, job->task.value(), job->attempt, job->id);
}

http::Response of_job(const Call& call, Stream stream) {
  const auto asked = read_request(call, stream);
  if (!asked) return asked.error();
  const auto shown = find_job(call);
  return shown ? show(call, *shown, *asked) : shown.error();
}

/// The job as its cluster's OAR describes it.
http::Response job_on_cluster(const Call& call) {
  const auto shown = find_job(call);
  if (!shown) return shown.error();
  const auto turn = call.cluster_turns.take(shown->cluster.id, call.caller.user, kPatienceOfStream);
  if (!turn) return no_turn(*shown);
  const auto details = read_details(call.config, shown->cluster, shown->job);
  if (!details) return no_output(details.error().code, details.error().why);
  text::JsonWriter json;
  json.object([&] { write_remote_job(json, *details); });
  return answer(json);
}

http::Response stdout_of_task(const Call& call) { return of_task(call, Stream::out); }
http::Response stderr_of_task(const Call& call) { return of_task(call, Stream::err); }
http::Response stdout_of_job(const Call& call) { return of_job(call, Stream::out); }
http::Response stderr_of_job(const Call& call) { return of_job(call, Stream::err); }

}  // namespace

std::span<const Route> stream_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/tasks/:task/stdout", Access::identified, stdout_of_task, "lines attempt", Etag::sent,
            Compression::never},
      Route{"GET", "/v1/campaigns/:id/tasks/:task/stderr", Access::identified, stderr_of_task, "lines attempt", Etag::sent,
            Compression::never},
      Route{"GET", "/v1/jobs/:id/cinfos", Access::identified, job_on_cluster},
      Route{"GET", "/v1/jobs/:id/stdout", Access::identified, stdout_of_job, "lines", Etag::sent, Compression::never},
      Route{"GET", "/v1/jobs/:id/stderr", Access::identified, stderr_of_job, "lines", Etag::sent, Compression::never},
  };
  return kRoutes;
}

}  // namespace gleaner::api
