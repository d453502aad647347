#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "lib/store/kills.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/replicas.hpp"
#include "metascheduler/facts_of.hpp"
#include "sim/gridsim/engine/book.hpp"
#include "sim/gridsim/engine/random.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "tests/db/grid_fixture.hpp"

// Production counts in SQL, gridsim in C++ (its Book). The same random history goes through both, and what they tell the planner, the
// predictor and nikita must be the same. What the simulated clusters never do is not in it: launches without an answer, orphans and
// duplicates, tasks bound to a cluster, walltimes that grow, tasks that ask for different things, sinks, cancelled campaigns.
namespace gleaner::tests {
namespace {

using grid::JobEnd;
using gridsim::instant_of;
using gridsim::seconds_of;

constexpr std::array kEnds{JobEnd::task_error,   JobEnd::preempted,    JobEnd::walltime,    JobEnd::killed_elsewhere,
                           JobEnd::node_failure, JobEnd::cannot_start, JobEnd::bad_request, JobEnd::lost};
constexpr int kAlpha = 0, kBeta = 1;

constexpr auto kScenario = R"({
  "configuration": {"max_attempts": "6", "max_charged_attempts": "2", "expired_quantile": "0.5"},
  "clusters": {"alpha": {"nodes": 8, "cores": 4}, "beta": {"nodes": 8, "cores": 8}},
  "campaigns": [
    {"user": "alice", "project": "physics", "tasks": 60, "resources": "/core=1", "duration": "60s", "walltime": "0:10:00", "replicas": "allowed"},
    {"user": "bob", "tasks": 40, "resources": "/core=2", "duration": "60s", "walltime": "0:20:00", "max_attempts": 3, "max_jobs": 7},
    {"user": "alice", "project": "biology", "tasks": 50, "resources": "/nodes=1", "takes": 3, "duration": "60s", "walltime": "0:10:00", "replicas": "allowed"}]})";

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
  return scenario;
}

std::string text_of(std::optional<grid::Instant> instant) { return instant ? fmt::format("{:.6f}", seconds_of(*instant)) : "-"; }
template <class Number>
std::string text_of(std::optional<Number> number) {
  return number ? fmt::format("{:.6g}", static_cast<double>(*number)) : "-";
}

std::string text_of(const grid::PairFacts& p) {
  return fmt::format(
      "pair {}/{}: priority {} width {} walltime {} most {} login {}; launching {} waiting {} running {} unknown {}; concluded {} done {} took {:.6f} squares {:.3f}; failures {}{}; resources {} of {}; "
      "started {} accepted {}; ratio {} submitted {} offered {}; active {} returned {} suspected {} unseen {} fitting {}",
      p.campaign.value(), p.cluster.value(), p.priority, text_of(p.resources_per_job), p.walltime, text_of(p.max_jobs), p.login,
      p.launching, p.waiting, p.running, p.unknown, p.concluded_jobs, p.done, p.duration_sum, p.duration_squares, p.failures_in_a_row,
      p.last_failure_at ? " ever" : "", p.resources_sum, p.resources_jobs, text_of(p.last_start_at), text_of(p.last_accept_at),
      text_of(p.forecast_ratio), p.last_submitted, p.last_offered, p.active, p.returned_tasks, p.suspected, p.unseen,
      text_of(p.fitting_tasks));
}

std::string text_of(const grid::CampaignFacts& c) {
  return fmt::format("campaign {}: {} {} priority {} project {} submitted {} waiting {} replicas {}", c.id.value(), c.user,
                     grid::name_of(c.state), c.priority, c.project, text_of(std::optional{c.submitted}), c.waiting_tasks,
                     c.replicas_allowed);
}

std::string text_of(const store::PredictionPair& p) {
  return fmt::format(
      "pair {}/{}: active {} width {} running {} waiting {} resources {} of {} done {} took {:.6f} squares {:.3f} started {} accepted {} ratio {} submitted {} offered {} ended {} walltime {} most {}",
      p.campaign.value(), p.cluster.value(), p.active, text_of(p.resources_per_job), p.running, p.waiting, p.resources_sum,
      p.resources_jobs, p.done, p.duration_sum, p.duration_squares, text_of(p.last_start_at), text_of(p.last_accept_at),
      text_of(p.forecast_ratio), p.last_submitted, p.last_offered, p.ended_in_window, p.walltime, text_of(p.max_jobs));
}

std::string text_of(const store::PredictionCampaign& c) {
  return fmt::format("campaign {}: submitted {} first start {} remaining {} running {} ended {} paused {}", c.id.value(),
                     text_of(std::optional{c.submitted_at}), text_of(c.first_start_at), c.remaining, c.running, c.ended_in_window,
                     c.paused);
}

std::string text_of(const grid::Limit& l) {
  return fmt::format("limit {} {}: {:.3f}", l.id, grid::name_of(l.kind), l.used + 1e-7);
}  // never half a millisecond, but for chance
std::string text_of(const grid::Ending& e) { return fmt::format("on {} after {} s: {}", e.cluster.value(), e.after, e.resources); }
std::string text_of(const grid::DyingJobs& d) { return fmt::format("{}/{}: {} dying", d.campaign.value(), d.cluster.value(), d.jobs); }
std::string text_of(const grid::Replicable& r) {
  return fmt::format("{}/{}: {} of {} beyond {}", r.campaign.value(), r.cluster.value(), r.expired, r.tasks, text_of(r.expected));
}
std::string text_of(const store::WaitingJob& w) {
  return fmt::format("job of {} since {}, width {} ratio {} started {} accepted {}", w.campaign.value(),
                     text_of(std::optional{w.submitted_at}), text_of(w.resources_per_job), text_of(w.job_ratio), text_of(w.last_start_at),
                     text_of(w.last_accept_at));
}
std::string text_of(const std::tuple<int, std::int64_t, int>& job) {
  return fmt::format("campaign {} task {} attempt {}", std::get<0>(job) + 1, std::get<1>(job), std::get<2>(job));
}

template <class Things>
std::vector<std::string> texts(const Things& things) {
  std::vector<std::string> all;
  for (const auto& one : things) all.push_back(text_of(one));
  return all;
}

/// What the two say otherwise, line by line.
std::string difference(const std::vector<std::string>& booked, const std::vector<std::string>& stored) {
  std::string text;
  for (std::size_t i = 0; i < std::max(booked.size(), stored.size()); ++i) {
    const auto in_book = i < booked.size() ? booked[i] : "nothing", in_store = i < stored.size() ? stored[i] : "nothing";
    if (in_book != in_store) text += fmt::format("\n  gridsim:    {}\n  production: {}", in_book, in_store);
  }
  return text;
}

std::vector<std::string> texts_of_usage(const std::vector<grid::UsageOfDay>& usage) {
  std::map<std::tuple<std::string, std::string, int>, double> sums;
  for (const auto& one : usage) sums[{one.user, one.project, one.days_ago}] += one.resource_seconds;
  std::vector<std::string> all;
  for (const auto& [key, seconds] : sums) {
    if (seconds > 0) all.push_back(fmt::format("{} {} {} days ago: {:.6f}", std::get<0>(key), std::get<1>(key), std::get<2>(key), seconds));
  }
  return all;
}

/// A grid that is kept twice: `stored` by production's functions on PostgreSQL, `booked` by gridsim.
class Accounting : public GridFixture, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  Accounting() {
    now = instant_of(100'000);
    transact([&](store::Transaction& t) {
      for (const auto& [id, cores] : {std::pair{alpha, 4}, {beta, 8}}) {
        grid::NodeSizes nodes;
        nodes.add(cores, 8);
        store::record_resources(t, id, 8 * cores, nodes, now);
        store::record_status(t, {.cluster = id, .time = now, .reachable = true});
      }
    });
    for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) submit(static_cast<int>(i));
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      for (const auto& limit : scenario.policies.limits) store::set_limit(t, limit);
    });
  }

  void submit(int index);
  void launch(int campaign, int cluster, int jobs);
  void replicate(int campaign, int cluster, int jobs, std::optional<double> longer_than);
  void preempt(int campaign, int cluster, int jobs);
  void wipe(int cluster);
  void hold(int campaign);
  void forecast();
  void note_submitted();
  void start(int job);
  void end(int job, JobEnd end);
  void look(int cluster);
  void compare();
  void step();

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random.next() % bound; }
  [[nodiscard]] int a_campaign_index() { return static_cast<int>(below(scenario.campaigns.size())); }
  [[nodiscard]] std::vector<int> jobs_in(std::initializer_list<gridsim::JobState> states) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < world.jobs.size(); ++i) {
      if (std::ranges::find(states, world.jobs[i].state) != states.end()) found.push_back(static_cast<int>(i));
    }
    return found;
  }
  [[nodiscard]] gridsim::Job& job_at(int job) { return world.jobs[gridsim::index_of(job)]; }
  [[nodiscard]] grid::ClusterId cluster_id(int cluster) const { return cluster == kAlpha ? alpha : beta; }
  void changed(int job) { unheard[static_cast<std::size_t>(job_at(job).cluster)].push_back(job); }

 private:
  using Key = std::tuple<int, std::int64_t, int>;  ///< campaign, task, attempt
  Key key_of(int job) { return {job_at(job).campaign, job_at(job).task, job_at(job).attempt - 1}; }
  void accept(int campaign, int cluster, std::vector<int> booked);
  [[nodiscard]] store::Verdict verdict_of(store::Transaction& t, int job);
  void compare_failures(const std::vector<grid::PairFacts>& stored, const std::vector<grid::PairFacts>& booked);

 protected:
  gridsim::Scenario scenario = a_scenario();
  gridsim::World world{scenario, {}, {}, {}, {}};
  gridsim::Book book{world};
  gridsim::Random random{GetParam()};
  std::map<int, grid::JobId> ids;           ///< of the jobs, in the database
  std::array<std::vector<int>, 2> unheard;  ///< by cluster: jobs that changed since the grid last looked there
  std::set<int> observed;                   ///< as running
  std::set<int> condemned;                  ///< and not over, as far as the grid knows
  std::map<std::string, int> seen;          ///< what the history had
  std::size_t next_end = 0;                 ///< of those in kEnds
  std::map<std::size_t, std::pair<std::optional<grid::Instant>, std::optional<grid::Instant>>> failures;  ///< of each pair: stored, booked
};

void Accounting::submit(int index) {
  const auto& spec = scenario.campaigns[gridsim::index_of(index)];
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    const auto jdl = fmt::format(R"({{"project": "{}", "replicas": "{}"{}}})", spec.project, spec.replicas_allowed ? "allowed" : "refused",
                                 spec.max_attempts ? fmt::format(R"(, "max_attempts": {})", *spec.max_attempts) : "");
    const auto id = std::get<grid::CampaignId>(
        store::create_campaign(t, {.user = spec.user, .name = spec.name, .jdl = jdl, .idempotency_key = {}}, now));
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
                                               .max_walltime = {}}));
    }
    store::write_numbered_tasks(t, id, spec.tasks);
    store::complete_campaign(t, id, spec.tasks);
  });
  scenario.campaigns[gridsim::index_of(index)].at = seconds_of(now);
  book.submit(index, now);
}

/// The newest planned launch on the cluster is accepted; its jobs must be those of the book.
void Accounting::accept(int campaign, int cluster, std::vector<int> booked) {
  std::ranges::sort(booked, {}, [&](int job) { return key_of(job); });
  std::vector<store::AcceptedJob> accepted;
  std::vector<Key> stored;
  transact([&](store::Transaction& t) {
    const auto planned = store::planned_launches(t, cluster_id(cluster));
    ASSERT_EQ(planned.size(), booked.empty() ? 0U : 1U);
    if (planned.empty()) return;
    const auto id = planned.back().id;
    ASSERT_TRUE(store::begin_launch(t, {.launch = id, .tag = fmt::format("tag-{}", id.value()), .login = "alice"}, term, now));
    for (const auto& line : store::launch_lines(t, id)) {
      stored.emplace_back(campaign, line.task.value(), line.attempt);
      accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
    }
    ASSERT_EQ(store::accept_launch(t, id, accepted, std::nullopt, now), static_cast<int>(accepted.size()));
  });
  std::vector<Key> keys;
  for (const int job : booked) keys.push_back(key_of(job));
  ASSERT_EQ(texts(stored), texts(keys));
  for (std::size_t i = 0; i < booked.size(); ++i) {
    const int job = booked[i];
    ids.emplace(job, accepted[i].job);
    job_at(job).state = gridsim::JobState::waiting;
    job_at(job).queued = now;
    book.accept(job, now);
    world.changed.push_back(job);
  }
  book.look({}, now);
}

void Accounting::launch(int campaign, int cluster, int jobs) {
  if (scenario.campaigns[gridsim::index_of(campaign)].paused) return;
  const store::PlannedLaunch launch{
      .campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs, .resources = 1.0 * jobs};
  int got = 0;
  transact([&](store::Transaction& t) { got = store::plan_launch(t, launch, term, now); });
  const auto booked = book.launch(launch, now);
  ASSERT_EQ(std::ssize(booked), got);
  accept(campaign, cluster, booked);
}

void Accounting::replicate(int campaign, int cluster, int jobs, std::optional<double> longer_than) {
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
  accept(campaign, cluster, booked);
}

void Accounting::preempt(int campaign, int cluster, int jobs) {
  transact([&](store::Transaction& t) { store::preempt_jobs(t, grid::CampaignId{campaign + 1}, cluster_id(cluster), jobs, now); });
  const auto booked = book.to_preempt({.campaign = grid::CampaignId{campaign + 1}, .cluster = cluster_id(cluster), .jobs = jobs});
  book.condemn(booked);
  for (const auto id : booked) condemned.insert(static_cast<int>(id.value()) - 1);
}

/// As nikita does: some of those that wait.
void Accounting::wipe(int cluster) {
  const auto waiting = book.waiting_jobs(cluster);
  std::vector<grid::JobId> booked, stored;
  for (const auto& job : waiting) {
    if (below(3) != 0) continue;
    booked.push_back(job.id);
    stored.push_back(ids.at(static_cast<int>(job.id.value()) - 1));
    condemned.insert(static_cast<int>(job.id.value()) - 1);
  }
  book.condemn(booked);
  transact([&](store::Transaction& t) { store::request_kills(t, stored, store::KillReason::excess, now); });
}

/// For good: when its user resumes it, its failures are forgiven, which gridsim does not know.
void Accounting::hold(int campaign) {
  store::transact(database, std::nullopt,
                  [&](store::Transaction& t) { ASSERT_TRUE(store::hold_campaign(t, grid::CampaignId{campaign + 1})); });
  scenario.campaigns[gridsim::index_of(campaign)].paused = true;
}

void Accounting::forecast() {
  store::StoredForecast one;
  one.campaign = grid::CampaignId{a_campaign_index() + 1};
  one.pairs.push_back(
      {.cluster = cluster_id(static_cast<int>(below(2))), .job_ratio = 1.0 / static_cast<double>(1 + below(4)), .throughput = {}});
  transact([&](store::Transaction& t) { store::write_forecasts(t, std::array{one}, now); });
  book.write(std::array{one});
}

void Accounting::note_submitted() {
  const store::Submitted one{.campaign = grid::CampaignId{a_campaign_index() + 1},
                             .cluster = cluster_id(static_cast<int>(below(2))),
                             .jobs = static_cast<int>(below(5)),
                             .offered = static_cast<double>(below(50)),
                             .first_ratio = 0.25};
  transact([&](store::Transaction& t) { store::write_submitted(t, std::array{one}, now); });
  book.write(std::array{one});
}

void Accounting::start(int job) {
  job_at(job).state = gridsim::JobState::launching;
  job_at(job).held = now;
  changed(job);
}

void Accounting::end(int job, JobEnd end) {
  job_at(job).state = gridsim::JobState::ended;
  job_at(job).end = end;
  job_at(job).ended = now;
  changed(job);
  ++seen[std::string{grid::name_of(end)}];
}

/// As the updator judges it.
store::Verdict Accounting::verdict_of(store::Transaction& t, int index) {
  const auto& job = job_at(index);
  store::Verdict verdict{.left = store::facts_for_settling(t, std::array{ids.at(index)}).at(0),
                         .end = *job.end,
                         .started_at = job.held,
                         .ended_at = job.ended};
  if (job.held) verdict.resources = job.width;
  verdict.state = verdict.end == JobEnd::done           ? grid::JobState::terminated
                  : verdict.end == JobEnd::killed_by_us ? grid::JobState::killed
                                                        : grid::JobState::error;
  verdict.left.job.began = verdict.left.job.claimed = job.held.has_value();
  const auto& config = scenario.config;
  verdict.settlement = grid::settle(
      verdict.left.task, verdict.left.job, verdict.end, verdict.end == JobEnd::killed_by_us ? grid::Deletion::ours : grid::Deletion::none,
      {.attempts = config.max_attempts, .charged = config.max_charged_attempts, .walltime_factor = config.walltime_retry_factor});
  return verdict;
}

/// The updator visits one cluster.
void Accounting::look(int cluster) {
  const auto jobs = std::exchange(unheard[static_cast<std::size_t>(cluster)], {});
  transact([&](store::Transaction& t) {
    std::vector<store::Observation> observations;
    std::vector<store::Verdict> verdicts;
    std::set<int> judged;
    for (const int job : jobs) {
      if (!judged.insert(job).second) continue;
      if (job_at(job).state != gridsim::JobState::ended)
        observations.push_back(
            {.job = ids.at(job), .state = grid::JobState::running, .started_at = job_at(job).held, .resources = job_at(job).width});
      else condemned.erase(job);
    }
    store::observe_jobs(t, observations);
    for (const int job : judged) {
      if (job_at(job).state == gridsim::JobState::ended) verdicts.push_back(verdict_of(t, job));
    }
    ASSERT_EQ(store::settle_jobs(t, verdicts, now), static_cast<int>(verdicts.size()));
    static_cast<void>(store::finish_campaigns(t, now));
    store::request_kills_of_superseded(t, now);
  });
  world.changed = jobs;
  book.look({}, now);
  const auto losers = book.take_losers();
  book.condemn(losers);
  for (const auto loser : losers) condemned.insert(static_cast<int>(loser.value()) - 1);
  seen["losers"] += static_cast<int>(losers.size());
}

/// The database has its own clock for the last failure: only whether there is a new one is the same.
void Accounting::compare_failures(const std::vector<grid::PairFacts>& stored, const std::vector<grid::PairFacts>& booked) {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    auto& [in_store, in_book] = failures[static_cast<std::size_t>(stored[i].campaign.value() * 2 + stored[i].cluster.value())];
    const bool failed = std::exchange(in_store, stored[i].last_failure_at) != stored[i].last_failure_at;
    EXPECT_EQ(std::exchange(in_book, booked[i].last_failure_at) != booked[i].last_failure_at, failed) << text_of(stored[i]);
  }
}

void Accounting::compare() {
  const auto& config = scenario.config;
  const auto window = now - std::chrono::minutes{10};
  const auto booked = book.planning_facts(now);
  const auto predicted = book.prediction_facts(window);
  transact([&](store::Transaction& t) {
    const auto stored = store::planning_facts(t, {.flood = config.flood, .array_size = config.array_size}, now);
    EXPECT_EQ(difference(texts(booked.campaigns), texts(stored.campaigns)), "");
    EXPECT_EQ(difference(texts(booked.pairs), texts(stored.pairs)), "");
    compare_failures(stored.pairs, booked.pairs);
    for (std::size_t i = 0; i < stored.clusters.size(); ++i)
      EXPECT_EQ(booked.clusters[i].max_node_resources, stored.clusters[i].max_node_resources);
    EXPECT_EQ(difference(texts(booked.policies.replicable),
                         texts(store::replicable_tasks(t, config.expired_quantile, metascheduler::kTellingEnds, now))),
              "");
    auto policies = store::policy_facts(t, {.usage_days = 365, .endings = true, .dying = true}, now);
    std::ranges::sort(policies.dying, {}, [](const auto& one) { return std::pair{one.campaign, one.cluster}; });
    EXPECT_EQ(difference(texts(booked.policies.limits), texts(policies.limits)), "");
    EXPECT_EQ(difference(texts_of_usage(booked.policies.usage), texts_of_usage(policies.usage)), "");
    EXPECT_EQ(difference(texts(booked.policies.endings), texts(policies.endings)), "");
    EXPECT_EQ(difference(texts(booked.policies.dying), texts(policies.dying)), "");
    const auto foreseen = store::prediction_facts(t, config.flood, window);
    EXPECT_EQ(difference(texts(predicted.campaigns), texts(foreseen.campaigns)), "");
    EXPECT_EQ(difference(texts(predicted.pairs), texts(foreseen.pairs)), "");
    std::set<grid::JobId> kills, dying;
    for (const int job : condemned) dying.insert(ids.at(job));
    for (const int cluster : {kAlpha, kBeta}) {
      EXPECT_EQ(difference(texts(book.waiting_jobs(cluster)), texts(store::waiting_jobs(t, cluster_id(cluster)))), "");
      for (const auto& kill : store::pending_kills(t, cluster_id(cluster), now)) kills.insert(kill.job);
    }
    ASSERT_EQ(dying, kills);
  });
}

void Accounting::step() {
  now += std::chrono::microseconds{1 + below(40'000'000)};
  if (below(60) == 0) now += std::chrono::hours{11};
  const int cluster = static_cast<int>(below(2));
  switch (below(16)) {
    case 0:
    case 1: return launch(a_campaign_index(), cluster, 1 + static_cast<int>(below(4)));
    case 2:
      return replicate(below(2) == 0 ? 0 : 2, cluster, 1 + static_cast<int>(below(2)),
                       below(2) == 0 ? std::nullopt : std::optional{static_cast<double>(below(200))});
    case 3: return below(4) == 0 ? preempt(a_campaign_index(), cluster, static_cast<int>(below(3))) : wipe(cluster);
    case 4: return forecast();
    case 5: return note_submitted();
    case 6:
    case 7:
    case 8: {
      const auto waiting = jobs_in({gridsim::JobState::waiting});
      for (std::uint64_t i = 0; i < 3 && i < waiting.size(); ++i) start(waiting[i]);
      return;
    }
    case 9:
    case 10:
    case 11:
    case 12: {
      for (std::uint64_t i = below(3); i < 3; ++i) {
        const auto live = jobs_in({gridsim::JobState::waiting, gridsim::JobState::launching});
        if (live.empty()) return;
        const int job = live[below(live.size())];
        if (condemned.contains(job) || job_at(job).state == gridsim::JobState::waiting)
          end(job, below(8) == 0 && job_at(job).held ? JobEnd::done : JobEnd::killed_by_us);
        else end(job, below(5) < 3 ? JobEnd::done : kEnds[next_end++ % kEnds.size()]);
        now += std::chrono::microseconds{1 + below(1'000'000)};
      }
      return;
    }
    default: return look(cluster);
  }
}

TEST_P(Accounting, OfTheSameHistory_IsTheSameInProductionAndInGridsim) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  for (int i = 0; i < 300; ++i) {
    i == 220 ? hold(2) : step();
    if (HasFatalFailure()) return;
    compare();
    ASSERT_FALSE(HasFailure()) << "after step " << i;
  }
  for (const auto end : kEnds) EXPECT_GT(seen[std::string{grid::name_of(end)}], 0) << grid::name_of(end);
  EXPECT_GT(seen["done"], 10);
  EXPECT_GT(seen["killed_by_us"], 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Accounting, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace gleaner::tests
