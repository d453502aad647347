#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lib/administration/refusal.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/store/database.hpp"

/// Limits, as administrators declare and read them.
namespace gleaner::administration {

/// A limit as somebody wrote it. Empty members were not written.
struct WrittenLimit {
  std::string kind;
  std::string most;
  std::string consumable{};  ///< of the kind `consumable`
  std::optional<std::string> user{}, group{}, project{}, campaign{}, cluster{}, days{}, silent{};
};

/// How messages name what was written: `--user=each` of a command, `user=each` of a request.
struct Spelling {
  std::string_view prefix{};
};

/// A limit that is right by itself; whether its campaign and cluster exist is not known.
struct AskedLimit {
  grid::Limit limit;
  std::optional<std::string> cluster;  ///< its name
};
[[nodiscard]] Declared<AskedLimit> asked_limit(const WrittenLimit& written, Spelling spelling);

/// Sets it, in place of the limit of the same kind on the same target, if there is one. @return its id
[[nodiscard]] Declared<std::int64_t> set_limit(store::Transaction& transaction, AskedLimit asked);
[[nodiscard]] Declared<void> remove_limit(store::Transaction& transaction, std::int64_t id);

/// Whom it holds: `user ada, cluster alpha`, `the whole grid`.
[[nodiscard]] std::string holds(const grid::Limit& limit);

/// The number of campaigns that each limit stops on some cluster, by the latest plan; by the limit's id.
/// @param user  only this user's campaigns; empty: anybody's
[[nodiscard]] std::map<std::int64_t, std::int64_t> stopped_campaigns(store::Transaction& transaction,
                                                                     const std::optional<std::string>& user);

/// The greatest use of one of those who have the limit each, and who; of another limit its use. Rounded.
struct GreatestUse {
  double used = 0.0;
  std::string by{};  ///< empty: of nobody in particular
};
[[nodiscard]] GreatestUse greatest_use(const grid::Limit& limit);

/// The id of the cluster of this name.
[[nodiscard]] Declared<grid::ClusterId> cluster_named(store::Transaction& transaction, const std::string& name);

}  // namespace gleaner::administration
