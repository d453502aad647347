#include "tests/db/accounting_grid.hpp"

#include <algorithm>

#include "lib/store/kills.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/replicas.hpp"

namespace gleaner::tests::accounting {
namespace {

constexpr auto kScenario = R"({
  "configuration": {"max_attempts": "6", "max_charged_attempts": "2", "expired_quantile": "0.5"},
  "clusters": {"alpha": {"nodes": 8, "cores": 4}, "beta": {"nodes": 8, "cores": 8}},
  "campaigns": [
    {"user": "alice", "project": "physics", "tasks": 130, "resources": "/core=1", "duration": "60s", "walltime": "0:10:00", "replicas": "allowed"},
    {"user": "bob", "tasks": 100, "resources": "/core=2", "duration": "60s", "walltime": "0:20:00", "max_attempts": 3, "max_jobs": 7, "needs": {"matlab": 3}, "groups": ["staff"]},
    {"user": "alice", "project": "biology", "tasks": 110, "resources": "/nodes=1", "takes": 3, "duration": "60s", "walltime": "0:10:00", "replicas": "allowed",
     "needs": {"gpu": 1, "matlab": 1}, "groups": ["staff", "chemistry"], "dimensional_grouping": true}]})";

gridsim::Scenario a_scenario() {
  auto scenario = gridsim::read_scenario(kScenario, ".").value();
  const auto limit = [&](grid::LimitKind kind, grid::Limit one, int days) {
    one.id = std::ssize(scenario.policies.limits) + 1;
    one.kind = kind;
    one.most = 100;
    one.days = days;
    scenario.policies.limits.push_back(std::move(one));
  };
  limit(grid::LimitKind::running_jobs, {}, 1);
  limit(grid::LimitKind::waiting_jobs, {.user = "alice"}, 1);
  limit(grid::LimitKind::resources, {.cluster = grid::ClusterId{2}}, 1);
  limit(grid::LimitKind::resources, {.campaign = grid::CampaignId{3}}, 1);
  limit(grid::LimitKind::resource_seconds, {.project = "physics"}, 2);
  limit(grid::LimitKind::resource_seconds, {.campaign = grid::CampaignId{3}}, 1);
  limit(grid::LimitKind::resource_seconds, {.user = "bob", .cluster = grid::ClusterId{1}}, 3);
  limit(grid::LimitKind::consumable, {.consumable = "matlab"}, 1);
  limit(grid::LimitKind::consumable, {.cluster = grid::ClusterId{2}, .consumable = "matlab"}, 1);
  limit(grid::LimitKind::consumable, {.user = "alice", .consumable = "gpu"}, 1);
  limit(grid::LimitKind::consumable, {.consumable = "idl"}, 1);
  limit(grid::LimitKind::running_jobs, {.group = "staff"}, 1);
  limit(grid::LimitKind::resource_seconds, {.group = "chemistry"}, 2);
  return scenario;
}

}  // namespace

TwoAccounts::TwoAccounts(std::uint64_t seed) : scenario{a_scenario()}, random{seed} {
  now = gridsim::instant_of(100'000);
  transact([&](store::Transaction& t) {
    for (const auto& [id, cores] : {std::pair{alpha, 4}, {beta, 8}}) {
      grid::NodeSizes nodes;
      nodes.add(cores, 8);
      store::record_resources(t, id, 8 * cores, {}, nodes, now);
      store::record_status(t, {.cluster = id, .time = now, .reachable = true});
    }
  });
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) submit(static_cast<int>(i));
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    for (const auto& limit : scenario.policies.limits) store::set_limit(t, limit);
  });
}

void TwoAccounts::submit(int index) {
  const auto& spec = scenario.campaigns[gridsim::index_of(index)];
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    auto jdl = fmt::format(R"({{"project": "{}", "replicas": "{}", "dimensional_grouping": {}, "needs": {{)", spec.project,
                           spec.replicas_allowed ? "allowed" : "refused", spec.side_by_side);
    for (const auto& [name, count] : spec.needs) jdl += fmt::format(R"({}"{}": {})", jdl.ends_with('{') ? "" : ", ", name, count);
    jdl += fmt::format("}}{}}}", spec.max_attempts ? fmt::format(R"(, "max_attempts": {})", *spec.max_attempts) : "");
    const auto id = std::get<grid::CampaignId>(
        store::create_campaign(t, {.user = spec.user, .name = spec.name, .jdl = jdl, .idempotency_key = {}, .groups = spec.groups}, now));
    ASSERT_EQ(id.value(), index + 1);
    for (const auto& one : spec.clusters) {
      ASSERT_TRUE(store::add_campaign_cluster(t, id,
                                              {.name = scenario.clusters[one.cluster].name,
                                               .priority = one.facts.priority,
                                               .exec_file = "run",
                                               .exec_directory = "$HOME",
                                               .resources = "/core=1",
                                               .resources_per_job = one.facts.resources_per_job,
                                               .walltime = grid::Seconds{static_cast<int>(one.facts.walltime)},
                                               .properties = {},
                                               .project = {},
                                               .job_types = {},
                                               .max_jobs = one.facts.max_jobs,
                                               .max_walltime = {},
                                               .output_directory = {},
                                               .output_files = {}}));
    }
    store::write_numbered_tasks(t, id, spec.tasks);
    store::complete_campaign(t, id, spec.tasks);
  });
  scenario.campaigns[gridsim::index_of(index)].at = gridsim::seconds_of(now);
  book.submit(index, now);
}

/// The newest planned launch on the cluster is accepted; its jobs must be those of the book.
void TwoAccounts::accept(int campaign, int cluster, std::vector<int> booked) {
  std::ranges::sort(booked, {}, [&](int job) { return key_of(job); });
  std::vector<store::AcceptedJob> accepted;
  std::vector<AttemptKey> kept;
  std::vector<grid::JobId> lines;
  transact([&](store::Transaction& t) {
    const auto planned = store::planned_launches(t, cluster_id(cluster));
    ASSERT_EQ(planned.size(), booked.empty() ? 0U : 1U);
    if (planned.empty()) return;
    const auto id = planned.back().id;
    ASSERT_TRUE(store::begin_launch(t, {.launch = id, .tag = fmt::format("tag-{}", id.value()), .login = "alice"}, term, now));
    for (const auto& line : store::launch_lines(t, id)) {
      kept.emplace_back(campaign, line.task.value(), line.attempt);
      lines.push_back(line.job);
      if (!line.pooled) accepted.push_back({line.job, remotes.emplace(line.job, grid::RemoteJobId{next_remote++}).first->second});
    }
    ASSERT_EQ(store::accept_launch(t, id, accepted, std::nullopt, now), static_cast<int>(accepted.size()));
  });
  std::vector<AttemptKey> keys;
  for (const int job : booked) keys.push_back(key_of(job));
  ASSERT_EQ(texts(kept), texts(keys));
  for (std::size_t i = 0; i < booked.size(); ++i) {
    const int job = booked[i];
    ids.emplace(job, lines[i]);
    ASSERT_EQ(job_at(job).pooled, i >= accepted.size()) << "the pooled ones are the last ones of both";
    if (job_at(job).pooled) continue;
    job_at(job).state = gridsim::JobState::waiting;
    job_at(job).queued = now;
    book.accept(job, now);
    world.changed.push_back(job);
  }
  book.update({}, now);
}

void TwoAccounts::launch(int campaign, int cluster, int jobs, int pooled) {
  if (scenario.campaigns[gridsim::index_of(campaign)].paused) return;
  const store::PlannedLaunch launch{
      .campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs, .pooled = pooled, .resources = 1.0 * jobs};
  int got = 0;
  transact([&](store::Transaction& t) { got = store::plan_launch(t, launch, term, now); });
  const auto pools = world.pools.size();
  auto booked = book.launch(launch, now);
  ASSERT_EQ(std::ssize(booked), got);
  if (world.pools.size() > pools) {
    const auto& tasks = world.pools.back().tasks;
    booked.insert(booked.end(), tasks.begin(), tasks.end());
    seen["pooled"] += static_cast<int>(tasks.size());
  }
  accept(campaign, cluster, booked);
}

void TwoAccounts::replicate(int campaign, int cluster, int jobs, std::optional<double> longer_than) {
  if (scenario.campaigns[gridsim::index_of(campaign)].paused) return;
  int got = 0;
  transact([&](store::Transaction& t) {
    got = store::plan_replicas(
        t, {.campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs, .longer_than = longer_than}, term,
        now);
  });
  const auto booked =
      book.replicate({.campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs}, longer_than, now);
  ASSERT_EQ(std::ssize(booked), got) << fmt::format("campaign {} on {}, {} jobs, longer than {} s", campaign + 1, cluster + 1, jobs,
                                                    text_of(longer_than));
  seen["replicas"] += got;
  for (const int job : booked) {
    const auto& live = book.campaign(campaign).tasks.at(job_at(job).task).live;
    seen["replicas of pooled"] += job_at(live.front()).pooled ? 1 : 0;
  }
  accept(campaign, cluster, booked);
}

void TwoAccounts::preempt(int campaign, int cluster, int jobs) {
  transact([&](store::Transaction& t) { store::preempt_jobs(t, grid::CampaignId{campaign + 1}, cluster_id(cluster), jobs, now); });
  const auto booked = book.to_preempt({.campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs});
  book.request_kills(booked);
  for (const auto id : booked) to_kill.insert(static_cast<int>(id.value()) - 1);
}

/// As nikita does: some of those that wait.
void TwoAccounts::wipe(int cluster) {
  const auto waiting = book.waiting_jobs(cluster);
  std::vector<grid::JobId> booked, kept;
  for (const auto& job : waiting) {
    if (below(3) != 0) continue;
    booked.push_back(job.id);
    kept.push_back(ids.at(static_cast<int>(job.id.value()) - 1));
    to_kill.insert(static_cast<int>(job.id.value()) - 1);
  }
  book.request_kills(booked);
  transact([&](store::Transaction& t) { store::request_kills(t, kept, store::KillReason::excess, now); });
}

/// For good: when its user resumes it, its failures are forgiven, which gridsim does not know.
void TwoAccounts::hold(int campaign) {
  store::transact(database, std::nullopt,
                  [&](store::Transaction& t) { ASSERT_TRUE(store::hold_campaign(t, grid::CampaignId{campaign + 1})); });
  scenario.campaigns[gridsim::index_of(campaign)].paused = true;
}

void TwoAccounts::forecast() {
  store::StoredForecast one;
  one.campaign = grid::CampaignId{a_campaign_index() + 1};
  one.pairs.push_back({.cluster = cluster_id(static_cast<int>(below(2))),
                       .job_ratio = 1.0 / static_cast<double>(1 + below(4)),
                       .throughput = {},
                       .algorithm = below(2) == 0 ? "measured" : "control"});
  transact([&](store::Transaction& t) { store::write_forecasts(t, std::array{one}, now); });
  book.write(std::array{one});
}

void TwoAccounts::note_submitted() {
  const store::Submitted one{.campaign = grid::CampaignId{a_campaign_index() + 1},
                             .cluster = cluster_id(static_cast<int>(below(2))),
                             .jobs = static_cast<int>(below(5)),
                             .offered = static_cast<double>(below(50)),
                             .first_ratio = 0.25};
  transact([&](store::Transaction& t) { store::write_submitted(t, std::array{one}, now); });
  book.write(std::array{one});
}

void TwoAccounts::start(int job) {
  job_at(job).state = gridsim::JobState::launching;
  job_at(job).held = job_at(job).started = now;
  note_change(job);
}

void TwoAccounts::note_end(int job, grid::JobEnd end) {
  job_at(job).state = gridsim::JobState::ended;
  job_at(job).end = end;
  job_at(job).ended = now;
  note_change(job);
  ++seen[std::string{grid::name_of(end)}];
}

void TwoAccounts::end(int job, grid::JobEnd end) {
  auto& one = job_at(job);
  if (one.pool != gridsim::kNone && end == grid::JobEnd::done && !one.own_end) one.own_end = {now, end};
  for (const int carried : std::exchange(one.carries, {})) note_end(carried, grid::JobEnd::preempted);
  note_end(job, one.own_end ? one.own_end->end : end);
  if (one.pool == gridsim::kNone) return;
  auto& pool = world.pools[gridsim::index_of(one.pool)];
  if (std::ranges::any_of(pool.carriers, [&](int carrier) { return job_at(carrier).state != gridsim::JobState::ended; })) return;
  for (const int left : std::exchange(pool.tasks, {})) note_end(left, grid::JobEnd::not_reached);
}

void TwoAccounts::carry_on(int carrier, grid::JobEnd end) {
  auto& one = job_at(carrier);
  for (const int carried : std::exchange(one.carries, {})) note_end(carried, end);
  if (!one.own_end) one.own_end = {now, end};
  auto& pool = world.pools[gridsim::index_of(one.pool)];
  if (pool.tasks.empty()) return;
  const int carried = pool.tasks.front();
  pool.tasks.pop_front();
  one.carries = {carried};
  auto& next = job_at(carried);
  next.carrier = carrier;
  next.state = gridsim::JobState::running;
  next.held = next.started = now;
  note_change(carried);
  ++seen["carried"];
}

/// As the updator judges it.
store::Verdict TwoAccounts::verdict_of(store::Transaction& t, int index) {
  const auto& job = job_at(index);
  store::Verdict verdict{.left = store::facts_for_settling(t, std::array{ids.at(index)}).at(0),
                         .end = *job.end,
                         .started_at = job.held,
                         .ended_at = job.ended};
  if (job.held && !job.pooled) verdict.resources = job.width;
  const auto took = [&](grid::Instant ended) { return gridsim::seconds_of(ended) - gridsim::seconds_of(*job.started); };
  if (job.pooled) {
    verdict.started_at = verdict.ended_at = std::nullopt;
    if (job.end == grid::JobEnd::done) {
      verdict.duration = took(job.ended);
      verdict.started_at = now - (job.ended - *job.started);
    }
  } else if (job.own_end) {
    verdict.duration = took(job.own_end->at);
  }
  verdict.state = verdict.end == grid::JobEnd::done           ? grid::JobState::terminated
                  : verdict.end == grid::JobEnd::killed_by_us ? grid::JobState::killed
                                                              : grid::JobState::error;
  verdict.left.job.began = verdict.left.job.claimed = job.held.has_value();
  const auto& config = scenario.config;
  verdict.settlement = grid::settle(
      verdict.left.task, verdict.left.job, verdict.end,
      verdict.end == grid::JobEnd::killed_by_us ? grid::Deletion::ours : grid::Deletion::none,
      {.attempts = config.max_attempts, .charged = config.max_charged_attempts, .walltime_factor = config.walltime_retry_factor});
  return verdict;
}

void TwoAccounts::note_claims(store::Transaction& t, const std::set<int>& jobs) {
  std::vector<store::Claimed> claims;
  for (const int job : jobs) {
    const auto& one = job_at(job);
    if (one.pooled && one.held && claimed.insert(job).second) claims.push_back({ids.at(job), remotes.at(ids.at(one.carrier))});
  }
  store::note_carriers(t, claims, now);
}

/// As judge_pools() has it from the files.
void TwoAccounts::note_read(store::Transaction& t, int cluster) {
  store::ReadPools read;
  for (const auto& pool : store::live_pools(t, cluster_id(cluster))) {
    read.launches.push_back(pool.launch);
    for (const auto& [job, id] : ids) {
      if (job_at(job).own_end &&
          std::ranges::any_of(pool.carriers, [&](const auto& one) { return one.second.job == id && !one.second.end; }))
        read.carriers.push_back(id);
    }
  }
  store::note_read(t, read, now);
}

/// The updator visits one cluster.
void TwoAccounts::update(int cluster) {
  const auto jobs = std::exchange(changed[static_cast<std::size_t>(cluster)], {});
  transact([&](store::Transaction& t) {
    std::vector<store::Observation> observations;
    std::vector<store::Verdict> verdicts;
    std::set<int> judged;
    for (const int job : jobs) {
      if (!judged.insert(job).second) continue;
      if (job_at(job).state != gridsim::JobState::ended && !job_at(job).pooled)
        observations.push_back(
            {.job = ids.at(job), .state = grid::JobState::running, .started_at = job_at(job).held, .resources = job_at(job).width});
      else to_kill.erase(job);
    }
    store::observe_jobs(t, observations);
    note_claims(t, judged);
    note_read(t, cluster);
    for (const int job : judged) {
      if (job_at(job).state == gridsim::JobState::ended) verdicts.push_back(verdict_of(t, job));
    }
    ASSERT_EQ(store::settle_jobs(t, verdicts, now), static_cast<int>(verdicts.size()));
    static_cast<void>(store::finish_campaigns(t, now));
    store::request_kills_of_superseded(t, now);
  });
  world.changed = jobs;
  book.read_pools(gridsim::index_of(cluster), now);
  book.update({}, now);
  const auto superseded = book.take_superseded();
  book.request_kills(superseded);
  for (const auto job : superseded) to_kill.insert(static_cast<int>(job.value()) - 1);
  seen["superseded"] += static_cast<int>(superseded.size());
}

}  // namespace gleaner::tests::accounting
