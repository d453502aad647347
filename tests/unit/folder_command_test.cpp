#include <rapidcheck/gtest.h>

#include "lib/grid/exit_status.hpp"
#include "runner/command/folder_word.hpp"
#include "tests/unit/pool_fixture.hpp"

/// The folder in which tasks run, entered here by the jobs' wrapper.
namespace gleaner::runner::test {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Folder : public Pool {
 protected:
  /// A job with one task, as the runner launches it with a folder and without an output directory.
  [[nodiscard]] Ended run_in(const std::string& workdir, const std::string& exec_file) const {
    return run_carrier({.exec_file = exec_file, .measured = true, .workdir = workdir, .streams_in_workdir = true});
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{home_ + "/" + folder}) names.push_back(entry.path().filename().string());
    return names;
  }
};

TEST_F(Folder, IsWhereTheTaskRuns_AndWhereItsStreamsAre_AndOarsVariablesNameIt) {
  const std::string folder = "d ir/(x) & y; touch $F; <z> | *";
  fs::create_directories(home_ + "/d ir/(x) & y; touch $F; <z> | *");
  const auto ended =
      run_in("$HOME/" + folder,
             R"(f() { printf '%s\n' "$PWD" "$OAR_WORKDIR" "$OAR_O_WORKDIR" "$OAR_WORKING_DIRECTORY" "$CIGRI_WORKDIR"; echo err >&2; }; f)");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.output, "") << "OAR's own files stay empty";
  const auto path = home_ + "/" + folder;
  EXPECT_EQ(content(folder + "/OAR.cigri.12.900.stdout"), fmt::format("{0}\n{0}\n{0}\n{0}\n{0}\n", path));
  EXPECT_EQ(content(folder + "/OAR.cigri.12.900.stderr"), "err\n");
  EXPECT_THAT(names_in(""), UnorderedElementsAre("d ir", ".gleaner"));
}

RC_GTEST_FIXTURE_PROP(Folder, OfAnyName_IsEnteredAsItStands, ()) {
  const auto byte = rc::gen::map(rc::gen::inRange(1, 256), [](int value) { return static_cast<char>(value); });
  const auto nasty =
      rc::gen::element<char>('\'', '"', '\\', '$', '`', '\n', ' ', '*', ';', '#', '\t', '!', '&', '|', '(', ')', '<', '>', '~', '-');
  auto name = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::oneOf(byte, nasty)));
  std::ranges::replace(name, '/', '_');
  name.resize(std::min<std::size_t>(name.size(), 200));
  RC_PRE(name != "." && name != "..");
  fs::create_directories(home_ + "/" + name);
  // A name of a variable would be replaced: that of a home that is none is long and unlikely.
  RC_PRE(name.find("$HOME") == std::string::npos && name.find("$USER") == std::string::npos && name.find("$LOGNAME") == std::string::npos);
  const auto ended = run_carrier({.exec_file = "printf %s \"$PWD\" > $HOME/.gleaner/seen; :",
                                  .measured = true,
                                  .workdir = "$HOME/" + name,
                                  .streams_in_workdir = true,
                                  .before_wrapper = "CDPATH=/;"});
  RC_ASSERT(ended.status == 0);
  RC_ASSERT(content(".gleaner/seen") == home_ + "/" + name);
}

TEST_F(Folder, ThatIsMissing_OrAFile_RunsNothing_AndLeavesItsWordAndItsReason) {
  const auto missing = run_in("$HOME/no such/$(id)", "touch $HOME/ran; :");
  EXPECT_EQ(missing.status, grid::kRanNothing);
  EXPECT_EQ(missing.output, fmt::format("gleaner: task 0, attempt 0: its exec_directory {}/no such/$(id) cannot be used, nothing was run: "
                                        "No such file or directory\n",
                                        home_));
  EXPECT_FALSE(fs::exists(home_ + "/ran"));
  EXPECT_THAT(files(), UnorderedElementsAre("0.0.100.900.f", "0.0.claim"));
  const auto noted = evidence(0);
  EXPECT_TRUE(noted.no_folder);
  EXPECT_EQ(grid::end_of({.record = grid::Record::exited, .status = missing.status}, noted, grid::Deletion::none),
            grid::JobEnd::bad_request);
  std::ofstream{home_ + "/file"} << "a file";
  EXPECT_THAT(run_carrier({.measured = true, .workdir = "$HOME/file", .streams_in_workdir = true}, 1).output,
              EndsWith(": Not a directory\n"));
}

TEST_F(Folder, InWhichNoFileCanBeMade_RunsNothing_LikeOneThatIsMissing) {
  fs::create_directories(home_ + "/results/OAR.cigri.12.900.stderr");
  const auto ended = run_in("$HOME/results", "touch $HOME/ran; :");
  EXPECT_EQ(ended.status, grid::kRanNothing);
  EXPECT_EQ(ended.output, fmt::format("gleaner: task 0, attempt 0: its exec_directory {}/results cannot be used, nothing was run: "
                                      "Is a directory\n",
                                      home_));
  EXPECT_FALSE(fs::exists(home_ + "/ran"));
  EXPECT_TRUE(evidence(0).no_folder);
}

TEST_F(Folder, ThatIsMissing_StaysTheEndOfTheAttempt_WhenOarRunsTheJobAgain) {
  EXPECT_EQ(run_in("$HOME/results", "touch $HOME/ran; :").status, grid::kRanNothing);
  fs::create_directories(home_ + "/results");
  EXPECT_THAT(run_in("$HOME/results", "touch $HOME/ran; :").output, HasSubstr("claimed by job 100"));
  EXPECT_FALSE(fs::exists(home_ + "/ran"));
  EXPECT_TRUE(evidence(0).no_folder);
}

TEST_F(Folder, IsThatOfThePooledTasksToo_AndOfTheirStreams) {
  fs::create_directories(home_ + "/d ir");
  for (const bool side_by_side : {false, true}) {
    fs::remove_all(home_ + "/.gleaner");
    list(1, 5);
    std::ofstream{home_ + "/nodes"} << "node1\nnode1\n";
    EXPECT_EQ(run_carrier({.exec_file = "f() { pwd; echo err $1 >&2; }; f",
                           .node_file = home_ + "/nodes",
                           .side_by_side = side_by_side,
                           .workdir = "$HOME/d ir",
                           .streams_in_workdir = true})
                  .output,
              "");
    EXPECT_EQ(content("d ir/OAR.cigri.12.900.stdout"), home_ + "/d ir\n");
    EXPECT_EQ(content("d ir/OAR.cigri.12.900.stderr"), "err 0\n");
    for (int task = 1; task < 6; ++task) {
      EXPECT_EQ(content(fmt::format("d ir/OAR.cigri.12.900.{}.stdout", task)), home_ + "/d ir\n");
      EXPECT_EQ(content(fmt::format("d ir/OAR.cigri.12.900.{}.stderr", task)), fmt::format("err {}\n", task));
      EXPECT_EQ(evidence(task).status, 0);
    }
    fs::remove_all(home_ + "/d ir");
    fs::create_directories(home_ + "/d ir");
  }
}

TEST_F(Folder, ThatACarrierCannotEnter_LeavesItsPooledTasksAlone) {
  list(1, 3);
  EXPECT_EQ(run_carrier({.exec_file = kNote, .workdir = "$HOME/absent", .streams_in_workdir = true}).status, grid::kRanNothing);
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_THAT(files(), UnorderedElementsAre("0.0.100.900.f", "0.0.claim", "pool"));
}

TEST_F(Folder, BesideAnOutputDirectory_IsWhereTheTaskRuns_AndWhereItsOutputFilesAre) {
  fs::create_directories(home_ + "/d ir");
  EXPECT_EQ(run_carrier({.exec_file = "f() { pwd; echo 1 > r-$1.dat; }; f",
                         .output_directory = "$HOME/results/12",
                         .output_files = "r-{1}.dat",
                         .measured = true,
                         .workdir = "$HOME/d ir"})
                .status,
            0);
  EXPECT_EQ(content("results/12/0.out"), home_ + "/d ir\n");
  EXPECT_EQ(content("results/12/0.file.r-0.dat"), "1\n");
  EXPECT_THAT(names_in("d ir"), UnorderedElementsAre("r-0.dat"));
}

/// The updator reads the file of OAR for them.
TEST_F(Folder, UntilItHasTheStreams_TheWrappersWordsAreInOarsFile) {
  fs::create_directories(home_ + "/run");
  const auto ended = run_carrier(
      {.exec_file = "touch $HOME/ran; :", .measured = true, .workdir = "$HOME/run", .streams_in_workdir = true, .input_files = "a.dat"});
  EXPECT_EQ(ended.status, grid::kRanNothing);
  EXPECT_THAT(ended.output, HasSubstr("its input file a.dat cannot be used, nothing was run"));
  EXPECT_THAT(names_in("run"), IsEmpty());
  EXPECT_THAT(files(), Contains("0.0.100.900.u"));
}

TEST_F(Folder, OfATaskWithCheckpoints_HasItsStreams_AndItsSignalArrives) {
  fs::create_directories(home_ + "/run");
  const auto ended = run_carrier(
      {.exec_file = "trap 'echo saved in $PWD; exit 4' USR1; kill -USR1 $(ps -o ppid= -p $PPID); for i in {1..500}; do sleep 0.01; done; :",
       .measured = true,
       .workdir = "$HOME/run",
       .streams_in_workdir = true,
       .checkpoint_signal = "USR1"});
  EXPECT_EQ(ended.status, 4);
  EXPECT_EQ(content("run/OAR.cigri.12.900.stdout"), fmt::format("saved in {}/run\n", home_));
}

TEST_F(Folder, ThatIsTheHome_CostsNothing_AndOarsFilesAreTheTasks) {
  const auto enters = [](const std::string& folder) {
    const LaunchFacts facts{"grid", grid::CampaignId{12}, "true", "alpha", "ada", folder, "/core=1", "1:0:0"};
    return JobCommand::create(facts).value().script().find("cd -- \"$CIGRI_WORKDIR\"") != std::string::npos;
  };
  for (const auto* home : {"$HOME", "${HOME}", "$HOME/"}) EXPECT_FALSE(enters(home)) << home;
  for (const auto* other : {"$HOME/x", "/home", "${HOME}x", "$HOME.d", "/"}) EXPECT_TRUE(enters(other)) << other;
  EXPECT_EQ(run_carrier({.exec_file = "pwd; :", .measured = true}).output, home_ + "\n");
}

/// Variables of a folder, as the job's shell reads the word.
TEST_F(Folder, HasItsVariablesReplaced_AndNothingElse) {
  const std::vector<std::pair<std::string, std::string>> folders{
      {"$HOME", "/home/ada"},
      {"${HOME}x", "/home/adax"},
      {"$HOME/two  words/*", "/home/ada/two  words/*"},
      {"$HOME/it's \"$HOME\" `touch bad` $(touch bad); touch bad", "/home/ada/it's \"/home/ada\" `touch bad` $(touch bad); touch bad"},
      {"$HOMES/x", "$HOMES/x"},
      {"/scratch/${USER}12/$LOGNAME.d/${LOGNAME}x", "/scratch/ada12/ada1.d/ada1x"},
      {"/$USERS/$USER_/${USER/$USER-1", "/$USERS/$USER_/${USER/ada-1"},
      {"/scratch/a\\ b/~/x", "/scratch/a\\ b/~/x"}};
  for (const auto& [written, seen] : folders) {
    const auto word = folder_word(written);
    EXPECT_EQ(run_shell(fmt::format("cd {} && HOME=/home/ada USER=ada LOGNAME=ada1; printf %s {}", home_, word)).output, seen) << written;
  }
  EXPECT_THAT(names_in(""), IsEmpty());
}

TEST(FolderFacts, StreamsThatHaveAnotherPlace_AreRefused) {
  LaunchFacts facts{"grid", grid::CampaignId{12}, "true", "alpha", "ada", "$HOME", "/core=1", "1:0:0"};
  facts.streams_in_workdir = true;
  EXPECT_FALSE(JobCommand::create(facts));
  facts.workdir = "/scratch";
  EXPECT_TRUE(JobCommand::create(facts));
  facts.output_directory = "$HOME/results";
  EXPECT_FALSE(JobCommand::create(facts));
}

}  // namespace
}  // namespace gleaner::runner::test
