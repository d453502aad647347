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

/// What one rule did to a campaign.
struct Step {
  std::string rule;  ///< its name
  Effect effect = Effect::unchanged;
  std::vector<Change> changes{};
  std::vector<std::string> notes{};
  std::string message{};  ///< of a refusal or a failure
  int line = 0;           ///< of a failure; 0: unknown
};

/// What a rule did, for the person who submits: a line for each change and each note.
[[nodiscard]] std::vector<std::string> sentences(const Step& step);
/// What is wrong with a rule: `line 3: NoMethodError: undefined method 'foo'`.
[[nodiscard]] std::string failure_text(const Step& step);

struct Applicant {
  const jdl::CampaignFile& file;
  const std::string& user;
  std::int64_t tasks;
  const jdl::Defaults& defaults;  ///< for what a rule takes away; its type is not looked at
};

/// The enabled rules that were run, up to the first that refuses or fails, and what is left of the
/// campaign when none does.
struct Admission {
  jdl::CampaignFile file;
  std::vector<Step> steps{};

  [[nodiscard]] bool is_changed() const;
  /// The rule that refused or failed.
  [[nodiscard]] const Step* obstacle() const;
};

/// Runs the enabled rules in order. What a rule makes of the campaign must be a campaign again, with the
/// parameters and the type that it had: the rule fails otherwise. The error: no rule could be run.
[[nodiscard]] tl::expected<Admission, std::string> admit(Sandbox& sandbox, const Setting& setting, const Applicant& applicant);

}  // namespace gleaner::rules
