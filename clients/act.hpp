#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

/// What users do to campaigns that they have submitted.
namespace gleaner::clients {

enum class Verb { post, remove };

struct Action {
  std::string_view option;  ///< that asks for it
  Verb verb;
  std::string_view path;  ///< behind `/campaigns/ID`
  std::string_view done;  ///< `cancelled`
};

/// Does it to each, and says what it did; one that is refused does not stop the others. The worst
/// of the codes: `not_found` or `refused` when there was one, else `ok`.
[[nodiscard]] process::Outcome act_on(ApiClient& api, terminal::Output& output, const Action& action,
                                      const std::vector<std::int64_t>& campaigns);

}  // namespace gleaner::clients
