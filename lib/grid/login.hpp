#pragma once
#include <string_view>

/// Names of users on clusters.
namespace gleaner::grid {

/// Whether OAR takes the name as it stands. OAR keeps only letters, digits and underscores of a name, and would act for somebody else.
[[nodiscard]] bool is_login(std::string_view name);

}  // namespace gleaner::grid
