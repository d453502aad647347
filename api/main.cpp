#include <malloc.h>
#include <systemd/sd-daemon.h>

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/server.hpp"
#include "lib/process/log.hpp"
#include "lib/process/run.hpp"
#include "lib/process/secret.hpp"
#include "lib/process/stop.hpp"

namespace gleaner::api {
namespace {

using process::Error;
using process::ExitCode;

/// `127.0.0.1:8443` or `[::1]:8443`; checked by the configuration.
http::TcpEndpoint endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  auto host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)))};
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

void check(const process::Config& config, const ApiOptions& options) {
  if (!options.socket && options.listen.empty())
    throw Error{ExitCode::usage, "nothing to listen on: give api_socket, api_listen or both"};
  if (config.api_certificate.empty() != config.api_key.empty())
    throw Error{ExitCode::usage, "api_certificate and api_key are needed together"};
  if (!options.listen.empty() && !options.tokens_file)
    throw Error{ExitCode::usage, "api_listen needs api_tokens_file: over TCP, a token says who calls"};
  for (const auto& endpoint : options.listen) {
    if (!options.tls && !is_loopback(endpoint.address))
      throw Error{ExitCode::usage, fmt::format("api_listen: {} can be reached from elsewhere, so it needs api_certificate and api_key", endpoint.address)};
  }
  if (options.tokens_file) {
    if (const auto problem = Tokens{*options.tokens_file}.problem()) throw Error{ExitCode::usage, "api_tokens_file: " + *problem};
  }
  if (!config.api_key.empty()) {
    if (const auto key = process::read_secret_file(config.api_key); !key) throw Error{ExitCode::usage, "api_key: " + key.error()};
  }
}

ApiOptions options_of(const process::Config& config) {
  ApiOptions options;
  options.database = config.database;
  if (!config.api_socket.empty()) options.socket = config.api_socket;
  for (const auto& address : config.api_listen) options.listen.push_back(endpoint_of(address));
  if (!config.api_certificate.empty()) options.tls = http::TlsFiles{config.api_certificate.string(), config.api_key.string(), std::nullopt};
  if (!config.api_tokens_file.empty()) options.tokens_file = config.api_tokens_file;
  options.admin_group = config.admin_group;
  options.config = config;
  options.rules_program = rules::program_beside_us();
  options.defaults.resources = config.default_resources;
  options.defaults.walltime = config.default_walltime;
  check(config, options);
  return options;
}

/// What a large request took goes back to the machine: glibc would keep it, in one arena a thread.
void keep_little_memory() {
  constexpr int kArenas = 4;
  constexpr int kOwnMapping = 256 * 1024;
  ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kOwnMapping);
}

process::Outcome serve(const process::Context& context) {
  keep_little_memory();
  // A database that does not answer must not hold requests for long.
  ::setenv("PGCONNECT_TIMEOUT", "5", 0);
  const auto options = options_of(context.config);
  const auto api = Api::start(options);
  if (!api) return {ExitCode::failure, api.error()};
  process::log::info("listening", {{"socket", options.socket.value_or("").string()}, {"urls", fmt::format("{}", fmt::join((*api)->urls(), " "))}});
  ::sd_notify(0, "READY=1");
  while (!process::wait_for_stop(std::chrono::hours{24})) {
  }
  ::sd_notify(0, "STOPPING=1");
  return "stopped";
}

}  // namespace
}  // namespace gleaner::api

int main(int argc, char** argv) {
  const gleaner::process::Program program{
      .name = "gridapi",
      .purpose = "Answers the commands of the grid's users, over HTTP.",
      .keys = {"database", "api_socket", "api_listen", "api_certificate", "api_key", "api_tokens_file", "admin_group", "default_resources",
               "default_walltime", "max_attempts", "api_patience", "api_connections", "api_connections_of_peer", "api_spool", "api_spool_size", "max_submission", "max_campaign_file",
               "max_tasks", "max_campaigns", "max_rows"},
      .notes = "The API's document is at /openapi.json.",
  };
  return gleaner::process::run(program, argc, argv, gleaner::api::serve);
}
