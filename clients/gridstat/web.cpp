// Prints the link of the page in a browser.
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "clients/gridstat/gridstat.hpp"

namespace gleaner::gridstat {
namespace {

/// A port of the user's machine, which ssh leads to the API's socket.
constexpr int kForwardedPort = 8080;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? std::string{name.data()} : "THIS-HOST";
}

}  // namespace

void show_web(const Run& run) {
  const auto code = run.api.post("/v1/session-codes").json;
  constexpr std::string_view kUnix{"unix:"};
  const auto& api = run.context.config.api;
  const bool is_local = api.starts_with(kUnix);
  auto base = is_local ? fmt::format("http://localhost:{}", kForwardedPort) : api;
  while (base.ends_with('/')) base.pop_back();
  const auto link = base + code["page"].text();
  run.output.show({.text = link + "\n", .json = run.document(code), .ids = {link}});
  if (run.form == terminal::Form::json) return;
  run.output.report(fmt::format("gridstat: this link signs you in once, within {} s", code["seconds"].integer()));
  if (!is_local) return;
  run.output.report(fmt::format("gridstat: open it on your own machine, while this runs there: ssh -N -L {}:{} {}", kForwardedPort,
                                api.substr(kUnix.size()), host_name()));
}

}  // namespace gleaner::gridstat
