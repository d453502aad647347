#pragma once
#include <functional>
#include <optional>
#include <string>

#include "lib/process/whole_file.hpp"

namespace gleaner::gridctl {

/// The problem that a check finds when this user runs it: root runs it in a child process of that user. Others can only run it as
/// themselves. Empty: nothing is wrong.
[[nodiscard]] std::optional<std::string> found_as_user(const std::string& name, const process::FileOwner& user,
                                                       const std::function<std::optional<std::string>()>& check);

}  // namespace gleaner::gridctl
