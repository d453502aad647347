#pragma once
#include <string>

#include "clients/gridctl/commands.hpp"
#include "lib/store/clusters.hpp"

/// Checks of a cluster that an administrator adds or edits. Each throws an Error that says what is wrong.
namespace gleaner::gridctl {

/// Checks that the password of a cluster is not sent in clear to another machine. An administrator's consent is for this way: another one
/// needs it again.
void check_password_in_clear(const store::Cluster& cluster);

/// Checks that the options of its authentication are complete. Files that cannot be read here only cause a note, because the grid's
/// processes may run as another user.
void check_whole(const Call& call, const store::Cluster& cluster);

/// Grid'5000's API makes one job of each request.
inline constexpr int kArraySizeOfGrid5000 = 1;

/// Whether the URL is that of one site of Grid'5000, such as https://api.grid5000.fr/stable/sites/grenoble.
[[nodiscard]] bool names_site(const std::string& url);

/// A remark that another cluster in use is reached at the same URL, most likely by mistake; empty: there is none.
[[nodiscard]] std::string twin_note(store::Transaction& transaction, const store::Cluster& cluster);

}  // namespace gleaner::gridctl
