#include "api/list_form.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lib/jdl/problem.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

struct Form {
  std::string_view name;
  std::string_view type;
  ListForm form;
};
constexpr std::array kForms{Form{"json", "application/json", ListForm::json}, Form{"csv", "text/csv", ListForm::csv},
                            Form{"ndjson", "application/x-ndjson", ListForm::ndjson}};
constexpr std::array<std::string_view, 3> kNames{kForms[0].name, kForms[1].name, kForms[2].name};
constexpr int kFullWeight = 1000;

/// Removes the text before the separator, and returns it in lower case without blanks around it.
std::string take_part(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
  while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
  std::string lower{part};
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// A weight from `0` to `1` with at most three digits, in thousandths. One that cannot be read counts as 0.
int weight_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') || (text.size() > 1 && text[1] != '.')) return 0;
  int weight = (text[0] - '0') * kFullWeight;
  int unit = kFullWeight / 10;
  for (const auto digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') return 0;
    weight += (digit - '0') * unit;
    unit /= 10;
  }
  return std::min(weight, kFullWeight);
}

}  // namespace

Asked<ListForm> asked_form(const Call& call) {
  if (const auto name = call.request.parameter("format")) {
    const auto known = std::ranges::find(kForms, *name, &Form::name);
    if (known != kForms.end()) return known->form;
    return tl::unexpected{error(Code::bad_value, fmt::format("format={}: it must be json, csv or ndjson{}", jdl::excerpt(*name),
                                                             text::did_you_mean(*name, kNames)))};
  }
  const auto accepted = call.request.headers.list("Accept");
  if (!accepted) return ListForm::json;
  auto best = ListForm::json;
  int best_weight = 0;
  for (std::string_view rest{*accepted}; !rest.empty();) {
    const auto element = take_part(rest, ',');
    std::string_view parameters{element};
    const auto type = take_part(parameters, ';');
    int weight = kFullWeight;
    while (!parameters.empty()) {
      const auto parameter = take_part(parameters, ';');
      if (parameter.starts_with("q=")) weight = weight_of(std::string_view{parameter}.substr(2));
    }
    const auto known = std::ranges::find(kForms, type, &Form::type);
    if (known == kForms.end() || weight <= best_weight) continue;
    best = known->form;
    best_weight = weight;
  }
  return best;
}

}  // namespace gleaner::api
