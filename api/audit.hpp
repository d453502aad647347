#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "lib/rules/difference.hpp"
#include "lib/store/audit.hpp"
#include "lib/text/json_writer.hpp"

/// Changes by callers are recorded in the audit (lib/store/audit.hpp), in the transaction that makes them.
namespace gleaner::api {

void note(const Call& call, store::Transaction& transaction, const store::Act& act);
/// The database records what this transaction changes of what administrators declare, as an act of the caller's.
/// @param act  in the words of gridctl: `limit set`
void act_as_caller(const Call& call, store::Transaction& transaction, const std::string& act);

/// A JSON object of one kind of count: `{"tasks": 3}`.
[[nodiscard]] std::string count_json(std::string_view of, std::int64_t count);

/// `{"reason": "down"}`
[[nodiscard]] std::string text_json(std::string_view of, std::string_view text);

/// One side of some changes: `{"clusters.alpha.walltime": "2:0:0"}`.
enum class Side { before, after };
[[nodiscard]] std::string side_json(const std::vector<rules::Change>& changes, Side side);

}  // namespace gleaner::api
