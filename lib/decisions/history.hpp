#pragma once
#include <string>
#include <string_view>

#include "lib/decisions/decision.hpp"

/// The words of the reasons that a pair had (lib/grid/reason_times.hpp).
namespace gleaner::decisions {

/// The thing that the reason is about, where it distinguishes two of a kind: a limit, a campaign, the bound of a launch. A reason whose
/// subject changes counts as another one; its other figures do not count. Empty: it is always about the same. At most 200 bytes.
[[nodiscard]] std::string subject_of(const Reason& reason);

/// A few words: `full`, `limit 7 (user ada)`, `jobs sent, up to the max_jobs of the JDL`. Those of a reason that is not known are its name.
[[nodiscard]] std::string short_words(std::string_view reason, std::string_view subject);

}  // namespace gleaner::decisions
