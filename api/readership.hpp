#pragma once
#include <optional>
#include <string>

#include "api/call.hpp"
#include "api/router.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {

/// Which campaigns a caller may read, by the option `read_access`. Outputs of tasks are for the campaign's user and administrators.
class Readership {
 public:
  /// @param readers  empty: all campaigns
  Readership(const Caller& caller, std::optional<store::views::Readers> readers)
      : user_{caller.user}, is_administrator_{caller.role == Role::administrator}, readers_{std::move(readers)} {}

  /// @param owner  the campaign's user; empty: it is gone
  [[nodiscard]] bool may_read(const std::string& owner, const std::string& project) const;
  [[nodiscard]] bool may_read_output(const std::string& owner) const { return is_administrator_ || (!owner.empty() && owner == user_); }
  /// The readers whose campaigns lists are restricted to.
  [[nodiscard]] const std::optional<store::views::Readers>& restriction() const { return readers_; }

 private:
  std::string user_;
  bool is_administrator_;
  std::optional<store::views::Readers> readers_;
};

/// Cost: a query where `read_access` is `project`, else none.
[[nodiscard]] Readership readership_of(const Call& call, store::Transaction& transaction);

/// The readers whose campaigns the lists of this caller are restricted to; empty: lists have all. Same cost, and no transaction without it.
[[nodiscard]] std::optional<store::views::Readers> readers_of(const Call& call);

/// The route's answer; or the refusal (403) to a caller who may not read the campaign that its path names, by its own id, a job's or an
/// event's.
[[nodiscard]] http::Response respond_if_readable(const Route& route, const Call& call);

}  // namespace gleaner::api
