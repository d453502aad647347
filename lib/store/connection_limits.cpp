#include "lib/store/connection_limits.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

namespace gleaner::store {
namespace {

using std::chrono::milliseconds;

/// The settings of a conninfo or URI, and of the environment in its place.
class Said {
 public:
  explicit Said(const std::string& conninfo) : options_{PQconninfoParse(conninfo.c_str(), nullptr), &PQconninfoFree} {
    for (const auto* option = options_.get(); option != nullptr && option->keyword != nullptr; ++option) {
      if (option->val != nullptr) values_.emplace(option->keyword, option->val);
      else if (const char* given = option->envvar == nullptr ? nullptr : std::getenv(option->envvar))
        inherited_.emplace(option->keyword, given);
    }
  }
  [[nodiscard]] bool readable() const { return options_ != nullptr; }
  void set_default(const char* key, std::string value) {
    if (!inherited_.contains(key)) values_.try_emplace(key, std::move(value));
  }
  /// Adds an option of the server, as `-c name=value`, unless it is set already.
  template <typename Value>
  void add_server_option(std::string_view name, const Value& value) {
    auto& options = values_.try_emplace("options", inherited_.contains("options") ? inherited_["options"] : std::string{}).first->second;
    if (options.find(name) == std::string::npos) options += fmt::format("{}-c {}={}", options.empty() ? "" : " ", name, value);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [key, value] : values_) {
      if (value.empty()) continue;
      text += fmt::format("{}{}='", text.empty() ? "" : " ", key);
      for (const char letter : value) text += letter == '\'' || letter == '\\' ? fmt::format("\\{}", letter) : std::string{letter};
      text += '\'';
    }
    return text;
  }

 private:
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options_;
  std::map<std::string, std::string, std::less<>> values_, inherited_;
};

/// The same for both ends: the first probe after a third of the time, then four more.
void set_dead_after(Said& said, milliseconds dead_after) {
  constexpr long long kProbes = 4;
  const auto seconds = std::max<long long>(2, std::chrono::ceil<std::chrono::seconds>(dead_after).count());
  const auto idle = std::max<long long>(1, seconds / 3);
  const auto interval = std::max<long long>(1, seconds / 6);
  said.set_default("connect_timeout", std::to_string(seconds));
  said.set_default("keepalives_idle", std::to_string(idle));
  said.set_default("keepalives_interval", std::to_string(interval));
  said.set_default("keepalives_count", std::to_string(kProbes));
  said.set_default("tcp_user_timeout", std::to_string(seconds * 1000));
  said.add_server_option("tcp_keepalives_idle", idle);
  said.add_server_option("tcp_keepalives_interval", interval);
  said.add_server_option("tcp_keepalives_count", kProbes);
  said.add_server_option("tcp_user_timeout", seconds * 1000);
}

}  // namespace

std::string with_settings(const std::string& conninfo, const ConnectionLimits& limits) {
  Said said{conninfo};
  if (!said.readable()) return conninfo;
  if (limits == ConnectionLimits{milliseconds{0}, milliseconds{0}, milliseconds{0}, milliseconds{0}}) return said.text();
  said.add_server_option("jit", "off");
  if (limits.dead_after.count() > 0) set_dead_after(said, limits.dead_after);
  if (limits.statement.count() > 0) said.add_server_option("statement_timeout", limits.statement.count());
  if (limits.lock.count() > 0) said.add_server_option("lock_timeout", limits.lock.count());
  if (limits.idle_in_transaction.count() > 0)
    said.add_server_option("idle_in_transaction_session_timeout", limits.idle_in_transaction.count());
  return said.text();
}

}  // namespace gleaner::store
