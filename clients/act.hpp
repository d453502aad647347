#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

/// Changes of submitted campaigns, and of their events: cancel, pause, resume, fix and the like.
namespace gleaner::clients {

enum class Verb { post, remove };

/// Whether acts are done, or only foretold.
enum class Extent { done, dry_run };

struct Action {
  std::string_view option;  ///< the option that selects it
  Verb verb;
  std::string_view path;  ///< the part of the URL after the id
  std::string_view done;  ///< `cancelled`
  enum class Object { campaign, event } of = Object::campaign;
};

/// How results are reported: as Gleaner does; or as CiGri's griddel, whose successes are silent unless they are asked for (-v).
enum class Manner { gleaner, cigri, cigri_verbose };
/// By the key `style` and the option --verbose, for people.
[[nodiscard]] Manner manner_of(const process::Context& context, terminal::Form form);

/// Applies the action to each campaign, or event, and reports each result. A refusal does not stop the others. Returns the worst exit code:
/// `not_found` or `refused` if there was one, else `ok`.
/// @param tasks  lists of the campaign's tasks, one for each request (task_lists); empty: the whole campaign
[[nodiscard]] process::Outcome act_on(ApiClient& api, terminal::Output& output, const Action& action,
                                      const std::vector<std::int64_t>& campaigns, const std::vector<std::string>& tasks = {},
                                      Manner manner = Manner::gleaner, Extent extent = Extent::done);
/// Rehearses an action of one campaign before something else is changed for it.
/// @throws process::Error  each of its requests would be refused; it says that nothing was changed
void check_act(ApiClient& api, const Action& action, std::int64_t campaign, const std::vector<std::string>& tasks);
[[nodiscard]] Extent extent_of(const process::Arguments& arguments);

}  // namespace gleaner::clients
