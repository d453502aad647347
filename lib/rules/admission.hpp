#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/parse.hpp"
#include "lib/rules/difference.hpp"
#include "lib/rules/facts.hpp"
#include "lib/rules/sandbox.hpp"

namespace gleaner::rules {

/// The result of one rule for a campaign.
struct Step {
  std::string rule;  ///< its name
  Effect effect = Effect::unchanged;
  std::vector<Change> changes{};
  std::vector<std::string> notes{};
  std::string message{};  ///< of a refusal or a failure
  int line = 0;           ///< of a failure; 0: unknown
};

/// The changes and notes of a rule for the user, one line each.
[[nodiscard]] std::vector<std::string> sentences(const Step& step);
/// The error of a rule: `line 3: NoMethodError: undefined method 'foo'`.
[[nodiscard]] std::string failure_text(const Step& step);

struct Applicant {
  const jdl::CampaignFile& file;
  const std::string& user;
  std::int64_t tasks;
  const jdl::Defaults& defaults;  ///< for keys that a rule removes; its type is ignored
};

/// The enabled rules that were run, up to the first that refuses or fails, and the resulting campaign if none does.
struct Admission {
  jdl::CampaignFile file;
  std::vector<Step> steps{};

  [[nodiscard]] bool is_changed() const;
  /// The rule that refused or failed; null: none.
  [[nodiscard]] const Step* obstacle() const;
};

/// Runs the enabled rules in order. The result of each must be a valid campaign with the same parameters and type; otherwise the rule
/// fails. The error: no rule could be run.
[[nodiscard]] tl::expected<Admission, std::string> admit(Sandbox& sandbox, const Setting& setting, const Applicant& applicant);

}  // namespace gleaner::rules
