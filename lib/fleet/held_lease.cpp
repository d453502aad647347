#include "lib/fleet/held_lease.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "lib/process/exit_code.hpp"
#include "lib/process/log.hpp"

namespace gleaner::fleet {

HeldLease::HeldLease(store::Database& database, std::optional<store::Term> given, const std::string& holder) : database_{database} {
  if (given) {
    term_ = *given;
    return;
  }
  constexpr std::chrono::minutes kLongestRun{5};
  const auto acquired = store::acquire_lease(database, holder, kLongestRun);
  if (!acquired) {
    auto transaction = database.begin();
    const auto other = store::lease_holder(transaction);
    throw process::Error{process::ExitCode::try_again, fmt::format("{} conducts the grid now; stop it, or leave the work to it",
                                                                   other ? other->name : std::string{"another conductor"})};
  }
  term_ = *acquired;
  own_ = true;
}

HeldLease::~HeldLease() {
  if (!own_) return;
  try {
    store::release_lease(database_, term_);
  } catch (const std::exception& error) {
    process::log::warning("lease not released, it expires by itself", {{"error", error.what()}});
  }
}

std::string holder_name(std::string_view program) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{} {}:{}", program, host.data(), getpid());
}

}  // namespace gleaner::fleet
