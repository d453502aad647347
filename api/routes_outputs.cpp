// Routes of what tasks left on their clusters: stdout, stderr and output files. They are read over OAR's API as the user's login.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/limits.hpp"
#include "api/output_listing.hpp"
#include "api/router.hpp"
#include "lib/fleet/fleet.hpp"
#include "lib/oar/outputs.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clusters.hpp"
#include "lib/text/ranges.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

/// Bytes of memory for the listing of a folder and its tree.
constexpr std::uint64_t kListing = std::uint64_t{48} << 20U;
constexpr std::size_t kMostRanges = 1000;
/// How long a request waits for its turn to have a file, and a listing for that to list a folder.
constexpr std::chrono::seconds kPatienceForFile{2};
constexpr std::chrono::seconds kPatienceForFolder{10};

using Clusters = std::map<grid::ClusterId, store::Cluster>;

Clusters clusters_by_id(const Call& call) {
  Clusters known;
  for (auto& cluster : call.connections.read([](store::Transaction& transaction) { return store::clusters(transaction); })) {
    const auto id = cluster.id;
    known.emplace(id, std::move(cluster));
  }
  return known;
}

/// How the cluster of a job is reached. Error: why it cannot be.
tl::expected<oar::Access, oar::Failure> access_to(const process::Config& config, const Clusters& clusters, const views::OutputJob& job) {
  const auto found = clusters.find(job.cluster);
  if (found == clusters.end() || found->second.retired_at)
    return tl::unexpected(oar::Failure{oar::NotSent{fmt::format("the cluster {} is retired", job.cluster_name)}});
  auto access = fleet::access_of(found->second, config);
  if (!access) return tl::unexpected(oar::Failure{oar::NotSent{access.error()}});
  return std::move(*access);
}

/// The job as one of the cluster through which its files are read: another one that has the same homes, if its own does not answer.
views::OutputJob where_read(Connections& connections, grid::CampaignId campaign, views::OutputJob job, std::string_view folder) {
  if (!folder.starts_with("~/")) return job;
  const auto reader = connections.read([&](store::Transaction& transaction) {
    return views::output_reader(transaction, {.campaign = campaign, .cluster = job.cluster, .login = job.login});
  });
  if (reader) job.cluster = *reader;
  return job;
}

/// The campaign, if its outputs are the caller's to read.
Asked<views::Campaign> own_campaign(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return tl::unexpected{no_campaign(call)};
  auto campaign =
      call.connections.read([&](store::Transaction& transaction) { return views::campaign(transaction, grid::CampaignId{*id}); });
  if (!campaign) return tl::unexpected{no_campaign(call)};
  if (!may_change(call, campaign->user))
    return tl::unexpected{
        error(Code::not_yours, fmt::format("campaign {} is not yours: only {} may read its outputs", *id, campaign->user))};
  return std::move(*campaign);
}

/// The tasks that the request names, as ranges within the campaign.
Asked<std::vector<text::Range>> asked_tasks(const Call& call, const views::Campaign& campaign) {
  const text::Range all{0, campaign.total - 1};
  const auto asked = call.request.parameter("tasks");
  if (!asked) return campaign.total > 0 ? std::vector{all} : std::vector<text::Range>{};
  auto ranges = text::parse_ranges(*asked);
  if (!ranges) return tl::unexpected{error(Code::bad_value, fmt::format("tasks={}: {}", jdl::excerpt(*asked), ranges.error()))};
  if (ranges->size() > kMostRanges)
    return tl::unexpected{error(Code::bad_value, fmt::format("tasks: there are {} ranges; there may be {}", ranges->size(), kMostRanges))};
  if (ranges->back().last > all.last)
    return tl::unexpected{error(Code::no_such_task, fmt::format("campaign {} has no task {}: its tasks are 0 to {}", campaign.id.value(),
                                                                ranges->back().last, all.last))};
  return std::move(*ranges);
}

std::string too_many_questions(std::string_view cluster) {
  return fmt::format("{} has as many requests for outputs as it may have at once, or does not answer them: try again in a few seconds",
                     cluster);
}

/// Writes the listing, a thousand tasks at a time: those whose outputs are in one folder. Each thousand is one short transaction.
class ListingStream {
 public:
  ListingStream(const Call& call, const views::Campaign& campaign, std::vector<text::Range> ranges)
      : config_{call.config},
        connections_{call.connections},
        turns_{call.cluster_turns},
        user_{call.caller.user},
        limits_{fleet::limits_of(call.config)},
        clusters_{clusters_by_id(call)},
        campaign_{campaign.id},
        is_cancelled_{campaign.state == grid::CampaignState::cancelled},
        ranges_{std::move(ranges)},
        lister_{campaign.id, [this](const views::OutputJob& job, const std::string& folder) { return list(job, folder); }} {}
  ListingStream(const ListingStream&) = delete;
  ListingStream& operator=(const ListingStream&) = delete;

  [[nodiscard]] bool write(http::Sink& sink) try {
    for (const auto& range : ranges_) {
      for (auto from = range.first; from <= range.last;) {
        const auto next = (from / grid::kTasksOfOutputFolder + 1) * grid::kTasksOfOutputFolder;
        const auto end = std::min(next, range.last + 1);
        const auto tasks =
            connections_.read([&](store::Transaction& transaction) { return views::outputs(transaction, campaign_, from, end); });
        if (!sink.write(lister_.lines(tasks))) return false;
        from = end;
      }
    }
    // Cancelling does not write the tasks that were never taken.
    const auto unsettled = is_cancelled_ ? 0 : lister_.unsettled();
    return sink.write(fmt::format("{{\"end\":true,\"outputs\":{},\"unsettled\":{}}}\n", lister_.outputs(), unsettled));
  } catch (const std::exception& failure) {
    process::log::warning("listing of outputs failed", {{"campaign", campaign_.value()}, {"why", failure.what()}});
    return false;
  }

 private:
  ListedFolder list(const views::OutputJob& of_task, const std::string& folder) {
    const auto job = where_read(connections_, campaign_, of_task, folder);
    auto access = access_to(config_, clusters_, job);
    if (!access) return tl::unexpected(access.error());
    const auto turn = turns_.take(job.cluster, user_, kPatienceForFolder);
    if (!turn) return tl::unexpected(oar::Failure{oar::NotSent{too_many_questions(job.cluster_name)}});
    return oar::list_files(*access, limits_, job.login, folder);
  }

  const process::Config& config_;
  Connections& connections_;
  ClusterTurns& turns_;
  std::string user_;
  oar::Limits limits_;
  Clusters clusters_;
  grid::CampaignId campaign_;
  bool is_cancelled_;
  std::vector<text::Range> ranges_;
  OutputLister lister_;
};

http::Response list_outputs(const Call& call) {
  const auto campaign = own_campaign(call);
  if (!campaign) return campaign.error();
  auto ranges = asked_tasks(call, *campaign);
  if (!ranges) return ranges.error();
  auto memory = take_memory(call, kListing);
  if (!memory) return memory.error();
  http::Response response;
  response.headers.add("Content-Type", "application/x-ndjson");
  auto listing = std::make_shared<ListingStream>(call, *campaign, std::move(*ranges));
  response.stream = [listing](http::Sink& sink) { return listing->write(sink); };
  response.kept = std::move(*memory);
  return response;
}

constexpr int kNoSuchFile = 404;

bool is_missing(const oar::Failure& failure) {
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr && refused->status == kNoSuchFile;
}

http::Response unreadable(const oar::Failure& failure, const views::OutputJob& job, const std::string& name) {
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  const auto why = fmt::format("{} on {}: {}", name, job.cluster_name, oar::describe(failure));
  if (refused == nullptr) return error(Code::cluster_unavailable, why);
  return error(refused->status == kNoSuchFile ? Code::no_such_output : Code::refused_by_cluster, why);
}

/// Passes the file on, without its first `skip` bytes. Ends the connection when the cluster's answer breaks off.
bool pass_on(oar::FileStream& file, std::int64_t skip, http::Sink& sink) {
  while (true) {
    auto bytes = file.next();
    if (!bytes) return false;
    if (bytes->empty()) return true;
    const auto left_out = std::min<std::int64_t>(skip, std::ssize(*bytes));
    skip -= left_out;
    if (!sink.write(std::string_view{*bytes}.substr(static_cast<std::size_t>(left_out)))) return false;
  }
}

http::Response show_output(const Call& call) {
  const auto campaign = own_campaign(call);
  if (!campaign) return campaign.error();
  const auto& name = call.parts[1];
  const auto unknown = [&] {
    return error(Code::no_such_output, fmt::format("campaign {} has no output '{}'", campaign->id.value(), jdl::excerpt(name)));
  };
  const auto output = grid::read_output_name(name);
  if (!output) return unknown();
  const auto skip = number(call, "offset", 0, {0, std::numeric_limits<std::int64_t>::max()});
  if (!skip) return skip.error();
  const auto job = call.connections.read([&](store::Transaction& transaction) {
    return views::output_job(transaction, campaign->id, grid::TaskNumber{output->task}, output->attempt);
  });
  const bool is_gathered = output->kind == grid::OutputKind::file;
  if (!job || (is_gathered && job->output_directory.empty())) return unknown();
  const auto path = file_of_output(*job, campaign->id, *output);
  const auto read_as = where_read(call.connections, campaign->id, *job, path);
  const auto clusters = clusters_by_id(call);
  const auto access = access_to(call.config, clusters, read_as);
  if (!access) return unreadable(access.error(), *job, name);
  auto turn = call.file_turns.take(read_as.cluster, call.caller.user, kPatienceForFile);
  if (!turn) {
    auto response = error(Code::busy, too_many_questions(job->cluster_name));
    response.headers.add("Retry-After", "2");
    return response;
  }
  std::vector paths{path};
  // The name is that of the time of the submission: the declaration may be younger.
  if (const auto other = file_in_shared_home(*job, campaign->id, *output); !other.empty()) {
    const auto of_job = clusters.find(job->cluster);
    paths.insert(of_job != clusters.end() && of_job->second.shared_home ? paths.begin() : paths.end(), other);
  }
  const auto open = [&](const std::string& at) { return oar::FileStream::open(*access, fleet::limits_of(call.config), job->login, at); };
  auto first = open(paths.front());
  auto file = !first && paths.size() > 1 && is_missing(first.error()) ? open(paths.back()) : std::move(first);
  if (!file) return unreadable(file.error(), *job, name);
  http::Response response;
  response.headers.add("Content-Type", "application/octet-stream");
  auto shared = std::make_shared<oar::FileStream>(std::move(*file));
  auto held = std::make_shared<ClusterTurns::Turn>(std::move(*turn));
  response.stream = [shared, held = std::move(held), left = *skip](http::Sink& sink) { return pass_on(*shared, left, sink); };
  return response;
}

}  // namespace

std::span<const Route> output_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/outputs", Access::identified, list_outputs, "tasks", Etag::none},
      Route{"GET", "/v1/campaigns/:id/outputs/:name", Access::identified, show_output, "offset", Etag::none, Compression::never},
  };
  return kRoutes;
}

}  // namespace gleaner::api
