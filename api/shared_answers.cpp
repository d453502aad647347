#include "api/shared_answers.hpp"

#include <algorithm>

namespace gleaner::api {

SharedAnswers::Or<SharedAnswers::Text> SharedAnswers::text_of(const Entry& entry) {
  if (entry.failure) std::rethrow_exception(entry.failure);
  return entry.text;
}

SharedAnswers::Or<SharedAnswers::Text> SharedAnswers::made_by(const std::function<Or<std::string>()>& make) {
  auto made = make();
  if (!made) return tl::unexpected{std::move(made).error()};
  return std::make_shared<const std::string>(std::move(*made));
}

SharedAnswers::Or<SharedAnswers::Text> SharedAnswers::answer(const std::string& question, const std::function<Or<std::string>()>& make) {
  std::unique_lock lock{mutex_};
  const auto now = grid::SteadyClock::now();
  if (const auto found = entries_.find(question);
      found != entries_.end() && (!found->second->made || now - found->second->begun < lasts_)) {
    const auto entry = found->second;
    made_.wait(lock, [&] { return entry->made; });
    return text_of(*entry);
  }
  const auto entry = entries_[question] = std::make_shared<Entry>(Entry{.begun = now, .text = Text{}, .failure = nullptr});
  lock.unlock();
  Or<Text> text{Text{}};
  std::exception_ptr failure;
  try {
    text = made_by(make);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  entry->text = std::move(text);
  entry->failure = std::move(failure);
  entry->made = true;
  if (entry->failure || !entry->text) entries_.erase(question);
  drop_old();
  made_.notify_all();
  return text_of(*entry);
}

void SharedAnswers::drop_old() {
  const auto now = grid::SteadyClock::now();
  std::erase_if(entries_, [&](const auto& one) { return one.second->made && now - one.second->begun >= lasts_; });
  const auto size_of = [](const Entries::value_type& one) { return one.second->made ? (*one.second->text)->size() : 0; };
  std::size_t kept = 0;
  for (const auto& one : entries_) kept += size_of(one);
  while (kept > most_) {
    const auto oldest = std::ranges::min_element(
        entries_, {}, [](const auto& one) { return one.second->made ? one.second->begun : grid::SteadyClock::time_point::max(); });
    if (!oldest->second->made) return;
    kept -= size_of(*oldest);
    entries_.erase(oldest);
  }
}

}  // namespace gleaner::api
