#include "lib/process/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/process/completion.hpp"
#include "lib/process/manual_page.hpp"

namespace gleaner::process {

tl::expected<std::string, Complaints> description(const Program& program, const std::string& form) {
  if (form == "man") return manual_of(program);
  if (form == "conf") return manual_of_configuration();
  if (form == "bash") return completion(program, Shell::bash);
  if (form == "zsh") return completion(program, Shell::zsh);
  if (form == "fish") return completion(program, Shell::fish);
  std::vector<std::string_view> known{"man", "bash", "zsh", "fish", "conf"};
  for (const auto& page : program.pages) {
    if (page.form == form) return page.page();
    known.push_back(page.form);
  }
  return tl::unexpected{Complaints{fmt::format("--describe={}: must be one of {}", form, fmt::join(known, ", "))}};
}

}  // namespace gleaner::process
