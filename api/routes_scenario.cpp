// Route of the grid's present state as a scenario, for simulation by the client.
#include <array>
#include <optional>

#include "api/limits.hpp"
#include "api/pseudonyms.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "api/scenario_json.hpp"

namespace gleaner::api {
namespace {

/// Bytes of memory for the state of a large grid: as much as one user may have, so each user gets one at a time.
constexpr std::uint64_t kMemory = std::uint64_t{96} << 20U;

http::Response show_scenario(const Call& call) {
  auto memory = take_memory(call, kMemory);
  if (!memory) return memory.error();
  std::optional<grid::Instant> standstill;
  const auto state = call.connections.read([&](store::Transaction& transaction) {
    standstill = standstill_of(call, transaction);
    auto known = read_grid_state(transaction, call.config, call.now);
    const auto readership = readership_of(call, transaction);
    Pseudonyms{readership, call.caller.user}.replace_in(known);
    return known;
  });
  text::JsonWriter json;
  json.object([&] {
    json.field("time", call.now);
    json.key("scenario");
    write_scenario(json, state, call.config, call.now);
    json.key("left_out").array(left_out(state), [&](const LeftOut& one) {
      json.object([&] {
        json.field("cluster_name", one.cluster);
        json.field("why", one.why);
      });
    });
    json.field("standstill", standstill);
    write_links(json, {{"self", "/v1/scenario"}, {"parent", "/"}});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> scenario_routes() {
  static constexpr std::array kRoutes{Route{"GET", "/v1/scenario", Access::identified, show_scenario, {}, Etag::none}};
  return kRoutes;
}

}  // namespace gleaner::api
