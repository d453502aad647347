#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "api/call.hpp"
#include "lib/process/log.hpp"

/// Acts of callers, and what they would do. With `dry_run` an act does its work in the same transactions, and each of them is undone: what
/// is said is what it would have said. It holds the same locks, for the same time.
namespace gleaner::api {

[[nodiscard]] inline bool is_dry_run(const Call& call) { return flag(call, "dry_run"); }

/// The result of `work(transaction)`.
template <class Work>
auto act(const Call& call, Work&& work) {
  return is_dry_run(call) ? call.connections.undone(std::forward<Work>(work)) : call.connections.write(std::forward<Work>(work));
}

/// `If done now: Campaign 3 paused` in a dry run, else the message alone.
[[nodiscard]] std::string message_of_act(const Call& call, std::string_view message);

/// 202; in a dry run 200, with `dry_run`.
/// @param next  a link to what is left
[[nodiscard]] http::Response acted(const Call& call, std::string_view message, std::optional<std::int64_t> count = {},
                                   std::string next = {});

/// A dry run leaves no trace in the log either.
void log_act(const Call& call, std::string_view event, process::log::Fields fields);

}  // namespace gleaner::api
