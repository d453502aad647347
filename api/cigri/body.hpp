#pragma once
#include <memory>
#include <string>

#include "api/call.hpp"

/// Requests of CiGri's clients, in the form that our routes take.
namespace gleaner::api::cigri {

/// The longest form, in bytes. A campaign is no form: it is JSON, of any content type that is taken.
inline constexpr std::size_t kLongestForm = std::size_t{64} << 10U;

/// A request's body that was read in part: first that part, then the rest.
class ContinuedBody final : public http::Body {
 public:
  /// @param rest  null: there is none
  ContinuedBody(std::string first, http::Body* rest) : first_{std::move(first)}, rest_{rest} {}
  [[nodiscard]] tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override;

 private:
  std::string first_;
  std::size_t read_ = 0;
  http::Body* rest_;
};

struct Received {
  std::string method;                ///< DELETE or PUT, if a POST form says so by `_method`
  http::Query query;                 ///< of the address; for a DELETE, the fields of the form too
  std::unique_ptr<http::Body> body;  ///< JSON; null: the request's own body, untouched
};

/// Reads as much of the body as shows whether it is a form: CiGri took JSON under the content type of forms too, which curl sends by
/// default. The fields of a form become the members of a JSON object. Errors: 400, 413, 415.
[[nodiscard]] Asked<Received> receive(const http::Request& request);

}  // namespace gleaner::api::cigri
