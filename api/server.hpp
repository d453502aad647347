#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "api/cluster_turns.hpp"
#include "api/connections.hpp"
#include "api/event_streams.hpp"
#include "api/figures.hpp"
#include "api/health_watch.hpp"
#include "api/identity.hpp"
#include "api/input_spool.hpp"
#include "api/param_files.hpp"
#include "api/places.hpp"
#include "api/request_counts.hpp"
#include "api/room.hpp"
#include "api/router.hpp"
#include "api/shared_answers.hpp"
#include "api/spool.hpp"
#include "api/what_ifs.hpp"
#include "lib/http/server.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/process/options.hpp"
#include "lib/rules/sandbox.hpp"

namespace gleaner::api {

struct ApiOptions {
  std::string database;
  std::optional<std::filesystem::path> socket;
  std::vector<http::TcpEndpoint> listen;
  std::optional<http::TlsFiles> tls;  ///< used by all of `listen`
  std::optional<std::filesystem::path> tokens_file;
  std::string admin_group;
  jdl::Defaults defaults;
  process::Config config = process::default_config();               ///< the grid's configuration, for /v1/scenario
  std::filesystem::path rules_program;                              ///< `admission`, which runs the admission rules
  std::filesystem::path what_if_program;                            ///< `what-if`, which simulates the grid
  std::chrono::milliseconds what_if_time{std::chrono::seconds{3}};  ///< of the processor, for one play
  StreamTimes streams{};
};

/// The API, which answers until it is destroyed. The database may be unavailable at the start.
class Api {
 public:
  /// Error: which option cannot be used, and why.
  [[nodiscard]] static tl::expected<std::unique_ptr<Api>, std::string> start(const ApiOptions& options);

  /// The base URLs of the TCP endpoints.
  [[nodiscard]] std::vector<std::string> urls() const;

  /// Answers a request, as its servers do.
  [[nodiscard]] http::Response handle(const http::Request& request);

  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

 private:
  explicit Api(const ApiOptions& options);
  [[nodiscard]] tl::expected<void, std::string> listen(http::ServerOptions options);
  /// @param param_files  null: the route reads none
  [[nodiscard]] http::Response respond(const Match& match, const http::Request& request, const Caller& caller,
                                       ParamFiles* param_files = nullptr);
  struct Destination {
    const Route* route = nullptr;  ///< null: none of ours
    RequestCounts::Route counted{};
  };
  /// Sets the destination as far as it is found.
  [[nodiscard]] http::Response dispatch(const http::Request& request, Destination& destination);
  /// The caller. Empty: nothing in the request names anybody. Error: why what names somebody does not count.
  using Known = tl::expected<std::optional<Caller>, std::string>;
  /// A session is not looked up where nobody has to be known, so that the page and /health need no database.
  [[nodiscard]] Known caller_of(const http::Request& request, Access access);
  [[nodiscard]] http::Response scrape(const http::Request& request, const Known& known);

  Connections connections_;
  Identities identities_;
  jdl::Defaults defaults_;
  process::Config config_;
  rules::Sandbox sandbox_;
  Spool spool_;
  Room room_;
  ClusterTurns cluster_turns_;
  ClusterTurns file_turns_;
  Places places_;  ///< requests in progress
  EventStreams event_streams_;
  InputSpool input_spool_;
  SharedAnswers summaries_;
  SharedAnswers uses_in_time_;
  WhatIfs what_ifs_;
  ParamFiles param_files_;
  RequestCounts request_counts_;
  Figures figures_;
  HealthWatch health_;
  std::vector<Route> routes_;
  std::vector<std::unique_ptr<http::Server>> servers_;  // last member: the servers stop before the others are destroyed
};

}  // namespace gleaner::api
