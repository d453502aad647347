#include "api/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::api {
namespace {

using store::views::Job;

constexpr int kNotFound = 404;
constexpr int kForbidden = 403;

oar::Limits output_limits() {
  oar::Limits limits;
  limits.connect = std::chrono::seconds{2};
  limits.read = std::chrono::seconds{5};
  limits.answer_bytes = std::size_t{1} << 20;
  return limits;
}

std::string job_text(const Job& job) {
  return fmt::format("attempt {} on {}{}", job.attempt, job.cluster_name,
                     job.remote_id ? fmt::format(" (OAR job {})", *job.remote_id) : std::string{});
}

const Job* last_of(std::span<const Job> jobs, bool (*wanted)(const Job&)) {
  for (const auto& job : std::views::reverse(jobs)) {
    if (wanted(job)) return &job;
  }
  return nullptr;
}

bool is_over(grid::JobState state) {
  return state == grid::JobState::terminated || state == grid::JobState::error || state == grid::JobState::killed;
}

std::optional<int> status_of(const oar::Failure& failure) {
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr ? std::optional{refused->status} : std::nullopt;
}

bool is_without_folder(const Job& job) { return job.exec_directory.empty() || grid::is_home(job.exec_directory); }

std::string stream_of(const Job& job, grid::OutputKind kind) {
  const auto pooled = job.pooled ? std::optional{job.task} : std::nullopt;
  return grid::stream_name(job.campaign, grid::RemoteJobId{job.remote_id.value_or(0)}, pooled, kind);
}

tl::unexpected<NoOutput> none(Code code, std::string why) { return tl::unexpected{NoOutput{code, std::move(why)}}; }

tl::unexpected<NoOutput> unanswered(const Job& job, const oar::Failure& failure) {
  return none(Code::cluster_unavailable,
              fmt::format("{} cannot be asked for {}: {}", job.cluster_name, job_text(job), oar::describe(failure)));
}

/// Whether OAR's job is this one or, of a pooled one, a carrier of its launch.
bool is_its_own(const oar::RemoteJob& remote, const Job& job) {
  const auto tag = job.tag.value_or("");
  const grid::SubmittedAs launch{tag, job.login};
  if (!job.pooled) return grid::is_same_job(remote.as(), launch, {job.campaign, job.task, job.attempt, job.id});
  const auto identity = grid::identity_in(remote.as(), launch);
  return identity && identity->campaign == job.campaign;
}

tl::expected<oar::JobDetails, NoOutput> find_job(oar::Client& client, const Job& job) {
  const oar::JobOf asked{job.login, grid::RemoteJobId{job.remote_id.value_or(0)}};
  auto details = std::move(client.details({&asked, 1}, oar::Nodes::named).front());
  if (!details && status_of(details.error()) == kNotFound)
    return none(Code::not_on_cluster, fmt::format("{} does not know OAR job {} any more", job.cluster_name, asked.id.value()));
  if (!details) return unanswered(job, details.error());
  if (!is_its_own(details->job, job))
    return none(Code::not_on_cluster, fmt::format("OAR job {} of {} is somebody else's now", asked.id.value(), job.cluster_name));
  return std::move(*details);
}

/// Why a file cannot be read.
tl::unexpected<NoOutput> unread(const Job& job, const std::string& path, const oar::Failure& failure) {
  const auto status = status_of(failure);
  if (status == kForbidden) return none(Code::refused_by_cluster, fmt::format("{} lets {} not read {}", job.cluster_name, job.login, path));
  if (status != kNotFound) {
    const auto* const refused = std::get_if<oar::Refused>(&failure);
    if (refused != nullptr)
      return none(Code::no_such_output, fmt::format("{} of {} cannot be read: {}", path, job.cluster_name, refused->message));
    return unanswered(job, failure);
  }
  auto why = fmt::format("it was removed, or never made; 'gridstat {} -e' shows what an open event kept of stderr", job.campaign.value());
  if (!is_over(job.state)) why = "the job has written nothing yet";
  if (job.state == grid::JobState::remote_waiting) why = "the job waits in the cluster's queue";
  return none(Code::no_such_output, fmt::format("there is no file {} on {}, of {}: {}", path, job.cluster_name, job_text(job), why));
}

/// Reads fewer lines when they are too long; of one that is too long by itself, its beginning.
oar::Result<Tail> read_tail(oar::Client& client, const std::string& login, const std::string& path, int lines) {
  constexpr int kFewer = 8;
  while (true) {
    auto raw = client.read_file(login, path, {.last_lines = lines, .most_bytes = kMostOutputBytes});
    if (!raw) return tl::unexpected{raw.error()};
    const bool is_cut = raw->size() >= kMostOutputBytes;
    if (is_cut && lines > 1) {
      lines = std::max(1, lines / kFewer);
      continue;
    }
    const auto ends = std::ranges::count(*raw, '\n');
    const auto parts = ends + (raw->empty() || raw->ends_with('\n') ? 0 : 1);
    return Tail{.text = text::clean_text(*raw, {.lines = text::Lines::kept, .most_bytes = 3 * kMostOutputBytes}),
                .lines = lines,
                .is_whole = !is_cut && parts < lines,
                .is_cut = is_cut};
  }
}

}  // namespace

std::string_view name_of(Stream stream) { return stream == Stream::out ? "stdout" : "stderr"; }

const Job* shown_job(std::span<const Job> jobs, std::optional<int> attempt) {
  if (attempt) {
    for (const auto& job : std::views::reverse(jobs)) {
      if (job.attempt == *attempt) return &job;
    }
    return nullptr;
  }
  if (const auto* const done = last_of(jobs, [](const Job& job) { return job.ending == "done"; })) return done;
  if (const auto* const started = last_of(jobs, [](const Job& job) { return job.started_at.has_value(); })) return started;
  if (const auto* const known = last_of(jobs, [](const Job& job) { return job.remote_id.has_value(); })) return known;
  return jobs.empty() ? nullptr : &jobs.back();
}

std::optional<std::string> why_no_output(const Job& job) {
  const auto who = job_text(job);
  switch (job.state) {
    case grid::JobState::planned:
    case grid::JobState::launching: return fmt::format("there is no file yet: {} is being submitted", who);
    case grid::JobState::unknown:
      return fmt::format("there is no file that is known: the answer to the submission of {} was lost, and the grid searches for its job",
                         who);
    default: break;
  }
  if (!job.remote_id) return fmt::format("there is no file: {} was never submitted{}", who, job.message ? ": " + *job.message : "");
  return std::nullopt;
}

oar::JobDetails in_its_folder(oar::JobDetails details, const Job& job) {
  constexpr std::string_view kLog = ".log";
  // A job of an earlier version of the grid was submitted in its folder, with files of OAR's.
  if (is_without_folder(job) || !details.stdout_file.ends_with(kLog)) return details;
  details.directory = grid::folder_with_values(job.exec_directory, details.directory.empty() ? "~" : details.directory, job.login);
  if (!job.output_directory.empty()) return details;
  details.stdout_file = stream_of(job, grid::OutputKind::standard_output);
  details.stderr_file = stream_of(job, grid::OutputKind::standard_error);
  return details;
}

std::string output_path(const oar::JobDetails& details, const Job& job, Stream stream) {
  const auto kind = stream == Stream::out ? grid::OutputKind::standard_output : grid::OutputKind::standard_error;
  if (!job.output_directory.empty())
    return fmt::format("{}/{}", grid::media_folder(grid::output_folder(job.output_directory, job.task.value()), job.login),
                       grid::output_name({.task = job.task.value(), .attempt = job.attempt, .kind = kind}));
  if (!is_without_folder(job)) return fmt::format("{}/{}", grid::media_folder(job.exec_directory, job.login), stream_of(job, kind));
  auto file = stream == Stream::out ? details.stdout_file : details.stderr_file;
  // Beside the carrier's `….stdout` is the pooled task's `….<task>.stdout`.
  if (const auto dot = file.rfind('.'); job.pooled && dot != std::string::npos) file.insert(dot, fmt::format(".{}", job.task.value()));
  if (file.empty() || file.starts_with('/')) return file;
  return details.directory.empty() ? "~/" + file : details.directory + '/' + file;
}

tl::expected<oar::JobDetails, NoOutput> read_details(const process::Config& config, const store::Cluster& cluster, const Job& job) {
  if (cluster.retired_at) return none(Code::not_on_cluster, fmt::format("{} was retired, and is not asked any more", cluster.name));
  auto access = fleet::access_of(cluster, config);
  if (!access) return none(Code::cluster_unavailable, fmt::format("{} cannot be asked: {}", cluster.name, access.error()));
  oar::Client client{std::move(*access), output_limits()};
  auto details = find_job(client, job);
  if (!details) return details;
  return in_its_folder(std::move(*details), job);
}

tl::expected<Output, NoOutput> read_output(const process::Config& config, const store::Cluster& cluster, const Job& job, Stream stream,
                                           int lines) {
  if (cluster.retired_at)
    return none(Code::no_such_output, fmt::format("{} was retired, and is not asked any more: {} ran there", cluster.name, job_text(job)));
  auto access = fleet::access_of(cluster, config);
  if (!access) return none(Code::cluster_unavailable, fmt::format("{} cannot be asked: {}", cluster.name, access.error()));
  oar::Client client{std::move(*access), output_limits()};
  auto details = find_job(client, job);
  if (!details && details.error().code == Code::not_on_cluster)
    return none(Code::no_such_output, "there is no file: " + details.error().why);
  if (!details) return tl::unexpected{std::move(details.error())};
  Output output{.path = output_path(*details, job, stream), .hosts = std::move(details->hosts), .tail = {}};
  if (output.path.empty())
    return none(Code::no_such_output, fmt::format("{} reports no file for the {} of {}", cluster.name, name_of(stream), job_text(job)));
  auto tail = read_tail(client, job.login, output.path, lines);
  if (!tail) return unread(job, text::clean_text(output.path), tail.error());
  output.path = text::clean_text(output.path);
  output.tail = std::move(*tail);
  return output;
}

tl::expected<Output, NoOutput> read_through(const process::Config& config, const store::Cluster& reader, const Job& job, Stream stream,
                                            int lines) {
  const auto kind = stream == Stream::out ? grid::OutputKind::standard_output : grid::OutputKind::standard_error;
  const bool is_oars = is_without_folder(job) && job.output_directory.empty();
  Output output{.path = is_oars ? "~/" + stream_of(job, kind) : output_path({}, job, stream), .hosts = {}, .tail = {}};
  if (!output.path.starts_with("~/"))
    return none(Code::cluster_unavailable, fmt::format("{} does not answer, and {} is not in the home that {} shares", job.cluster_name,
                                                       text::clean_text(output.path), reader.name));
  auto access = fleet::access_of(reader, config);
  if (!access) return none(Code::cluster_unavailable, fmt::format("{} cannot be asked: {}", reader.name, access.error()));
  oar::Client client{std::move(*access), output_limits()};
  // A job of before the declaration has the file without its cluster's name.
  const auto shared =
      fmt::format("~/{}{}.{}", grid::shared_stream_begin(job.campaign, job.cluster_name), job.remote_id.value_or(0), grid::name_of(kind));
  auto tail = is_oars && !job.pooled ? read_tail(client, job.login, shared, lines) : read_tail(client, job.login, output.path, lines);
  if (tail && is_oars && !job.pooled) output.path = shared;
  if (!tail && is_oars && !job.pooled && status_of(tail.error()) == kNotFound) tail = read_tail(client, job.login, output.path, lines);
  if (!tail) return unread(job, text::clean_text(output.path), tail.error());
  output.path = text::clean_text(output.path);
  output.tail = std::move(*tail);
  return output;
}

std::vector<std::vector<std::string>> hosts_of(const process::Config& config, const store::Cluster& cluster,
                                               std::span<const Job* const> jobs) {
  std::vector<std::vector<std::string>> hosts(jobs.size());
  auto access = fleet::access_of(cluster, config);
  if (cluster.retired_at || !access) return hosts;
  oar::Client client{std::move(*access), output_limits()};
  std::vector<oar::JobOf> asked;
  for (const auto* job : jobs) asked.push_back({job->login, grid::RemoteJobId{job->remote_id.value_or(0)}});
  auto details = client.details(asked, oar::Nodes::named);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = *jobs[i];
    if (!details[i]) continue;
    const auto& known = details[i]->job;
    if (is_its_own(known, job)) hosts[i] = std::move(details[i]->hosts);
  }
  return hosts;
}

}  // namespace gleaner::api
