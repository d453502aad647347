#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "api/answers.hpp"
#include "api/cluster_turns.hpp"
#include "api/connections.hpp"
#include "api/room.hpp"
#include "api/tokens.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/http/message.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/process/config.hpp"
#include "lib/rules/sandbox.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {

class EventStreams;
class HealthWatch;
class InputSpool;
class ParamFiles;
class SharedAnswers;
class Spool;
class WhatIfs;

/// The arguments of a route's function.
struct Call {
  const http::Request& request;
  const std::vector<std::string>& parts;  ///< the parts of the path that match the route's `:name`s
  const Caller& caller;                   ///< without a name on routes that need no identity
  Connections& connections;
  const jdl::Defaults& defaults;
  rules::Sandbox& sandbox;
  const process::Config& config;  ///< how the grid is run
  Spool& spool;                   ///< disk space for submissions
  Room& room;                     ///< memory for large requests
  ClusterTurns& cluster_turns;    ///< the right to ask clusters something
  ClusterTurns& file_turns;       ///< the right to have whole files of them, which may take long
  EventStreams& event_streams;    ///< the streams of changes
  InputSpool& input_spool;        ///< input files of campaigns
  SharedAnswers& summaries;       ///< the summary, one for all viewers
  SharedAnswers& uses_in_time;    ///< answers about the use of the clusters in time
  WhatIfs& what_ifs;              ///< simulations of the grid for those who ask
  HealthWatch& health;            ///< the state of the grid, for monitors
  grid::Instant now;
  ParamFiles* param_files = nullptr;  ///< files that a submission may name; null: it may name none
};

/// The value, or the answer to a wrong request.
template <class T>
using Asked = tl::expected<T, http::Response>;

/// The inclusive bounds of a number.
struct Bounds {
  std::int64_t least;
  std::int64_t most;
};
/// @param remark  the end of the message about a wrong number
[[nodiscard]] Asked<std::int64_t> number(const Call& call, std::string_view name, std::int64_t fallback, Bounds bounds,
                                         std::string_view remark = {});
/// A time such as 2026-11-20T18:14:56Z, or 2026-11-20T19:14:56+01:00, whose `+` need not be encoded.
[[nodiscard]] Asked<std::optional<grid::Instant>> instant(const Call& call, std::string_view name);
/// True: the parameter is present, and neither 0 nor false.
[[nodiscard]] bool flag(const http::Request& request, std::string_view name);
[[nodiscard]] inline bool flag(const Call& call, std::string_view name) { return flag(call.request, name); }
/// Items of a page, unless `limit` says another number.
inline constexpr std::int64_t kUsualLimit = 100;
/// `limit` and `offset`.
[[nodiscard]] Asked<store::views::Window> window(const Call& call, std::int64_t usual_limit = kUsualLimit);
/// The parts of a comma-separated parameter; generated clients give it several times instead.
[[nodiscard]] std::vector<std::string> list(const Call& call, std::string_view name);

/// An id of the path. Empty: not a number.
[[nodiscard]] std::optional<std::int64_t> id_of(const std::string& part);

[[nodiscard]] http::Response no_campaign(const Call& call);

/// The href of this list with these parameters, and the others as they are.
[[nodiscard]] std::string href_with(const Call& call, const http::Query& replaced);

/// Since when the grid stands still (fleet::standstill): nobody conducts it, or its cycle does not end.
[[nodiscard]] std::optional<grid::Instant> standstill_of(const Call& call, store::Transaction& transaction);

/// Whether the caller may change objects of this user.
[[nodiscard]] bool may_change(const Call& call, const std::string& owner);
/// The answer to a caller who may not. `what`: `campaign 3`.
[[nodiscard]] http::Response not_yours(const Call& call, std::string_view what, const std::string& owner);
/// `campaign 12`.
[[nodiscard]] std::string campaign_text(grid::CampaignId id);

}  // namespace gleaner::api
