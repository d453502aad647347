#include "runner/one_launch.hpp"

#include <fmt/format.h>

#include <exception>

#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"

namespace gleaner::runner {

bool for_one_launch(fleet::Visit& visit, const LaunchOf& launch, std::string_view doing, const std::function<void()>& work) {
  std::string why;
  try {
    work();
    return true;
  } catch (const store::LeaseLost&) {
    throw;
  } catch (const store::WrongSchema&) {
    throw;
  } catch (const store::TimedOut& error) {
    why = error.what();
  } catch (const store::Unavailable&) {
    throw;
  } catch (const std::exception& error) {
    why = error.what();
  }
  const auto message = fmt::format("cannot {} launch {}: {}; it is tried again in the next cycle", doing, launch.id.value(), why);
  process::log::error("launch set aside",
                      {{"cluster", visit.cluster.name}, {"campaign", launch.campaign}, {"launch", launch.id}, {"error", message}});
  visit.database.transact([&](store::Transaction& transaction) {
    store::open_event(
        transaction,
        {.code = "LAUNCH_FAILED", .target = {.campaign = launch.campaign, .cluster = visit.cluster.id}, .job = {}, .message = message},
        store::now(transaction));
  });
  return false;
}

}  // namespace gleaner::runner
