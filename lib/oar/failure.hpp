#pragma once
#include <string>
#include <tl/expected.hpp>
#include <variant>

namespace gleaner::oar {

/// Nothing was sent: no address, no connection, no TLS agreement.
struct NotSent {
  std::string what;
};
/// It was sent, and no whole or valid answer came: whether it was done is unknown.
struct NoAnswer {
  std::string what;
};
/// OAR, or we before it, said no: nothing was done.
struct Refused {
  int status;  ///< of HTTP; 0 when it was refused here, before it was sent
  std::string message;
};
/// The server failed. A read may be made again; whether a submission or a deletion was done is
/// unknown. `status` is below 500 when OAR says that it noted the request but could not go on.
struct ServerError {
  int status;
  std::string message;
};

using Failure = std::variant<NotSent, NoAnswer, Refused, ServerError>;
template <class T>
using Result = tl::expected<T, Failure>;

/// One line for a log or an event, made by text::clean_text; never a secret.
[[nodiscard]] std::string describe(const Failure& failure);

/// Whether a submission or deletion that ended so may have been done all the same.
[[nodiscard]] bool outcome_unknown(const Failure& failure);

}  // namespace gleaner::oar
