#pragma once
#include <string>
#include <string_view>

namespace gleaner::decisions {

/// A decision as the table `decisions` stores it.
struct StoredDecision {
  std::string stage;
  std::string reason;   ///< the name of a reason, or Standing::kName
  std::string figures;  ///< a JSON object
  int jobs = 0;
  std::string cluster = {};  ///< its name; empty: the whole campaign
};

/// A stored decision for people and for programs.
struct Rendered {
  std::string sentence;
  std::string advice;   ///< the part of the sentence that states what somebody can do; empty: nothing
  std::string figures;  ///< a JSON object, in the catalogue's order; as stored if they cannot be read
};

/// Never throws because of what is stored. The migration to figures kept the sentences of older rows: such a row has it as its only figure,
/// `sentence`, until the next cycle writes its figures. If figures cannot be read, or the reason or the stage is unknown, the sentence says
/// so.
[[nodiscard]] Rendered rendered(const StoredDecision& decision);

}  // namespace gleaner::decisions
