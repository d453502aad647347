#include "sim/gridsim/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/grid/suggest.hpp"
#include "lib/process/options.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner_config.hpp"
#include "predictor/algorithms/algorithm.hpp"

namespace gleaner::gridsim {
namespace {

/// What concerns processes, hosts and networks, of which a simulation has none.
constexpr std::array<std::string_view, 26> kUnused{
    "database",        "log_level",       "log_file",       "idle_period",     "lease_duration",  "module_time_limit", "module_patience",
    "bin_directory",   "brake_time",      "brake_time_max", "void_delay",      "void_looks",      "connect_timeout",   "request_timeout",
    "submit_timeout",  "status_max_age",  "cleanup_delay",  "retention",       "api",             "token_file",        "api_ca_file",
    "api_socket",      "api_listen",      "api_certificate", "api_key",        "api_tokens_file"};

bool is_used(std::string_view key) { return std::ranges::find(kUnused, key) == kUnused.end() && key != "admin_group"; }

}  // namespace

process::Config default_config() { return process::default_config(); }

tl::expected<void, std::string> set(Scenario& scenario, std::string_view key, std::string_view value) {
  const auto* option = process::find_option(key);
  if (option == nullptr) {
    auto known = process::option_keys();
    std::erase_if(known, [](std::string_view name) { return !is_used(name); });
    return tl::unexpected{fmt::format("there is no configuration key '{}'{}", key, grid::did_you_mean(key, known))};
  }
  if (!is_used(key)) return tl::unexpected{fmt::format("'{}' has no meaning in a simulation: leave it out", key)};
  auto config = scenario.config;
  if (const auto right = option->read(value, config)) return tl::unexpected{fmt::format("'{}' is not right for {}; write {}", value, key, *right)};
  if (const auto algorithm = prediction::find_algorithm(config.predictor_algorithm); !algorithm) return tl::unexpected{algorithm.error()};
  if (const auto policies = planner::check(metascheduler::planner_config_of(config)); !policies) return tl::unexpected{policies.error()};
  scenario.config = std::move(config);
  scenario.settings[std::string{key}] = value;
  return {};
}

}  // namespace gleaner::gridsim
