#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "runner/command/command.hpp"
#include "runner/command/journal.hpp"
#include "tests/contract/world.hpp"

/// The wrapper of a job, on a cluster: submitted, kept and started by OAR.
namespace gleaner::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Arguments = std::vector<std::string>;
const grid::CampaignId kCampaign{17};

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
  static runner::LaunchFacts facts(const std::string& tag, const std::string& exec_file) {
    return {world().token(), kCampaign, tag, exec_file, "alpha", world().user(), "/tmp", "/core=1", "0:5:0"};
  }
  static oar::Submitted launch(const runner::LaunchFacts& facts, const std::vector<runner::TaskFacts>& tasks) {
    std::vector<std::string> lines;
    for (const auto& task : tasks) {
      lines.push_back(runner::parameter_line(task).value());
    }
    auto request = world().request(runner::JobCommand::create(facts).value().text(), lines);
    request.name = facts.tag;
    return world().submit(request);
  }
  static std::vector<runner::JournalEntry> journal(const std::string& tag) {
    const auto text = until_answered([&] { return client().read_file(world().user(), runner::journal_path(world().token(), kCampaign, tag)); });
    EXPECT_TRUE(text) << oar::describe(text.error());
    return runner::parse_journal(text.value_or(""));
  }
  static std::string file(const std::string& name) {
    const auto text = until_answered([&] { return client().read_file(world().user(), fmt::format("~/{}/{}", world().token(), name)); });
    EXPECT_TRUE(text) << oar::describe(text.error());
    return text.value_or("");
  }
  static runner::TaskFacts task(int number, int attempt, int job, Arguments arguments) {
    return {grid::TaskNumber{number}, attempt, grid::JobId{job}, std::move(arguments)};
  }
};
GLEANER_ON_EACH_BACKEND(Wrapper);

TEST_P(Wrapper, EveryArgumentReachesTheCommandByteForByte) {
  constexpr std::size_t kSets = 70;
  const char* const seed_given = std::getenv("GLEANER_CONTRACT_SEED");
  const std::uint64_t seed = seed_given == nullptr ? std::random_device{}() : std::strtoull(seed_given, nullptr, 10);
  std::cout << "GLEANER_CONTRACT_SEED=" << seed << '\n';
  const auto sets = HostileArguments{seed}.sets(kSets);
  const std::string recorder = R"(r() { echo $#; for a; do printf %s "$a" | od -An -v -tx1 | tr -d ' \n'; echo; done; }; exec > "$HOME/)" +
                               world().token() + R"(/arguments.$CIGRI_JOB_ID"; r)";
  std::vector<runner::TaskFacts> tasks;
  for (std::size_t number = 0; number < sets.size(); ++number) {
    tasks.push_back(task(static_cast<int>(number), 1, static_cast<int>(1000 + number), sets[number]));
  }
  const auto submitted = launch(facts(world().token() + ".hostile", recorder), tasks);
  ASSERT_EQ(submitted.ids.size(), sets.size());
  const auto jobs = world().await_end(submitted.ids);
  for (std::size_t number = 0; number < sets.size(); ++number) {
    EXPECT_EQ(jobs[number].exit_status, 0);
    EXPECT_EQ(file(fmt::format("arguments.{}", 1000 + number)), in_hex(sets[number])) << "set " << number;
    EXPECT_EQ(runner::read_command(jobs[number].command),
              (runner::CommandIdentity{kCampaign, tasks[number].task, tasks[number].attempt, tasks[number].job}));
  }
}

TEST_P(Wrapper, TwoJobsOfOneAttempt_RunItOnce_AndTheSecondSaysSo) {
  const auto tag = world().token() + ".twins";
  const auto submitted = launch(facts(tag, "echo run >> \"$HOME/" + world().token() + "/twins\"; sleep 1; exit 5; :"),
                                {task(500, 1, 1, {}), task(500, 1, 2, {}), task(500, 2, 3, {}), task(501, 1, 4, {"x"})});
  std::map<int, int> ends;
  for (const auto& job : world().await_end(submitted.ids)) {
    ++ends[oar::shell_status(job.exit_status.value_or(-1))];
  }
  EXPECT_EQ(ends, (std::map<int, int>{{5, 3}, {grid::kRanNothing, 1}}));
  EXPECT_EQ(file("twins"), "run\nrun\nrun\n");
  int duplicates = 0;
  for (const auto& entry : journal(tag)) {
    duplicates += entry.word == runner::JournalWord::duplicate ? 1 : 0;
    if (entry.word == runner::JournalWord::duplicate) {
      EXPECT_EQ(entry.task.value(), 500);
      EXPECT_EQ(entry.attempt, 1);
    }
    if (entry.word == runner::JournalWord::end) {
      EXPECT_EQ(entry.status, 5);
    }
  }
  EXPECT_EQ(duplicates, 1);
}

TEST_P(Wrapper, TheJobHasTheEnvironmentOfTheGrid) {
  auto given =
      facts(world().token() + ".environment", "env > \"$HOME/" + world().token() + "/environment\"; test -r \"$CIGRI_NODE_FILE\"; :");
  given.workdir = "/tmp/a b'c";
  const auto submitted = launch(given, {task(600, 3, 77, {"first word", "second"})});
  EXPECT_EQ(world().await_end(submitted.ids).front().exit_status, 0);
  const auto environment = "\n" + file("environment");
  for (const std::string line :
       {"CIGRI_JOB_ID=77", "CIGRI_JOBID=77", "CIGRI_CAMPAIGN_ID=17", "CIGRI_CAMPAIGNID=17", "CIGRI_JOB_NAME=first word",
        "CIGRI_JOBNAME=first word", "CIGRI_WORKDIR=/tmp/a b'c", "CIGRI_WORKING_DIRECTORY=/tmp/a b'c", "CIGRI_RESOURCES=/core=1",
        "CIGRI_WALLTIME=0:5:0", "CIGRI_WALLTIME_SECONDS=300", "CIGRI_CLUSTER=alpha", "CIGRI_ATTEMPT=3"}) {
    EXPECT_THAT(environment, HasSubstr("\n" + line + "\n"));
  }
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_USER=" + world().user() + "\n"));
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_NODE_FILE=/"));
  EXPECT_THAT(environment, HasSubstr("\nCIGRI_NODEFILE=/"));
}

}  // namespace
}  // namespace gleaner::contract
