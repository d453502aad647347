#pragma once
#include <optional>
#include <string>

#include "lib/store/lease.hpp"

namespace gleaner::fleet {

/// The term under which a module writes: the one passed by the conductor, or, for a module run by hand, that of a lease of its own until
/// its end. Throws process::Error (try_again) while another conductor holds the lease.
class HeldLease {
 public:
  HeldLease(store::Database& database, std::optional<store::Term> given, const std::string& holder);
  ~HeldLease();
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;

  [[nodiscard]] store::Term term() const { return term_; }

 private:
  store::Database& database_;
  store::Term term_ = 0;
  bool own_ = false;
};

/// `host:pid`, for the lease's holder.
[[nodiscard]] std::string holder_name(std::string_view program);

}  // namespace gleaner::fleet
