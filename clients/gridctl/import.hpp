#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// The parts of `gridctl import cigri`. An object that cannot be taken costs its own: the rest goes on.
namespace gleaner::gridctl {

enum class Fate {
  made,     ///< it is here now, or would be
  present,  ///< it was here before, and stays as it is
  empty,    ///< there is nothing to take of it
  refused   ///< it cannot be taken
};

/// The outcome for one object of CiGri's.
struct Imported {
  std::string_view kind;  ///< cluster, user or campaign
  std::string source;     ///< its name, or number, in CiGri
  std::string user{};
  std::string here{};  ///< what it is here
  std::optional<std::int64_t> tasks{};
  std::int64_t left_out = 0;  ///< tasks that are neither done in CiGri nor here, though the campaign is
  Fate fate = Fate::made;
  std::vector<std::string> remarks{};  ///< of a refusal: the reason first
};

/// Tasks whose jobs may be on clusters: their campaign is refused, they are left out, or they are imported like those that wait.
enum class LiveTasks { refuse, leave_out, import };

/// Campaigns that CiGri had, and that are paused here.
struct PausedCampaigns {
  std::vector<std::int64_t> made;      ///< by this import
  std::vector<std::int64_t> before;    ///< by an import before it
  std::vector<std::int64_t> by_users;  ///< paused by their users in CiGri
};

/// Both databases, and what was done so far.
struct Import {
  const Call& call;
  store::Database& from;
  store::Database& here;
  LiveTasks live_tasks = LiveTasks::refuse;
  grid::Seconds drained{};                        ///< a pause of this last time was for the change, and not its user's
  std::map<std::string, std::string> clusters{};  ///< the URLs of those that are here, or would be, by their names
  std::vector<Imported> lines{};
  PausedCampaigns paused{};

  [[nodiscard]] bool is_trial() const { return call.has("dry-run"); }
  [[nodiscard]] bool wants_user(const std::string& user) const { return call.value("user").value_or(user) == user; }
};

/// Does `work`, which completes the line, and notes it. An exception of it is a refusal of this line alone; but when a database went away,
/// the line is noted, and the exception passed on. `work` returns false when the line is not wanted.
void import_one(Import& import, Imported line, const std::function<bool(Imported&)>& work);

/// Throws process::Error: what cannot be taken, and why.
[[noreturn]] void refuse(const std::string& why);

/// Throws process::Error unless it can be the name of a user, here or on a cluster. It is in the message.
void check_login(const std::string& login);
[[nodiscard]] bool is_login(const std::string& login);

/// Throws process::Error while others are connected to CiGri's database, unless an option allows it: what both systems run runs twice.
void check_cigri_is_stopped(const Call& call, store::Transaction& from);

void import_clusters(Import& import);
void import_users(Import& import);
/// @param chosen  CiGri's numbers; empty: all that are not over
void import_campaigns(Import& import, std::vector<std::int64_t> chosen);

}  // namespace gleaner::gridctl
