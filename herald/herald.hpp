#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "herald/delivery.hpp"
#include "lib/process/config.hpp"
#include "lib/process/run.hpp"
#include "lib/store/database.hpp"

namespace gleaner::herald {

/// Gathers, sends and settles messages. It may be killed at any instruction: what happened is taken into messages in one transaction, and a
/// message is noted as being sent before a byte of it is, so that a crash leads to one more attempt of the messages under way then.
class Herald {
 public:
  explicit Herald(const process::Config& config);

  /// With a new connection: takes the lock of the one herald, and has messages sent again that another one was sending when it died. False:
  /// another herald is at work.
  [[nodiscard]] bool take_over(store::Database& database);
  /// Gathers what happened, and begins to send what is due.
  void send_due(store::Database& database);
  /// Waits for the ends of attempts, at most so long.
  void await(process::Duration at_most);
  /// Writes what became of them.
  void settle(store::Database& database);
  /// Opens and closes the events that nobody else notices: nobody conducts, the database is nearly full. Notes that a herald is at work.
  void watch(store::Database& database);
  /// Without the database, whose outage has lasted since then: mails the administrators of the configuration, once for each outage.
  void report_outage(grid::Instant since, const std::string& why);
  void begin_outage() { is_in_outage_ = true; }
  /// The database is back: the next outage is another one.
  void end_outage() {
    is_in_outage_ = false;
    outage_sent_.clear();
  }
  [[nodiscard]] bool is_in_outage() const { return is_in_outage_; }
  /// Deletes what was sent long ago.
  void prune(store::Database& database);
  [[nodiscard]] bool is_busy() const { return !ended_.empty() || !deliveries_.under_way().empty(); }

  struct Counts {
    std::int64_t notices = 0, begun = 0, sent = 0, again = 0, failed = 0;
    [[nodiscard]] std::string summary() const;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void begin_due(store::Database& database, std::string_view channel);
  void note(store::Transaction& transaction, const Delivered& end, grid::Instant now);
  void watch_one(store::Transaction& transaction, std::string_view code, const std::optional<std::string>& trouble, grid::Instant now);
  [[nodiscard]] std::chrono::milliseconds pause_after(int attempt) const;

  const process::Config& config_;
  Deliveries deliveries_;
  std::map<std::int64_t, store::OutgoingMessage> begun_;
  std::vector<Delivered> ended_;  ///< not written yet
  int mail_failures_ = 0;         ///< attempts in a row that no mail server answered
  grid::Instant mail_not_before_{};
  std::map<std::string, bool, std::less<>> troubles_;  ///< whether the event of this code is open
  std::vector<std::string> outage_sent_;               ///< addresses that have the mail about this outage
  grid::Instant outage_not_before_{};
  bool is_in_outage_ = false;
  Counts counts_;
};

/// Gathers and sends what is due now, waits for its end, and returns.
process::Outcome run_once(const process::Config& config);
/// Does so until a stop is requested. While another herald is at work, it stands by; while the database is away, it waits.
process::Outcome run_service(const process::Config& config);

}  // namespace gleaner::herald
