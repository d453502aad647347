#include "sim/world/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ranges>
#include <set>

#include "sim/minioar/api.hpp"
#include "sim/minioar/engine.hpp"
#include "sim/world/campaigns.hpp"
#include "sim/world/tasks.hpp"
#include "sim/world/text_body.hpp"
#include "sim/wrapper/executor.hpp"

namespace gleaner::world {
namespace {

namespace fs = std::filesystem;
using Time = std::chrono::system_clock::time_point;

constexpr std::string_view kLocalUser{"local"};
constexpr int kLooks = 4;
constexpr std::chrono::minutes kLookEach{30};

Time time_of(grid::Instant instant) { return std::chrono::time_point_cast<Time::duration>(instant); }
grid::Instant instant_of(Time time) { return std::chrono::ceil<grid::Instant::duration>(time); }

}  // namespace

Cluster::Cluster(std::string name, const fs::path& folder, const Settings& settings, const VirtualClock& clock, Faults& faults,
                 Trace& trace)
    : name_{std::move(name)}, clock_{clock}, faults_{faults}, trace_{trace}, clock_of_oar_{faults, "OAR", name_} {
  minioar::EngineOptions options;
  options.state_directory = (folder / name_).string();
  options.homes = (folder / name_ / "homes").string();
  options.shape = {.name = name_, .nodes = settings.nodes, .cores = settings.cores};
  options.start_delay = std::chrono::milliseconds{500};
  options.clock = [&clock] { return time_of(clock.now()); };
  for (const auto* user : {"alice", "bob", "carol", "dora", "local"}) fs::create_directories(folder / name_ / "homes" / user);
  tasks_ = std::make_unique<Tasks>(name_, clock_, faults_, trace_);
  executor_ = std::make_unique<wrapper::ModelExecutor>(*tasks_);
  auto started = minioar::Engine::start_driven(std::move(options), *executor_);
  if (!started) throw std::runtime_error{started.error()};
  engine_ = std::move(*started);
  minioar::ApiOptions api;
  api.prefix = prefix_;
  api.accept = minioar::Users::any;
  api_ = std::make_unique<minioar::Api>(*engine_, std::move(api));
  plan_changes(settings);
}

Cluster::~Cluster() = default;

/// The cluster's events, by the seed.
void Cluster::plan_changes(const Settings& settings) {
  for (const auto& outage : faults_.outages(Fault::server_death, name_)) {
    changes_.push_back({outage.begin, Change::Kind::server_dies});
    changes_.push_back({outage.end, Change::Kind::server_starts});
  }
  Random random{settings.seed, fmt::format("local jobs of {}", name_)};
  for (const auto& outage : faults_.outages(Fault::local_jobs, name_)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(outage.end - outage.begin).count();
    const auto cores = static_cast<int>(random.between(1, settings.nodes * settings.cores));
    changes_.push_back({outage.begin, Change::Kind::local_job, seconds, cores});
    // OAR may say for ever that it launches it. The first look may come before OAR starts the job.
    for (int look = 1; look <= kLooks; ++look) changes_.push_back({outage.end + look * kLookEach, Change::Kind::local_user_looks});
  }
  for (const auto& outage : faults_.outages(Fault::failed_launch, name_)) changes_.push_back({outage.begin, Change::Kind::launch_fails});
  for (const auto& step : clock_of_oar_.steps()) {
    changes_.push_back({step.begin, Change::Kind::clock_steps, step.ahead.count()});
    changes_.push_back({step.end, Change::Kind::clock_steps, -step.ahead.count()});
  }
  std::ranges::stable_sort(changes_, {}, &Change::at);
}

void Cluster::make(const Change& change) {
  switch (change.kind) {
    case Change::Kind::server_dies: faults_.count(Fault::server_death); return engine_->server_dies({});
    case Change::Kind::server_starts: return engine_->server_starts();
    case Change::Kind::clock_steps:
      engine_->step_clock(std::chrono::seconds{change.seconds});
      return trace_.note(fmt::format("{} the clock of OAR steps by {} s", name_, change.seconds));
    case Change::Kind::launch_fails: {
      constexpr std::array kFates{minioar::LaunchFate::launching, minioar::LaunchFate::running, minioar::LaunchFate::unseen,
                                  minioar::LaunchFate::resubmitted, minioar::LaunchFate::run_twice};
      faults_.count(Fault::failed_launch);
      return fail_launch(faults_.random(Fault::failed_launch).one_of(kFates));
    }
    case Change::Kind::local_user_looks: return delete_unlaunched_local_jobs();
    case Change::Kind::local_job: {
      const auto body = fmt::format(R"({{"resource": "/core={},walltime=2:00:00", "command": "task {}"}})", change.cores,
                                    text_of(Behaviour{.seconds = change.seconds}));
      TextBody text{body};
      http::Request request;
      request.method = "POST";
      request.target = request.path = prefix_ + "/jobs.json";
      request.headers.add("Content-Type", "application/json");
      request.headers.add("Accept", "application/json");
      request.headers.add("X_REMOTE_IDENT", std::string{kLocalUser});
      request.body = &text;
      const auto answer = api_->handle(request);
      faults_.count(Fault::local_jobs);
      return trace_.note(fmt::format("{} local job of {} cores for {} s: {}", name_, change.cores, change.seconds, answer.status));
    }
  }
}

void Cluster::fail_launch(minioar::LaunchFate fate) {
  trace_.note(fmt::format("{} fails its next launch: {}", name_, minioar::kLaunchFateNames.at(static_cast<std::size_t>(fate))));
  engine_->spoil_launches(fate, 1);
}

/// Deletes the local jobs that OAR failed to launch and still has.
void Cluster::delete_unlaunched_local_jobs() {
  const auto unlaunched = engine_->read([](minioar::Ledger& ledger) {
    std::vector<minioar::JobNumber> found;
    for (const auto id : ledger.unfinished()) {
      const auto* job = ledger.find(id);
      if (job->submission->user == kLocalUser && job->missed == minioar::Missed::start && !job->fragged) found.push_back(id);
    }
    return found;
  });
  for (const auto id : unlaunched) {
    const bool is_deleted = engine_->kill(std::string{kLocalUser}, id).has_value();
    trace_.note(fmt::format("{} local job {} was never launched, its user deletes it: {}", name_, id, is_deleted));
  }
}

http::Response Cluster::handle(const http::Request& request) {
  catch_up();
  return api_->handle(request);
}

std::optional<grid::Instant> Cluster::next_event() {
  std::optional<grid::Instant> next;
  if (const auto event = engine_->next_event()) next = instant_of(*event);
  if (made_ < changes_.size()) next = std::min(next.value_or(changes_[made_].at), changes_[made_].at);
  return next;
}

void Cluster::catch_up() {
  for (; made_ < changes_.size() && changes_[made_].at <= clock_.now(); ++made_) {
    engine_->step_to(time_of(changes_[made_].at));
    make(changes_[made_]);
  }
  engine_->step_to(time_of(clock_.now()));
}

const std::vector<Work>& Cluster::works() const { return tasks_->works(); }

std::vector<Work> Cluster::take_works() {
  const auto& all = works();
  std::vector<Work> fresh{all.begin() + static_cast<std::ptrdiff_t>(taken_), all.end()};
  taken_ = all.size();
  return fresh;
}

std::vector<Cluster::Unfinished> Cluster::unfinished() {
  return engine_->read([](minioar::Ledger& ledger) {
    std::vector<Unfinished> found;
    for (const auto id : ledger.unfinished()) {
      const auto* job = ledger.find(id);
      if (job->submission->user == kLocalUser) continue;
      std::string history = fmt::format("submitted at {}, in place of {}", job->submission->submission_time, job->resubmitted);
      for (const auto& event : job->events) history += ", " + event.type;
      found.push_back({id, job->state, job->missed == minioar::Missed::start, history});
    }
    return found;
  });
}

std::vector<Work> Cluster::under_way() {
  return engine_->read([&](minioar::Ledger& ledger) {
    const auto& unfinished = ledger.unfinished();
    std::vector<Work> found;
    std::set<minioar::JobNumber> seen;
    for (const auto& work : std::views::reverse(works())) {  // the last one of each job
      if (seen.size() == unfinished.size()) break;
      if (!unfinished.contains(work.job) || !seen.insert(work.job).second) continue;
      const auto* job = ledger.find(work.job);
      if (work.is_whole || job->state != minioar::JobState::running) continue;
      found.push_back(work);
      found.back().cores = static_cast<int>(job->resources.size());
    }
    return found;
  });
}

std::vector<Work> Cluster::unseen() {
  std::vector<Work> found;
  for (const auto id : engine_->strays()) {
    const auto last_first = std::views::reverse(works());
    const auto work = std::ranges::find(last_first, id, &Work::job);
    if (work != last_first.end() && !work->is_whole) found.push_back(*work);
  }
  return found;
}

Clusters::Clusters(const fs::path& folder, const Settings& settings, const VirtualClock& clock, Faults& faults, Trace& trace) {
  for (int place = 0; place < settings.clusters; ++place) {
    const auto name = fmt::format("k{:02}", place);
    clusters_.emplace(name, std::make_unique<Cluster>(name, folder, settings, clock, faults, trace));
  }
}

std::vector<std::string> Clusters::names() const {
  std::vector<std::string> names;
  for (const auto& [name, cluster] : clusters_) names.push_back(name);
  return names;
}

std::optional<grid::Instant> Clusters::next_event() {
  std::optional<grid::Instant> next;
  for (auto& [name, cluster] : clusters_) {
    if (const auto event = cluster->next_event()) next = std::min(next.value_or(*event), *event);
  }
  return next;
}

void Clusters::catch_up() {
  for (auto& [name, cluster] : clusters_) cluster->catch_up();
}

}  // namespace gleaner::world
