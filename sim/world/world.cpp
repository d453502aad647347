#include "sim/world/world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

#include "api/options.hpp"
#include "lib/fleet/order.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/store/clusters.hpp"
#include "sim/world/administrator.hpp"
#include "sim/world/bounds.hpp"
#include "sim/world/conductors.hpp"
#include "sim/world/messenger.hpp"
#include "sim/world/oracle.hpp"
#include "sim/world/promises.hpp"
#include "sim/world/sequence.hpp"
#include "sim/world/statements.hpp"
#include "sim/world/stepping_clock.hpp"
#include "sim/world/users.hpp"

namespace gleaner::world {
namespace {

namespace fs = std::filesystem;
using Real = std::chrono::steady_clock;

/// The time of processors that this process took, and its children that have ended.
double processor_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const auto& part : {used.ru_utime, used.ru_stime})
      seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) / 1e6;
  }
  return seconds;
}

/// A folder that is removed at the end.
class Folder {
 public:
  explicit Folder(const fs::path& parent) {
    auto pattern = (parent.empty() ? fs::path{"/dev/shm"} : parent) / "gleaner-world-XXXXXX";
    auto text = pattern.string();
    if (::mkdtemp(text.data()) == nullptr) throw process::Error{process::ExitCode::failure, "no folder can be made: " + text};
    path_ = text;
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);  // PostgreSQL's user passes through
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

process::Config config_of(const Settings& settings, const WorldDatabase& database, const fs::path& folder) {
  auto config = process::default_config();
  config.database = database.conninfo_of("almighty");
  config.cycle_period = settings.cycle;
  config.input_spool = folder / "inputs";
  config.check_period = process::Duration{0};  // the oracle checks
  // An almighty that rests until its next cycle renews its lease meanwhile; here the lease outlasts the rest.
  config.lease_duration += std::max<process::Duration>(config.cycle_period, config.idle_period);
  Administrator::configure(config, settings);
  return config;
}

std::unique_ptr<api::Api> start_api(process::Config config, const WorldDatabase& database, const fs::path& folder,
                                    const fs::path& programs) {
  config.database = database.conninfo_of("gridapi");
  config.api_socket = folder / "api.socket";  // nobody asks there
  config.api_listen.clear();
  config.api_spool = folder / "spool";
  fs::create_directories(config.api_spool);
  fs::create_directories(config.input_spool);
  auto options = api::options_of(config);
  if (!programs.empty()) options.rules_program = programs / "admission";
  if (!fs::exists(options.rules_program))
    throw process::Error{process::ExitCode::failure,
                         fmt::format("{} is missing: without it the API accepts no submission", options.rules_program.string())};
  auto started = api::Api::start(options);
  if (!started) throw process::Error{process::ExitCode::failure, started.error()};
  return std::move(*started);
}

class World {
 public:
  explicit World(const Settings& settings);
  ~World() { fleet::visit_in_order({}); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  Verdict run();

 private:
  void add_clusters();
  void cycle();
  bool stands_by();
  void jump();
  void turn();
  void judge();
  /// A host of a conductor stands still, and all else goes on.
  void play_on(const std::string& host, grid::Instant until);
  void note_counts();
  void judge_promises();
  void dump_in_time();
  [[nodiscard]] bool is_late();
  /// Whether no task has come to an end for longer than any walltime and brake of the world.
  [[nodiscard]] bool stands_still();
  template <class Work>
  void timed(const std::string& what, Work&& work);

  const Settings& settings_;
  Folder folder_;
  VirtualClock clock_;
  Trace trace_;
  WorldDatabase database_;
  Faults faults_;
  HostClock host_clock_;
  Clusters clusters_;
  process::Config config_;
  Gate gate_;
  WorldMessenger messenger_;
  Conductors conductors_;
  std::unique_ptr<api::Api> api_;
  Administrator administrator_;
  Users users_;
  Oracle oracle_;
  Random order_;
  std::optional<grid::Instant> rests_since_;  ///< nobody conducts
  grid::Instant next_cycle_ = VirtualClock::begin() + settings_.cycle;
  std::int64_t cycles_ = 0;
  std::int64_t ended_ = -1;  ///< tasks that are over
  grid::Instant ended_at_ = VirtualClock::begin();
  bool is_dumped_ = false;
  bool is_over_ = false;
  bool is_stuck_ = false;
  std::map<std::string, double> times_;
  double timed_s_ = 0;
};

World::World(const Settings& settings)
    : settings_{settings},
      folder_{settings.folder},
      trace_{clock_, settings.trace.string(), folder_.path().string()},
      database_{folder_.path() / "database", clock_,
                settings.statements > 0 ? WorldDatabase::Statements::counted : WorldDatabase::Statements::uncounted},
      faults_{settings_, clock_},
      host_clock_{clock_, faults_},
      clusters_{folder_.path() / "clusters", settings_, clock_, faults_, trace_},
      config_{config_of(settings_, database_, folder_.path())},
      gate_{database_, clock_, faults_, trace_},
      messenger_{clusters_, clock_, faults_, gate_, trace_},
      conductors_{config_, settings_, database_, clock_, gate_, trace_},
      api_{start_api(config_, database_, folder_.path(), settings_.programs)},
      administrator_{settings_, database_, clusters_.names()},
      users_{settings_, *api_, clusters_.names(), clock_, gate_, trace_, [this](std::string what) { oracle_.find(std::move(what)); }},
      oracle_{database_, clusters_, trace_},
      order_{settings.seed, "visits"} {
  fleet::visit_in_order([this](std::vector<std::size_t>& places) {
    for (auto left = places.size(); left > 1; --left)
      std::swap(places[left - 1], places[static_cast<std::size_t>(order_.between(0, static_cast<std::int64_t>(left) - 1))]);
  });
  gate_.find_by([this](std::string what) { oracle_.find(std::move(what)); });
  gate_.play_on_by([this](const std::string& host, grid::Instant until) { play_on(host, until); });
  add_clusters();
}

void World::add_clusters() {
  store::Database database{database_.conninfo_of("setup")};
  auto transaction = database.begin();
  for (const auto& name : clusters_.names()) {
    store::Cluster cluster;
    cluster.name = name;
    cluster.url = fmt::format("http://{}{}", name, clusters_.at(name).prefix());
    administrator_.configure(cluster);
    store::add_cluster(transaction, cluster);
  }
  administrator_.set_up(transaction, clock_.now());
  transaction.commit();
}

template <class Work>
void World::timed(const std::string& what, Work&& work) {
  const auto start = Real::now();
  const double before = timed_s_;
  work();
  const double whole = std::chrono::duration<double>(Real::now() - start).count();
  times_[what] += whole - (timed_s_ - before);  // a part within it counts for itself
  timed_s_ = before + whole;
}

/// Whether nobody conducts now. The API reports it within three minutes, or three cycles and what is left of the lease.
bool World::stands_by() {
  const auto unseen = std::max<std::chrono::seconds>(std::chrono::minutes{3}, 5 * settings_.cycle);
  if (!faults_.is_away(Fault::standstill, "almighty")) return false;
  if (!std::exchange(rests_since_, rests_since_.value_or(clock_.now()))) faults_.count(Fault::standstill);
  // Before the first cycle, nobody knows how long it takes.
  if (cycles_ > 0 && clock_.now() - *rests_since_ > unseen && users_.is_told_well())
    oracle_.find(fmt::format("nobody has conducted for {} s, and the API says that all is well",
                             std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - *rests_since_).count()));
  return true;
}

void World::cycle() {
  if (stands_by()) return;
  conductors_.cycle();
  // Also where a standstill began while a host was stopped in this cycle.
  rests_since_.reset();
  ++cycles_;
}

/// To the next cycle, from event to event. As at almighty, what a user does begins one at once.
void World::jump() {
  constexpr std::chrono::milliseconds kLeastPause{200};
  while (clock_.now() < next_cycle_) {
    auto next = next_cycle_;
    if (const auto event = clusters_.next_event()) next = std::min(next, *event);
    const auto action = users_.next();
    if (action) next = std::min(next, *action);
    const auto change = administrator_.next();
    if (change) next = std::min(next, *change);
    clock_.advance_to(next);
    timed("clusters", [&] { clusters_.catch_up(); });
    timed("users", [&] { users_.act(); });
    if (change && *change <= clock_.now()) {
      database_.set_time();
      administrator_.act(config_, clock_.now());
      trace_.note("the administrator withdraws a cluster, or brings it back");
    }
    if ((action && *action <= clock_.now()) || (change && *change <= clock_.now()))
      next_cycle_ = std::min(next_cycle_, clock_.now() + kLeastPause);
  }
}

void World::note_counts() { trace_.note("counts " + database_.query(sql::world_counts{}).one().counts.value_or("")); }

bool World::stands_still() {
  constexpr std::chrono::hours kLongest{4};
  const auto ends = database_.query(sql::world_ends{});
  const auto ended = ends.one().tasks.as<std::int64_t>();
  if (ended != std::exchange(ended_, ended)) {
    ended_at_ = clock_.now();
    faults_.heal();
  }
  if (ends.one().live.as<std::int64_t>() == 0) faults_.forget_unhealed();
  return clock_.now() - std::max(ended_at_, faults_.end()) > kLongest;
}

void World::judge_promises() {
  const auto find = [&](std::vector<std::string> all) {
    for (auto& broken : all) oracle_.find(std::move(broken));
  };
  find(planned_in_vain(database_, administrator_, clock_.now()));
  find(misplaced_scripts(database_, clusters_));
  find(premature_tasks(database_, clusters_));
  find(failures_beyond_retries(database_, clusters_, users_.given_back()));
  if (clock_.now() - faults_.end() > std::chrono::minutes{5}) find(unexplained_waits(database_, faults_.end()));
  find(repeated_arrays(database_));
  find(strayed_followers(database_, clusters_, users_.edits(), administrator_.withdrawals()));
}

void World::judge() {
  constexpr std::int64_t kLawsEach = 25;  // cycles
  oracle_.judge_work();
  oracle_.judge_kills();
  oracle_.judge_brakes();
  for (auto& broken : exceeded_bounds(database_, clusters_, administrator_, settings_)) oracle_.find(std::move(broken));
  if (has_licences(settings_)) {
    for (auto& broken : exceeded_licences(database_, clusters_, licences_of(settings_))) oracle_.find(std::move(broken));
  }
  is_stuck_ = stands_still();
  if (cycles_ % kLawsEach == 0) {
    oracle_.judge_laws();
    oracle_.judge_waits_in_vain();
    // A launch that failed is running for OAR until its walltime, an hour.
    oracle_.judge_running(clock_.now(), std::chrono::minutes{settings_.faults.contains(Fault::failed_launch) ? 100 : 45});
    judge_promises();
  }
  note_counts();
  is_over_ = faults_.are_over() && !users_.next() && !administrator_.next() && oracle_.is_all_over();
}

void World::turn() {
  // Where tables have just grown, plans that were made for empty ones would stay.
  constexpr std::array<std::int64_t, 3> kFirstVacuums{6, 20, 60};
  constexpr std::int64_t kVacuumEach = 200;
  constexpr std::int64_t kGiveUpEach = 60;
  jump();
  const auto began = clock_.now();
  timed("cycles", [&] { cycle(); });
  next_cycle_ = std::max(began + conductors_.period(), clock_.now());
  timed("judging", [&] { judge(); });
  if (faults_.are_over() && !is_over_ && cycles_ % kGiveUpEach == 0) users_.give_up(oracle_.awaiting_users());
  if (cycles_ % kVacuumEach == 0 || std::ranges::find(kFirstVacuums, cycles_) != kFirstVacuums.end()) database_.vacuum();
}

void World::play_on(const std::string& host, grid::Instant until) {
  const Conductors::Without without{conductors_, host};
  // The host conducted until now.
  rests_since_.reset();
  while (clock_.now() < until && oracle_.faults().empty()) turn();
}

void World::dump_in_time() {
  if (settings_.dump.empty() || (!is_over_ && clock_.seconds() < settings_.hours * 3600)) return;
  oracle_.judge_laws();
  database_.dump(settings_.dump);
  is_dumped_ = true;
}

/// Whether all should be over: a day after the last fault, and after what the tasks take at most on all cores.
bool World::is_late() {
  constexpr double kPeace = 24 * 3600;
  const double since = clock_.seconds() - settings_.hours * 3600;
  if (since <= kPeace) return false;
  const double cores = static_cast<double>(settings_.clusters) * settings_.nodes * settings_.cores;
  const double work = *database_.query(sql::world_longest_work{}).one().seconds;
  return since > kPeace + work / cores;
}

Verdict World::run() {
  const auto start = Real::now();
  while (oracle_.faults().empty() && !is_over_ && !is_dumped_ && !is_stuck_ && !is_late()) {
    turn();
    dump_in_time();
  }
  Verdict verdict;
  if (is_over_ && !is_dumped_ && oracle_.faults().empty())
    timed("judging", [&] {
      oracle_.judge_end();
      judge_promises();
      for (auto& broken : broken_edits(database_, clusters_, users_.edits())) oracle_.find(std::move(broken));
    });
  verdict.faults = oracle_.faults();
  if (!is_over_ && !is_dumped_ && verdict.faults.empty())
    verdict.faults.push_back(is_stuck_
                                 ? std::string{"no task has ended for 4 h, and none of the faults goes on"}
                                 : fmt::format("it is not over {:.0f} h after the last fault", clock_.seconds() / 3600 - settings_.hours));
  if (!verdict.is_green()) verdict.waits = oracle_.waits();
  verdict.simulated_s = clock_.seconds();
  verdict.real_s = std::chrono::duration<double>(Real::now() - start).count();
  verdict.cycles = cycles_;
  const auto totals = database_.query(sql::world_totals{});
  verdict.tasks = *totals.one().tasks;
  verdict.done = *totals.one().done;
  verdict.requests = messenger_.requests();
  verdict.lines = trace_.lines();
  verdict.digest = trace_.digest();
  verdict.happened = faults_.happened();
  verdict.healed_after_s = std::chrono::duration<double>(faults_.worst_healing().time).count();
  verdict.healed_from = faults_.worst_healing().kind;
  if (settings_.statements > 0) verdict.statements = heaviest_statements(database_, settings_.statements);
  for (const auto& [what, seconds] : times_)
    verdict.times += fmt::format("{}{} {:.1f} s", verdict.times.empty() ? "" : ", ", what, seconds);
  return verdict;
}

}  // namespace

std::string summary(const Verdict& verdict) {
  std::vector<std::string> happened;
  for (const auto& [what, times] : verdict.happened) happened.push_back(fmt::format("{}={}", what, times));
  auto text = fmt::format(
      "{:.0f} s in {:.1f} s ({:.0f} times as fast as life; {}; {:.1f} s of a processor, with PostgreSQL), {} cycles, {} tasks, {} done, {} requests, trace {:016x} of {} lines\nfaults: {}\nthe worst time to heal: {:.0f} s after {}\n",
      verdict.simulated_s, verdict.real_s, verdict.simulated_s / std::max(verdict.real_s, 0.001), verdict.times, verdict.processor_s,
      verdict.cycles, verdict.tasks, verdict.done, verdict.requests, verdict.digest, verdict.lines, fmt::join(happened, ", "),
      verdict.healed_after_s, verdict.healed_from.empty() ? "none" : verdict.healed_from);
  for (const auto& fault : verdict.faults) text += "RED: " + fault + "\n";
  for (const auto& wait : verdict.waits) text += "  " + wait + "\n";
  return text + verdict.statements;
}

Verdict run(const Settings& settings) {
  process::log::set_up("world", settings.logs ? "info" : "error", settings.logs ? "" : "/dev/null");
  const auto before = processor_seconds();
  std::optional<World> world{std::in_place, settings};
  auto verdict = world->run();
  world.reset();  // its PostgreSQL has ended, and its time is known
  verdict.processor_s = processor_seconds() - before;
  return verdict;
}

}  // namespace gleaner::world
