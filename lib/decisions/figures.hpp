#pragma once
#include <string>
#include <string_view>
#include <variant>

#include <tl/expected.hpp>

#include "lib/decisions/decision.hpp"

/// Figures as one JSON object: as the table `decisions` stores them, without the sparse ones that are 0, and as the API shows them, with
/// all. The catalogue (lib/decisions/catalogue.hpp) says which there are. Instants keep their seconds; numbers that are not finite become
/// null, and cannot be read back.
namespace gleaner::decisions {

[[nodiscard]] std::string figures_of(const Reason& reason);
[[nodiscard]] std::string figures_of(const Standing& standing);
/// To store them.
[[nodiscard]] std::string stored_figures(const Reason& reason);

using ReasonOrStanding = std::variant<Reason, Standing>;

/// Reads figures that either wrote. Other members of the object are left out.
/// @param code  the reason's name, or Standing::kName
/// The error says which figure is wrong, and how: another version wrote it, or it was damaged.
[[nodiscard]] tl::expected<ReasonOrStanding, std::string> read_figures(std::string_view code, std::string_view json);

}  // namespace gleaner::decisions
