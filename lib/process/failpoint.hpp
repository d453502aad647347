#pragma once
#include <algorithm>
#include <array>
#include <string_view>

/// Named places where a program can be made to die, as by `kill -9`: the tests of crashes kill
/// every process at each of them. With the build option GLEANER_FAILPOINTS off, they are nothing.
namespace gleaner::process {

/// Every failpoint: `program.place`. A name used and not listed does not compile; a name listed
/// and not used is found by a test.
inline constexpr std::array<std::string_view, 10> kFailpoints{
    "updator.before_write",         // the cluster has answered, nothing is written
    "updator.after_write",          // what it said is written
    "predictor.before_commit",      // the forecasts are computed
    "metascheduler.before_commit",  // the plan is made, nothing is committed
    "metascheduler.after_commit",   // the launches are planned
    "runner.before_post",           // the launch is `launching`, nothing is sent
    "runner.after_post",            // the answer has come, nothing is written
    "runner.after_accept",          // the remote ids are written
    "nikita.before_delete",         // the kills are due, nothing is sent
    "nikita.after_delete",          // the deletions are sent
};

/// The name of a failpoint, checked at compile time.
class FailpointName {
 public:
  consteval FailpointName(const char* name) : name_{name} {
    if (std::ranges::find(kFailpoints, name_) == kFailpoints.end()) throw "not in kFailpoints";
  }
  [[nodiscard]] constexpr std::string_view text() const { return name_; }

 private:
  std::string_view name_;
};

#ifdef GLEANER_FAILPOINTS
/// Kills this process with SIGKILL when the environment says GLEANER_FAILPOINT=name (its first
/// passage) or name:n (its n-th passage).
void failpoint(FailpointName name);
#else
inline void failpoint(FailpointName) {}
#endif

}  // namespace gleaner::process
