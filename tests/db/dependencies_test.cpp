// Campaigns that wait for others: what meets a dependency, which tasks are released, and when.
#include "lib/store/dependencies.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "lib/store/chosen_tasks.hpp"
#include "lib/store/prune.hpp"
#include "tests/db/dependencies_fixture.hpp"

namespace gleaner::tests {
namespace {

using grid::DependencyKind;
using ::testing::IsEmpty;

TEST_F(Dependencies, After_IsMetWhenAllTasksAreDone_AndThenNothingWaitsForItAnyMore) {
  const auto first = a_campaign(2);
  const auto second = after(first, DependencyKind::after, 3);
  auto facts = facts_of(second);
  ASSERT_TRUE(facts.awaits);
  EXPECT_EQ(facts.awaits->campaign, first);
  EXPECT_EQ(facts.awaits->left, 2);
  EXPECT_FALSE(facts_of(first).awaits);
  const auto jobs = launched(first, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  finish();
  EXPECT_EQ(facts_of(second).awaits->left, 1);
  end(jobs[1], grid::JobEnd::done);
  EXPECT_TRUE(facts_of(second).awaits) << "it is not over yet";
  finish();
  EXPECT_FALSE(facts_of(second).awaits);
  EXPECT_EQ(plan(second, 3), 3);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, AFailedTask_Holds_UntilItIsRunAgainAndDone) {
  const auto first = a_campaign(2);
  const auto second = after(first, DependencyKind::after, 1);
  const auto any = after(first, DependencyKind::after_any_end, 1);
  const auto jobs = launched(first, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::task_error);
  finish();
  ASSERT_EQ(value("SELECT state FROM campaigns WHERE id = 1"), "terminated");
  const auto facts = facts_of(second);
  ASSERT_TRUE(facts.awaits);
  EXPECT_EQ(facts.awaits->failed, 1);
  EXPECT_EQ(facts.awaits->first_failed, jobs[1].task.value());
  EXPECT_TRUE(is_stuck(*facts.awaits));
  EXPECT_FALSE(facts_of(any).awaits) << "however it ends";
  transact([&](store::Transaction& t) { EXPECT_EQ(store::retry_failed_tasks(t, {.campaign = first}, now).size(), 1U); });
  end(launched(first, alpha, 1).front(), grid::JobEnd::done);
  finish();
  EXPECT_FALSE(facts_of(second).awaits);
}

TEST_F(Dependencies, ACancelledCampaign_HoldsWhatComesAfterIt_AndFreesWhatOnlyWantsItsEnd) {
  const auto first = a_campaign(2);
  const auto second = after(first, DependencyKind::after, 1);
  const auto any = after(first, DependencyKind::after_any_end, 1);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, first, now)); });
  EXPECT_EQ(facts_of(second).awaits->state, grid::CampaignState::cancelled);
  EXPECT_FALSE(facts_of(any).awaits);
}

TEST_F(Dependencies, OnACampaignThatIsOver_AreMetAtOnce) {
  const auto first = a_campaign(1);
  end(launched(first, alpha, 1).front(), grid::JobEnd::done);
  finish();
  for (const auto kind : grid::kDependencyKinds) {
    const auto second = after(first, kind, 1);
    EXPECT_FALSE(facts_of(second).awaits);
    EXPECT_EQ(facts_of(second).waiting_tasks, 1);
  }
}

TEST_F(Dependencies, TaskByTask_ATaskIsInTheBag_WhenThatOfItsNumberIsDone) {
  const auto first = a_campaign(5);
  const auto second = after(first, DependencyKind::after_each, 4);
  EXPECT_EQ(facts_of(second).waiting_tasks, 0);
  EXPECT_EQ(facts_of(second).held_tasks, 4);
  EXPECT_EQ(plan(second, 10), 0);
  const auto jobs = launched(first, alpha, 5);
  end(jobs[2], grid::JobEnd::done);
  end(jobs[4], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::task_error);
  EXPECT_EQ(bag(second), "2") << "it has no task 4";
  EXPECT_EQ(facts_of(second).waiting_tasks, 1);
  EXPECT_EQ(facts_of(second).held_tasks, 3);
  EXPECT_EQ(plan(second, 10), 1);
  EXPECT_THAT(broken(), IsEmpty());
  end(jobs[0], grid::JobEnd::done);
  end(jobs[3], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "0 3");
  finish();
  EXPECT_TRUE(is_stuck(*facts_of(second).holds_tasks)) << "task 1 failed";
  transact([&](store::Transaction& t) { EXPECT_EQ(store::retry_failed_tasks(t, {.campaign = first}, now).size(), 1U); });
  end(launched(first, alpha, 1).front(), grid::JobEnd::done);
  EXPECT_EQ(bag(second), "0 1 3");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, TaskByTask_OnSeveral_WaitsForTheTasksOfAll_AndSubmittedLater_FindsWhatIsDone) {
  const auto one = a_campaign(3);
  const auto other = a_campaign(3);
  const auto of_one = launched(one, alpha, 3);
  end(of_one[0], grid::JobEnd::done);
  end(of_one[1], grid::JobEnd::done);
  const auto of_other = launched(other, alpha, 3);
  end(of_other[1], grid::JobEnd::done);
  const auto both = a_campaign(3);
  std::array dependencies{store::NewDependency{.kind = DependencyKind::after_each, .on = one},
                          store::NewDependency{.kind = DependencyKind::after_each, .on = other}};
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    ASSERT_FALSE(store::wrong_dependency(transaction, 3, dependencies));
    store::add_dependencies(transaction, both, dependencies, now);
  });
  EXPECT_EQ(bag(both), "1");
  end(of_other[2], grid::JobEnd::done);
  EXPECT_EQ(bag(both), "1");
  end(of_one[2], grid::JobEnd::done);
  EXPECT_EQ(bag(both), "1 2");
  end(of_other[0], grid::JobEnd::done);
  EXPECT_EQ(bag(both), "0 1 2");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, HeldTasks_CanBeCancelled_OneByOneOrWithTheirCampaign) {
  const auto first = a_campaign(4);
  const auto second = after(first, DependencyKind::after_each, 4);
  const auto jobs = launched(first, alpha, 4);
  end(jobs[0], grid::JobEnd::done);
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    const std::vector<text::Range> ranges{{0, 1}};
    EXPECT_EQ(store::cancel_tasks(t, second, ranges)->waiting, 2);
  });
  EXPECT_THAT(broken(), IsEmpty());
  end(jobs[1], grid::JobEnd::done);
  end(jobs[2], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "2") << "task 1 is cancelled";
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, second, now)); });
  end(jobs[3], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, HeldTasksOfDifferentRequests_AreReleasedAndCancelledToo) {
  const auto first = a_campaign(4);
  const auto second = a_campaign(4);
  execute(fmt::format(R"(
    UPDATE campaigns SET requests = 2 WHERE id = {0};
    UPDATE tasks SET request = 1 + number % 2 WHERE campaign_id = {0};
    INSERT INTO campaign_requests SELECT {0}, k.id, r, r, '/core=' || r, r, NULL, 60 FROM clusters k, generate_series(1, 2) r;
    INSERT INTO request_tasks SELECT {0}, request, number FROM tasks WHERE campaign_id = {0};
    INSERT INTO request_bags SELECT {0}, request, min(number), count(*) FROM tasks WHERE campaign_id = {0} GROUP BY request)",
                      second.value()));
  std::array dependencies{store::NewDependency{.kind = DependencyKind::after_each, .on = first}};
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    ASSERT_FALSE(store::wrong_dependency(transaction, 4, dependencies));
    store::add_dependencies(transaction, second, dependencies, now);
  });
  EXPECT_EQ(plan(second, 4), 0);
  const auto jobs = launched(first, alpha, 4);
  end(jobs[3], grid::JobEnd::done);
  EXPECT_EQ(plan(second, 4), 1);
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    const std::vector<text::Range> ranges{{2, 2}};
    EXPECT_EQ(store::cancel_tasks(t, second, ranges)->waiting, 1);
  });
  end(jobs[2], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "1");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, WhatIsWrong_IsSaid) {
  const auto first = a_campaign(2);
  const auto said = [&](std::int64_t tasks, store::NewDependency dependency) {
    std::array dependencies{dependency};
    auto transaction = database.begin();
    const auto wrong = store::wrong_dependency(transaction, tasks, dependencies);
    return wrong ? std::string{name_of(wrong->kind)} + ": " + wrong->why : std::string{};
  };
  EXPECT_EQ(said(1, {.kind = DependencyKind::after, .on = grid::CampaignId{99}}), "after: there is no campaign 99");
  EXPECT_EQ(said(3, {.kind = DependencyKind::after_each, .on = first}),
            "after_each: campaign 1 has 2 tasks, and this one 3: task 2 would wait for none");
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, first, now)); });
  EXPECT_EQ(said(1, {.kind = DependencyKind::after, .on = first}), "after: campaign 1 was cancelled, so that this one would never start");
  EXPECT_EQ(said(1, {.kind = DependencyKind::after_any_end, .on = first}), "");
}

TEST_F(Dependencies, TaskByTask_ReleasesAPartAtATime_OfEachUserInTurn) {
  const auto first = a_campaign(1);
  std::vector<grid::CampaignId> all;
  for (const auto* user : {"mal", "mal", "mal", "bob"}) {
    all.push_back(after(first, DependencyKind::after_each, 1));
    execute(fmt::format("UPDATE campaigns SET user_name = '{}' WHERE id = {}", user, all.back().value()));
  }
  const auto order = [&] {
    std::vector<std::int64_t> ids;
    transact([&](store::Transaction& t) {
      for (const auto& one : store::dependencies_to_release(t, 2, now)) ids.push_back(one.campaign.value());
    });
    return ids;
  };
  EXPECT_EQ(order(), (std::vector{all[0].value(), all[3].value()})) << "bob's is not behind mal's";
}

TEST_F(Dependencies, OnOneCampaign_AreBounded_AndHalfOfThemAreForItsOwnUser) {
  const auto first = a_campaign(2);
  const auto refused = [&](const std::string& user) {
    std::string why;
    transact([&](store::Transaction& t) {
      const std::array dependencies{store::NewDependency{.kind = DependencyKind::after_each, .on = first}};
      if (auto found = store::crowded_dependency(t, user, 4, dependencies)) why = found->why;
    });
    return why;
  };
  const auto owner = value(fmt::format("SELECT user_name FROM campaigns WHERE id = {}", first.value()));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(refused("mal"), "");
    const auto other = after(first, DependencyKind::after_each, 2);
    execute(fmt::format("UPDATE campaigns SET user_name = 'mal' WHERE id = {}", other.value()));
  }
  EXPECT_THAT(refused("mal"), ::testing::HasSubstr(fmt::format("4 may (max_dependents), and half of these are kept for {}", owner)));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(refused(owner), "");
    static_cast<void>(after(first, DependencyKind::after, 2));
  }
  EXPECT_NE(refused(owner), "");
}

TEST_F(Dependencies, OfAStranger_DoNotKeepACampaignThatIsOverFromBeingDeleted) {
  const auto first = a_campaign(1);
  const auto second = after(first, DependencyKind::after, 1);
  execute(fmt::format("UPDATE campaigns SET user_name = 'mal' WHERE id = {}", second.value()));
  end(launched(first, alpha, 1).front(), grid::JobEnd::task_error);
  finish();
  execute(fmt::format("UPDATE campaign_clusters SET cleaned_at = now() WHERE campaign_id = {}", first.value()));
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::seal_campaign(t, first)); });
  {
    auto transaction = database.begin();
    EXPECT_THAT(store::count_prunable(transaction, now + std::chrono::hours{1000}).in_vain, ::testing::ElementsAre(second));
  }
  const auto pruned = store::prune(database, now + std::chrono::hours{1000});
  EXPECT_EQ(pruned.campaigns, 1);
  EXPECT_THAT(pruned.in_vain, ::testing::ElementsAre(second));
  EXPECT_EQ(value("SELECT code || ' ' || campaign_id FROM events WHERE state = 'open' AND code <> 'TASK_ERROR'"),
            fmt::format("AWAITS_IN_VAIN {}", second.value()));
  EXPECT_THAT(
      stored.event("AWAITS_IN_VAIN").message,
      ::testing::HasSubstr("all tasks of campaign 1 are done, and that one was deleted, so that it cannot end: 'griddel 2' cancels it"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, OnTasksThatWereCancelledAsTheyRan_AreInVain_UntilTheCampaignIsOver) {
  const auto first = a_campaign(5);
  const auto whole = after(first, DependencyKind::after, 1);
  const auto each = after(first, DependencyKind::after_each, 5);
  const auto shorter = after(first, DependencyKind::after_each, 3);
  const auto jobs = launched(first, alpha, 5);
  for (int i = 0; i < 4; ++i) end(jobs[i], grid::JobEnd::done);
  finish();
  EXPECT_EQ(stored.events().size(), 0U);
  transact([&](store::Transaction& t) {
    const std::vector<text::Range> last{{4, 4}};
    EXPECT_TRUE(store::cancel_tasks(t, first, last));
  });
  end(jobs[4], grid::JobEnd::killed_by_us);
  finish();
  const auto open = [&] {
    return value(
        "SELECT coalesce(string_agg(campaign_id::text, ' ' ORDER BY campaign_id), '') FROM events WHERE state = 'open' AND code = "
        "'AWAITS_IN_VAIN'");
  };
  EXPECT_EQ(open(), fmt::format("{} {}", whole.value(), each.value())) << "campaign " << shorter.value() << " has no task 4";
  EXPECT_EQ(value(fmt::format("SELECT message FROM events WHERE campaign_id = {}", each.value())),
            fmt::format("1 of its tasks wait for tasks of campaign {0} that were cancelled, so that it cannot end: 'griddel {1} --task 4' "
                        "cancels them",
                        first.value(), each.value()));
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, whole, now)); });
  EXPECT_EQ(open(), std::to_string(each.value()));
  transact([&](store::Transaction& t) {
    const std::vector<text::Range> last{{4, 4}};
    EXPECT_TRUE(store::cancel_tasks(t, each, last));
  });
  release();
  for (const auto& job : launched(each, alpha, 4)) end(job, grid::JobEnd::done);
  finish();
  EXPECT_EQ(open(), "") << "it is over";
}

TEST_F(Dependencies, ACampaignForWhichAnotherWaits_IsNotDeleted) {
  const auto first = a_campaign(1);
  const auto second = after(first, DependencyKind::after, 1);
  end(launched(first, alpha, 1).front(), grid::JobEnd::task_error);
  finish();
  execute("UPDATE campaign_clusters SET cleaned_at = now()");
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::seal_campaign(t, first).error(), "campaign 2 waits for it: cancel that one first, or let it end");
  });
  const auto later = now + std::chrono::hours{1000};
  EXPECT_EQ(store::prune(database, later).campaigns, 0);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, second, now)); });
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::seal_campaign(t, first)); });
}

// Tasks end while campaigns that wait for them are submitted: none is missed, and none is in the bag twice.
TEST_F(Dependencies, SubmittedWhileTasksEnd_MissNone) {
  constexpr int kTasks = 60;
  const auto first = a_campaign(kTasks);
  const auto jobs = launched(first, alpha, kTasks);
  std::vector<grid::CampaignId> waiting;
  std::atomic<bool> over = false;
  std::jthread submits{[&] {
    store::Database other{conninfo};
    for (int i = 0; i < 20 && !over; ++i) {
      store::transact(other, std::nullopt, [&](store::Transaction& t) {
        const auto made = store::create_campaign(t, {.user = "ada", .name = "n", .type = {}, .jdl = "{}", .idempotency_key = {}}, now);
        const auto id = std::get<grid::CampaignId>(made);
        store::write_numbered_tasks(t, id, kTasks);
        std::array dependencies{store::NewDependency{.kind = DependencyKind::after_each, .on = first}};
        EXPECT_FALSE(store::wrong_dependency(t, kTasks, dependencies));
        store::complete_campaign(t, id, kTasks);
        store::add_dependencies(t, id, dependencies, now);
        waiting.push_back(id);
      });
    }
  }};
  for (const auto& job : jobs) end(job, grid::JobEnd::done);
  over = true;
  submits.join();
  ASSERT_FALSE(waiting.empty());
  EXPECT_THAT(broken(), IsEmpty()) << "what is not released yet is held";
  release();
  for (const auto id : waiting)
    EXPECT_EQ(value(fmt::format("SELECT count(*) FROM returned_tasks WHERE campaign_id = {}", id.value())), std::to_string(kTasks));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, Document000_WhatATaskGave_IsStored_IfItIsDoneByThatJob) {
  const auto giving = a_campaign(3);
  const auto silent = a_campaign(1);
  execute(fmt::format("UPDATE campaigns SET jdl = jdl || '{{\"gives\": [\"n\"]}}' WHERE id = {}", giving.value()));
  const auto ends = [&](const store::LiveJob& job, grid::JobEnd end, const std::string& given) {
    transact([&](store::Transaction& t) {
      store::Verdict verdict{.left = store::facts_for_settling(t, std::array{job.id}).at(0), .started_at = now, .ended_at = now};
      verdict.end = end;
      verdict.given = given;
      verdict.left.job.began = verdict.left.job.claimed = true;
      verdict.settlement =
          grid::settle(verdict.left.task, verdict.left.job, end, grid::Deletion::none, {.attempts = 5, .charged = 5, .retries = 3});
      store::settle_jobs(t, std::array{verdict}, now);
    });
  };
  const auto jobs = launched(giving, alpha, 3);
  ends(jobs.at(0), grid::JobEnd::done, "n=1");
  ends(jobs.at(1), grid::JobEnd::task_error, "n=2");
  ends(jobs.at(2), grid::JobEnd::done, "");
  ends(launched(silent, alpha, 1).at(0), grid::JobEnd::done, "n=3");
  EXPECT_EQ(value("SELECT string_agg(campaign_id || ' ' || number || ' ' || attempt || ' ' || given, ', ') FROM task_gives"),
            fmt::format("{} 0 0 n=1", giving.value()));
}

}  // namespace
}  // namespace gleaner::tests
