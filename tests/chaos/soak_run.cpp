#include "tests/chaos/soak_run.hpp"

#include <fmt/format.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "tests/chaos/soak_faults.hpp"
#include "tests/chaos/soak_tasks.hpp"

namespace gleaner::tests::soak {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr int kStrikes = 20;         ///< between two calms
constexpr std::int64_t kBatch = 96;  ///< tasks of a campaign, all kinds alike
constexpr auto kRemover = "mallory";
constexpr auto kFiller = "fred";

GridUnderTest::Wish wish() {
  GridUnderTest::Wish wish;
  wish.clusters.clear();
  for (const auto* name : kClusters) {
    wish.clusters.push_back({.name = name, .nodes = 2, .cores = 4, .options = {"--exterminate-after-ms", "600", "--kill-grace-ms", "300"}});
  }
  wish.users = {kRemover, kFiller};
  wish.configuration = {{"lease_duration", "3s"},          {"void_delay", "2s"},     {"cycle_period", "200ms"},
                        {"launch_patience", "4s"},         {"submit_timeout", "2s"}, {"request_timeout", "2s"},
                        {"failures_before_brake", "1000"}, {"max_attempts", "500"},  {"evidence_patience", "60s"},
                        {"brake_time_max", "1s"},          {"pool_duration", "4s"}};
  return wish;
}

/// A file system of its own for a home, so small that it is soon full. Needs the right to mount.
class SmallHome {
 public:
  explicit SmallHome(fs::path home) : home_{std::move(home)} {
    fs::create_directories(home_);
    is_mounted_ = ::mount("none", home_.c_str(), "tmpfs", 0, "size=1m,mode=0777") == 0;
  }
  ~SmallHome() {
    if (is_mounted_) ::umount2(home_.c_str(), MNT_DETACH);
  }
  SmallHome(const SmallHome&) = delete;
  SmallHome& operator=(const SmallHome&) = delete;
  [[nodiscard]] bool is_mounted() const { return is_mounted_; }

 private:
  fs::path home_;
  bool is_mounted_ = false;
};

/// Removes what tasks have left in a home, which would fill the machine within an hour.
void sweep(const fs::path& home, std::string_view prefix) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator{home, error}) {
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  }
  for (const auto& path : found) fs::remove(path, error);
}

enum class Kind { mixed, spoils_its_home, cancelled };
struct Campaign {
  grid::CampaignId id;
  std::int64_t tasks;
  Kind kind;
};

class Soak {
 public:
  explicit Soak(std::uint64_t seed) : dice_{seed}, grid_{wish()}, faults_{grid_, dice_}, small_home_{grid_.cluster("alpha").home(kFiller)} {
    program_ = write_program(grid_.oracle().folder());
    grid_.start_api();
    grid_.almighty().start();
  }

  Figures run(std::chrono::seconds length) {
    figures_.has_full_home = small_home_.is_mounted();
    for (const auto end = Clock::now() + length; Clock::now() < end;) {
      submit();
      for (int strike = 0; strike < kStrikes && Clock::now() < end; ++strike) {
        std::this_thread::sleep_for(milliseconds{dice_.roll(50, 800)});  // the random moment itself
        faults_.strike();
      }
      calm();
    }
    finish();
    return std::move(figures_);
  }

 private:
  void submit();
  void calm();
  void sweep_homes();
  /// While the homes are swept, which tasks fill.
  [[nodiscard]] bool becomes(const std::string& query, const std::string& value);
  void heal();
  void finish();
  void judge(const Campaign& campaign);
  void judge_task(const Campaign& campaign, std::int64_t task, const std::string& state, int charged, int executions);
  void check_database();
  std::string of(grid::CampaignId campaign, const std::string& column) {
    return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
  }
  void add(TestCampaign campaign, Kind kind) {
    campaign.clusters = {kClusters.begin(), kClusters.end()};
    campaigns_.push_back({grid_.submit(campaign), campaign.tasks, kind});
  }

  Dice dice_;
  GridUnderTest grid_;
  Faults faults_;
  SmallHome small_home_;
  std::string program_;
  std::vector<Campaign> campaigns_;
  bool pools_ = false;
  Figures figures_;
};

void Soak::submit() {
  if (!campaigns_.empty() && grid_.number("SELECT coalesce(sum(waiting), 0) FROM campaigns WHERE state = 'in_treatment'") > 2 * kBatch)
    return;
  // Every other one in pools.
  pools_ = !pools_;
  add({.tasks = kBatch, .exec_file = program_, .walltime = "0:0:6", .grouping = pools_}, Kind::mixed);
  add({.tasks = 12, .exec_file = removes_our_files(grid_.oracle().folder()), .walltime = "0:0:6", .user = kRemover}, Kind::spoils_its_home);
  if (small_home_.is_mounted()) {
    TestCampaign filling{
        .tasks = 8, .exec_file = fills_its_home(grid_.oracle().folder()), .clusters = {"alpha"}, .walltime = "0:0:6", .user = kFiller};
    campaigns_.push_back({grid_.submit(filling), filling.tasks, Kind::spoils_its_home});
  }
  add({.tasks = 500, .exec_file = grid_.oracle().task("sleep 0.6"), .walltime = "0:0:6"}, Kind::cancelled);
}

/// The faults end; how long it takes until every cluster does its work.
void Soak::calm() {
  faults_.mend();
  for (const auto& campaign : campaigns_) {
    if (campaign.kind == Kind::cancelled) grid_.cancel(campaign.id);
  }
  heal();
}

/// Their owners clean their homes, or the full one stays so for ever.
void Soak::sweep_homes() {
  for (const auto* name : kClusters) {
    for (const auto* user : {"alice", kRemover, kFiller}) sweep(grid_.cluster(name).home(user), "OAR.");
  }
  sweep(grid_.cluster("alpha").home(kFiller), "junk");
}

bool Soak::becomes(const std::string& query, const std::string& value) {
  constexpr process::Duration kBetweenSweeps{3000};
  for (const auto end = Clock::now() + kHangGuard; Clock::now() < end;) {
    sweep_homes();
    if (grid_.becomes(query, value, kBetweenSweeps)) return true;
  }
  return false;
}

void Soak::heal() {
  const auto begin = Clock::now();
  std::vector<grid::CampaignId> probes;
  for (const auto* name : kClusters)
    probes.push_back(grid_.submit({.tasks = 2, .exec_file = grid_.oracle().task(), .clusters = {name}, .walltime = "0:0:6"}));
  bool healed = true;
  for (const auto probe : probes) healed = becomes(of(probe, "state"), "terminated") && healed;
  healed = becomes("SELECT count(*) FROM clusters WHERE NOT reachable", "0") && healed;
  figures_.heals.push_back(std::chrono::duration_cast<milliseconds>(Clock::now() - begin));
  if (!healed)
    figures_.lost.push_back(
        fmt::format("after the faults number {} not every cluster worked within {} s", figures_.heals.size(), kHangGuard.count() / 1000));
  for (const auto probe : probes) campaigns_.push_back({probe, 2, Kind::spoils_its_home});
}

void Soak::finish() {
  faults_.mend();
  for (const auto& campaign : campaigns_) {
    const bool over = campaign.kind == Kind::cancelled ? becomes(of(campaign.id, "launching + submitted + running"), "0")
                                                       : becomes(of(campaign.id, "state"), "terminated");
    if (!over)
      figures_.lost.push_back(fmt::format("campaign {}: {}", campaign.id.value(), grid_.value(of(campaign.id, "row_to_json(campaigns)"))));
    judge(campaign);
  }
  figures_.jobs = grid_.number("SELECT count(*) FROM jobs");
  for (const auto& [kind, count] : faults_.counts()) figures_.faults.emplace(kind, count);
  check_database();
}

void Soak::judge(const Campaign& campaign) {
  if (campaign.kind != Kind::cancelled) figures_.tasks += campaign.tasks;
  std::map<std::int64_t, int> times;
  for (const auto& [execution, count] : grid_.oracle().executions(campaign.id)) {
    times[execution.first] += count;
    // A user who removes our files removes the fence.
    if (count > 1 && campaign.kind != Kind::spoils_its_home)
      figures_.twice.push_back(fmt::format("campaign {}, task {}, attempt {}: carried out {} times", campaign.id.value(), execution.first,
                                           execution.second, count));
  }
  if (campaign.kind != Kind::mixed) return;
  for (const auto& [task, state, charged] : grid_.tasks_of(campaign.id)) judge_task(campaign, task, state, charged, times[task]);
}

void Soak::judge_task(const Campaign& campaign, std::int64_t task, const std::string& state, int charged, int executions) {
  const auto expected = expected_of(task);
  const auto text = fmt::format("campaign {}, task {} ({}): {}, charged {}, carried out {} times", campaign.id.value(), task,
                                behaviour_of(task).name, state, charged, executions);
  const bool is_over = state == "done" || state == "failed";
  if (!is_over || (state == "done" && executions == 0)) figures_.lost.push_back(text);
  if (expected == Expected::any) return;
  if (executions > 1) figures_.twice.push_back(text);
  if (expected == Expected::done && (state == "failed" || charged > 0)) figures_.falsely_failed.push_back(text);
  if (expected != Expected::done && state == "done") figures_.lost.push_back(text + ", though it fails");
}

/// A user who removes our files removes the fence: an attempt of his may be done by two jobs. All other laws hold for him, too.
void Soak::check_database() {
  const auto check = grid_.run("gridctl", {"db", "check", "--full"});
  if (check.end.succeeded()) return;
  std::string harmed;
  for (const auto& campaign : campaigns_) {
    if (campaign.kind == Kind::spoils_its_home) harmed += fmt::format("{}{}", harmed.empty() ? "" : ",", campaign.id.value());
  }
  const auto others =
      grid_.number(fmt::format("SELECT count(*) FROM (SELECT FROM jobs WHERE ending = 'done' AND campaign_id <> ALL ('{{{}}}') "
                               "GROUP BY campaign_id, task, attempt HAVING count(*) > 1) twice",
                               harmed));
  bool is_their_own = others == 0;
  std::istringstream lines{check.output};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("broken") && line.find(" done_twice,") == std::string::npos) is_their_own = false;
  }
  if (!is_their_own || check.output.find("done_twice") == std::string::npos)
    figures_.breaches.push_back("gridctl db check: " + check.output);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Figures& figures) {
  auto heals = figures.heals;
  std::ranges::sort(heals);
  int faults = 0;
  for (const auto& [kind, count] : figures.faults) faults += count;
  out << fmt::format("tasks {}, jobs {}, faults {}\n", figures.tasks, figures.jobs, faults);
  for (const auto& [kind, count] : figures.faults) out << fmt::format("  {:5} {}\n", count, kind);
  out << fmt::format("twice {}, lost {}, falsely failed {}, laws broken {}\n", figures.twice.size(), figures.lost.size(),
                     figures.falsely_failed.size(), figures.breaches.size());
  for (const auto* lines : {&figures.twice, &figures.lost, &figures.falsely_failed, &figures.breaches}) {
    for (const auto& line : *lines) out << "  " << line << '\n';
  }
  if (!heals.empty()) {
    out << fmt::format("time to heal, {} times: median {:.1f} s, worst {:.1f} s\n", heals.size(),
                       static_cast<double>(heals[heals.size() / 2].count()) / 1000, static_cast<double>(heals.back().count()) / 1000);
  }
  if (!figures.has_full_home) out << "no full home: a file system could not be mounted\n";
  return out;
}

Figures run(std::chrono::seconds length, std::uint64_t seed) { return Soak{seed}.run(length); }

}  // namespace gleaner::tests::soak
