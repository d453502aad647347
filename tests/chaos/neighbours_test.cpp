#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/http/server.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

/// An idle neighbour is never hurt: whatever one campaign or cluster does, a campaign on another cluster does as well as on a grid without
/// the poison, which runs at the same time on the same machine.
namespace gleaner::tests {
namespace {

/// The poisoned cluster is alpha, the neighbour's is beta.
constexpr auto kPoisoned = "alpha";
constexpr double kLeastRatioOfCycles = 0.5;
/// So long that whoever waits for the poisoned cluster once is seen by it.
constexpr double kSecondsOfOneWait = 30;
constexpr int kTries = 3;  // one of the two grids may get less of the machine in one of them

/// An API that answers every request with the same.
class WildApi {
 public:
  WildApi(std::string type, std::string body) {
    http::ServerOptions options;
    options.tcp = http::TcpEndpoint{};
    server_ = http::Server::start(options, [type = std::move(type), body = std::move(body)](const http::Request&) {
                http::Response response;
                response.status = 200;
                response.headers.add("Content-Type", type);
                response.body = body;
                return response;
              }).value();
  }
  [[nodiscard]] std::string url() const { return server_->url(); }

 private:
  std::unique_ptr<http::Server> server_;
};

struct Place {
  GridUnderTest& grid;
  std::vector<std::unique_ptr<WildApi>> apis{};

  void replace_api(const std::string& type, const std::string& body) {
    apis.push_back(std::make_unique<WildApi>(type, body));
    grid.move_cluster(kPoisoned, apis.back()->url());
  }
  grid::CampaignId submit(TestCampaign campaign) {
    campaign.clusters = {kPoisoned};
    return grid.submit(campaign);
  }
  /// Tasks of a shell text that fails.
  void submit_failing(const std::string& script, std::int64_t tasks = 200) {
    submit({.tasks = tasks, .exec_file = fmt::format("bash -c '{}' task", script)});
  }
  void fault(const std::string& json) { grid.cluster(kPoisoned).add_fault(json); }
  void gridctl(std::vector<std::string> arguments) {
    const auto ran = grid.run("gridctl", std::move(arguments));
    ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  }
};

enum class When { always, long_runs };

struct Poison {
  friend std::ostream& operator<<(std::ostream& out, const Poison& poison) { return out << poison.name; }
  const char* name;
  When when;
  std::function<void(Place&)> apply;
  /// A query whose value is `t` once the poison is at work.
  const char* at_work;
  Configuration configuration{};
  MinioarWish cluster{.name = kPoisoned};
  /// One whose value becomes `t` afterwards: the poisoned place itself comes to its end.
  const char* in_the_end = "SELECT true";
};

constexpr auto kUnreachable = "SELECT NOT reachable FROM clusters WHERE name = 'alpha'";
constexpr auto kSomeEnded =
    "SELECT count(*) > 0 FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'alpha' AND j.ending IS NOT NULL";
constexpr auto kSomeRun =
    "SELECT count(*) > 0 FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'alpha' AND j.state = 'running'";
constexpr auto kSomeEvent = "SELECT count(*) > 0 FROM events";
constexpr auto kAtOnce = "SELECT true";

std::string array_of(int items, const std::string& item) {
  std::string list;
  for (int i = 0; i < items; ++i) list += (i == 0 ? "" : ",") + item;
  return list;
}

const std::vector<Poison>& poisons() {
  static const std::vector<Poison> all{
      {"Latin1OnStderr", When::always, [](Place& place) { place.submit_failing(R"(printf "\351\n" >&2; exit 3)"); }, kSomeEnded},
      {"BinaryOnStderr", When::long_runs, [](Place& place) { place.submit_failing("head -c 2000000 /dev/urandom >&2; exit 3"); },
       kSomeEnded},
      {"AnEndlessLineOnStderr", When::long_runs,
       [](Place& place) { place.submit_failing("head -c 100000000 /dev/zero | tr \"\\0\" x >&2; exit 3", 20); }, kSomeEnded},
      {"ATerabyteOfStderr", When::long_runs, [](Place& place) { place.submit_failing("truncate -s 1T /proc/self/fd/2; exit 3", 12); },
       kSomeEnded},
      {"AnApiThatHangs", When::always, [](Place& place) { place.fault(R"({"mode":"hang"})"); }, kUnreachable},
      {"AnApiThatAnswersHtml", When::long_runs, [](Place& place) { place.fault(R"({"mode":"html"})"); }, kUnreachable},
      {"AnApiThatAnswersHalfOfIt", When::long_runs, [](Place& place) { place.fault(R"({"mode":"truncate"})"); }, kUnreachable},
      {"AnApiThatAnswersGarbage", When::long_runs,
       [](Place& place) { place.replace_api("application/json", std::string(1'000'000, '\xE9')); }, kUnreachable},
      {"AnApiWhoseAnswerIsDeep", When::always,
       [](Place& place) { place.replace_api("application/json", R"({"items":)" + std::string(1'000'000, '[')); }, kUnreachable},
      {"AnApiWithAHugeList", When::long_runs,
       [](Place& place) {
         const std::string job =
             R"({"id":1,"state":"Running","name":"\u0000\u001b[31m","owner":"x","message":"R=1,W=1:0:0","queue":"default"})";
         place.replace_api("application/json", R"({"oar_version":"2.5.9","total":100000,"items":[)" + array_of(100'000, job) + "]}");
       },
       kAtOnce},
      {"RefusedLaunches", When::long_runs,
       [](Place& place) {
         place.submit({.tasks = 500, .exec_file = "sleep 1"});
         place.grid.execute(
             "UPDATE campaign_clusters SET properties = 'nonsense = (' FROM clusters k WHERE k.id = cluster_id AND k.name = 'alpha'");
       },
       kSomeEvent},
      {"LostAnswersOfSubmissions", When::long_runs,
       [](Place& place) {
         place.fault(R"({"mode":"reset","match":"POST /jobs","after_commit":true})");
         place.submit({.tasks = 500, .exec_file = "sleep 1"});
       },
       "SELECT count(*) > 0 FROM launches WHERE state = 'unknown'"},
      {"ASlowApiWithPreemptedJobs", When::long_runs,
       [](Place& place) {
         place.submit({.tasks = 5000, .exec_file = "sleep 600"});
         ASSERT_TRUE(place.grid.becomes(kSomeRun, "t"));
         place.fault(R"({"mode":"none","latency_ms":150})");
         place.grid.cluster(kPoisoned).preempt(1000);
       },
       kSomeEnded},
      {"ThreeThousandPreemptedJobsOnASlowApi",
       When::long_runs,
       [](Place& place) {
         auto& alpha = place.grid.cluster(kPoisoned);
         alpha.spoil_launches("running", 9000);  // no processes: OAR believes that they run
         place.submit({.tasks = 3000, .exec_file = "sleep 600"});
         ASSERT_TRUE(place.grid.becomes("SELECT count(*) >= 3000 FROM jobs WHERE state = 'running'", "t"));
         place.fault(R"({"mode":"none","latency_ms":150})");
         alpha.preempt(3000);
       },
       kSomeEnded,
       {},
       {.name = kPoisoned, .nodes = 1, .cores = 3000, .options = {"--exterminate-after-ms", "600"}},
       "SELECT count(*) FILTER (WHERE ending = 'preempted') = 3000 FROM jobs"},
      {"ManyKillsOnASlowApi", When::long_runs,
       [](Place& place) {
         const auto campaign = place.submit({.tasks = 5000, .exec_file = "sleep 600"});
         ASSERT_TRUE(place.grid.becomes(kSomeRun, "t"));
         place.fault(R"({"mode":"none","latency_ms":150})");
         place.grid.cancel(campaign);
       },
       kSomeRun},
      {"IdsThatBeginAgain", When::long_runs,
       [](Place& place) {
         place.submit({.tasks = 200, .exec_file = "sleep 600"});
         ASSERT_TRUE(place.grid.becomes(kSomeRun, "t"));
         auto& alpha = place.grid.cluster(kPoisoned);
         alpha.kill();
         std::filesystem::remove_all(place.grid.folder() / kPoisoned / "state");
         alpha.start();
       },
       kAtOnce},
      {"CredentialsThatCannotBeRead", When::long_runs,
       [](Place& place) {
         place.grid.execute(
             "UPDATE clusters SET authentication = 'basic', login = 'grid', secret_file = '/nowhere/secret' WHERE name = 'alpha'");
       },
       kUnreachable},
      {"ANameThatDoesNotResolve", When::long_runs,
       [](Place& place) { place.grid.move_cluster(kPoisoned, "http://no-such-host.invalid/oarapi"); }, kUnreachable},
      {"AnAffinityInAnOrderWithStandings",
       When::long_runs,
       [](Place& place) {
         place.gridctl({"affinity", "add", "alice", kPoisoned});
         place.submit({.tasks = 500, .exec_file = "sleep 1"});
       },
       kAtOnce,
       {{"campaign_order", "affinity,fairshare"}}},
      {"ALimitOfZero", When::long_runs,
       [](Place& place) {
         place.gridctl({"limit", "set", "running_jobs", "0", "--cluster", kPoisoned});
         place.submit({.tasks = 500, .exec_file = "sleep 1"});
       },
       kAtOnce},
      {"ASink", When::long_runs, [](Place& place) { place.submit({.tasks = 2000, .exec_file = "true"}); }, kSomeEnded},
      {"AWalltimeThatIsTooShort", When::long_runs,
       [](Place& place) { place.submit({.tasks = 200, .exec_file = "sleep 600", .walltime = "0:0:1"}); }, kSomeEnded},
      {"ARequestThatNeverFits", When::long_runs,
       [](Place& place) { place.submit({.tasks = 200, .exec_file = "sleep 1", .resources = "/core=100000"}); }, kAtOnce},
  };
  return all;
}

std::vector<Poison> poisons_of_this_run() {
  auto chosen = poisons();
  if (!long_runs()) std::erase_if(chosen, [](const Poison& poison) { return poison.when == When::long_runs; });
  return chosen;
}

class IdleNeighbour : public ::testing::TestWithParam<Poison> {
 protected:
  struct Measured {
    double seconds;  ///< from its submission to its end
    double cycles;   ///< of its grid, per second of that time
  };
  /// The neighbour's campaign on both grids at the same time.
  static std::pair<Measured, Measured> both(GridUnderTest& poisoned, GridUnderTest& control) {
    const auto begun = [](GridUnderTest& grid) {
      return grid.submit({.tasks = 16, .exec_file = grid.oracle().task("sleep 3"), .clusters = {"beta"}});
    };
    const auto beside = begun(poisoned), alone = begun(control);
    return {ended(poisoned, beside), ended(control, alone)};
  }
  static Measured ended(GridUnderTest& grid, grid::CampaignId campaign) {
    EXPECT_TRUE(grid.terminates(campaign));
    EXPECT_TRUE(grid.is_exactly_done(campaign, 16));
    const auto of_it = fmt::format("FROM campaigns WHERE id = {}", campaign.value());
    const auto seconds = std::stod(grid.value("SELECT extract(epoch FROM ended_at - submitted_at) " + of_it));
    const auto cycles = std::stod(grid.value(
        fmt::format("SELECT count(*) FROM cycles y, campaigns c WHERE c.id = {} AND y.started_at BETWEEN c.submitted_at AND c.ended_at",
                    campaign.value())));
    return {seconds, cycles / seconds};
  }
  static bool is_as_well(const Measured& beside, const Measured& alone) {
    return beside.cycles >= kLeastRatioOfCycles * alone.cycles && beside.seconds < alone.seconds + kSecondsOfOneWait;
  }
};

TEST_P(IdleNeighbour, DoesAsWellAsWithoutThePoison_AndNeverWaitsForItsCluster) {
  const auto& poison = GetParam();
  // A module's patience with a slow cluster is the same part of a cycle as by default.
  Configuration configuration{{"module_patience", "200ms"}, {"request_timeout", "30s"}};
  configuration.insert(poison.configuration.begin(), poison.configuration.end());
  GridUnderTest grid{{.clusters = {poison.cluster, {.name = "beta"}}, .configuration = configuration}};
  GridUnderTest control{{.clusters = {{.name = kPoisoned}, {.name = "beta"}}, .configuration = configuration}};
  for (auto* each : {&grid, &control}) {
    each->almighty().start();
    ASSERT_TRUE(each->becomes("SELECT count(DISTINCT cluster_id) FROM gridstatus", "2"));
  }
  Place place{grid};
  poison.apply(place);
  ASSERT_TRUE(grid.becomes(poison.at_work, "t"));
  auto [beside, alone] = both(grid, control);
  for (int tries = 1; tries < kTries && !is_as_well(beside, alone); ++tries) std::tie(beside, alone) = both(grid, control);
  std::cout << fmt::format("[ measured ] alone {:.2f} s and {:.2f} cycles a second, beside the poison {:.2f} s and {:.2f}: {:.2f}",
                           alone.seconds, alone.cycles, beside.seconds, beside.cycles, beside.seconds / alone.seconds)
            << std::endl;
  EXPECT_GE(beside.cycles, kLeastRatioOfCycles * alone.cycles);
  EXPECT_LT(beside.seconds, alone.seconds + kSecondsOfOneWait) << "it waited for the poisoned cluster";
  EXPECT_TRUE(grid.becomes(poison.in_the_end, "t"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code LIKE 'MODULE_FAILED%'"), "0");
}

INSTANTIATE_TEST_SUITE_P(Of, IdleNeighbour, ::testing::ValuesIn(poisons_of_this_run()),
                         [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace gleaner::tests
