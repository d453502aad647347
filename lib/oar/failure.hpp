#pragma once
#include <string>
#include <tl/expected.hpp>
#include <variant>

namespace gleaner::oar {

/// No request was sent: no address, no connection, no TLS agreement.
struct NotSent {
  std::string what;
};
/// The request was sent, and no whole or valid answer came: whether it was carried out is unknown.
struct NoAnswer {
  std::string what;
  bool invalid = false;  ///< an answer came, and its content was not what OAR sends
};
/// OAR, or this client, refused the request: it was not carried out.
struct Refused {
  int status;  ///< of HTTP; 0: refused here, before it was sent
  std::string message;
};
/// The server failed. A read may be repeated; whether a submission or a deletion was carried out is unknown. `status` is below 500 when OAR
/// reports that it recorded the request but could not continue.
struct ServerError {
  int status;
  std::string message;
};

using Failure = std::variant<NotSent, NoAnswer, Refused, ServerError>;
template <class T>
using Result = tl::expected<T, Failure>;

/// One line for a log or an event, made by text::clean_text; never a secret.
[[nodiscard]] std::string describe(const Failure& failure);

/// Whether a submission or deletion with this failure may have been carried out.
[[nodiscard]] bool outcome_unknown(const Failure& failure);

}  // namespace gleaner::oar
