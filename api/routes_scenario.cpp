// The grid's present state, to be played forward by whoever asks.
#include <array>

#include "api/limits.hpp"
#include "api/router.hpp"
#include "api/scenario_json.hpp"

namespace gleaner::api {
namespace {

/// The state of a large grid, on its way: as much as one user may have, so that one is made at a time for each.
constexpr std::uint64_t kMemory = std::uint64_t{96} << 20U;

http::Response show_scenario(const Call& call) {
  auto memory = take_memory(call, kMemory);
  if (!memory) return memory.error();
  const auto state = call.connections.read([&](store::Transaction& transaction) {
    return store::grid_state(transaction, {.flood = call.config.flood, .array_size = call.config.array_size}, call.config.fairshare_window,
                             call.now);
  });
  text::JsonWriter json;
  json.object([&] {
    json.field("time", call.now);
    json.key("scenario");
    write_scenario(json, state, call.config, call.now);
    json.key("left_out").array(left_out(state), [&](const LeftOut& one) {
      json.object([&] {
        json.field("cluster", one.cluster);
        json.field("why", one.why);
      });
    });
    write_links(json, {{"self", "/scenario"}, {"parent", "/"}});
  });
  return with_memory(answer(json), std::move(*memory));
}

constexpr std::array kRoutes{Route{"GET", "/scenario", Access::identified, show_scenario}};

}  // namespace

std::span<const Route> scenario_routes() { return kRoutes; }

}  // namespace gleaner::api
