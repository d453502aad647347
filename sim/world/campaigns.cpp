#include "sim/world/campaigns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lib/text/numbers.hpp"

namespace gleaner::world {
namespace {

/// One campaign, key by key.
class Draft {
 public:
  Draft(const Settings& settings, int place, const std::vector<std::string>& clusters, const std::vector<Earlier>& earlier)
      : settings_{settings},
        place_{place},
        clusters_{clusters},
        earlier_{earlier},
        random_{settings.seed, fmt::format("campaign {}", place)} {}

  Jdl make() {
    draft_.user = random_.one_of(kUsers);
    draft_.tasks = random_.between(1, random_.chance(0.2) ? 150 : 30);
    is_short_ = has(Feature::pools, 0.4);
    pools();
    key("name", quoted(fmt::format("c{}", place_)));
    if (is_short_) key("temporal_grouping", random_.chance(0.5) ? "true" : quoted("auto"));
    attempts();
    order();
    if (has(Feature::replicas, 0.3)) key("replicas", quoted("allowed"));
    // Each of these tasks has a job of its own: not with short ones.
    saves_ = has(Feature::checkpoint, 0.25) && !is_short_;
    if (saves_) key("checkpoint", R"({"signal": "USR1", "period": "0:02:00", "cost": "0:00:05"})");
    parameters();
    Random own{settings_.seed, fmt::format("types of campaign {}", place_)};
    is_resent_ = own.chance(0.25) && settings_.features.contains(Feature::resent);
    sections();
    if (has(Feature::tests, 0.15)) key("test_mode", quoted("true"));
    if (has(Feature::levels, 0.3)) key("campaign_priority", quoted("lowest"));
    needs();
    draft_.text = fmt::format("{{{}}}", fmt::join(keys_, ", "));
    return draft_;
  }

  [[nodiscard]] Behaviour behaviour() {
    Behaviour drawn;
    drawn.seconds = is_short_ ? random_.between(2, 40) : random_.between(20, 900);
    if (is_timed_ && pools_.chance(0.05)) drawn.seconds = pools_.between(60, 200);
    drawn.saves = saves_ && drawn.seconds % 2 == 0;
    if (!settings_.features.contains(Feature::failures)) return drawn;
    if (random_.chance(0.05)) drawn.status = static_cast<int>(random_.between(1, 3));
    if (random_.chance(0.1)) drawn.fails = static_cast<int>(random_.between(1, 2));
    return drawn;
  }

 private:
  [[nodiscard]] bool has(Feature feature, double probability) {
    // Drawn in any case: a feature that is left out changes no other.
    const bool is_drawn = random_.chance(probability);
    return is_drawn && settings_.features.contains(feature);
  }
  static std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }
  void key(std::string_view name, std::string_view value) { keys_.push_back(fmt::format("\"{}\": {}", name, value)); }

  /// Pools whose tasks run side by side, and pools of which some tasks take longer than their walltime.
  void pools() {
    const bool is_wide = pools_.chance(0.4);
    const bool is_timed = pools_.chance(0.4);
    is_side_by_side_ = is_short_ && is_wide && settings_.cores > 1;
    is_timed_ = is_short_ && is_timed;
    if (is_side_by_side_) key("dimensional_grouping", "true");
  }

  void needs() {
    Random own{settings_.seed, fmt::format("needs of campaign {}", place_)};
    const auto most = own.between(1, 3);
    if (own.chance(0.3) && settings_.features.contains(Feature::needs)) key("needs", fmt::format("{{\"{}\": {}}}", kConsumable, most));
  }

  void attempts() {
    if (!has(Feature::retries, 0.5)) return;
    key("retries", std::to_string(random_.between(1, 3)));
    if (random_.chance(0.4)) key("retry_on", "[1]");
    if (random_.chance(0.3)) key("max_fails", quoted("50%"));
  }

  void order() {
    std::vector<const Earlier*> own;
    for (const auto& one : earlier_) {
      if (one.user == draft_.user) own.push_back(&one);
    }
    const auto kind = random_.between(0, 2);
    if (!has(Feature::follow, 0.3) || own.empty()) return;
    const auto& before = *random_.one_of(own);
    constexpr std::array<std::string_view, 3> kKinds{"after", "after_any_end", "after_each"};
    if (kind == 2) draft_.tasks = before.tasks;
    key(kKinds.at(static_cast<std::size_t>(kind)), std::to_string(before.id));
  }

  void parameters() {
    std::vector<std::string> lines;
    for (std::int64_t task = 0; task < draft_.tasks; ++task) lines.push_back(quoted(text_of(behaviour())));
    key("params", fmt::format("[{}]", fmt::join(lines, ", ")));
  }

  void sections() {
    std::vector<std::string> sections;
    auto chosen = clusters_;
    while (chosen.size() > 1 && random_.chance(0.4)) chosen.erase(chosen.begin() + random_.between(0, std::ssize(chosen) - 1));
    for (const auto& cluster : chosen) sections.push_back(fmt::format("\"{}\": {{{}}}", cluster, section()));
    key("clusters", fmt::format("{{{}}}", fmt::join(sections, ", ")));
  }

  std::string section() {
    std::vector<std::string> said{R"("exec_file": "task")", fmt::format(R"("walltime": "{}")", is_timed_ ? "0:02:00" : "1:00:00")};
    const auto cores = random_.between(1, std::min(2, settings_.cores));
    const bool is_wide = has(Feature::normal, 0.4);
    said.push_back(is_side_by_side_ ? R"("resources": "/nodes=1/core=2")" : fmt::format(R"("resources": "/core={}")", is_wide ? cores : 1));
    // A large campaign has to end within a day.
    if (has(Feature::normal, 0.3)) said.push_back(fmt::format(R"("max_jobs": {})", random_.between(1, 6) + draft_.tasks / 40));
    if (has(Feature::normal, 0.3)) said.push_back(fmt::format(R"("priority": {})", random_.between(0, 20)));
    if (is_resent_) said.emplace_back(R"("cluster_job_type": "idempotent")");
    if (has(Feature::scripts, 0.25))
      said.push_back(fmt::format(R"("prologue": ["task {}"])", text_of({.seconds = random_.between(2, 60)})));
    if (has(Feature::scripts, 0.25))
      said.push_back(fmt::format(R"("epilogue": ["task {}"])", text_of({.seconds = random_.between(2, 60)})));
    return fmt::format("{}", fmt::join(said, ", "));
  }

  const Settings& settings_;
  int place_;
  const std::vector<std::string>& clusters_;
  const std::vector<Earlier>& earlier_;
  Random random_;
  Random pools_{settings_.seed, fmt::format("pools of campaign {}", place_)};
  Jdl draft_;
  bool is_short_ = false;
  bool is_side_by_side_ = false;
  bool is_timed_ = false;  ///< with a short walltime
  bool saves_ = false;
  bool is_resent_ = false;
  std::vector<std::string> keys_;
};

std::optional<std::int64_t> number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = text.substr(at + name.size());
  const auto number = text::whole_number(rest.substr(0, rest.find_first_not_of("0123456789")));
  return number ? std::optional{*number} : std::nullopt;
}

}  // namespace

std::string text_of(const Behaviour& behaviour) {
  auto text = fmt::format("run={} exit={}", behaviour.seconds, behaviour.status);
  if (behaviour.fails > 0) text += fmt::format(" fails={}", behaviour.fails);
  if (behaviour.fails_with != 1) text += fmt::format(" with={}", behaviour.fails_with);
  if (behaviour.saves) text += " saves=1";
  if (behaviour.leaves) text += " leaves=1";
  return text;
}

std::optional<Behaviour> behaviour_in(std::string_view command_line) {
  const auto seconds = number_after(command_line, "run=");
  const auto status = number_after(command_line, "exit=");
  if (!seconds || !status) return std::nullopt;
  return Behaviour{.seconds = *seconds,
                   .status = static_cast<int>(*status),
                   .fails = static_cast<int>(number_after(command_line, "fails=").value_or(0)),
                   .fails_with = static_cast<int>(number_after(command_line, "with=").value_or(1)),
                   .saves = number_after(command_line, "saves=").has_value(),
                   .leaves = number_after(command_line, "leaves=").has_value()};
}

double licences_of(const Settings& settings) {
  const int more = settings.campaigns / 4;
  return 6.0 + more;
}

Jdl campaign_at(const Settings& settings, int place, const std::vector<std::string>& clusters, const std::vector<Earlier>& earlier) {
  return Draft{settings, place, clusters, earlier}.make();
}

std::string parameter_of(const Settings& settings, Random& random) {
  Behaviour drawn{.seconds = random.between(5, 300)};
  if (settings.features.contains(Feature::failures) && random.chance(0.1)) drawn.status = 1;
  return text_of(drawn);
}

}  // namespace gleaner::world
