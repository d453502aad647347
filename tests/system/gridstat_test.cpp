#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "tests/system/grid_under_test.hpp"

/// The output of gridstat for a grid with five campaigns, by its options.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

/// One of ours failed and its events were closed, one is done, one of alice's is done, one of ours failed, one of alice's is at the gate.
/// All tests only look.
class Gridstat : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    grid_ = std::make_unique<GridUnderTest>();
    grid_->start_api();
    grid_->almighty().start();
    const TestCampaign failing{.tasks = 2, .exec_file = "bash -c 'echo no such molecule >&2; exit 3' task", .clusters = {"alpha"}};
    fixed_ = grid_->gridsub(failing);
    ASSERT_TRUE(grid_->terminates(fixed_));
    ASSERT_TRUE(grid_->run("gridsub", {"--fix", text(fixed_)}).end.succeeded());
    done_ = grid_->gridsub(TestCampaign{.tasks = 3, .exec_file = grid_->oracle().task()});
    of_alice_ = grid_->submit({.tasks = 2, .exec_file = grid_->oracle().task()});
    fails_ = grid_->gridsub(failing);
    for (const auto campaign : {done_, of_alice_, fails_}) ASSERT_TRUE(grid_->terminates(campaign));
    waits_ = grid_->submit({.tasks = 2, .exec_file = grid_->oracle().gated_task(), .clusters = {"beta"}});
    ASSERT_TRUE(grid_->becomes(fmt::format("SELECT running FROM campaigns WHERE id = {}", waits_.value()), "2"));
  }
  static void TearDownTestSuite() { grid_.reset(); }

  static std::string shown(std::vector<std::string> arguments) {
    const auto ran = grid_->run("gridstat", std::move(arguments));
    EXPECT_TRUE(ran.end.succeeded()) << ran.output;
    return ran.output;
  }
  static std::string text(grid::CampaignId campaign) { return std::to_string(campaign.value()); }
  /// The ids in the first column of a table, under its head.
  static std::vector<grid::CampaignId> ids_in(const std::string& table) {
    std::vector<grid::CampaignId> ids;
    std::istringstream lines{table};
    for (std::string line; std::getline(lines, line);) {
      std::int64_t id = 0;
      if (std::istringstream{line} >> id) ids.emplace_back(id);
    }
    return ids;
  }
  /// The line of a table that begins with this id.
  static std::string line_of(const std::string& table, std::int64_t wanted) {
    std::istringstream lines{table};
    for (std::string line; std::getline(lines, line);) {
      std::int64_t id = -1;
      if (std::istringstream{line} >> id && id == wanted) return line;
    }
    return "no line of " + std::to_string(wanted);
  }

  static inline std::unique_ptr<GridUnderTest> grid_;
  static inline grid::CampaignId fixed_{0}, done_{0}, of_alice_{0}, fails_{0}, waits_{0};
};

TEST_F(Gridstat, Alone_ListsWhatIsNotOverOrNotFixed_AndWithAllTheOthersToo) {
  EXPECT_THAT(ids_in(shown({})), ElementsAre(fails_, waits_)) << "what failed stays until it is fixed";
  for (const auto* all : {"-a", "--all"}) EXPECT_THAT(ids_in(shown({all})), ElementsAre(fixed_, done_, of_alice_, fails_, waits_)) << all;
}

TEST_F(Gridstat, Summary_IsALineForEachOfTheRange_InAnyState) {
  for (const auto* summary : {"-s", "--summary"}) {
    const auto range = fmt::format("{}-{}", text(done_), text(fails_));
    const auto table = shown({summary, range});
    EXPECT_THAT(ids_in(table), ElementsAre(done_, of_alice_, fails_)) << summary;
    EXPECT_THAT(table, AllOf(HasSubstr("Id"), HasSubstr("Status"), HasSubstr("ToFix")));
    EXPECT_THAT(line_of(table, done_.value()), MatchesRegex(".*terminated +0 +0 +3 +100%.*"))
        << "waiting, running, finished, nothing to fix";
    EXPECT_THAT(line_of(table, fails_.value()), MatchesRegex(".*terminated +0 +0 +0 +2 e +0%.*"))
        << "two tasks failed, and an event is open";
    EXPECT_THAT(ids_in(shown({summary, text(waits_)})), ElementsAre(waits_));
    EXPECT_THAT(ids_in(shown({summary, text(fails_) + "-*"})), ElementsAre(fails_, waits_));
    EXPECT_THAT(ids_in(shown({summary, "*-" + text(of_alice_)})), ElementsAre(fixed_, done_, of_alice_));
    EXPECT_THAT(ids_in(shown({summary, text(done_) + "," + text(waits_)})), ElementsAre(done_, waits_));
  }
  EXPECT_THAT(shown({"-s", "700-800"}), HasSubstr("There is no such campaign."));
  const auto wrong = grid_->run("gridstat", {"-s", "7-3"});
  EXPECT_EQ(wrong.end.exit_status, 2);
  EXPECT_THAT(wrong.output, HasSubstr("'7-3' is not a valid range"));
}

TEST_F(Gridstat, User_ListsOnesOwnCampaigns_OrThoseOfTheOneNamed) {
  EXPECT_THAT(ids_in(shown({"-u", "-a"})), ElementsAre(fixed_, done_, fails_));
  EXPECT_THAT(ids_in(shown({"--user", "--all"})), ElementsAre(fixed_, done_, fails_));
  EXPECT_THAT(ids_in(shown({"-a", "-u", "alice"})), ElementsAre(of_alice_, waits_));
  EXPECT_THAT(ids_in(shown({"--user=alice"})), ElementsAre(waits_));
  EXPECT_THAT(ids_in(shown({"--username", "alice", "-s", "*-" + text(fails_)})), ElementsAre(of_alice_));
  EXPECT_THAT(ids_in(shown({"-u"})), ElementsAre(fails_)) << "ours are over, and one is not fixed";
  EXPECT_THAT(ids_in(shown({"-a", "-u", "nobody"})), IsEmpty());
}

TEST_F(Gridstat, Document003_SummaryByUser_HasALineForEach_WithTheSumsOfTheirCampaigns) {
  const auto all = shown({"--by-user", "--all"});
  EXPECT_THAT(all, ContainsRegex("\nalice +2 +0 +2 +2 +50%\n")) << all;
  EXPECT_THAT(all, ContainsRegex("\n[^ ]+ +3 +0 +0 +3 +4 e +42%\n")) << all;
  EXPECT_EQ(shown({"--by-user", "--quiet", "--user", "alice"}), "alice\n");
  EXPECT_THAT(grid_->run("gridstat", {"--by-user", "--tree"}).output, HasSubstr("--by-user and --tree exclude each other"));
}

TEST_F(Gridstat, Full_ShowsTheTasks_AndMoreOfTheClusters) {
  const auto some = shown({text(fails_)});
  EXPECT_THAT(some,
              AllOf(HasSubstr("Campaign " + text(fails_)), HasSubstr("Errors to Fix:"), HasSubstr("alpha"), Not(HasSubstr("Tasks:"))));
  for (const auto* full : {"-f", "--full"}) {
    const auto all = shown({text(fails_), full});
    EXPECT_THAT(all, HasSubstr("Resources")) << "of its clusters";
    const auto tasks = all.substr(std::min(all.find("Tasks:\n"), all.size()));
    EXPECT_THAT(tasks, AllOf(HasSubstr("State"), HasSubstr("RemoteId"), HasSubstr("Exit"))) << all;
    for (const std::int64_t task : {0, 1})
      EXPECT_THAT(line_of(tasks, task), MatchesRegex(".*failed +alpha +[0-9]+ +[0-9]+ +[0-9]+ +3 +task_error.*"));
    EXPECT_THAT(shown({text(done_), full}), MatchesRegex("(.|\n)*Tasks:\n(.|\n)*2 +done(.|\n)*"));
  }
  EXPECT_THAT(shown({"-f", "-c", text(done_)}), HasSubstr("Tasks:\n")) << "as in CiGri";
  const auto alone = grid_->run("gridstat", {"-f"});
  EXPECT_EQ(alone.end.exit_status, 2);
  EXPECT_THAT(alone.output, HasSubstr("--full needs the id of a campaign"));
}

TEST_F(Gridstat, Failures_AreGroupsOfTasks_EachWithALineThatTheirStderrHas) {
  const auto found = shown({text(fails_), "--failures"});
  EXPECT_THAT(found, AllOf(MatchesRegex("(.|\n)* +2 +alpha +exit status 3 +0,1 +no such molecule(.|\n)*"),
                           HasSubstr(fmt::format("gridsub --retry {} --failure ", text(fails_)))));
  EXPECT_THAT(shown({text(fails_), "--failures", "--csv"}),
              ContainsRegex("group,tasks,cluster,cause,first_tasks,stderr_line\n[0-9]+,2,alpha,"));
  EXPECT_THAT(shown({text(fails_), "--failures", "--json"}), HasSubstr("\"stderr_pattern\":\"no such molecule\""));
  EXPECT_THAT(shown({text(done_), "--failures"}), HasSubstr("No task of it has failed."));
  EXPECT_THAT(grid_->run("gridstat", {"--failures"}).output, HasSubstr("--failures needs the id of a campaign"));
  EXPECT_THAT(grid_->run("gridstat", {text(fails_), text(done_), "--failures"}).output, HasSubstr("give one id"));
  EXPECT_THAT(grid_->run("gridstat", {text(fails_), "--failures", "--strip"}).output,
              HasSubstr("--failures and --strip exclude each other"));
  EXPECT_THAT(grid_->run("gridstat", {text(fails_), "--failures", "-w"}).output, HasSubstr("exclude each other"));
}

TEST_F(Gridstat, Report_IsAPageOfHtml_OfACampaignInAnyState) {
  const auto file = grid_->folder() / "report of ours.html";
  const auto written = grid_->run("gridstat", {text(fails_), "--report", file.string()});
  EXPECT_TRUE(written.end.succeeded()) << written.output;
  EXPECT_THAT(written.output, HasSubstr("the report of campaign " + text(fails_) + " is in " + file.string()));
  std::ifstream stream{file};
  const std::string page{std::istreambuf_iterator<char>{stream}, {}};
  EXPECT_THAT(page, AllOf(HasSubstr("2 failed"), HasSubstr("<td>exit status 3</td><td>alpha</td><td>no such molecule</td><td>0, 1</td>"),
                          HasSubstr("gridstat " + text(fails_) + " --task 0 -E"), HasSubstr("TASK_ERROR")));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_THAT(shown({text(done_), "--report", "-"}), AllOf(HasSubstr("3 done"), HasSubstr("Durations"), Not(HasSubstr("What failed"))));
  EXPECT_THAT(shown({text(waits_), "--report", "-"}), AllOf(HasSubstr("2 running"), HasSubstr("Why it waits")));
  const auto refused = [&](std::vector<std::string> arguments) {
    const auto ran = grid_->run("gridstat", std::move(arguments));
    EXPECT_NE(ran.end.exit_status, 0);
    return ran.output;
  };
  EXPECT_THAT(refused({"--report", "-"}), HasSubstr("--report needs the id of a campaign"));
  EXPECT_THAT(refused({text(done_), text(fails_), "--report", "-"}), HasSubstr("give one id"));
  EXPECT_THAT(refused({text(done_), "--report", "-", "--why"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refused({text(done_), "--report", "-", "--csv"}), HasSubstr("--report and --csv exclude each other"));
  EXPECT_THAT(refused({"999", "--report", "-"}), HasSubstr("999"));
  EXPECT_THAT(refused({text(done_), "--report", (grid_->folder() / "none" / "page.html").string()}),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(refused({text(done_), "--report", grid_->folder().string()}), HasSubstr("Is a directory"));
  const auto pipe = grid_->folder() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refused({text(done_), "--report", pipe.string()}), HasSubstr("it is a device or a pipe"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "it was not replaced";
}

TEST_F(Gridstat, Web_PrintsALinkThatSignsInOnce_AndThePageShowsTheCampaignsOfGridstat) {
  const auto socket = (grid_->folder() / "api.socket").string();
  const auto curl = [&](std::vector<std::string> arguments) {
    std::vector<std::string> words{"curl", "--silent", "--show-error", "--unix-socket", socket, "--header", "Sec-Fetch-Site: same-origin"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto ran = process::capture({.arguments = std::move(words)}, kHangGuard);
    return ran ? ran->output : ran.error();
  };
  const auto link = shown({"--web", "-q"});
  EXPECT_THAT(link, MatchesRegex("http://localhost:8080/ui/#code=[0-9a-f]{64}\n"));
  EXPECT_THAT(shown({"--web"}), HasSubstr("ssh -N -L 8080:" + socket));
  const auto jar = (grid_->folder() / "cookies").string();
  const auto code = link.substr(link.find('=') + 1, 64);
  const auto sign_in = [&] {
    return curl({"--cookie-jar", jar, "--json", fmt::format(R"({{"code": "{}"}})", code), "http://localhost/session"});
  };
  EXPECT_THAT(curl({"http://localhost/v1/summary"}), HasSubstr("unknown_caller"));
  EXPECT_THAT(sign_in(), HasSubstr("\"administrator\":true"));
  const auto summary = curl({"--cookie", jar, "http://localhost/v1/summary"});
  for (const auto campaign : {done_, of_alice_, fails_, waits_})
    EXPECT_THAT(summary, HasSubstr(fmt::format("{{\"id\":{},", campaign.value())));
  const auto own = curl({"--cookie", jar, fmt::format("http://localhost/v1/campaigns/{}/decisions", waits_.value())});
  const auto sentence = own.substr(own.find("\"sentence\":"), 40);
  EXPECT_THAT(summary, HasSubstr(sentence)) << "the reason is one of --why";
  EXPECT_THAT(sign_in(), HasSubstr("unknown_caller")) << "a link works once";
  const auto both = grid_->run("gridstat", {"--web", "--why"});
  EXPECT_EQ(both.end.exit_status, 2);
  EXPECT_THAT(both.output, HasSubstr("--web and --why exclude each other"));
}

TEST_F(Gridstat, Events_ShowsTheOpenOnesWithTheirMessages_AndWithClosedTheOthersToo) {
  for (const auto* events : {"-e", "--events"}) {
    EXPECT_THAT(shown({text(fails_), events}),
                AllOf(HasSubstr("TASK_ERROR on alpha"), HasSubstr("no such molecule"), Not(HasSubstr("closed"))))
        << events;
    for (const auto campaign : {done_, fixed_}) EXPECT_EQ(shown({text(campaign), events}), "No events!\n");
    EXPECT_THAT(shown({text(fixed_), events, "--closed"}),
                AllOf(HasSubstr("TASK_ERROR on alpha"), HasSubstr("no such molecule"), HasSubstr(", closed")));
  }
  const auto alone = grid_->run("gridstat", {"-e"});
  EXPECT_EQ(alone.end.exit_status, 2);
  EXPECT_THAT(alone.output, HasSubstr("--events needs the id of a campaign"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input{text};
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

TEST(GridstatHistory, AfterSeveralCycles_HasARowForEachForecast_AndThePlotOfTheirEnds) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.gridsub(TestCampaign{.tasks = 200, .exec_file = grid.oracle().task("sleep 1"), .walltime = "0:30:0"});
  const auto id = std::to_string(campaign.value());
  const auto kept = fmt::format("SELECT count(*) FROM forecast_history WHERE campaign_id = {}", id);
  ASSERT_TRUE(grid.becomes(kept, "1"));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT done >= 20 FROM campaigns WHERE id = {}", id), "t"));
  // At most one forecast a minute is kept: the first one becomes older.
  grid.execute(fmt::format("UPDATE forecast_history SET made_at = made_at - interval '2 minutes' WHERE campaign_id = {}", id));
  ASSERT_TRUE(grid.becomes(kept, "2"));
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_GE(grid.number("SELECT count(*) FROM cycles"), 3);
  const auto shown = grid.run("gridstat", {id, "--history"});
  ASSERT_TRUE(shown.end.succeeded()) << shown.output;
  const auto lines = lines_of(shown.output);
  const auto clusters = grid.number(fmt::format("SELECT count(DISTINCT cluster_id) FROM pair_history WHERE campaign_id = {}", id));
  EXPECT_GE(clusters, 1);
  const auto of_clusters = 2U + 5U * static_cast<std::size_t>(clusters);
  ASSERT_EQ(lines.size(), 3 + 2 + 3 + 1 + 13 + 2U + of_clusters)
      << "state and head, a row each, the end, the plot with its axes, a name and four lines of each cluster\n"
      << shown.output;
  EXPECT_THAT(lines, ::testing::Contains(MatchesRegex("  running <= [0-9]+ +\\|.*"))) << shown.output;
  EXPECT_EQ(lines[0], fmt::format("Campaign {} is terminated", id));
  EXPECT_THAT(lines[3], MatchesRegex(".* \\+[0-9hms]+ +walltime")) << "made before any job ended, and too late by most of the walltime";
  EXPECT_THAT(lines[4], MatchesRegex(".* [+-][0-9hms]+ +(throughput|average)"));
  EXPECT_THAT(lines[6], MatchesRegex("It ended at .*, within the interval of [0-2] of 2 forecasts\\."));
  const std::vector<std::string> plot(lines.begin() + 9, lines.begin() + 22);
  EXPECT_THAT(plot, ::testing::Each(HasSubstr(" |"))) << shown.output;
  EXPECT_THAT(plot, ::testing::Contains(HasSubstr("|^"))) << "the walltime is beyond the scale";
  EXPECT_THAT(plot, ::testing::Contains(MatchesRegex(".*\\|.*\\*.*")));
  EXPECT_THAT(plot, ::testing::Contains(HasSubstr("ended |")));
  const auto csv = grid.run("gridstat", {id, "--history", "--csv"});
  EXPECT_EQ(lines_of(csv.output).size(), 1 + 2U) << csv.output;
  EXPECT_TRUE(grid.is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
