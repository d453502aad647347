// Differences between libpqxx 6.4 (Debian 12) and 7.10 (Debian 13).
#include <vector>

#include "lib/store/detail.hpp"

namespace gleaner::store::detail {
namespace {

#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 10)

pqxx::params values_of(sql::Parameters parameters) {
  pqxx::params values;
  values.reserve(parameters.size());
  for (const auto* parameter : parameters) {
    if (parameter->text()) values.append(pqxx::zview{*parameter->text()});
    else values.append();
  }
  return values;
}

pqxx::result execute(pqxx::transaction_base& work, const std::string& text, sql::Parameters parameters) {
  return work.exec(text, values_of(parameters));
}

pqxx::result execute_prepared(pqxx::transaction_base& work, const std::string& name, sql::Parameters parameters) {
  return work.exec(pqxx::prepped{name}, values_of(parameters));
}

std::shared_ptr<bool> listen(pqxx::connection& connection, const std::string& channel) {
  auto notified = std::make_shared<bool>(false);
  connection.listen(channel, [notified](const pqxx::notification&) { *notified = true; });
  return notified;
}

#else

/// Null pointers become null.
std::vector<const char*> values_of(sql::Parameters parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto* parameter : parameters) values.push_back(parameter->text() ? parameter->text()->c_str() : nullptr);
  return values;
}

pqxx::result execute(pqxx::transaction_base& work, const std::string& text, sql::Parameters parameters) {
  return work.exec_params(text, pqxx::prepare::make_dynamic_params(values_of(parameters)));
}

pqxx::result execute_prepared(pqxx::transaction_base& work, const std::string& name, sql::Parameters parameters) {
  return work.exec_prepared(name, pqxx::prepare::make_dynamic_params(values_of(parameters)));
}

struct Receiver final : pqxx::notification_receiver {
  Receiver(pqxx::connection& connection, const std::string& channel) : pqxx::notification_receiver{connection, channel} {}
  void operator()(const std::string&, int) override { notified = true; }
  bool notified = false;
};

std::shared_ptr<bool> listen(pqxx::connection& connection, const std::string& channel) {
  auto receiver = std::make_shared<Receiver>(connection, channel);
#if PQXX_VERSION_MAJOR < 7
  // libpqxx 6.x sends LISTEN with the next transaction.
  pqxx::work{connection}.commit();
#endif
  return {receiver, &receiver->notified};
}

#endif

}  // namespace

std::shared_ptr<bool> listen_to(pqxx::connection& connection, const std::string& channel) { return listen(connection, channel); }

pqxx::result run(Transaction& transaction, std::string_view name, std::string_view text, sql::Parameters parameters) {
  transaction.implementation().now.reset();
  try {
    return execute(transaction.implementation().work, std::string{text}, parameters);
  } catch (...) {
    rethrow(name);
  }
}

namespace {

pqxx::result run_prepared(pqxx::transaction_base& work, Prepared& prepared, std::string_view name, const std::string_view& text,
                          sql::Parameters parameters) {
  try {
    auto known = prepared.find(&text);
    if (known == prepared.end()) {
      const auto fresh = "gleaner_" + std::to_string(prepared.size());
      work.conn().prepare(fresh, std::string{text});
      known = prepared.emplace(&text, fresh).first;
    }
    return execute_prepared(work, known->second, parameters);
  } catch (...) {
    rethrow(name);
  }
}

}  // namespace

pqxx::result run_prepared(Transaction& transaction, std::string_view name, const std::string_view& text, sql::Parameters parameters) {
  transaction.implementation().now.reset();
  return run_prepared(transaction.implementation().work, transaction.implementation().prepared, name, text, parameters);
}

pqxx::result run_alone(pqxx::connection& connection, Prepared& prepared, std::string_view name, const std::string_view& text,
                       sql::Parameters parameters) {
  try {
    pqxx::nontransaction work{connection};
    return run_prepared(work, prepared, name, text, parameters);
  } catch (...) {
    rethrow(name);
  }
}

}  // namespace gleaner::store::detail
