#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "sim/minioar/ledger.hpp"

namespace gleaner::minioar {
namespace {

class LedgerFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "minioar-ledger-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    path_ = directory_ / "journal";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::unique_ptr<Ledger> open() const {
    auto ledger = Ledger::open(path_.string(), make_resources({.nodes = 1, .cores = 4}));
    if (!ledger) throw std::runtime_error{ledger.error()};
    return std::move(*ledger);
  }
  [[nodiscard]] static Submission submission(const std::vector<Resource>& resources) {
    Submission made;
    made.user = "someone";
    made.name = "caf\xe9 \"q\"\n";
    made.types = {"besteffort", "idempotent"};
    made.property = "mem >= 8";
    made.resources = {"/core=2,walltime=0:5:0"};
    made.directory = "/home/someone";
    made.submission_time = 100;
    if (!complete(made, resources)) throw std::runtime_error{"not understood"};
    return made;
  }
  /// Two jobs, the first one over.
  void write_some() const {
    const auto ledger = open();
    const auto jobs = ledger->add(submission(ledger->resources()), {"one", "two \\ \x01"});
    auto& first = *jobs[0];
    first.state = JobState::terminated;
    first.start_time = 110;
    first.stop_time = 120;
    first.exit_code = 768;
    first.resources = {0, 1};
    first.moldable = 0;
    ledger->save(first);
    ledger->add_event(first, "SWITCH_INTO_TERMINATE_STATE", "done", 120);
  }

  std::filesystem::path directory_;
  std::filesystem::path path_;
};

TEST_F(LedgerFile, Reopened_HasTheSameJobs) {
  write_some();
  const auto ledger = open();
  ASSERT_EQ(ledger->jobs().size(), 2U);
  const auto& first = *ledger->find(1);
  EXPECT_EQ(first.state, JobState::terminated);
  EXPECT_EQ(first.exit_code, 768);
  EXPECT_EQ(first.resources, (std::vector<int>{0, 1}));
  EXPECT_EQ(first.walltime(), 300);
  EXPECT_EQ(first.events.at(0).type, "SWITCH_INTO_TERMINATE_STATE");
  EXPECT_EQ(first.submission->name, "caf\xe9 \"q\"\n");
  EXPECT_TRUE(first.submission->best_effort());
  EXPECT_EQ(ledger->find(2)->command, "two \\ \x01");
  EXPECT_EQ(ledger->find(2)->array_id, 1);
  EXPECT_EQ(ledger->unfinished(), (std::set<JobNumber>{2}));
  EXPECT_EQ(ledger->array(1), (std::vector<JobNumber>{1, 2}));
  EXPECT_EQ(ledger->find(3), nullptr);
}

TEST_F(LedgerFile, CutAnywhere_OpensWithWhatWasWholeAndGoesOn) {
  write_some();
  const auto size = std::filesystem::file_size(path_);
  const auto copy = directory_ / "copy";
  std::filesystem::copy_file(path_, copy);
  for (std::uintmax_t length = 0; length < size; length += 7) {
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path_, length);
    JobNumber added = 0;
    {
      const auto ledger = open();
      EXPECT_LE(ledger->jobs().size(), 2U);
      added = ledger->add(submission(ledger->resources()), {"after"}).front()->id;
    }
    const auto ledger = open();
    ASSERT_NE(ledger->find(added), nullptr) << "cut at " << length;
    EXPECT_EQ(ledger->find(added)->command, "after") << "cut at " << length;
  }
}

TEST_F(LedgerFile, GarbageAtTheEnd_IsCutOff) {
  write_some();
  { std::ofstream{path_, std::ios::app} << "{\"r\":\"state\",\"id\":1,\n"; }
  { std::ofstream{path_, std::ios::app} << "not json\n"; }
  EXPECT_EQ(open()->jobs().size(), 2U);
  EXPECT_EQ(open()->find(1)->state, JobState::terminated);
}

TEST_F(LedgerFile, JobSubmittedAgain_IsInTheArrayOfTheFirst) {
  const auto ledger = open();
  const auto* first = ledger->add(submission(ledger->resources()), {"one"}).front();
  const auto& second = ledger->add_again(*first, 200);
  EXPECT_EQ(second.id, 2);
  EXPECT_EQ(second.array_id, 1);
  EXPECT_EQ(second.resubmitted, 1);
  EXPECT_EQ(second.command, "one");
  EXPECT_EQ(second.state, JobState::waiting);
}

TEST(Submission, ShownProperties_AreThoseOfOar) {
  const auto resources = make_resources({});
  const auto shown = [&](std::string property, std::vector<std::string> types) {
    Submission made;
    made.property = std::move(property);
    made.types = std::move(types);
    if (!complete(made, resources)) throw std::runtime_error{"not understood"};
    return made.properties;
  };
  EXPECT_EQ(shown("", {}), "(desktop_computing = 'NO') AND drain='NO'");
  EXPECT_EQ(shown("mem=16", {}), "((mem=16) AND desktop_computing = 'NO') AND drain='NO'");
  EXPECT_EQ(shown("", {"besteffort"}), "((besteffort = 'YES') AND desktop_computing = 'NO') AND drain='NO'");
  EXPECT_EQ(shown("mem=16", {"besteffort"}), "(((mem=16) AND besteffort = 'YES') AND desktop_computing = 'NO') AND drain='NO'");
}

}  // namespace
}  // namespace gleaner::minioar
