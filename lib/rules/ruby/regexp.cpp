#include "lib/rules/ruby/regexp.hpp"

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/compile.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gleaner::rules::ruby {
namespace {

constexpr std::size_t kMostGroups = 20;
constexpr std::size_t kNumbered = 9;  // $1 to $9

/// The result of a search, without anything to destroy: ruby's errors jump over the frames of C++.
struct Found {
  bool failed = false;
  std::array<char, 200> error{};
  std::size_t groups = 0;  ///< 0: nothing
  std::array<std::array<mrb_int, 2>, kMostGroups> places{};
};

/// The pattern as ECMAScript has it.
std::string translated(std::string_view ruby) {
  std::string pattern;
  for (std::size_t i = 0; i < ruby.size(); ++i) {
    const auto rest = ruby.substr(i);
    const bool is_name = rest.starts_with("(?<") && rest.size() > 3 && rest[3] != '=' && rest[3] != '!';
    if (is_name && rest.find('>') != std::string_view::npos) {
      pattern += '(';
      i += rest.find('>');
    } else if (rest.starts_with("\\A")) {
      pattern += '^';
      ++i;
    } else if (rest.starts_with("\\z") || rest.starts_with("\\Z")) {
      pattern += '$';
      ++i;
    } else if (rest.starts_with("\\h")) {
      pattern += "[0-9a-fA-F]";
      ++i;
    } else if (rest.front() == '\\' && rest.size() > 1) {
      pattern += rest.substr(0, 2);
      ++i;
    } else {
      pattern += rest.front();
    }
  }
  return pattern;
}

void search(std::string_view pattern, bool ignores_case, std::string_view text, std::size_t from, Found& found) noexcept {
  try {
    const std::regex regex{translated(pattern), ignores_case ? std::regex::ECMAScript | std::regex::icase : std::regex::ECMAScript};
    std::cmatch match;
    const auto flags = from > 0 ? std::regex_constants::match_prev_avail : std::regex_constants::match_default;
    if (from > text.size() || !std::regex_search(text.data() + from, text.data() + text.size(), match, regex, flags)) return;
    found.groups = std::min(match.size(), kMostGroups);
    for (std::size_t i = 0; i < found.groups; ++i) {
      if (!match[i].matched) found.places[i] = {-1, -1};
      else found.places[i] = {match[i].first - text.data(), match[i].second - text.data()};
    }
  } catch (const std::exception& error) {
    found.failed = true;
    std::snprintf(found.error.data(), found.error.size(), "%s", error.what());
  }
}

void set_numbered(mrb_state* mrb, mrb_value text, const Found& found) {
  std::array<char, 3> name{'$', '1', '\0'};
  for (std::size_t i = 1; i <= kNumbered; ++i, ++name[1]) {
    const bool is_there = i < found.groups && found.places[i][0] >= 0;
    mrb_gv_set(mrb, mrb_intern_cstr(mrb, name.data()),
               is_there ? mrb_str_substr(mrb, text, found.places[i][0], found.places[i][1] - found.places[i][0]) : mrb_nil_value());
  }
}

/// `Regexp.admission_search(pattern, ignores_case, text, from)`: begin and end of the match and of its groups; nil: none.
mrb_value admission_search(mrb_state* mrb, mrb_value) {
  mrb_value pattern{};
  mrb_bool ignores_case = false;
  mrb_value text{};
  mrb_int from = 0;
  mrb_get_args(mrb, "SbSi", &pattern, &ignores_case, &text, &from);
  Found found;
  if (from >= 0)
    search({RSTRING_PTR(pattern), static_cast<std::size_t>(RSTRING_LEN(pattern))}, ignores_case,
           {RSTRING_PTR(text), static_cast<std::size_t>(RSTRING_LEN(text))}, static_cast<std::size_t>(from), found);
  if (found.failed) mrb_raise(mrb, mrb_class_get(mrb, "RegexpError"), found.error.data());
  set_numbered(mrb, text, found);
  if (found.groups == 0) return mrb_nil_value();
  const auto places = mrb_ary_new(mrb);
  for (std::size_t i = 0; i < found.groups; ++i) {
    const std::array pair{mrb_fixnum_value(found.places[i][0]), mrb_fixnum_value(found.places[i][1])};
    mrb_ary_push(mrb, places, mrb_ary_new_from_values(mrb, pair.size(), pair.data()));
  }
  return places;
}

constexpr const char* kRuby = R"ruby(
class RegexpError < StandardError
end
class MatchData
  attr_reader :string
  def initialize(string, places)
    @string = string
    @places = places
  end
  def [](number)
    place = @places[number]
    place && place[0] >= 0 ? @string.byteslice(place[0], place[1] - place[0]) : nil
  end
  def begin(number)
    @places[number][0]
  end
  def end(number)
    @places[number][1]
  end
  def to_a
    (0...@places.size).map { |number| self[number] }
  end
  def captures
    to_a[1..-1]
  end
  def to_s
    self[0]
  end
  def pre_match
    @string.byteslice(0, @places[0][0])
  end
  def post_match
    @string.byteslice(@places[0][1], @string.bytesize - @places[0][1])
  end
end
class Regexp
  IGNORECASE = 1
  attr_reader :source
  def self.compile(*arguments)
    new(*arguments)
  end
  def initialize(source, flags = nil, encoding = nil)
    @source = source.is_a?(Regexp) ? source.source : source
    @ignores_case = flags == true || (flags.is_a?(String) && flags.include?("i")) || (flags.is_a?(Integer) && flags % 2 == 1)
    Regexp.admission_search(@source, @ignores_case, "", 0)
  end
  def match(text, from = 0)
    return nil if text.nil?
    places = Regexp.admission_search(@source, @ignores_case, text.to_s, from)
    places && MatchData.new(text.to_s, places)
  end
  def match?(text)
    !match(text).nil?
  end
  def =~(text)
    found = match(text)
    found && found.begin(0)
  end
  def ===(text)
    text.is_a?(String) && match?(text)
  end
  def to_s
    @source
  end
  def inspect
    "/" + @source + "/"
  end
end
class String
  alias admission_sub sub
  alias admission_gsub gsub
  def =~(pattern)
    pattern =~ self
  end
  def match(pattern)
    (pattern.is_a?(Regexp) ? pattern : Regexp.new(pattern)).match(self)
  end
  def match?(pattern)
    !match(pattern).nil?
  end
  def scan(pattern)
    found = []
    from = 0
    while from <= bytesize && (match = pattern.match(self, from))
      found << (match.captures.empty? ? match[0] : match.captures)
      from = match.end(0) > match.begin(0) ? match.end(0) : match.end(0) + 1
    end
    found
  end
  def admission_replace(match, arguments, block)
    return block.call(match[0]).to_s if arguments.size < 2
    text = arguments[1]
    (0..9).each { |number| text = text.admission_gsub("\\" + number.to_s, match[number].to_s) }
    text
  end
  def sub(*arguments, &block)
    return admission_sub(*arguments, &block) unless arguments[0].is_a?(Regexp)
    match = arguments[0].match(self)
    match ? match.pre_match + admission_replace(match, arguments, block) + match.post_match : self.dup
  end
  def gsub(*arguments, &block)
    return admission_gsub(*arguments, &block) unless arguments[0].is_a?(Regexp)
    made = ""
    from = 0
    while from <= bytesize && (match = arguments[0].match(self, from))
      made += byteslice(from, match.begin(0) - from) + admission_replace(match, arguments, block)
      if match.end(0) > match.begin(0)
        from = match.end(0)
      else
        made += byteslice(match.end(0), 1).to_s
        from = match.end(0) + 1
      end
    end
    from < bytesize ? made + byteslice(from, bytesize - from) : made
  end
end
nil
)ruby";

}  // namespace

void define_regexp(mrb_state* mrb) {
  auto* regexp = mrb_define_class(mrb, "Regexp", mrb->object_class);
  mrb_define_class_method(mrb, regexp, "admission_search", admission_search, MRB_ARGS_REQ(4));
  mrb_load_string(mrb, kRuby);
  if (mrb->exc != nullptr) throw std::logic_error{"the prelude of regular expressions does not run"};
}

}  // namespace gleaner::rules::ruby
