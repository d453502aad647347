#include "api/options.hpp"

#include <fmt/format.h>

#include "api/cigri/gate.hpp"
#include "lib/process/helper.hpp"
#include "lib/process/run.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

using process::Error;
using process::ExitCode;

/// Splits `127.0.0.1:8443` or `[::1]:8443`, which the configuration has checked.
http::TcpEndpoint endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  auto host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, text::whole_number<std::uint16_t>(std::string_view{address}.substr(colon + 1)).value()};
}

std::optional<http::TlsFiles> tls_of(const process::Config& config) {
  if (config.api_certificate.empty()) return std::nullopt;
  http::TlsFiles files{config.api_certificate.string(), config.api_key.string(), std::nullopt, http::TlsFiles::Clients::anybody};
  if (!config.api_proxy_authority.empty()) files.client_authority = config.api_proxy_authority.string();
  return files;
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

/// Our own routes must stay reachable.
void check_cigri_path(const process::Config& config) {
  const auto& where = config.api_cigri_path;
  for (const auto& route : all_routes()) {
    if (!where.empty() && cigri::is_below(where, route.pattern))
      throw Error{ExitCode::usage, fmt::format("api_cigri_path: {} is a path of our own routes ({}): write another one, such as /cigri",
                                               where, route.pattern)};
  }
}

/// A certificate counts by its authority and its subject, so that no other certificate of the site's authority does.
void check_proxy(const process::Config& config) {
  if (config.api_proxy_authority.empty() != config.api_proxy_subject.empty())
    throw Error{ExitCode::usage, "api_proxy_authority and api_proxy_subject are needed together"};
  if (!config.api_proxy_authority.empty() && config.api_certificate.empty())
    throw Error{ExitCode::usage, "api_proxy_authority needs api_certificate and api_key: certificates are shown over TLS alone"};
}

void check_metrics_token(const process::Config& config) {
  constexpr std::size_t kShortest = 16;
  if (config.api_metrics_token.empty()) return;
  const auto token = process::read_secret_file(config.api_metrics_token);
  if (!token) throw Error{ExitCode::usage, "api_metrics_token: " + token.error()};
  if (token->size() < kShortest || token->find_first_of(" \t\r\n") != std::string::npos)
    throw Error{ExitCode::usage, fmt::format("api_metrics_token: {} has to hold one word of at least {} characters, such as that of "
                                             "'openssl rand -hex 24'",
                                             config.api_metrics_token.string(), kShortest)};
}

void check_endpoints(const process::Config& config, const ApiOptions& options) {
  if (!options.socket && options.listen.empty()) throw Error{ExitCode::usage, "nothing to listen on: give api_socket, api_listen or both"};
  if (config.api_certificate.empty() != config.api_key.empty())
    throw Error{ExitCode::usage, "api_certificate and api_key are needed together"};
  if (!options.listen.empty() && !options.tokens_file)
    throw Error{ExitCode::usage, "api_listen needs api_tokens_file: over TCP, a token identifies the caller"};
  for (const auto& endpoint : options.listen) {
    if (!options.tls && !is_loopback(endpoint.address))
      throw Error{ExitCode::usage,
                  fmt::format("api_listen: {} can be reached from elsewhere, so it needs api_certificate and api_key", endpoint.address)};
  }
  if (options.tokens_file) {
    if (const auto problem = Tokens{*options.tokens_file}.problem()) throw Error{ExitCode::usage, "api_tokens_file: " + *problem};
  }
  check_metrics_token(config);
  check_proxy(config);
  if (!config.api_key.empty()) {
    if (const auto key = process::read_secret_file(config.api_key); !key) throw Error{ExitCode::usage, "api_key: " + key.error()};
  }
}

}  // namespace

ApiOptions options_of(const process::Config& config) {
  ApiOptions options;
  options.database = config.database;
  if (!config.api_socket.empty()) options.socket = config.api_socket;
  for (const auto& address : config.api_listen) options.listen.push_back(endpoint_of(address));
  options.tls = tls_of(config);
  if (!config.api_tokens_file.empty()) options.tokens_file = config.api_tokens_file;
  options.admin_group = config.admin_group;
  options.config = config;
  options.rules_program = rules::interpreter_program();
  options.what_if_program = process::helper_program("what-if");
  options.defaults.resources = config.default_resources;
  options.defaults.walltime = config.default_walltime;
  options.defaults.most_attempts = config.max_attempts;
  options.defaults.most_retries = config.max_retries;
  options.defaults.grouping = config.temporal_grouping;
  options.defaults.params_shell = config.params_shell;
  check_endpoints(config, options);
  check_cigri_path(config);
  return options;
}

}  // namespace gleaner::api
