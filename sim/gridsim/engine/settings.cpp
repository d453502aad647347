#include "sim/gridsim/engine/settings.hpp"

#include <fmt/format.h>

#include <vector>

#include "lib/process/options.hpp"
#include "lib/text/suggest.hpp"
#include "metascheduler/planner/plan.hpp"
#include "predictor/algorithms/trials.hpp"

namespace gleaner::gridsim {
namespace {

bool is_used(const process::Option& option) { return option.is_simulated(); }

}  // namespace

process::Config default_config() { return process::default_config(); }

tl::expected<void, std::string> set(Scenario& scenario, std::string_view key, std::string_view value) {
  const auto* option = process::find_option(key);
  if (option == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& one : process::options()) {
      if (is_used(one)) known.push_back(one.key);
    }
    return tl::unexpected{fmt::format("there is no configuration key '{}'{}", key, text::did_you_mean(key, known))};
  }
  if (!is_used(*option)) return tl::unexpected{fmt::format("'{}' has no meaning in a simulation: leave it out", key)};
  auto config = scenario.config;
  if (const auto right = option->value.read(value, config))
    return tl::unexpected{fmt::format("'{}' is not right for {}; write {}", value, key, *right)};
  if (const auto algorithm = prediction::configured_algorithm(config.predictor_algorithm); !algorithm)
    return tl::unexpected{algorithm.error()};
  if (const auto policies = planner::check(config); !policies) return tl::unexpected{policies.error()};
  scenario.config = std::move(config);
  scenario.settings[std::string{key}] = value;
  return {};
}

}  // namespace gleaner::gridsim
