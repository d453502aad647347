#include "predictor/predictor.hpp"

#include <fmt/format.h>

#include "lib/process/failpoint.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/forecasts_of.hpp"

namespace gleaner::predictor {

std::string Counts::summary() const { return fmt::format("pairs={}", pairs); }

Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now) {
  Counts counts;
  store::transact(database, term, [&](store::Transaction& transaction) {
    const auto forecasts = forecasts_of(store::prediction_facts(transaction, config.flood, now - config.throughput_window), config, now);
    store::write_forecasts(transaction, forecasts, now);
    counts.pairs = static_cast<int>(forecasts.size());
    process::failpoint("predictor.before_commit");
  });
  return counts;
}

}  // namespace gleaner::predictor
