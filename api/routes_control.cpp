// Routes that change campaigns and events.
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "api/act.hpp"
#include "api/audit.hpp"
#include "api/cancellation.hpp"
#include "api/chosen_tasks.hpp"
#include "api/dependencies.hpp"
#include "api/pieces.hpp"
#include "api/purge.hpp"
#include "api/retries.hpp"
#include "api/router.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {
namespace {

using Owner = std::optional<store::CampaignOwner>;

/// The result of a change: the number of affected objects. Empty: the state does not allow it.
struct Change {
  Owner owner;
  std::optional<std::int64_t> count;
};

void note_change(const Call& call, store::Transaction& transaction, grid::CampaignId id, std::string_view event,
                 const store::CampaignOwner& before, std::int64_t count) {
  const auto after = store::campaign_owner(transaction, id);
  const auto side = [](grid::CampaignState state, std::optional<std::int64_t> changed) {
    text::JsonWriter json;
    json.object([&] {
      json.field("state", grid::name_of(state));
      if (changed) json.field("changed", *changed);
    });
    return json.text();
  };
  note(call, transaction,
       {.name = std::string{event},
        .subject = campaign_text(id),
        .campaign = id,
        .before = side(before.state, std::nullopt),
        .after = side(after ? after->state : before.state, count)});
}

/// Applies `work` to a campaign of the caller, or answers 404, 403 or 409. An empty result of `work` means that the campaign's state does
/// not allow it; `refusal` is the message then, `done` that of a success. `event` names the act, once it is done.
template <class Work, class Refusal, class Done>
http::Response change(const Call& call, const std::string_view& event, Work&& work, Refusal&& refusal, Done&& done) {
  const auto number = id_of(call.parts[0]);
  if (!number) return no_campaign(call);
  const grid::CampaignId id{*number};
  const auto change = act(call, [&](store::Transaction& transaction) -> Change {
    const auto owner = store::campaign_owner(transaction, id);
    if (!owner || !may_change(call, owner->user)) return {owner, std::nullopt};
    const auto count = work(transaction, id);
    if (count) note_change(call, transaction, id, event, *owner, *count);
    return {owner, count};
  });
  if (!change.owner) return no_campaign(call);
  if (!may_change(call, change.owner->user)) return not_yours(call, campaign_text(id), change.owner->user);
  if (!change.count) return error(Code::wrong_state, refusal(change.owner->state));
  log_act(call, event, {{"campaign", id}, {"by", call.caller.user}});
  return acted(call, done(*change.count), change.count);
}

std::optional<std::int64_t> once(bool changed) { return changed ? std::optional<std::int64_t>{1} : std::nullopt; }

bool names_tasks(const Call& call) { return call.request.parameter("tasks").has_value(); }

http::Response hold(const Call& call) {
  if (names_tasks(call)) return hold_chosen_tasks(call);
  store::views::TaskCounts tasks;
  return change(
      call, "campaign paused",
      [&](store::Transaction& transaction, grid::CampaignId id) {
        const bool is_held = store::hold_campaign(transaction, id);
        if (is_held) tasks = store::views::campaign(transaction, id)->tasks;
        return once(is_held);
      },
      [&](grid::CampaignState state) {
        return fmt::format("campaign {} is {}: only one in treatment can be paused", call.parts[0], grid::name_of(state));
      },
      [&](std::int64_t) {
        const auto jobs = tasks.launching + tasks.submitted + tasks.running;
        if (jobs == 0) return fmt::format("Campaign {} paused", call.parts[0]);
        return fmt::format("Campaign {} paused; {} of its tasks {} a job, which continue{}", call.parts[0], jobs,
                           jobs == 1 ? "has" : "have", jobs == 1 ? "s" : "");
      });
}

http::Response resume(const Call& call) {
  if (names_tasks(call)) return release_chosen_tasks(call);
  std::int64_t held = 0;
  return change(
      call, "campaign resumed",
      [&](store::Transaction& transaction, grid::CampaignId id) {
        if (!store::resume_campaign(transaction, id, call.now)) return once(false);
        held = store::held_tasks(transaction, id);
        return once(true);
      },
      [&](grid::CampaignState state) {
        return fmt::format("campaign {} is {}: only a paused one can be resumed", call.parts[0], grid::name_of(state));
      },
      [&](std::int64_t) {
        const auto still = held == 0 ? std::string{}
                                     : fmt::format("; {} of its tasks {} held still: 'gridsub --resume {} --task 0-*' releases {}", held,
                                                   held == 1 ? "is" : "are", call.parts[0], held == 1 ? "it" : "them");
        return fmt::format("Campaign {} resumed{}", call.parts[0], still);
      });
}

http::Response cancel(const Call& call) {
  if (flag(call, "purge") && is_dry_run(call))
    return error(Code::bad_value, "dry_run and purge exclude each other: a purge deletes the campaign, its tasks, jobs and events");
  if (flag(call, "purge") && call.caller.is_of_browser())
    return error(Code::only_reads, "a session of a browser purges nothing: use 'griddel --purge'");
  if (flag(call, "purge")) return purge_campaign(call);
  if (flag(call, "hold")) return hold(call);
  if (flag(call, "resume")) return resume(call);
  const auto own = changeable_campaign(call);
  if (!own) return own.error();
  if (is_dry_run(call)) {
    if (auto shown = show_cancellation(call, own->id)) return std::move(*shown);
  } else if (const auto ahead = cancel_returned_tasks(call, own->id); ahead.next)
    return accepted(fmt::format("Campaign {}: {} tasks cancelled{}", call.parts[0], ahead.tasks, kRestIsLeft), ahead.tasks,
                    href_with(call, {}));
  bool is_acknowledged = false;
  std::string_view event = "campaign cancelled";
  std::string waiting;
  return change(
      call, event,
      [&](store::Transaction& transaction, grid::CampaignId id) {
        if (store::cancel_campaign(transaction, id, call.now)) {
          waiting = report_waiting_in_vain(call, transaction, id, store::Gone::whole);
          return once(true);
        }
        is_acknowledged = store::acknowledge_campaign(transaction, id, call.now) > 0;
        event = "campaign acknowledged";
        return once(is_acknowledged);
      },
      [&](grid::CampaignState state) { return fmt::format("campaign {} is {} already", call.parts[0], grid::name_of(state)); },
      [&](std::int64_t) {
        return is_acknowledged ? fmt::format("Campaign {} was over already: its events are closed", call.parts[0])
                               : fmt::format("Campaign {} cancelled{}", call.parts[0], waiting);
      });
}

/// `; 3 failed tasks will run again`, as the user asked for by `resubmit`.
std::string resubmitted_text(const Call& call, const Progress& again) {
  if (!flag(call, "resubmit")) return {};
  if (again.tasks == 0) return "; there is no failed task to run again";
  return fmt::format("; {}{} failed task{} will run again", at_least(call, again), again.tasks, again.tasks == 1 ? "" : "s");
}

/// The answer when there are more failed tasks to run again than one request can give back; the events stay open until then.
http::Response half_resubmitted(const Call& call, const Progress& progress) {
  return accepted(fmt::format("{} failed tasks will run again{}", progress.tasks, kRestIsLeft), progress.tasks, href_with(call, {}));
}

http::Response fix_all(const Call& call) {
  Progress again;
  if (flag(call, "resubmit")) {
    const auto own = changeable_campaign(call);
    if (!own) return own.error();
    again = retry_failed_tasks(call, {.campaign = own->id});
    if (again.next && !is_dry_run(call)) return half_resubmitted(call, again);
  }
  return change(
      call, "events fixed",
      [&](store::Transaction& transaction, grid::CampaignId id) -> std::optional<std::int64_t> {
        return store::fix_campaign_events(transaction, id, call.now);
      },
      [&](grid::CampaignState) { return std::string{}; },
      [&](std::int64_t) { return fmt::format("Campaign {} events closed{}", call.parts[0], resubmitted_text(call, again)); });
}

/// Whether the caller may fix the event.
bool may_fix(const Call& call, const store::EventOwner& event) {
  return event.user ? may_change(call, *event.user) : call.caller.role == Role::administrator;
}

http::Response fix_one(const Call& call) {
  const auto unknown = [&] { return error(Code::no_such_event, fmt::format("there is no event '{}'", jdl::excerpt(call.parts[0]))); };
  const auto id = id_of(call.parts[0]);
  if (!id) return unknown();
  const auto event = call.connections.read([&](store::Transaction& transaction) { return store::event_owner(transaction, *id); });
  if (!event) return unknown();
  if (!may_fix(call, *event) && event->user) return not_yours(call, fmt::format("event {}", *id), *event->user);
  if (!may_fix(call, *event))
    return error(Code::administrators_only, fmt::format("event {} is of no campaign: only administrators may fix it", *id));
  Progress again;
  if (event->open && event->campaign && flag(call, "resubmit"))
    again = retry_failed_tasks(call, {.campaign = *event->campaign, .cluster = event->cluster});
  if (again.next && !is_dry_run(call)) return half_resubmitted(call, again);
  const bool is_fixed = event->open && act(call, [&](store::Transaction& transaction) {
                          if (!store::fix_event(transaction, *id, call.now)) return false;
                          note(call, transaction,
                               {.name = "event fixed",
                                .subject = fmt::format("event {}", *id),
                                .campaign = event->campaign,
                                .after = count_json("retried_tasks", again.tasks)});
                          return true;
                        });
  if (!is_fixed) return error(Code::wrong_state, fmt::format("event {} is closed already", *id));
  log_act(call, "event fixed", {{"id", *id}, {"by", call.caller.user}});
  return acted(call, fmt::format("Event {} closed{}", *id, resubmitted_text(call, again)), 1);
}

}  // namespace

std::span<const Route> control_routes() {
  static constexpr std::array kRoutes{
      Route{"DELETE", "/v1/campaigns/:id", Access::identified, cancel, "dry_run hold resume purge", Etag::sent, Compression::allowed,
            InPage::act},
      Route{"DELETE", "/v1/campaigns/:id/tasks", Access::identified, cancel_chosen_tasks, "dry_run tasks"},
      Route{"DELETE", "/v1/campaigns/:id/tasks/:task", Access::identified, cancel_one_task, "dry_run"},
      Route{"POST", "/v1/campaigns/:id/hold", Access::identified, hold, "dry_run tasks", Etag::sent, Compression::allowed, InPage::act},
      Route{"POST", "/v1/campaigns/:id/resume", Access::identified, resume, "dry_run tasks", Etag::sent, Compression::allowed, InPage::act},
      Route{"POST", "/v1/campaigns/:id/retries", Access::identified, retry, "dry_run expect failure sink tasks", Etag::sent,
            Compression::allowed, InPage::act},
      Route{"DELETE", "/v1/campaigns/:id/events", Access::identified, fix_all, "dry_run resubmit", Etag::sent, Compression::allowed,
            InPage::act},
      Route{"DELETE", "/v1/events/:id", Access::identified, fix_one, "dry_run resubmit"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
