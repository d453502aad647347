#include "api/chosen_tasks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/act.hpp"
#include "api/audit.hpp"
#include "api/dependencies.hpp"
#include "api/pieces.hpp"
#include "lib/grid/clock.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {
namespace {

using Ranges = std::vector<text::Range>;
using Clock = grid::SteadyClock;

/// Ranges in one transaction: each costs a few statements.
constexpr std::size_t kRangesOfPiece = 100;

/// A campaign that the caller may change, and the tasks that the request names.
struct Chosen {
  grid::CampaignId campaign;
  grid::CampaignState state;
  Ranges tasks;
};

Asked<Chosen> read_chosen(const Call& call, std::string_view tasks) {
  const auto own = changeable_campaign(call);
  if (!own) return tl::unexpected{own.error()};
  auto ranges = read_tasks(tasks, own->id, own->owner.tasks);
  if (!ranges) return tl::unexpected{ranges.error()};
  return Chosen{own->id, own->owner.state, std::move(*ranges)};
}

/// Takes as many ranges from the front of the list as one transaction works on.
Ranges take_piece(Ranges& list) {
  Ranges piece;
  std::int64_t left = store::kTasksOfPiece;
  std::size_t whole = 0;  // ranges that are taken whole
  while (whole < list.size() && left > 0 && piece.size() < kRangesOfPiece) {
    auto& range = list[whole];
    const auto last = std::min(range.last, range.first + left - 1);
    piece.push_back({range.first, last});
    left -= last - range.first + 1;
    if (last == range.last) ++whole;
    else range.first = last + 1;
  }
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(whole));
  return piece;
}

/// Works through the list, a piece in a transaction, until the time is over or `work` returns false; the list keeps the rest.
template <class Work>
void work_through(Ranges& list, Work&& work) {
  const auto end = Clock::now() + kTimeOfPieces;
  while (!list.empty()) {
    const auto piece = take_piece(list);
    if (!work(piece) || Clock::now() >= end) return;
  }
}

std::int64_t size_of(const Ranges& ranges) {
  std::int64_t tasks = 0;
  for (const auto& [first, last] : ranges) tasks += last - first + 1;
  return tasks;
}

std::string tasks_text(std::int64_t tasks) { return fmt::format("{} task{}", tasks, tasks == 1 ? "" : "s"); }

/// The result for a part of the list.
struct Done {
  std::string message;
  std::int64_t count = 0;
  store::CancelledTasks cancelled{};
};

http::Response answer_of(const Call& call, const Done& done, const Ranges& rest) {
  text::JsonWriter json;
  const bool is_rehearsed = is_dry_run(call);
  json.object([&] {
    if (is_rehearsed) {
      json.field("dry_run", true);
    } else {
      json.field("status", std::int64_t{202});
      json.field("title", "Accepted");
    }
    const auto left =
        rest.empty() ? std::string{} : fmt::format("; {} of the list are left: follow the link 'next'", tasks_text(size_of(rest)));
    json.field("message", message_of_act(call, done.message + left));
    json.field("count", done.count);
    json.field("cancelled", done.cancelled.waiting);
    json.field("killed", done.cancelled.in_flight);
    std::vector<Link> links{{"parent", "/v1/campaigns/" + call.parts[0]}};
    if (!rest.empty())
      links.push_back({"next", fmt::format("{}?tasks={}{}", call.request.path, text::to_text(rest), is_rehearsed ? "&dry_run=1" : "")});
    write_links(json, links);
  });
  return answer(is_rehearsed ? 200 : 202, json.text());
}

std::string cancelled_text(grid::CampaignId campaign, const store::CancelledTasks& done, std::int64_t over) {
  auto text = fmt::format("Campaign {}: ", campaign.value());
  if (done.waiting > 0 || done.in_flight == 0) text += tasks_text(done.waiting) + " cancelled";
  if (done.in_flight > 0)
    text += fmt::format("{}{} cancelled when {} killed", done.waiting > 0 ? ", " : "", tasks_text(done.in_flight),
                        done.in_flight == 1 ? "its job is" : "their jobs are");
  if (over > 0) text += fmt::format("; {} over, or being cancelled, before", over == 1 ? "1 was" : fmt::format("{} were", over));
  return text;
}

/// Notes what was done to some tasks of a list, if anything was.
void note_tasks(const Call& call, store::Transaction& transaction, std::string name, grid::CampaignId campaign, const Ranges& tasks,
                std::int64_t changed) {
  if (changed == 0) return;
  text::JsonWriter json;
  json.object([&] {
    json.field("tasks", text::to_text(tasks));
    json.field("changed", changed);
  });
  note(call, transaction, {.name = std::move(name), .subject = campaign_text(campaign), .campaign = campaign, .after = json.text()});
}

http::Response over_already(const Call& call, const Chosen& chosen) {
  return error(Code::wrong_state, fmt::format("campaign {} is {}: its tasks are over", call.parts[0], grid::name_of(chosen.state)));
}

http::Response cancel_tasks(const Call& call, std::string_view tasks) {
  auto chosen = read_chosen(call, tasks);
  if (!chosen) return chosen.error();
  const auto asked = size_of(chosen->tasks);
  store::CancelledTasks done;
  std::string waiting;
  bool is_live = true;
  work_through(chosen->tasks, [&](const Ranges& piece) {
    const auto part = act(call, [&](store::Transaction& transaction) {
      auto cancelled = store::cancel_tasks(transaction, chosen->campaign, piece);
      if (cancelled) note_tasks(call, transaction, "tasks cancelled", chosen->campaign, piece, cancelled->waiting + cancelled->in_flight);
      // A task in flight may still be done before its job is killed.
      if (cancelled && cancelled->waiting > 0) waiting = report_waiting_in_vain(call, transaction, chosen->campaign, store::Gone::tasks);
      return cancelled;
    });
    is_live = part.has_value();
    if (!is_live) return false;
    done.waiting += part->waiting;
    done.in_flight += part->in_flight;
    return true;
  });
  const auto count = done.waiting + done.in_flight;
  if (!is_live && count == 0) return over_already(call, *chosen);
  const auto& rest = chosen->tasks;
  if (count == 0 && rest.empty())
    return error(Code::wrong_state,
                 fmt::format("none of these tasks of campaign {} waits or runs, or they are being cancelled", call.parts[0]));
  log_act(call, "tasks cancelled",
          {{"campaign", chosen->campaign}, {"waiting", done.waiting}, {"killed", done.in_flight}, {"by", call.caller.user}});
  const auto over = asked - size_of(rest) - count;
  return answer_of(call, {.message = cancelled_text(chosen->campaign, done, over) + waiting, .count = count, .cancelled = done}, rest);
}

std::string held_text(grid::CampaignId campaign, const store::HeldTasks& done) {
  auto text = fmt::format("Campaign {}: {} held", campaign.value(), tasks_text(done.held));
  const auto add = [&](std::int64_t tasks, std::string_view one, std::string_view some) {
    if (tasks > 0) text += fmt::format("; {} {}", tasks, tasks == 1 ? one : some);
  };
  add(done.in_flight, "has a job already, which continues", "have jobs already, which continue");
  add(done.before, "was held before", "were held before");
  add(done.over, "was over before", "were over before");
  return text;
}

}  // namespace

Asked<std::vector<text::Range>> read_tasks(std::string_view text, grid::CampaignId campaign, std::int64_t total) {
  auto ranges = text::parse_ranges(text);
  if (!ranges) return tl::unexpected{error(Code::bad_value, fmt::format("tasks: {}", ranges.error()))};
  auto& last = ranges->back();
  if (last.last == text::kOpenEnd && last.first < total) last.last = total - 1;
  if (last.last < total) return std::move(*ranges);
  const auto wrong = last.first < total ? total : last.first;
  return tl::unexpected{
      error(Code::no_such_task, fmt::format("campaign {} has no task {}: it has {}{}", campaign.value(), wrong, tasks_text(total),
                                            total > 0 ? fmt::format(", from 0 to {}", total - 1) : std::string{}))};
}

http::Response cancel_chosen_tasks(const Call& call) {
  const auto tasks = call.request.parameter("tasks");
  if (!tasks)
    return error(Code::bad_value,
                 fmt::format("which tasks? Add '?tasks=7,9-12'; DELETE /v1/campaigns/{} cancels the campaign", call.parts[0]));
  return cancel_tasks(call, *tasks);
}

http::Response cancel_one_task(const Call& call) { return cancel_tasks(call, call.parts[1]); }

http::Response hold_chosen_tasks(const Call& call) {
  auto chosen = read_chosen(call, call.request.parameter("tasks").value_or(""));
  if (!chosen) return chosen.error();
  store::HeldTasks done;
  bool is_live = true;
  work_through(chosen->tasks, [&](const Ranges& piece) {
    const auto part = act(call, [&](store::Transaction& transaction) {
      auto held = store::hold_tasks(transaction, chosen->campaign, piece, call.caller.user, call.now);
      if (held) note_tasks(call, transaction, "tasks held", chosen->campaign, piece, held->held);
      return held;
    });
    is_live = part.has_value();
    if (!is_live) return false;
    done.held += part->held;
    done.in_flight += part->in_flight;
    done.over += part->over;
    done.before += part->before;
    return true;
  });
  if (!is_live && done.held == 0) return over_already(call, *chosen);
  const auto& rest = chosen->tasks;
  if (done.held == 0 && rest.empty())
    return error(Code::wrong_state,
                 fmt::format("none of these tasks of campaign {} waits, or they are held already: {} with jobs, {} over, {} held",
                             call.parts[0], done.in_flight, done.over, done.before));
  log_act(call, "tasks held", {{"campaign", chosen->campaign}, {"tasks", done.held}, {"by", call.caller.user}});
  return answer_of(call, {.message = held_text(chosen->campaign, done), .count = done.held}, rest);
}

http::Response release_chosen_tasks(const Call& call) {
  auto chosen = read_chosen(call, call.request.parameter("tasks").value_or(""));
  if (!chosen) return chosen.error();
  const auto asked = size_of(chosen->tasks);
  std::int64_t count = 0;
  bool is_live = true;
  work_through(chosen->tasks, [&](const Ranges& piece) {
    const auto part = act(call, [&](store::Transaction& transaction) {
      auto released = store::release_held_tasks(transaction, chosen->campaign, piece, call.now);
      if (released) note_tasks(call, transaction, "held tasks released", chosen->campaign, piece, *released);
      return released;
    });
    is_live = part.has_value();
    count += part.value_or(0);
    return is_live;
  });
  if (!is_live && count == 0) return over_already(call, *chosen);
  const auto& rest = chosen->tasks;
  if (count == 0 && rest.empty()) return error(Code::wrong_state, fmt::format("none of these tasks of campaign {} is held", call.parts[0]));
  log_act(call, "held tasks released", {{"campaign", chosen->campaign}, {"tasks", count}, {"by", call.caller.user}});
  auto message = fmt::format("Campaign {}: {} released", call.parts[0], count == 1 ? "1 held task" : fmt::format("{} held tasks", count));
  if (const auto others = asked - size_of(rest) - count; others > 0)
    message += fmt::format("; {} of the list {} not held", others, others == 1 ? "was" : "were");
  if (chosen->state == grid::CampaignState::paused)
    message += fmt::format("; the campaign is paused: 'gridsub --resume {}' resumes it", call.parts[0]);
  return answer_of(call, {.message = std::move(message), .count = count}, rest);
}

http::Response retry_chosen_tasks(const Call& call) {
  auto chosen = read_chosen(call, call.request.parameter("tasks").value_or(""));
  if (!chosen) return chosen.error();
  if (chosen->state == grid::CampaignState::cancelled)
    return error(Code::wrong_state, fmt::format("campaign {} is cancelled", call.parts[0]));
  const auto asked = size_of(chosen->tasks);
  std::int64_t count = 0;
  work_through(chosen->tasks, [&](const Ranges& piece) {
    count += act(call, [&](store::Transaction& transaction) {
      std::int64_t tasks = 0;
      for (const auto& range : piece)
        tasks += std::ssize(store::retry_failed_tasks(transaction, {.campaign = chosen->campaign, .range = range}, call.now));
      note_tasks(call, transaction, "failed tasks retried", chosen->campaign, piece, tasks);
      return tasks;
    });
    return true;
  });
  const auto& rest = chosen->tasks;
  if (count == 0 && rest.empty())
    return error(Code::wrong_state, fmt::format("none of these tasks of campaign {} has failed", call.parts[0]));
  log_act(call, "failed tasks retried", {{"campaign", chosen->campaign}, {"tasks", count}, {"by", call.caller.user}});
  const auto others = asked - size_of(rest) - count;
  auto message =
      fmt::format("{} of campaign {} will run again", count == 1 ? "1 failed task" : fmt::format("{} failed tasks", count), call.parts[0]);
  if (others > 0) message += fmt::format("; {} of the list had not failed", others);
  return answer_of(call, {.message = std::move(message), .count = count}, rest);
}

}  // namespace gleaner::api
