#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/oar/outputs.hpp"
#include "runner/command/command.hpp"
#include "tests/contract/world.hpp"
#include "tests/seed.hpp"

/// The wrapper of a job, on a cluster: submitted, kept and started by OAR.
namespace gleaner::contract {
namespace {

using ::testing::HasSubstr;

using Arguments = std::vector<std::string>;
const grid::CampaignId kCampaign{17};
const grid::LaunchId kFence{9};

/// Sets of arguments that shells, JSON, Perl and OAR like to spoil, and random ones of their parts.
class HostileArguments {
 public:
  explicit HostileArguments(std::uint64_t seed) : random_{seed} {}

  std::vector<Arguments> sets(std::size_t count) {
    std::vector<Arguments> sets{{},
                                {""},
                                {"", "", ""},
                                {"last is empty", ""},
                                {"$HOME", "$(id)", "`id`", "${x:-y}", "$$", "\\$HOME"},
                                {";", "&", "|", ">x", "<x", "(", ")", "{a,b}", "*", "?", "[a-z]*", "~", "#", "# remark", "!"},
                                {"'", "\"", "'\\''", "\\", "\\\\", "\\n", "a\\", "\"'\"'"},
                                {"line\nline", "\n", "\r\n", "\t", " ", "  two  ", "\x01\x7F\x1B[0m"},
                                {"é", "caf\xC3\xA9 \xE2\x82\xAC", "caf\xE9", "\xFF\xFE", "\xC3"},
                                {"%s", "%jobid%", "%%", "-n", "-e", "--", "-"},
                                {std::string(4096, 'x'), std::string(4096, '\''), every_byte()}};
    while (sets.size() < count) {
      sets.push_back(random_set());
    }
    return sets;
  }

 private:
  static std::string every_byte() {
    std::string bytes;
    for (int byte = 1; byte < 256; ++byte) {
      bytes += static_cast<char>(byte);
    }
    return bytes;
  }
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>{0, bound - 1}(random_); }
  Arguments random_set() {
    static const std::vector<std::string> kParts{"$", "`", "\\",   "\"", "'",  "\n", " ",  ";", "#",
                                                 "*", "é", "\xE9", "a",  "\t", "!",  "&&", "=", "%"};
    Arguments set(1 + below(6));
    for (auto& argument : set) {
      for (std::size_t left = below(12); left > 0; --left) {
        argument += below(4) == 0 ? std::string(1, static_cast<char>(1 + below(255))) : kParts[below(kParts.size())];
      }
    }
    return set;
  }
  std::mt19937_64 random_;
};

std::string in_hex(const Arguments& arguments) {
  std::string text = std::to_string(arguments.size()) + "\n";
  for (const auto& argument : arguments) {
    for (const char byte : argument) {
      text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    text += '\n';
  }
  return text;
}

class Wrapper : public Contract {
 protected:
  /// The grid of this run, so that its claims are new.
  static runner::LaunchFacts facts(const std::string& exec_file) {
    return {world().token(), kCampaign, exec_file, "alpha", world().user(), "/tmp", "/core=1", "0:5:0"};
  }
  static oar::Submitted launch(const std::string& tag, const runner::LaunchFacts& facts, const std::vector<runner::TaskFacts>& tasks) {
    std::vector<std::string> lines;
    for (const auto& task : tasks) {
      lines.push_back(runner::parameter_line(task).value());
    }
    return submit(tag, runner::JobCommand::create(facts).value().text(), lines);
  }
  static oar::Submitted submit(const std::string& tag, const std::string& command, const std::vector<std::string>& lines) {
    auto request = world().request(command, lines);
    request.name = world().token() + "." + tag;
    return world().submit(request);
  }
  /// As the runner does (runner/programs.cpp).
  static void put(const std::string& name, const std::string& content) {
    const oar::FileOf file{{world().user(), fmt::format("{}/{}", grid::kProgramsFolder, name)}, content};
    const auto written = until_answered([&] { return client().write_files({&file, 1}).front(); });
    ASSERT_TRUE(written) << oar::describe(written.error());
    const auto listed =
        until_answered([&] { return oar::list_files(world().access(), oar::Limits{}, world().user(), grid::kProgramsFolder); });
    ASSERT_TRUE(listed) << oar::describe(listed.error());
    EXPECT_TRUE(std::ranges::any_of(*listed, [&](const auto& one) { return one.name == name && one.size == std::ssize(content); }));
  }
  /// The files of the folder of the fence that begin so.
  static std::vector<std::string> names(std::string_view begin) {
    auto found =
        until_answered([&] { return client().list_folder(world().user(), grid::fence_folder(world().token(), kCampaign, kFence)); });
    EXPECT_TRUE(found) << oar::describe(found.error());
    if (!found) return {};
    std::erase_if(*found, [&](const std::string& name) { return !name.starts_with(begin); });
    return *found;
  }
  static std::string file(const std::string& name) {
    const auto text = until_answered([&] { return client().read_file(world().user(), fmt::format("~/{}/{}", world().token(), name)); });
    EXPECT_TRUE(text) << oar::describe(text.error());
    return text.value_or("");
  }
  static runner::TaskFacts task(int number, int attempt, int job, Arguments arguments) {
    return {grid::TaskNumber{number}, attempt, grid::JobId{job}, std::to_string(kFence.value()), std::move(arguments)};
  }
};
GLEANER_ON_EACH_BACKEND(Wrapper);

TEST_P(Wrapper, EveryArgumentReachesTheCommandByteForByte) {
  // A real OAR starts three jobs a second at most, on a machine of its own.
  const auto sets = HostileArguments{tests::test_seed()}.sets(std::getenv("GLEANER_TEST_LONG") != nullptr ? 70 : 24);
  const std::string recorder = R"(r() { echo $#; for a; do printf %s "$a" | od -An -v -tx1 | tr -d ' \n'; echo; done; }; exec > "$HOME/)" +
                               world().token() + R"(/arguments.$CIGRI_JOB_ID"; r)";
  std::vector<runner::TaskFacts> tasks;
  for (std::size_t number = 0; number < sets.size(); ++number) {
    tasks.push_back(task(static_cast<int>(number), 1, static_cast<int>(1000 + number), sets[number]));
  }
  const auto submitted = launch("hostile", facts(recorder), tasks);
  ASSERT_EQ(submitted.ids.size(), sets.size());
  const auto jobs = world().await_end(submitted.ids);
  for (std::size_t number = 0; number < sets.size(); ++number) {
    EXPECT_EQ(jobs[number].exit_status, 0);
    EXPECT_EQ(file(fmt::format("arguments.{}", 1000 + number)), in_hex(sets[number])) << "set " << number;
    EXPECT_EQ(grid::read_command(jobs[number].command),
              (grid::JobIdentity{kCampaign, tasks[number].task, tasks[number].attempt, tasks[number].job}));
  }
}

TEST_P(Wrapper, AsAFile_PassesEveryByte_AndClaimsAsEver) {
  const auto sets = HostileArguments{tests::test_seed()}.sets(std::getenv("GLEANER_TEST_LONG") != nullptr ? 20 : 13);
  const std::string recorder = R"(r() { echo $#; for a; do printf %s "$a" | od -An -v -tx1 | tr -d ' \n'; echo; done; }; exec > "$HOME/)" +
                               world().token() + R"(/called.$CIGRI_JOB_ID"; r)";
  const auto command = runner::JobCommand::create(facts(recorder)).value();
  put(command.program()->sha256, command.program()->content);
  std::vector<std::string> lines;
  for (std::size_t number = 0; number < sets.size(); ++number)
    lines.push_back(runner::parameter_line(task(static_cast<int>(800 + number), 1, static_cast<int>(2000 + number), sets[number])).value());
  lines.push_back(runner::parameter_line(task(800, 1, 3000, {"twin"})).value());
  const auto submitted = submit("called", command.call(), lines);
  ASSERT_EQ(submitted.ids.size(), lines.size());
  const auto jobs = world().await_end(submitted.ids);
  const bool first_won = jobs[0].exit_status == 0;
  for (std::size_t number = 1; number < sets.size(); ++number) {
    EXPECT_EQ(jobs[number].exit_status, 0);
    EXPECT_EQ(file(fmt::format("called.{}", 2000 + number)), in_hex(sets[number])) << "set " << number;
    EXPECT_EQ(grid::read_command(jobs[number].command), (grid::JobIdentity{kCampaign, grid::TaskNumber{static_cast<int>(800 + number)}, 1,
                                                                           grid::JobId{static_cast<int>(2000 + number)}}));
    EXPECT_EQ(grid::called_program(jobs[number].command), command.program()->sha256);
  }
  EXPECT_EQ(oar::shell_status(jobs[first_won ? sets.size() : 0].exit_status.value_or(-1)), grid::kRanNothing) << "the twin";
}

TEST_P(Wrapper, WhoseFileIsMissing_Cut_OrAnotherOne_BeginsNothing) {
  const auto command = runner::JobCommand::create(facts("echo ran >> \"$HOME/" + world().token() + "/ran_without\"")).value();
  const auto& content = command.program()->content;
  const auto call_of = [&](const std::string& name) {
    auto call = command.call();
    return call.replace(call.find(command.program()->sha256), command.program()->sha256.size(), name);
  };
  const auto name = [](char digit) { return std::string(64, digit); };
  put(name('1'), content.substr(0, content.size() / 2));
  put(name('2'), content + "# more\n");
  std::vector<grid::RemoteJobId> ids;
  for (const char digit : {'0', '1', '2'}) {
    const auto line = runner::parameter_line(task(900 + digit - '0', 1, 4000 + digit, {})).value();
    ids.push_back(submit(fmt::format("without{}", digit), call_of(name(digit)), {line}).ids.at(0));
  }
  const auto jobs = world().await_end(ids);
  std::vector<int> statuses;
  for (const auto& job : jobs) statuses.push_back(oar::shell_status(job.exit_status.value_or(-1)));
  EXPECT_EQ(statuses, (std::vector<int>{127, 2, grid::kProgramDamaged}));
  EXPECT_THAT(names("90"), ::testing::IsEmpty());
  for (const char digit : {'1', '2'})
    static_cast<void>(client().delete_path(world().user(), fmt::format("{}/{}", grid::kProgramsFolder, name(digit))));
}

TEST_P(Wrapper, TwoJobsOfOneAttempt_RunItOnce_AndTheSecondNamesTheFirst) {
  const auto submitted = launch("twins", facts("echo run >> \"$HOME/" + world().token() + "/twins\"; sleep 1; exit 5; :"),
                                {task(500, 1, 1, {}), task(500, 1, 2, {}), task(500, 2, 3, {}), task(501, 1, 4, {"x"})});
  const auto jobs = world().await_end(submitted.ids);
  const auto status = [&](std::size_t place) { return oar::shell_status(jobs[place].exit_status.value_or(-1)); };
  const bool first_won = status(0) == 5;
  EXPECT_EQ((std::vector<int>{status(first_won ? 0 : 1), status(first_won ? 1 : 0), status(2), status(3)}),
            (std::vector<int>{5, grid::kRanNothing, 5, 5}));
  EXPECT_EQ(file("twins"), "run\nrun\nrun\n");
  const auto own = [&](const std::string& begin, std::size_t place) { return fmt::format("{}.{}", begin, submitted.ids[place].value()); };
  std::vector<std::string> expected{own("500.1.1", 0) + (first_won ? ".e5" : ".d.2"), own("500.1.2", 1) + (first_won ? ".d.1" : ".e5"),
                                    "500.1.claim", own("500.2.3", 2) + ".e5", "500.2.claim"};
  EXPECT_THAT(names("500."), ::testing::UnorderedElementsAreArray(expected));
  const auto claim =
      until_answered([&] { return client().read_file(world().user(), "~/.gleaner/" + world().token() + "/17/9/500.1.claim"); });
  ASSERT_TRUE(claim) << oar::describe(claim.error());
  const std::size_t winner = first_won ? 0 : 1;
  EXPECT_TRUE(std::regex_match(*claim, std::regex{fmt::format("[0-9]+ [^ ]+ {} {}\n", winner + 1, submitted.ids[winner].value())}))
      << *claim;
}

TEST_P(Wrapper, AClaimThatCannotBeMade_RunsNothing_AndAUsersOwn113_IsTheEndOfItsCommand) {
  const auto blocked = "rm -rf \"$HOME/.gleaner/" + world().token() + "/18\"; echo > \"$HOME/.gleaner/" + world().token() + "/18\"";
  EXPECT_EQ(world().await_end(launch("block", facts(blocked + "; exit 113; :"), {task(700, 1, 50, {})}).ids).front().exit_status,
            grid::kRanNothing << 8);
  auto other = facts("echo ran >> \"$HOME/" + world().token() + "/ran\"");
  other.campaign = grid::CampaignId{18};
  const auto job = world().await_end(launch("blocked", other, {task(701, 1, 51, {})}).ids).front();
  EXPECT_EQ(oar::shell_status(job.exit_status.value_or(-1)), grid::kRanNothing);
  const auto ran = until_answered([] { return client().read_file(world().user(), "~/" + world().token() + "/ran"); });
  ASSERT_FALSE(ran);
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(ran.error())) << oar::describe(ran.error());
  EXPECT_THAT(names("700.1.50."), ::testing::ElementsAre(::testing::EndsWith(".e113")));
}

/// The shell of the job has stderr open for writing alone, and reads the file anew.
TEST_P(Wrapper, ALineOfStderrOfAFailedTask_IsInTheNameOfItsEnd_AndOarListsIt) {
  const auto submitted =
      launch("errors", facts("echo \"no such mesh: 3 / \xC3\xA9 $(printf '%0200d' 7)\" >&2; exit 3; :"), {task(710, 1, 60, {})});
  EXPECT_EQ(oar::shell_status(world().await_end(submitted.ids).front().exit_status.value_or(-1)), 3);
  const auto found = names("710.1.60.");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr(".e3.xno,such,mesh%3A,3,%2F,%C3%A9,000"));
  EXPECT_LE(found[0].size(), 140U);
}

TEST_P(Wrapper, TheJobHasTheEnvironmentOfTheGrid) {
  auto given = facts("env > \"$HOME/" + world().token() + "/environment\"; test -r \"$CIGRI_NODE_FILE\"; :");
  const auto made = launch("folder", facts("mkdir -p \"$HOME/" + world().token() + "/a b;c\"; :"), {task(601, 1, 78, {})});
  EXPECT_EQ(world().await_end(made.ids).front().exit_status, 0);
  given.workdir = "$HOME/" + world().token() + "/a b;c";
  const auto submitted = launch("environment", given, {task(600, 3, 77, {"first word", "second"})});
  EXPECT_EQ(world().await_end(submitted.ids).front().exit_status, 0);
  const auto environment = "\n" + file("environment");
  for (const std::string line : {"CIGRI_JOB_ID=77", "CIGRI_JOBID=77", "CIGRI_CAMPAIGN_ID=17", "CIGRI_CAMPAIGNID=17",
                                 "CIGRI_JOB_NAME=first word", "CIGRI_JOBNAME=first word", "CIGRI_RESOURCES=/core=1", "CIGRI_WALLTIME=0:5:0",
                                 "CIGRI_WALLTIME_SECONDS=300", "CIGRI_CLUSTER=alpha", "CIGRI_ATTEMPT=3"}) {
    EXPECT_THAT(environment, HasSubstr("\n" + line + "\n"));
  }
  for (const std::string name :
       {"CIGRI_WORKDIR", "CIGRI_WORKING_DIRECTORY", "OAR_WORKDIR", "OAR_O_WORKDIR", "OAR_WORKING_DIRECTORY", "PWD"})
    EXPECT_THAT(environment, ::testing::ContainsRegex("\n" + name + "=/[^\n]*/" + world().token() + "/a b;c\n"));
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_USER=" + world().user() + "\n"));
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_NODE_FILE=/"));
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_NODEFILE=/"));
}

}  // namespace
}  // namespace gleaner::contract
