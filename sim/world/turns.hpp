#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "almighty/modules.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/process/config.hpp"
#include "sim/world/gate.hpp"

namespace gleaner::world {

/// Gives the modules their turns in this process, each with a connection of its own, which it keeps as its program would.
class WorldTurns final : public almighty::Turns {
 public:
  /// @param host  where they are, for the faults of hosts
  WorldTurns(const process::Config& config, std::string host, WorldDatabase& database, Gate& gate, Trace& trace);

  [[nodiscard]] almighty::ModuleRun run(std::string_view module, store::Term term, const std::function<void()>& alive) override;
  [[nodiscard]] std::vector<almighty::ModuleRun> collect() override { return {}; }

 private:
  struct Module {
    process::Config config;
    fleet::KeptDatabase kept{};
  };
  [[nodiscard]] std::string connection_of(std::string_view module) const { return fmt::format("{}@{}", module, host_); }

  std::string host_;
  WorldDatabase& database_;
  Gate& gate_;
  Trace& trace_;
  std::map<std::string, Module, std::less<>> modules_;
};

}  // namespace gleaner::world
