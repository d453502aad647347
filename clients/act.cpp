#include "clients/act.hpp"

#include <fmt/format.h>

#include <optional>

#include "clients/cigri_tables.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::clients {

using process::Error;
using process::ExitCode;

namespace {

std::string_view word_of(Action::Object object) { return object == Action::Object::event ? "event" : "campaign"; }

/// One request for each part of the list of tasks.
std::vector<std::string> paths_of(const Action& action, std::int64_t campaign, const std::vector<std::string>& tasks, Extent extent) {
  auto path = fmt::format("/v1/{}s/{}{}", word_of(action.of), campaign, action.path);
  if (extent == Extent::dry_run) path += path.find('?') == std::string::npos ? "?dry_run=1" : "&dry_run=1";
  if (tasks.empty()) return {path};
  std::vector<std::string> paths;
  for (const auto& list : tasks)
    paths.push_back(fmt::format("{}{}tasks={}", path, extent == Extent::dry_run ? '&' : '?', url_encoded(list)));
  return paths;
}

/// The rest of a long list, which the API leaves to another request; empty: there is none.
std::string next_of(const Json& reply) {
  for (const auto& link : reply["links"].items()) {
    if (link["rel"].text() == "next") return link["href"].text();
  }
  return {};
}

/// CiGri's message is the same whatever was to be done.
std::string refusal_text(const Error& error, const Action& action, std::int64_t id, Manner manner) {
  if (manner == Manner::gleaner || action.of != Action::Object::campaign) return error.what();
  return fmt::format("Failed to cancel campaign {}: {}.", id, error.what());
}

}  // namespace

Manner manner_of(const process::Context& context, terminal::Form form) {
  if (form != terminal::Form::human || !is_cigri_style(context.config)) return Manner::gleaner;
  return context.arguments.has("verbose") ? Manner::cigri_verbose : Manner::cigri;
}

Extent extent_of(const process::Arguments& arguments) { return arguments.has("dry-run") ? Extent::dry_run : Extent::done; }

void check_act(ApiClient& api, const Action& action, std::int64_t campaign, const std::vector<std::string>& tasks) {
  std::optional<Error> refused;
  for (const auto& path : paths_of(action, campaign, tasks, Extent::dry_run)) {
    try {
      static_cast<void>(api.post(path));
      return;
    } catch (const Error& error) {
      refused = error;
    }
  }
  throw Error{refused->code(), fmt::format("{}: nothing was changed", refused->what())};
}

process::Outcome act_on(ApiClient& api, terminal::Output& output, const Action& action, const std::vector<std::int64_t>& campaigns,
                        const std::vector<std::string>& tasks, Manner manner, Extent extent) {
  if (campaigns.empty()) throw Error{ExitCode::usage, "the id of a campaign is needed (see --help)"};
  auto code = ExitCode::ok;
  std::string refusals;
  terminal::Answer answer{.table = {{{std::string{word_of(action.of)}, action.of == Action::Object::event ? "Event" : "Campaign"},
                                     {"done", "Done"},
                                     {"message", "Message"}},
                                    {}}};
  for (const auto id : campaigns) {
    bool is_done = false;
    for (const auto& path : paths_of(action, id, tasks, extent)) {
      try {
        for (auto next = path; !next.empty();) {
          const auto reply = action.verb == Verb::post ? api.post(next) : api.remove(next);
          const auto message = reply.json["message"].text();
          answer.text += terminal::printable(message) + "\n";
          answer.done += (answer.done.empty() ? "" : "; ") + terminal::printable(message);
          answer.table.rows.push_back({terminal::Cell{id}, terminal::Cell{std::string{extent == Extent::dry_run ? "nothing" : action.done}},
                                       terminal::Cell{message}});
          is_done = true;
          next = next_of(reply.json);
        }
      } catch (const Error& error) {
        if (error.code() != ExitCode::not_found && error.code() != ExitCode::refused) throw;
        code = error.code();
        refusals += (refusals.empty() ? "" : "\n") + refusal_text(error, action, id, manner);
      }
    }
    if (is_done) answer.ids.push_back(fmt::format("{}", id));
  }
  const bool is_silent = manner == Manner::cigri && extent == Extent::done;
  if (!answer.table.rows.empty() && !is_silent) output.show(answer);
  return {code, refusals};
}

}  // namespace gleaner::clients
