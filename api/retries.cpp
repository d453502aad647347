#include "api/retries.hpp"

#include <fmt/format.h>

#include <map>

#include "api/act.hpp"
#include "api/audit.hpp"
#include "api/campaign_json.hpp"
#include "api/chosen_tasks.hpp"
#include "api/pieces.hpp"
#include "lib/store/failures.hpp"
#include "lib/store/sinks.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

/// An event's id, or a cluster's name.
store::SinkName sink_of(std::string_view text) {
  const std::string name{text};
  const auto event = id_of(name);
  return event ? store::SinkName{.event = event} : store::SinkName{.cluster = name};
}

/// The outcome of the tasks that come after those of a sink.
std::string after_text(const store::HeldAgain& after) {
  std::string text;
  if (after.waiting > 0)
    text += fmt::format("; {} task{} of campaigns after it wait{} for them again", after.waiting, after.waiting == 1 ? "" : "s",
                        after.waiting == 1 ? "s" : "");
  if (after.not_held > 0)
    text += fmt::format("; {} task{} that come{} after them {} under way or done already, or wait for them no more, and {} not held",
                        after.not_held, after.not_held == 1 ? "" : "s", after.not_held == 1 ? "s" : "", after.not_held == 1 ? "is" : "are",
                        after.not_held == 1 ? "is" : "are");
  return text;
}

http::Response retry_swallowed(const Call& call, const ChangeableCampaign& own, std::string_view sink) {
  const auto seconds = [](process::Duration time) { return std::chrono::duration_cast<grid::Seconds>(time); };
  const store::BrakeLength brake{seconds(call.config.brake_time), seconds(call.config.brake_time_max)};
  std::map<grid::TaskNumber, store::HeldAgain> after_pieces;  // by first task, as the database may have a piece repeated
  const auto progress = in_pieces(call, [&](store::Transaction& transaction, grid::TaskNumber first) -> Piece {
    const auto given = store::retry_swallowed_tasks(transaction, own.id, sink_of(sink), brake, call.now, first);
    if (given.tasks > 0)
      note(call, transaction,
           {.name = "swallowed tasks retried",
            .subject = campaign_text(own.id),
            .campaign = own.id,
            .after = count_json("changed", given.tasks)});
    after_pieces[first] = given.after;
    return {.tasks = given.tasks, .next = given.next};
  });
  store::HeldAgain after;
  for (const auto& [first, piece] : after_pieces) {
    after.waiting += piece.waiting;
    after.not_held += piece.not_held;
  }
  if (progress.tasks == 0)
    return error(
        Code::wrong_state,
        fmt::format(
            "'{}' is no sink that swallowed tasks of campaign {}, or all of them were given back: name a cluster, or the id of an event SINK",
            jdl::excerpt(sink), own.id.value()));
  log_act(call, "swallowed tasks retried", {{"campaign", own.id}, {"tasks", progress.tasks}, {"by", call.caller.user}});
  const bool is_half = progress.next && !is_dry_run(call);  // a rehearsal has no rest, as nothing of it is done
  const auto message =
      fmt::format("{}{} task{} of campaign {} that a sink swallowed will run again{}{}", at_least(call, progress), progress.tasks,
                  progress.tasks == 1 ? "" : "s", own.id.value(), after_text(after), is_half ? kRestIsLeft : "");
  return acted(call, message, progress.tasks, is_half ? href_with(call, {}) : "");
}

/// Which failed tasks are meant.
struct Meant {
  std::optional<std::int64_t> group = {};
  std::optional<std::int64_t> expected = {};  ///< how many whoever asks takes them to be
};

Asked<Meant> read_meant(const Call& call) {
  Meant meant;
  for (const auto& [key, into] : {std::pair{"failure", &meant.group}, std::pair{"expect", &meant.expected}}) {
    const auto text = call.request.parameter(key);
    if (!text) continue;
    const auto value = text::whole_number<std::int64_t>(*text);
    if (!value || *value < 0)
      return tl::unexpected{error(Code::bad_value, fmt::format("{}={}: must be a whole number, 0 or more", key, jdl::excerpt(*text)))};
    *into = *value;
  }
  return meant;
}

/// `3 failed tasks`, `1 failed task`.
std::string failed_text(std::int64_t tasks) { return fmt::format("{} failed task{}", tasks, tasks == 1 ? "" : "s"); }

http::Response retry_all_failed(const Call& call, const ChangeableCampaign& own) {
  const auto meant = read_meant(call);
  if (!meant) return meant.error();
  std::optional<std::int64_t> now;
  const auto progress = retry_failed_tasks(call, {.campaign = own.id, .group = meant->group}, [&](store::Transaction& transaction) {
    now = store::lock_failed_tasks(transaction, own.id, meant->group);
    return now && (!meant->expected || *now == *meant->expected) && !is_dry_run(call);
  });
  const auto of = meant->group ? fmt::format("group {} of the failures of campaign {}", *meant->group, own.id.value())
                               : fmt::format("campaign {}", own.id.value());
  if (!now) return error(Code::wrong_state, fmt::format("there is no {}: 'gridstat {} --failures' lists them", of, own.id.value()));
  if (meant->expected && *now != *meant->expected)
    return error(Code::wrong_state,
                 fmt::format("{} has {} by now, and not {}: nothing was changed", of, failed_text(*now), *meant->expected));
  if (is_dry_run(call) && *now > 0) return acted(call, fmt::format("{} of {} will run again", failed_text(*now), of), *now);
  if (progress.tasks == 0) return error(Code::wrong_state, fmt::format("{} has no failed task", of));
  log_act(call, "failed tasks retried", {{"campaign", own.id}, {"tasks", progress.tasks}, {"by", call.caller.user}});
  const auto message = fmt::format("{} of {} will run again{}", failed_text(progress.tasks), of, progress.next ? kRestIsLeft : "");
  const auto rest = [&] {
    if (!meant->group) return fmt::format("{}/retries?tasks={}-*", campaign_path(own.id), progress.next->value());
    return fmt::format("{}/retries?failure={}", campaign_path(own.id), *meant->group);
  };
  return acted(call, message, progress.tasks, progress.next ? rest() : std::string{});
}

}  // namespace

http::Response retry(const Call& call) {
  const auto sink = call.request.parameter("sink");
  const bool has_tasks = call.request.parameter("tasks").has_value();
  if (sink && has_tasks) return error(Code::bad_value, "sink and tasks exclude each other: a sink names its tasks itself");
  for (const auto* key : {"failure", "expect"}) {
    if (call.request.parameter(key) && (sink || has_tasks))
      return error(Code::bad_value, fmt::format("{0} and {1} exclude each other: {0} is for all failed tasks, or a group of them", key,
                                                sink ? "sink" : "tasks"));
  }
  if (has_tasks) return retry_chosen_tasks(call);
  const auto own = changeable_campaign(call);
  if (!own) return own.error();
  if (own->owner.state == grid::CampaignState::cancelled)
    return error(Code::wrong_state, fmt::format("campaign {} is cancelled", own->id.value()));
  return sink ? retry_swallowed(call, *own, *sink) : retry_all_failed(call, *own);
}

}  // namespace gleaner::api
