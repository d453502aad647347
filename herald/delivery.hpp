#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/outbox.hpp"

/// Brings messages to their receivers: mail servers, web servers and programs, many at a time, each within its time limit.
namespace gleaner::herald {

/// The result of one attempt.
struct Delivered {
  std::int64_t message = 0;
  enum class Outcome {
    taken,     ///< the receiver has it
    again,     ///< it certainly has not
    doubtful,  ///< it was sent whole, and no answer came: it may have it
    refused    ///< it never takes it
  } outcome = Outcome::taken;
  std::string error;
  bool is_unreachable = false;  ///< nobody answered at all
};

/// The configured way of mail.
struct MailAccess {
  std::string url;  ///< empty: no server
  std::string login;
  std::string password;
  std::string from;
};
/// Throws process::Error (usage) for a login without encryption, and for a password that cannot be read.
[[nodiscard]] MailAccess mail_access(const process::Config& config);

/// The header that signs a webhook: `t=SECONDS,v1=` and the HMAC-SHA256 of `SECONDS.BODY`, in hexadecimal digits.
[[nodiscard]] std::string signature(std::string_view secret, std::int64_t seconds, std::string_view body);

class Deliveries {
 public:
  Deliveries(const process::Config& config, MailAccess mail);
  ~Deliveries();
  Deliveries(const Deliveries&) = delete;
  Deliveries& operator=(const Deliveries&) = delete;

  /// The users whose messages of a channel are under way.
  [[nodiscard]] std::vector<std::string> busy(std::string_view channel) const;
  /// How many more the channel takes now.
  [[nodiscard]] std::int64_t room(std::string_view channel) const;
  /// Starts an attempt.
  void begin(const store::OutgoingMessage& message);
  /// Waits for ends, at most so long, until one comes or until the descriptor is readable. Returns those that came.
  [[nodiscard]] std::vector<Delivered> wait(process::Duration at_most, int stop_descriptor);
  [[nodiscard]] std::vector<std::int64_t> under_way() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gleaner::herald
