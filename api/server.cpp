#include "api/server.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "api/cigri/gate.hpp"
#include "api/coding.hpp"
#include "api/etag.hpp"
#include "api/metrics.hpp"
#include "api/readership.hpp"
#include "api/sessions.hpp"
#include "api/sign_on.hpp"
#include "api/web_assets.hpp"
#include "lib/http/coding.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/jdl/text.hpp"
#include "lib/process/log.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::api {
namespace {

/// Bytes for campaign files while they are read and answers until they are sent, in total.
constexpr std::uint64_t kRoom = std::uint64_t{192} << 20U;
constexpr std::chrono::seconds kPatienceForRoom{10};
/// Questions to clusters for users at once, and files of theirs: at most a quarter of the connections each. With those that wait for them,
/// a fifth of the connections is left.
constexpr int kMostClusterTurns = 12;
constexpr int kMostFileTurns = 16;
constexpr int kMostFilesOfCluster = 8;
/// Parameter files that are read at once, each for some seconds at most.
constexpr int kMostParamFiles = 4;
/// The page asks 300 ms after the message of a change, or later (web/src/live/summary.ts): an answer that is younger than this has
/// it.
constexpr std::chrono::milliseconds kSummaryLasts{250};
constexpr std::size_t kMostSummaries = std::size_t{16} << 20U;  // bytes
/// Answers about the use in time are of spans that the page moves on once in a while.
constexpr std::chrono::seconds kUseLasts{60};
constexpr std::size_t kMostUses = std::size_t{24} << 20U;  // bytes
/// Those who ask what if, at once: each has a thread of its own until it is answered.
constexpr int kMostWhatIfs = 12;
constexpr std::chrono::seconds kWhatIfEnds{5};  // a play that should have stopped
/// Bytes. Longer answers are not indented, because indenting takes several times their memory.
constexpr std::size_t kMostPretty = std::size_t{4} << 20U;
/// Those who read /metrics share the places of one user. No user has such a name.
constexpr const char* kScrapers = "(scrapers)";
constexpr unsigned kEverybodyMayConnect = 0666;  // the kernel identifies the caller

std::string why_unknown(const http::Request& request) {
  if (may_be_of_browser(request)) return "who looks at the page is not known: run 'gridstat --web', and open the link that it prints";
  if (const auto& process = request.peer.process)
    return fmt::format(
        "your user id, {}, has no name on this machine, and campaigns belong to names: it must be in its list of users "
        "(getent passwd {})",
        process->uid, process->uid);
  if (request.headers.find("Authorization"))
    return "this token is not known here: it may have been replaced; ask the grid's administrators for a new one";
  return "who you are is not known: call the unix socket, or send a header 'Authorization: Bearer TOKEN'";
}

/// Empty: nothing in the request names anybody.
std::string_view why_nobody(const tl::expected<std::optional<Caller>, std::string>& known) {
  return known ? std::string_view{} : known.error();
}

http::Response unauthorized(const http::Request& request, std::string_view why = {}) {
  auto response = error(Code::unknown_caller, why.empty() ? why_unknown(request) : std::string{why});
  response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

http::Response unknown_path(const http::Request& request, const std::vector<Route>& routes) {
  if (const auto now = path_of_today(routes, request.method, request.path))
    return error(Code::no_such_path, fmt::format("the API is under {}: {}", kVersionPath, jdl::excerpt(*now)));
  return error(Code::no_such_path,
               fmt::format("{} {} not found on this server", jdl::excerpt(request.method), jdl::excerpt(request.target)));
}

http::Response wrong_method(const http::Request& request, const WrongMethod& wrong) {
  auto response = error(Code::wrong_method, fmt::format("{} is not for {}, which takes {}", jdl::excerpt(request.method),
                                                        jdl::excerpt(request.path), wrong.allowed));
  response.headers.add("Allow", wrong.allowed);
  return response;
}

http::Response try_again(std::string_view message) {
  auto response = error(Code::unavailable, message);
  response.headers.add("Retry-After", "5");
  return response;
}

/// Whatever a user's requests wait for, the other users have the rest of the threads.
http::Response too_many_requests(const Caller& caller, const process::Config& config) {
  auto response =
      error(Code::busy, fmt::format("{} requests of {} are in progress, the most of one user (api_connections_of_peer): "
                                    "nothing was done; try again when one has ended",
                                    config.api_connections_of_peer, caller.user.empty() ? "callers without a name" : caller.user));
  response.headers.add("Retry-After", "2");
  return response;
}

/// The part of a request that is no text: the database has none of it. Empty: the query and the path are texts.
std::optional<std::string> wrong_bytes(const http::Request& request) {
  const auto is_text = [](std::string_view value) {
    return value.find('\0') == std::string_view::npos && jdl::first_invalid_utf8(value) == std::string_view::npos;
  };
  for (const auto& [key, value] : request.query) {
    if (!is_text(key) || !is_text(value))
      return fmt::format("{}={}: it is not UTF-8, or has a NUL: encode the text as UTF-8 first, then with %", jdl::excerpt(key),
                         jdl::excerpt(value));
  }
  if (const auto path = text::percent_decoded(request.path); path && !is_text(*path))
    return fmt::format("{}: the path is not UTF-8, or has a NUL", jdl::excerpt(request.path));
  return std::nullopt;
}

/// The answer to a session, or whom a web server names, that may not change this; empty: go on.
std::optional<http::Response> refuse_session(const Caller& caller, const http::Request& request, const Route& route) {
  if (!caller.is_of_browser() || route.method == "GET" || route.pattern == kSessionPath) return std::nullopt;
  if (route.in_page == InPage::no) return error(Code::only_reads, "a session of a browser does not change this: use the commands");
  if (!is_of_page(request))
    return error(Code::only_reads, "a session changes something from the grid's own page alone, and this request is not from it");
  return std::nullopt;
}

/// The answer to what is no request, in the form of all errors.
http::Response refusal_of_status(unsigned status, std::string_view message) {
  switch (status) {
    case 400: return error(Code::not_http, message);
    case 408: return error(Code::timed_out, message);
    case 415: return error(Code::wrong_media_type, message);
    case 431: return error(Code::head_too_large, message);
    default: return error(Code::internal, message);
  }
}

http::ServerOptions server_options(const process::Config& config) {
  http::ServerOptions options;
  options.max_connections = static_cast<std::size_t>(config.api_connections);
  options.max_of_peer = static_cast<std::size_t>(config.api_connections_of_peer);
  options.on_problem = [](std::string_view what) { process::log::error("request failed", {{"what", what}}); };
  options.refusal = refusal_of_status;
  return options;
}

}  // namespace

Api::Api(const ApiOptions& options)
    : connections_{options.database, options.config},
      identities_{options.admin_group, options.tokens_file},
      defaults_{options.defaults},
      config_{options.config},
      sandbox_{options.rules_program},
      spool_{options.config.api_spool, options.config.api_spool_size},
      room_{kRoom, kPatienceForRoom},
      cluster_turns_{{.all = std::clamp(options.config.api_connections / 4, 1, kMostClusterTurns),
                      .of_cluster = 3,
                      .waiting = std::clamp(options.config.api_connections / 8, 1, kMostClusterTurns / 2)}},
      file_turns_{{.all = std::clamp(options.config.api_connections / 4, 1, kMostFileTurns),
                   .of_cluster = kMostFilesOfCluster,
                   .waiting = std::clamp(options.config.api_connections / 8, 1, kMostFileTurns / 2)}},
      places_{options.config.api_connections, options.config.api_connections_of_peer},
      event_streams_{connections_, options.config, options.streams},
      input_spool_{options.config},
      summaries_{kSummaryLasts, kMostSummaries},
      uses_in_time_{kUseLasts, kMostUses},
      what_ifs_{{.program = options.what_if_program,
                 .askers = std::clamp(options.config.api_connections / 4, 2, kMostWhatIfs),
                 .time = options.what_if_time,
                 .most = 3 * options.what_if_time + kWhatIfEnds}},
      param_files_{{.folders = options.config.api_cigri_param_files,
                    .reader = options.config.api_cigri_param_reader,
                    .at_once = std::clamp(options.config.api_connections / 8, 1, kMostParamFiles)}},
      figures_{connections_, config_},
      health_{connections_, config_},
      routes_{all_routes()} {}

tl::expected<std::unique_ptr<Api>, std::string> Api::start(const ApiOptions& options) {
  std::unique_ptr<Api> api{new Api{options}};
  if (options.socket) {
    auto server = server_options(options.config);
    server.unix_socket = http::UnixEndpoint{options.socket->string(), kEverybodyMayConnect};
    if (auto listening = api->listen(std::move(server)); !listening) return tl::unexpected{listening.error()};
  }
  for (const auto& endpoint : options.listen) {
    auto server = server_options(options.config);
    server.tcp = endpoint;
    server.tls = options.tls;
    if (auto listening = api->listen(std::move(server)); !listening) return tl::unexpected{listening.error()};
  }
  return api;
}

tl::expected<void, std::string> Api::listen(http::ServerOptions options) {
  auto server = http::Server::start(std::move(options), [this](const http::Request& request) { return handle(request); });
  if (!server) return tl::unexpected{server.error()};
  servers_.push_back(std::move(*server));
  return {};
}

std::vector<std::string> Api::urls() const {
  std::vector<std::string> urls;
  for (const auto& server : servers_) {
    if (auto url = server->url(); !url.empty()) urls.push_back(std::move(url));
  }
  return urls;
}

http::Response Api::handle(const http::Request& request) {
  const auto began = grid::SteadyClock::now();
  Destination destination;
  auto response = dispatch(request, destination);
  const auto coding = destination.route == nullptr ? Coding::identity : choose_form(request, *destination.route, response);
  request_counts_.note(destination.counted, response.status, grid::SteadyClock::now() - began);
  if (layout_of(request) == Layout::pretty && destination.counted.pattern != kMetricsPath && !response.body.empty() &&
      response.body.size() <= kMostPretty)
    response.body = text::prettified(response.body);
  if (coding == Coding::gzip) response.body = http::gzipped(response.body);
  return response;
}

http::Response Api::respond(const Match& match, const http::Request& request, const Caller& caller, ParamFiles* param_files) {
  auto place = places_.take(caller.user);
  if (place == nullptr) return too_many_requests(caller, config_);
  // Routes for anybody state the health of the grid, or what needs no database: they do not wait for it.
  const auto now = match.route->access == Access::anybody ? connections_.known_now() : connections_.now();
  auto response = respond_if_readable(
      *match.route, Call{request, match.parts, caller, connections_, defaults_, sandbox_, config_, spool_, room_, cluster_turns_,
                         file_turns_, event_streams_, input_spool_, summaries_, uses_in_time_, what_ifs_, health_, now, param_files});
  // An answer that is still being written has the thread of its connection.
  response.kept = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(std::move(response.kept), std::move(place));
  return response;
}

Api::Known Api::caller_of(const http::Request& request, Access access) {
  auto named = named_caller(request, identities_, config_);
  if (!named || *named) return named;
  if (access != Access::anybody) {
    if (auto caller = caller_of_session(request, connections_)) return caller;
  }
  // A web server that names users has no identity of its own: what it passes on without a name is nobody's.
  if (request.peer.process && (may_be_of_browser(request) || is_web_server(request, config_))) return std::nullopt;
  return identities_.of(request);
}

http::Response Api::scrape(const http::Request& request, const Known& known) {
  const auto caller = known.value_or(std::nullopt);
  const bool is_administrator = caller && caller->role == Role::administrator;
  if (!is_administrator && !may_measure(request, config_)) {
    if (!caller) return unauthorized(request, why_nobody(known));
    return error(Code::administrators_only,
                 "/metrics is for administrators, and for who has the token of api_metrics_token or an address of api_metrics_addresses");
  }
  const auto place = places_.take(kScrapers);
  if (place == nullptr) return too_many_requests({}, config_);
  return measure(request, config_, figures_, request_counts_);
}

http::Response Api::dispatch(const http::Request& request, Destination& destination) try {
  if (const auto wrong = wrong_bytes(request)) return error(Code::bad_value, *wrong);
  if (cigri::is_below(config_.api_cigri_path, request.path)) {
    destination.counted = {.method = "any", .pattern = "cigri"};
    const auto respond_inside = [this](const Match& match, const http::Request& inner, const Caller& caller) {
      return respond(match, inner, caller, &param_files_);
    };
    return cigri::respond_to(request, identities_.of(request), config_, respond_inside);
  }
  const auto found = find_route(routes_, request.method, request.path);
  if (std::holds_alternative<NoSuchPath>(found)) return unknown_path(request, routes_);
  if (const auto* wrong = std::get_if<WrongMethod>(&found)) return wrong_method(request, *wrong);
  const auto& match = std::get<Match>(found);
  destination = {.route = match.route, .counted = {.method = match.route->method, .pattern = match.route->pattern}};
  if (auto page = lead_to_page(request)) return std::move(*page);
  const auto known = caller_of(request, match.route->access);
  if (match.route->access == Access::measuring) return scrape(request, known);
  auto caller = known.value_or(std::nullopt);
  if (!caller && match.route->access == Access::anybody) caller = Caller{};
  if (!caller) return unauthorized(request, why_nobody(known));
  if (const auto wrong = wrong_key(request, *match.route)) return error(Code::unknown_key, *wrong);
  if (auto refused = refuse_conditions(request, *match.route)) return std::move(*refused);
  if (auto refused = refuse_session(*caller, request, *match.route)) return std::move(*refused);
  if (match.route->access == Access::administering && caller->role != Role::administrator)
    return error(Code::administrators_only, fmt::format("{} {} is for administrators", request.method, match.route->pattern));
  return respond(match, request, *caller);
} catch (const store::Unavailable& failure) {
  process::log::warning("database unavailable", {{"method", request.method}, {"path", request.path}, {"why", failure.what()}});
  return try_again("the database cannot be used now: try again in a few seconds");
} catch (const store::WrongSchema& failure) {
  process::log::error("wrong schema", {{"why", failure.what()}});
  return try_again("the database's schema is not this program's: its administrator has to run 'gridctl db migrate'");
} catch (const std::exception& failure) {
  process::log::error("request failed", {{"method", request.method}, {"path", request.path}, {"why", failure.what()}});
  return error(Code::internal, "an error of the server itself: see its log");
}

}  // namespace gleaner::api
