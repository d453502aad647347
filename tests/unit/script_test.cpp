#include "lib/grid/script.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lib/grid/evidence.hpp"
#include "lib/grid/job_identity.hpp"

/// The rules of prologues and epilogues.
namespace gleaner::grid {
namespace {

ScriptFacts fresh() {
  ScriptFacts facts;
  facts.waiting_tasks = 10;
  facts.has_prologue = facts.has_epilogue = true;
  return facts;
}

ScriptFacts prepared() {
  auto facts = fresh();
  facts.prepared = facts.epilogue_due = facts.began = true;
  facts.prologue = TaskState::done;
  return facts;
}

ScriptFacts all_settled() {
  auto facts = prepared();
  facts.waiting_tasks = 0;
  facts.settled = true;
  return facts;
}

TEST(Script, EachHasANumberOfItsOwn_ThatNoTaskHas) {
  std::set<TaskNumber> numbers;
  for (std::int64_t cluster = 1; cluster <= 5; ++cluster) {
    for (const auto script : {Script::prologue, Script::epilogue}) {
      const auto task = task_of(script, ClusterId{cluster});
      EXPECT_TRUE(numbers.insert(task).second);
      EXPECT_EQ(script_of(task), script);
    }
  }
  EXPECT_EQ(task_of(Script::prologue, ClusterId{3}), TaskNumber{-5});
  EXPECT_EQ(task_of(Script::epilogue, ClusterId{3}), TaskNumber{-6});
  EXPECT_FALSE(script_of(TaskNumber{0}));
}

TEST(Script, ItsNumberIsReadBack_FromItsCommandAndItsFiles) {
  const auto identity = read_command("bash x gleaner.7 -5 2 31 9 -");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->task, TaskNumber{-5});
  const auto file = read_evidence_name("-5.2.31.1007.e0");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->task, TaskNumber{-5});
  EXPECT_EQ(file->name(), "-5.2.31.1007.e0");
  for (const auto* const name : {"-.2.31.1007.e0", "-0.2.31.1007.e0", "--5.2.31.1007.e0", "-05.2.31.1007.e0", "5.-2.31.1007.e0"})
    EXPECT_FALSE(read_evidence_name(name)) << name;
}

TEST(Script, WithoutAny_APairIsReady) {
  ScriptFacts facts;
  facts.waiting_tasks = 1;
  facts.began = true;
  EXPECT_EQ(preparation_of(facts), Preparation::ready);
  EXPECT_FALSE(script_to_run(facts));
  facts.waiting_tasks = 0;
  facts.settled = true;
  EXPECT_FALSE(awaits_epilogue(facts));
  EXPECT_FALSE(script_to_run(facts));
}

TEST(Script, ThePrologue_GoesFirst_AndOnlyWhileTasksWait) {
  EXPECT_EQ(preparation_of(fresh()), Preparation::prologue_due);
  EXPECT_EQ(script_to_run(fresh()), Script::prologue);
  auto facts = fresh();
  facts.waiting_tasks = 0;
  EXPECT_FALSE(script_to_run(facts));
  facts = fresh();
  facts.usable = false;
  EXPECT_FALSE(script_to_run(facts));
  for (const auto state : {CampaignState::paused, CampaignState::cancelled, CampaignState::terminated}) {
    facts = fresh();
    facts.campaign = state;
    EXPECT_FALSE(script_to_run(facts)) << name_of(state);
  }
}

TEST(Script, WhileThePrologueRuns_NothingElseIsSent) {
  auto facts = prepared();
  for (const auto state : {TaskState::launching, TaskState::submitted, TaskState::running}) {
    facts.prologue = state;
    EXPECT_EQ(preparation_of(facts), Preparation::prologue_runs);
    EXPECT_FALSE(script_to_run(facts));
  }
  facts.prologue = TaskState::done;
  EXPECT_EQ(preparation_of(facts), Preparation::ready);
  EXPECT_FALSE(script_to_run(facts));
}

TEST(Script, AFailedPrologue_HoldsThePair_UntilItIsGivenBack) {
  auto facts = prepared();
  facts.prologue = TaskState::failed;
  EXPECT_EQ(preparation_of(facts), Preparation::prologue_failed);
  EXPECT_FALSE(script_to_run(facts));
  facts.prologue = TaskState::waiting;
  EXPECT_EQ(preparation_of(facts), Preparation::prologue_due);
  EXPECT_EQ(script_to_run(facts), Script::prologue);
}

TEST(Script, TheEpilogue_GoesLast_WhereSomethingStarted) {
  EXPECT_TRUE(awaits_epilogue(all_settled()));
  EXPECT_EQ(script_to_run(all_settled()), Script::epilogue);
  auto facts = all_settled();
  facts.live_jobs = 1;
  EXPECT_FALSE(script_to_run(facts)) << "a late job still runs";
  EXPECT_TRUE(awaits_epilogue(facts));
  facts = all_settled();
  facts.began = false;
  EXPECT_FALSE(awaits_epilogue(facts));
  facts = all_settled();
  facts.epilogue_due = false;
  facts.epilogue = TaskState::done;
  EXPECT_FALSE(awaits_epilogue(facts));
  EXPECT_FALSE(script_to_run(facts));
}

TEST(Script, TheEpilogue_IsRunForPausedAndCancelledCampaignsToo) {
  for (const auto state : {CampaignState::paused, CampaignState::cancelled}) {
    auto facts = all_settled();
    facts.campaign = state;
    EXPECT_EQ(script_to_run(facts), Script::epilogue) << name_of(state);
  }
}

TEST(Script, AnEpilogueThatCameBack_IsRunBeforeAnythingElse) {
  auto facts = prepared();
  facts.prepared = facts.epilogue_due = false;
  facts.epilogue = TaskState::waiting;
  EXPECT_EQ(preparation_of(facts), Preparation::epilogue_runs);
  EXPECT_EQ(script_to_run(facts), Script::epilogue) << "its orphan may undo what tasks that were appended need";
}

TEST(Script, AfterAnEpilogue_AppendedTasksNeedThePrologueAgain) {
  auto facts = all_settled();
  facts.prepared = facts.epilogue_due = false;
  facts.epilogue = TaskState::done;
  facts.settled = false;
  facts.waiting_tasks = 5;
  EXPECT_EQ(preparation_of(facts), Preparation::prologue_due);
  EXPECT_EQ(script_to_run(facts), Script::prologue);
}

TEST(Script, AFailedEpilogue_EndsTheCampaign) {
  auto facts = all_settled();
  facts.epilogue_due = false;
  facts.epilogue = TaskState::failed;
  EXPECT_FALSE(awaits_epilogue(facts));
  EXPECT_FALSE(script_to_run(facts));
}

}  // namespace
}  // namespace gleaner::grid
