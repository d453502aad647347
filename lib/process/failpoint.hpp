#pragma once
#include <algorithm>
#include <array>
#include <string_view>

/// Named places where a program can be made to die, as by `kill -9`: the crash tests kill every process at each of them. Without the build
/// option GLEANER_FAILPOINTS, which the sanitized build alone sets, programs have none of them (tools/failpoints checks it).
namespace gleaner::process {

/// All failpoints: `program.place`. A name that is used but not listed does not compile; a test finds names that are listed but not used.
inline constexpr std::array<std::string_view, 22> kFailpoints{
    "updator.before_write",         // the cluster has answered, no row is written
    "updator.after_write",          // its answer is written
    "predictor.before_commit",      // the forecasts are computed
    "metascheduler.before_commit",  // the plan is made, no row is committed
    "metascheduler.after_commit",   // the launches are planned
    "runner.before_post",           // the launch is `launching`, no request is sent
    "runner.after_post",            // the answer has come, no row is written
    "runner.after_accept",          // the remote ids are written
    "runner.before_inputs",         // a home is noted for the input files, no piece of them is sent
    "runner.after_pieces",          // pieces are there, and not counted
    "runner.after_index",           // all input files are there, and not said to be
    "nikita.before_delete",         // the kills are due, no request is sent
    "nikita.after_delete",          // the deletions are sent
    "nikita.before_signal",         // signals are noted as sent, no request is
    "nikita.after_signal",          // the answers have come, what OAR passed on is not written
    "gridapi.before_place",         // an input file has come, and has no name in the spool
    "gridapi.after_place",          // it is in the spool, no row is written
    "gridapi.after_row",            // its row is committed, nothing is answered
    "herald.after_gather",          // what happened is in messages, nothing is sent
    "herald.before_send",           // messages are noted as being sent, no byte of them is
    "herald.after_send",            // they are sent, no row is written
    "herald.after_note",            // it is noted that they are sent
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
/// Kills this process with SIGKILL when the environment has GLEANER_FAILPOINT=name (at its first passage) or name:n (at its n-th passage).
void failpoint(FailpointName name);
#else
inline void failpoint(FailpointName) {}
#endif

}  // namespace gleaner::process
