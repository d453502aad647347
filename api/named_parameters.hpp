#pragma once
#include <memory>
#include <sstream>
#include <string>

#include "api/limits.hpp"
#include "api/parameter_body.hpp"
#include "lib/jdl/parameter_reader.hpp"

namespace gleaner::api {

/// The parameters of a file of this machine, as a body of NDJSON.
class NamedParameters final : public http::Body {
 public:
  /// Errors: those of ParamFiles::read(), and the problems of its lines.
  [[nodiscard]] static Asked<std::unique_ptr<NamedParameters>> read(const Call& call, const std::string& path);

  [[nodiscard]] ParameterBody& body() { return body_; }
  [[nodiscard]] tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override;

 private:
  NamedParameters(std::string text, Memory memory);
  Memory memory_;
  std::istringstream text_;
  jdl::ParameterReader reader_{text_};
  std::string pending_;
  std::size_t given_ = 0;
  ParameterBody body_{*this};
};

}  // namespace gleaner::api
