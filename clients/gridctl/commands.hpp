#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/settle.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/process/run.hpp"
#include "lib/store/audit.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "lib/terminal/output.hpp"

/// The commands of administrators, one function each.
namespace gleaner::gridctl {

inline constexpr const char* kUsualDirectory = "/etc/gleaner";
inline constexpr const char* kUsualUser = "gleaner";  ///< that of the units

/// A command with its context; `arguments` are what follows the command's words.
struct Call {
  const process::Context& context;
  std::string_view words;  ///< of the command: `cluster add`
  std::vector<std::string> arguments;
  terminal::Output& output;

  [[nodiscard]] bool has(std::string_view option) const { return context.arguments.has(option); }
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const { return context.arguments.value(option); }
};

struct Command {
  std::string_view words;      ///< `cluster add`
  std::string_view arguments;  ///< `NAME URL`, as --help shows them; [X] is optional
  std::string_view purpose;
  std::vector<std::string_view> options;  ///< options of its own, beyond --json, --csv and --quiet
  process::Outcome (*act)(const Call& call);
};

/// All commands, in the order of --help.
[[nodiscard]] std::span<const Command> commands();

/// Finds the command, checks its arguments and options, and runs it. Throws process::Error (usage) for an unknown one, with the known ones.
process::Outcome dispatch(const process::Context& context);

/// The cluster of that name. Throws process::Error with the closest name if there is none.
[[nodiscard]] store::Cluster known_cluster(store::Transaction& transaction, const std::string& name);

/// Throw process::Error (usage) for what cannot be the name, or the URL, of a cluster.
void check_cluster_name(const std::string& name);
void check_cluster_url(const std::string& url);

/// Whether the administrator confirms: by --yes, or by the word typed on a terminal.
/// @param deed  `retire it`
[[nodiscard]] bool is_confirmed(const Call& call, std::string_view word, std::string_view deed);

/// The configured database. Throws if its schema is not this program's. Changes over it are in the audit, as acts of the user who runs
/// gridctl.
[[nodiscard]] store::Database open_database(const Call& call);
/// The user who runs gridctl: the user, on this host; and who became that user by sudo.
[[nodiscard]] store::Actor our_actor();
/// The configured limits without the one for statements: an administrator waits for a migration, and can interrupt it.
[[nodiscard]] store::ConnectionLimits limits_of(const Call& call);

/// The configured limits of attempts.
[[nodiscard]] grid::Limits limits_of(const process::Config& config);

/// The configuration's defaults for campaigns.
[[nodiscard]] jdl::Defaults defaults_of(const process::Config& config);

process::Outcome setup(const Call& call);
process::Outcome import_cigri(const Call& call);
process::Outcome cycle(const Call& call);
process::Outcome quality(const Call& call);
process::Outcome db_migrate(const Call& call);
process::Outcome db_status(const Call& call);
process::Outcome db_restored(const Call& call);
process::Outcome db_check(const Call& call);
process::Outcome cluster_add(const Call& call);
process::Outcome cluster_edit(const Call& call);
process::Outcome cluster_list(const Call& call);
process::Outcome cluster_show(const Call& call);
process::Outcome cluster_disable(const Call& call);
process::Outcome cluster_enable(const Call& call);
process::Outcome cluster_remove(const Call& call);
process::Outcome cluster_retire(const Call& call);
process::Outcome job_lost(const Call& call);
process::Outcome launch_list(const Call& call);
process::Outcome launch_lost(const Call& call);
process::Outcome token_delete(const Call& call);
process::Outcome token_import(const Call& call);
process::Outcome token_list(const Call& call);
process::Outcome token_new_key(const Call& call);
process::Outcome user_map(const Call& call);
process::Outcome user_unmap(const Call& call);
process::Outcome user_list(const Call& call);
process::Outcome limit_set(const Call& call);
process::Outcome limit_set_consumable(const Call& call);
process::Outcome limit_list(const Call& call);
process::Outcome limit_remove(const Call& call);
process::Outcome keep_set(const Call& call);
process::Outcome keep_list(const Call& call);
process::Outcome keep_remove(const Call& call);
process::Outcome share_set(const Call& call);
process::Outcome share_list(const Call& call);
process::Outcome share_remove(const Call& call);
process::Outcome usage_list(const Call& call);
process::Outcome affinity_add(const Call& call);
process::Outcome affinity_remove(const Call& call);
process::Outcome affinity_list(const Call& call);
process::Outcome user_priority(const Call& call);
process::Outcome project_priority(const Call& call);
process::Outcome group_priority(const Call& call);
process::Outcome priority_list(const Call& call);
process::Outcome user_allow_normal(const Call& call);
process::Outcome user_forbid_normal(const Call& call);
process::Outcome user_list_normal(const Call& call);
process::Outcome user_limit(const Call& call);
process::Outcome user_list_limits(const Call& call);
process::Outcome rules_list(const Call& call);
process::Outcome rules_show(const Call& call);
process::Outcome rules_add(const Call& call);
process::Outcome rules_edit(const Call& call);
process::Outcome rules_enable(const Call& call);
process::Outcome rules_disable(const Call& call);
process::Outcome rules_remove(const Call& call);
process::Outcome rules_test(const Call& call);
process::Outcome check(const Call& call);
process::Outcome prune(const Call& call);
process::Outcome event_list(const Call& call);
process::Outcome event_show(const Call& call);
process::Outcome event_close(const Call& call);
process::Outcome brake_list(const Call& call);
process::Outcome brake_clear(const Call& call);
process::Outcome audit_list(const Call& call);

}  // namespace gleaner::gridctl
