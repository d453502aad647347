#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/contract/world.hpp"

/// The signal of a checkpoint: who gets it, and when.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using ::testing::Contains;
using ::testing::Field;
using ::testing::Not;

class Checkpoint : public Contract {
 protected:
  /// A job that runs and whose command has said that it began: OAR calls a job running before its command has set its traps.
  static oar::JobOf running(const oar::SubmitRequest& request) {
    const auto submitted = world().submit(request);
    const auto told = fmt::format("~/{}/{}.out", world().token(), submitted.ids.front().value());
    world().await(submitted.ids, [&](const auto& job) {
      return oar::is_over(job.state) ||
             (job.state == RemoteState::running && client().read_file(world().user(), told, {}).value_or("") == "began\n");
    });
    return {world().user(), submitted.ids.front()};
  }
  static oar::Result<void> send(int signal, const oar::JobOf& job) {
    const oar::SignalOf asked{job, signal};
    return until_answered([&] { return client().signal({&asked, 1}).front(); });
  }
  static int status_of(const oar::JobOf& job) {
    return oar::shell_status(world().await_end({job.id}).front().exit_status.value_or(0xFFFF));
  }
  /// A shell that ends with the number of the signal that it gets first, and with 7 if its child was signalled.
  static constexpr const char* kTold =
      "bash -c 'trap \"exit 10\" USR1; trap \"exit 12\" USR2; trap \"exit 1\" HUP; echo began; sleep 100 & wait \\$!; exit 7'";
};
GLEANER_ON_EACH_BACKEND(Checkpoint);

TEST_P(Checkpoint, IsASignal_ToTheFirstProcessOfTheCommand) {
  for (const int signal : {10, 12}) {
    const auto job = running(world().request(kTold));
    ASSERT_TRUE(send(signal, job));
    EXPECT_EQ(status_of(job), signal);
    EXPECT_THAT(world().details(job.id).events, Not(Contains(Field(&oar::RemoteEvent::type, "CHECKPOINT"))));
  }
}

TEST_P(Checkpoint, ComesBeforeAPreemption_AlsoToAJobThatWasSignalledBefore) {
  auto request = world().request("bash -c 'trap : USR2; trap \"exit 10\" USR1; echo began; while :; do sleep 0.2; done'");
  request.types = {"besteffort"};
  request.properties = "resource_id = 8";
  request.checkpoint = {.signal = 10, .before_end = grid::Seconds{30}};
  const auto job = running(request);
  ASSERT_TRUE(send(12, job));
  auto local = world().request("true");
  local.properties = request.properties;
  world().submit(local);
  EXPECT_EQ(status_of(job), 10);
  const auto events = world().details(job.id).events;
  EXPECT_THAT(events, Contains(Field(&oar::RemoteEvent::type, "CHECKPOINT_SUCCESSFULL")));
  EXPECT_THAT(events, Not(Contains(Field(&oar::RemoteEvent::type, "BESTEFFORT_KILL")))) << "it ended in time";
}

TEST_P(Checkpoint, ComesBeforeTheWalltime_WithoutARequest) {
  auto request = world().request(kTold);
  request.walltime = "0:1:30";
  request.checkpoint = {.signal = 1, .before_end = grid::Seconds{80}};
  EXPECT_EQ(status_of(running(request)), 1);
}

TEST_P(Checkpoint, OfAJobThatIsOver_AForeignOne_AndOneThatIsNotThere_IsRefused) {
  const auto refused = [](const oar::Result<void>& answer) { return !answer && std::holds_alternative<oar::Refused>(answer.error()); };
  const auto over = running(world().request("true"));
  world().await_end({over.id});
  EXPECT_TRUE(refused(send(10, over)));
  EXPECT_TRUE(refused(send(10, {world().user(), grid::RemoteJobId{99'999'999}})));
  EXPECT_TRUE(refused(send(10, {world().other_user(), world().shared().long_one.ids.front()})));
}

}  // namespace
}  // namespace gleaner::contract
