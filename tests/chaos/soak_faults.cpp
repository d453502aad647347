#include "tests/chaos/soak_faults.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/db/postgres.hpp"

namespace gleaner::tests::soak {
namespace {

using std::chrono::milliseconds;

/// Answers of minioar: spoilt, lost, late.
struct Answer {
  const char* kind;
  const char* json;
};
constexpr std::array kAnswers{
    Answer{"answer lost, POST carried out", R"({"mode":"reset","match":"POST /jobs","count":1,"after_commit":true})"},
    Answer{"answer lost, POST carried out", R"({"mode":"empty","match":"POST /jobs","count":1,"after_commit":true})"},
    Answer{"answer lost, POST carried out", R"({"mode":"500","match":"POST /jobs","count":2,"after_commit":true})"},
    Answer{"answer lost, POST carried out", R"({"mode":"truncate","match":"POST /jobs","count":1})"},
    Answer{"answer lost, POST not carried out", R"({"mode":"reset","match":"POST /jobs","count":1})"},
    Answer{"answer lost, POST not carried out", R"({"mode":"hang","match":"POST /jobs","count":1})"},
    Answer{"POST carried out after it was given up", R"({"mode":"none","match":"POST /jobs","count":1,"delay_ms":7000})"},
    Answer{"DELETE carried out, answered 500", R"({"mode":"500","match":"DELETE /jobs","count":2,"after_commit":true})"},
    Answer{"answers 500", R"({"mode":"500","count":3})"},
    Answer{"answers cut", R"({"mode":"cut","count":3})"},
    Answer{"answers in HTML", R"({"mode":"html","count":2})"},
    Answer{"answers that hang", R"({"mode":"hang","count":2})"},
    Answer{"/media unreadable", R"({"mode":"500","match":"GET /media","count":6})"},
    Answer{"/media forbidden", R"({"mode":"403","match":"GET /media","count":4})"},
    Answer{"/media slow", R"({"mode":"none","match":"GET /media","count":10,"latency_ms":900})"},
};
constexpr std::array kLaunches{"launching", "running", "unseen", "resubmitted", "run_twice"};
/// Not "finishing": such a job keeps its resources until an administrator frees them, and the cluster is full in the end.
constexpr std::array kEnds{"late", "late", "late", "lost", "lost"};

}  // namespace

void Faults::kill_server(Minioar& cluster) {
  cluster.kill_server(dice_.pick(kEnds), milliseconds{dice_.roll(200, 2000)});
  std::this_thread::sleep_for(milliseconds{dice_.roll(100, 900)});  // the outage itself
  cluster.start_server();
}

void Faults::kill_cluster(Minioar& cluster) {
  cluster.kill();
  std::this_thread::sleep_for(milliseconds{dice_.roll(0, 500)});  // the outage itself
  cluster.start();
}

void Faults::restart_database() {
  PrivatePostgres::instance().stop();
  std::this_thread::sleep_for(milliseconds{dice_.roll(0, 1500)});  // the outage itself
  PrivatePostgres::instance().start();
}

/// A fault that waits for the next POST may meet this one, whoever sends it.
void Faults::submit_local_job(Minioar& cluster) {
  constexpr std::chrono::seconds kUntilNoAnswerComes{30};
  try {
    submit_local(cluster.description(), {.cores = dice_.roll(1, 4), .command = "sleep 0.5", .limit = kUntilNoAnswerComes});
  } catch (const std::runtime_error&) {
    ++counts_["local job without an answer"];
  }
}

void Faults::strike() {
  struct Kind {
    const char* name;
    std::function<void(Minioar&)> strike;
  };
  const std::array kinds{
      Kind{"OAR's server killed", [this](Minioar& cluster) { kill_server(cluster); }},
      Kind{"OAR's server killed, jobs in launch",
           [this](Minioar& cluster) {
             cluster.spoil_launches(dice_.pick(kLaunches), dice_.roll(1, 2));
             kill_server(cluster);
           }},
      Kind{"OAR's API killed", [this](Minioar& cluster) { kill_cluster(cluster); }},
      Kind{"OAR's database restored", [this](Minioar& cluster) { cluster.restore_without(dice_.roll(1, 6)); }},
      Kind{"ends without an exit code", [this](Minioar& cluster) { cluster.lose_exit_codes(dice_.roll(1, 3)); }},
      Kind{"preemption", [this](Minioar& cluster) { cluster.preempt(dice_.roll(1, 4)); }},
      Kind{"local job", [this](Minioar& cluster) { submit_local_job(cluster); }},
      Kind{"latency of 150 ms", [](Minioar& cluster) { cluster.set_latency(milliseconds{150}); }},
      Kind{"module killed", [this](Minioar&) { killer_.kill_a_module(); }},
      Kind{"almighty killed", [this](Minioar&) { Killer::restart(grid_.almighty()); }},
      Kind{"gridapi killed", [this](Minioar&) { Killer::restart(grid_.api()); }},
      Kind{"PostgreSQL restarted", [this](Minioar&) { restart_database(); }},
  };
  const auto chosen = static_cast<std::size_t>(dice_.roll(0, static_cast<int>(kinds.size() + kAnswers.size()) - 1));
  auto& cluster = some_cluster();
  if (chosen < kinds.size()) {
    ++counts_[kinds.at(chosen).name];
    kinds.at(chosen).strike(cluster);
    return;
  }
  const auto& answer = kAnswers.at(chosen - kinds.size());
  ++counts_[answer.kind];
  cluster.add_fault(answer.json);
}

void Faults::mend() {
  for (const auto* name : kClusters) {
    grid_.cluster(name).clear_faults();
    grid_.cluster(name).start_server();
  }
}

}  // namespace gleaner::tests::soak
