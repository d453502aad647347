#include "tests/contract/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/contract/patience.hpp"

namespace gleaner::contract {
namespace {

using namespace std::chrono_literals;

grid::Instant now() { return std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now()); }

std::map<std::string, std::unique_ptr<World>>& worlds() {
  static std::map<std::string, std::unique_ptr<World>> kWorlds;
  return kWorlds;
}

/// Says which backends run, and ends them with what they still run.
class Worlds : public ::testing::Environment {
 public:
  void SetUp() override {
    const auto asked = asked_backends();
    for (const auto backend : kBackends) {
      const bool is_asked = std::ranges::find(asked, backend) != asked.end();
      std::cout << "contract: " << backend << (is_asked ? " is asked for" : " is NOT asked for, nothing is tested on it")
                << " (GLEANER_CONTRACT_BACKENDS)\n";
    }
  }
  void TearDown() override { worlds().clear(); }
};

[[maybe_unused]] const auto* const kWorldsEnd = ::testing::AddGlobalTestEnvironment(new Worlds);

}  // namespace

World& World::of(const std::string& backend) {
  auto& world = worlds()[backend];
  if (!world) {
    std::unique_ptr<World> fresh{new World(make_backend(backend))};
    fresh->find_version();
    fresh->submit_shared();
    world = std::move(fresh);
  }
  return *world;
}

World::World(std::unique_ptr<Backend> backend)
    : backend_{std::move(backend)},
      client_{backend_->access()},
      token_{fmt::format("gct{}x{}", getpid(), grid::to_unix(now()) % 1'000'000)},
      start_{now()} {}

/// Deletes the jobs that still wait or run, and the files.
World::~World() {
  for (const auto& user : {this->user(), other_user()}) {
    const auto jobs = client_.jobs_since(user, start_);
    if (!jobs) {
      std::cout << "contract: the jobs that are left could not be listed: " << oar::describe(jobs.error()) << '\n';
      continue;
    }
    std::vector<oar::JobOf> left;
    for (const auto& job : *jobs) {
      if (job.name.starts_with(token_) && !oar::is_over(job.state)) {
        left.push_back({user, job.id});
      }
    }
    for (const auto& removal : client_.remove(left)) {
      if (!removal) {
        std::cout << "contract: a job is left: " << oar::describe(removal.error()) << '\n';
      }
    }
  }
  const auto gone = until_answered([&] { return client_.delete_path(user(), "~/" + token_); });
  const auto claims = until_answered([&] { return client_.delete_path(user(), "~/.gleaner/" + token_); });
  if (!gone || !claims) {
    std::cout << "contract: files are left under ~/" << token_ << " or ~/.gleaner/" << token_ << '\n';
  }
}

oar::SubmitRequest World::request(const std::string& command, std::vector<std::string> lines) const {
  static int number = 0;
  oar::SubmitRequest request;
  request.user = user();
  request.name = fmt::format("{}.{}", token_, ++number);
  request.resources = "/core=1";
  request.walltime = "0:5:0";
  request.command = command;
  request.lines = std::move(lines);
  request.stdout_file = fmt::format("{}/%jobid%.out", token_);
  request.stderr_file = fmt::format("{}/%jobid%.err", token_);
  return request;
}

oar::Submitted World::submit(const oar::SubmitRequest& request) {
  auto submitted = submit_once(client_, request, start_);
  if (!submitted) {
    ADD_FAILURE() << "submission of '" << request.command.substr(0, 200) << "': " << oar::describe(submitted.error());
    throw std::runtime_error("a submission failed");
  }
  return std::move(*submitted);
}

void World::find_version() {
  const auto version = until_answered([&] { return client_.version(); });
  if (!version) throw std::runtime_error("the version is not known: " + oar::describe(version.error()));
  if (!version->starts_with("2.5.") && !version->starts_with("2.6."))
    throw std::runtime_error(fmt::format("tests/contract/differences.hpp has no column for OAR {}", *version));
  version_ = version->starts_with("2.5.") ? Version::oar_2_5 : Version::oar_2_6;
  std::cout << "contract: " << backend_->access().url << " is OAR " << *version << '\n';
}

/// The files' folder must be there before the first job writes to it: OAR makes none.
void World::submit_shared() {
  auto folder = request("mkdir -p " + token_);
  folder.stdout_file = folder.stderr_file = "/dev/null";
  const auto made = await_end(submit(folder).ids);
  if (made.front().state != oar::RemoteState::terminated) {
    throw std::runtime_error("the folder for the jobs' output could not be made: " + made.front().message);
  }
  auto over_time = request("sleep 100");
  over_time.walltime = "0:0:5";
  auto no_output = request("true");
  no_output.stdout_file = "/proc/no/such/folder/x";
  // These two last as long as the suite, on a busy machine too; at its end they are deleted.
  auto first_resource = request("sleep 3500");
  first_resource.walltime = "1:0:0";
  first_resource.properties = "resource_id = 2";
  auto held_back = request("true");
  held_back.properties = first_resource.properties;
  shared_.best_effort_place = "resource_id = 3";
  auto best_effort = request("sleep 3500");
  best_effort.walltime = "1:0:0";
  best_effort.types = {"besteffort", "idempotent"};
  best_effort.properties = shared_.best_effort_place;
  const std::vector<oar::SubmitRequest> all{
      best_effort,
      first_resource,
      held_back,
      over_time,
      no_output,
      request("/bin/echo", {"a 1", "b 2", "\"c d\" 3"}),
      request("eval", {"exit 0", "exit 3", "kill -9 $$", "/no/such/command"}),
      request("/bin/echo", {"caf\xC3\xA9"}),
      request("echo $LOGNAME:\\$LOGNAME"),
  };
  std::vector<oar::Submitted*> places{&shared_.best_effort, &shared_.long_one, &shared_.held_back, &shared_.over_time, &shared_.no_output,
                                      &shared_.echo,        &shared_.ends,     &shared_.latin,     &shared_.dollars};
  for (std::size_t place = 0; place < all.size(); ++place) {
    *places[place] = submit(all[place]);
  }
}

std::vector<oar::RemoteJob> World::await(const std::vector<grid::RemoteJobId>& ids, const Condition& condition) {
  constexpr auto kPause = 200ms;
  for (Patience patience;;) {
    auto jobs = until_answered([&] { return client_.jobs(ids); });
    if (!jobs) {
      throw std::runtime_error("jobs cannot be listed: " + oar::describe(jobs.error()));
    }
    if (jobs->size() == ids.size() && std::ranges::all_of(*jobs, condition)) {
      return std::move(*jobs);
    }
    patience.look_at(*jobs);
    std::this_thread::sleep_for(kPause);
  }
}

std::vector<oar::RemoteJob> World::await_end(const std::vector<grid::RemoteJobId>& ids) {
  return await(ids, [](const oar::RemoteJob& job) { return oar::is_over(job.state); });
}

oar::JobDetails World::details(grid::RemoteJobId id) {
  const oar::JobOf asked{user(), id};
  auto details = until_answered([&] { return std::move(client_.details({&asked, 1}).front()); });
  if (!details) {
    throw std::runtime_error(fmt::format("job {}: {}", id.value(), oar::describe(details.error())));
  }
  return std::move(*details);
}

}  // namespace gleaner::contract
