#include "clients/act.hpp"

#include <fmt/format.h>

#include "lib/terminal/text.hpp"

namespace gleaner::clients {

using process::Error;
using process::ExitCode;

process::Outcome act_on(ApiClient& api, terminal::Output& output, const Action& action, const std::vector<std::int64_t>& campaigns) {
  if (campaigns.empty()) throw Error{ExitCode::usage, "the id of a campaign is needed (see --help)"};
  auto code = ExitCode::ok;
  std::string refusals;
  terminal::Answer answer{.table = {{{"campaign", "Campaign"}, {"done", "Done"}, {"message", "Message"}}, {}}};
  for (const auto id : campaigns) {
    const auto path = fmt::format("/campaigns/{}{}", id, action.path);
    try {
      const auto reply = action.verb == Verb::post ? api.post(path) : api.remove(path);
      const auto message = reply.json["message"].text();
      answer.text += terminal::printable(message) + "\n";
      answer.table.rows.push_back({terminal::Cell{id}, terminal::Cell{std::string{action.done}}, terminal::Cell{message}});
      answer.ids.push_back(fmt::format("{}", id));
    } catch (const Error& error) {
      if (error.code() != ExitCode::not_found && error.code() != ExitCode::refused) throw;
      code = error.code();
      refusals += (refusals.empty() ? "" : "\n") + std::string{error.what()};
    }
  }
  if (!answer.table.rows.empty()) output.show(answer);
  return {code, refusals};
}

}  // namespace gleaner::clients
