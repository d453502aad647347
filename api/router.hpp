#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/call.hpp"

namespace gleaner::api {

enum class Access {
  anybody,
  identified,
  administering,  ///< administrators alone
  measuring       ///< administrators, and who may_measure(); Api answers it without a `respond`
};

/// A route's treatment of ETags (api/etag.hpp).
enum class Etag {
  sent,     ///< its answers to GET have one
  none,     ///< its answers are streams, or change each time
  compared  ///< it changes something, and compares If-Match
};

/// Whether a route's answers may be compressed for a client that takes gzip (api/coding.hpp). One that shows a secret beside what somebody
/// else chose never is: the length of the compressed text would reveal the secret bit by bit (BREACH).
enum class Compression { allowed, never };

inline constexpr std::string_view kMetricsPath{"/metrics"};

/// The page for browsers, and where they sign in. Neither has a version, and both are beside the API's root, so that relative addresses and
/// the cookie's path are right below any prefix of a proxy.
inline constexpr std::string_view kPagePath{"/ui/"};
inline constexpr std::string_view kSessionPath{"/session"};

/// The routes of our own API begin with it, but for those of the service itself (`/`, `/health`, `/ready`, `/metrics`, `/openapi.json`) and
/// of the page.
inline constexpr std::string_view kVersionPath{"/v1"};

/// The keys of a route that are for a script in the browser.
inline constexpr std::string_view kAnyKeys{"*"};

/// The use of a route that changes something by the session of a browser.
enum class InPage {
  no,
  act,  ///< call it from the grid's own page (is_of_page)
  ask   ///< the same; it is a question, and changes nothing
};

/// One line of a table of routes. `:name` in a pattern matches any one part of a path. `keys` are those of its query, with blanks between
/// them, and `...` after one that may come several times, as a list; every route takes `pretty` too, and any other key is an error, but
/// where they are kAnyKeys.
struct Route {
  std::string_view method;
  std::string_view pattern;
  Access access;
  http::Response (*respond)(const Call&);
  std::string_view keys{};
  Etag etag = Etag::sent;
  Compression compression = Compression::allowed;
  InPage in_page = InPage::no;
};

// Each file defines one table.
[[nodiscard]] std::span<const Route> service_routes();
[[nodiscard]] std::span<const Route> submission_routes();
[[nodiscard]] std::span<const Route> append_routes();
[[nodiscard]] std::span<const Route> edit_routes();
[[nodiscard]] std::span<const Route> input_routes();
[[nodiscard]] std::span<const Route> campaign_routes();
[[nodiscard]] std::span<const Route> control_routes();
[[nodiscard]] std::span<const Route> task_routes();
[[nodiscard]] std::span<const Route> stream_routes();
[[nodiscard]] std::span<const Route> event_routes();
[[nodiscard]] std::span<const Route> manual_event_routes();
[[nodiscard]] std::span<const Route> cluster_routes();
[[nodiscard]] std::span<const Route> notification_routes();
[[nodiscard]] std::span<const Route> cluster_token_routes();
[[nodiscard]] std::span<const Route> scenario_routes();
[[nodiscard]] std::span<const Route> output_routes();
[[nodiscard]] std::span<const Route> usage_routes();
[[nodiscard]] std::span<const Route> quality_routes();
[[nodiscard]] std::span<const Route> session_routes();
[[nodiscard]] std::span<const Route> page_routes();
[[nodiscard]] std::span<const Route> summary_routes();
[[nodiscard]] std::span<const Route> failure_routes();
[[nodiscard]] std::span<const Route> order_routes();
[[nodiscard]] std::span<const Route> progress_routes();
[[nodiscard]] std::span<const Route> decision_history_routes();
[[nodiscard]] std::span<const Route> conductor_routes();
[[nodiscard]] std::span<const Route> what_if_routes();
[[nodiscard]] std::span<const Route> share_routes();
[[nodiscard]] std::span<const Route> brake_routes();
[[nodiscard]] std::span<const Route> administration_routes();

/// The keys of a route's query, `pretty` included.
[[nodiscard]] std::vector<std::string_view> keys_of(const Route& route);

/// Why the query of a request is wrong; empty: the route knows all of its keys.
[[nodiscard]] std::optional<std::string> wrong_key(const http::Request& request, const Route& route);

/// All routes.
[[nodiscard]] std::vector<Route> all_routes();

struct Match {
  const Route* route;
  std::vector<std::string> parts;
};
/// The path exists, but not with this method; `allowed` lists its methods for the header Allow.
struct WrongMethod {
  std::string allowed;
};
struct NoSuchPath {};

/// The path under which a path without the version, as earlier releases had it, is found now; empty: under none.
[[nodiscard]] std::optional<std::string> path_of_today(std::span<const Route> routes, std::string_view method, std::string_view path);

/// Finds the route of a request; HEAD uses the routes of GET.
[[nodiscard]] std::variant<Match, WrongMethod, NoSuchPath> find_route(std::span<const Route> routes, std::string_view method,
                                                                      std::string_view path);

}  // namespace gleaner::api
