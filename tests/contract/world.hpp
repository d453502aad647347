#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/oar/client.hpp"
#include "tests/contract/backend.hpp"
#include "tests/contract/differences.hpp"
#include "tests/contract/until_answered.hpp"

namespace gleaner::contract {

/// A backend, and the jobs that all the tests read: submitted together at the start, since a
/// real OAR starts three jobs a second.
class World {
 public:
  [[nodiscard]] static World& of(const std::string& backend);
  ~World();
  World(World&&) = delete;
  World& operator=(World&&) = delete;

  [[nodiscard]] oar::Client& client() { return client_; }
  [[nodiscard]] const oar::Access& access() const { return backend_->access(); }
  [[nodiscard]] Backend& backend() { return *backend_; }
  /// The column of a row for the version that this OAR says it is.
  template <class T>
  [[nodiscard]] const T& here(const Row<T>& row) const {
    return row.of(version_);
  }
  [[nodiscard]] const std::string& user() const { return backend_->user(); }
  [[nodiscard]] const std::string& other_user() const { return backend_->other_user(); }

  /// A name that no other run of the suite has used: a prefix of jobs' names and of files.
  [[nodiscard]] const std::string& token() const { return token_; }

  /// One core, 5 minutes, this user, a name of its own.
  [[nodiscard]] oar::SubmitRequest request(const std::string& command, std::vector<std::string> lines = {}) const;
  /// Submits, and fails the test when that fails.
  oar::Submitted submit(const oar::SubmitRequest& request);
  /// The jobs of a submission whose answer was lost.
  [[nodiscard]] std::optional<oar::Submitted> find(const oar::SubmitRequest& request) { return jobs_of(client_, request, start_); }

  /// Waits until the jobs satisfy the condition, and gives them; fails the test when their states stand still (Patience).
  using Condition = std::function<bool(const oar::RemoteJob&)>;
  std::vector<oar::RemoteJob> await(const std::vector<grid::RemoteJobId>& ids, const Condition& condition);
  std::vector<oar::RemoteJob> await_end(const std::vector<grid::RemoteJobId>& ids);
  oar::JobDetails details(grid::RemoteJobId id);

  /// The jobs that were submitted at the start.
  struct Shared {
    oar::Submitted echo;       ///< three lines: `a 1`, `b 2`, `"c d" 3`
    oar::Submitted ends;       ///< exit 0, exit 3, kill -9, a command that does not exist
    oar::Submitted latin;      ///< a line out of ASCII
    oar::Submitted long_one;   ///< runs as long as the suite
    oar::Submitted over_time;  ///< longer than its walltime
    oar::Submitted no_output;
    oar::Submitted dollars;         ///< one `$` bare and one escaped
    oar::Submitted held_back;       ///< wants the resource of long_one, and waits
    oar::Submitted best_effort;     ///< best-effort and idempotent, alone on its resource
    std::string best_effort_place;  ///< the property that picks that resource
  };
  [[nodiscard]] const Shared& shared() const { return shared_; }

 private:
  explicit World(std::unique_ptr<Backend> backend);
  void find_version();
  void submit_shared();

  std::unique_ptr<Backend> backend_;
  oar::Client client_;
  std::string token_;
  Version version_ = Version::oar_2_5;
  grid::Instant start_;
  Shared shared_;
};

/// The backend, as the end of a test's name: minioar_2_6.
[[nodiscard]] inline std::string name_of_parameter(const ::testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  std::ranges::replace_if(
      name, [](char letter) { return letter == '-' || letter == '.'; }, '_');
  return name;
}

/// A suite over the backends.
class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static World& world() { return World::of(GetParam()); }
  [[nodiscard]] static oar::Client& client() { return world().client(); }
};

}  // namespace gleaner::contract

/// Runs a suite on the backends that were asked for.
#define GLEANER_ON_EACH_BACKEND(suite) \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(::gleaner::contract::asked_backends()), ::gleaner::contract::name_of_parameter)
