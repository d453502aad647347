#include "lib/rules/ruby/interpreter.hpp"

#include <mruby.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/compile.h>
#include <mruby/error.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "lib/jdl/text.hpp"
#include "lib/rules/ruby/confine.hpp"
#include "lib/rules/ruby/prelude.hpp"
#include "lib/rules/ruby/values.hpp"
#include "lib/text/numbers.hpp"

// Since mruby 3.2 in a header for mruby itself alone. The function that ruby calls (`backtrace`) is no substitute: the rule may have
// redefined it.
extern "C" mrb_value mrb_exc_backtrace(mrb_state* mrb, mrb_value exception);

namespace gleaner::rules::ruby {
namespace {

constexpr std::size_t kLongestMessage = 2000;

/// A text for messages: UTF-8, of limited length.
std::string shown(std::string_view bytes) {
  std::string text{bytes.substr(0, kLongestMessage)};
  for (auto wrong = jdl::first_invalid_utf8(text); wrong != std::string_view::npos; wrong = jdl::first_invalid_utf8(text))
    text[wrong] = '?';
  return text;
}

std::string text_of(mrb_value value) {
  return mrb_string_p(value) ? shown({RSTRING_PTR(value), static_cast<std::size_t>(RSTRING_LEN(value))}) : std::string{};
}

/// mruby, prepared for one rule. No C++ object with a destructor may live across its longjmps: only mrb_load_exec runs ruby, and it catches
/// them.
class Interpreter {
 public:
  explicit Interpreter(std::size_t memory) : memory_{memory}, mrb_{mrb_open_allocf(&Memory::allocate, &memory_)} {
    if (mrb_ == nullptr) throw std::runtime_error{"mruby cannot be started"};
    prepare(mrb_);
    context_ = mrbc_context_new(mrb_);
    context_->capture_errors = 1;
    mrbc_filename(mrb_, context_, kRuleFile);
  }
  ~Interpreter() {
    mrbc_context_free(mrb_, context_);
    mrb_close(mrb_);
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Defines the rule's local variables.
  void define(const rapidjson::Value& jdl, const Facts& facts) {
    set("$admission_jdl", jdl);
    set("$admission_user", facts.user);
    set("$admission_tasks", facts.tasks);
    set("$admission_clusters", facts.clusters);
    // The block of the Hash is made in a method: one of the outermost frame would keep a part of the stack that later frames use.
    static_cast<void>(
        evaluate("user = $admission_user; tasks = $admission_tasks; clusters = $admission_clusters; "
                 "jdl = AdmissionParams.known_to($admission_jdl, tasks); nil"));
  }

  /// Parses the rule; returns its syntax error.
  std::optional<Ending> read(const std::string& rule) {
    context_->lineno = 1;
    parser_ = mrb_parse_nstring(mrb_, rule.data(), rule.size(), context_);
    if (parser_ == nullptr) return Ending{Outcome::failed, "it cannot be read"};
    if (parser_->nerr == 0) return {};
    const auto& error = parser_->error_buffer[0];
    Ending ending{Outcome::failed, shown(error.message == nullptr ? "syntax error" : error.message), static_cast<int>(error.lineno)};
    mrb_parser_free(parser_);
    return ending;
  }
  void forget() { mrb_parser_free(parser_); }

  /// Runs the parsed rule.
  Ending run_it(std::chrono::milliseconds time) {
    {
      const TimeLimit limit{mrb_, time};
      mrb_load_exec(mrb_, parser_, context_);
    }
    Ending ending;
    if (mrb_->exc != nullptr) ending = ending_of_exception();
    for (const auto& note : notes(mrb_)) ending.notes.push_back(shown(note));
    return ending;
  }

  /// The JDL after the rule.
  tl::expected<rapidjson::Document, std::string> jdl(const rapidjson::Value& original) {
    const auto value = evaluate("jdl");
    if (!mrb_hash_p(value)) return tl::unexpected{fmt::format("jdl has become a {}: it must stay a Hash", mrb_obj_classname(mrb_, value))};
    rapidjson::Document document;
    auto read = from_ruby(mrb_, value, &original, "jdl", document.GetAllocator());
    if (!read) return tl::unexpected{std::move(read.error())};
    static_cast<rapidjson::Value&>(document) = std::move(*read);
    return document;
  }

 private:
  void set(const char* name, const rapidjson::Value& value) {
    const int arena = mrb_gc_arena_save(mrb_);
    mrb_gv_set(mrb_, mrb_intern_cstr(mrb_, name), to_ruby(mrb_, value));
    mrb_gc_arena_restore(mrb_, arena);
  }

  mrb_value evaluate(const char* text) { return mrb_load_string_cxt(mrb_, text, context_); }

  Ending ending_of_exception() {
    const auto exception = mrb_obj_value(mrb_->exc);
    mrb_->exc = nullptr;
    const int arena = mrb_gc_arena_save(mrb_);
    mrb_gc_protect(mrb_, exception);
    const auto message = message_of(exception);
    Ending ending{Outcome::refused, message};
    if (!is_refusal(mrb_, exception))
      ending = {Outcome::failed, fmt::format("{}{}{}", mrb_obj_classname(mrb_, exception), message.empty() ? "" : ": ", message),
                line_of(exception)};
    mrb_gc_arena_restore(mrb_, arena);
    return ending;
  }

  /// Does not call `message`, which the rule may have redefined. mruby stores it in one of two places.
  std::string message_of(mrb_value exception) {
    auto* own = mrb_exc_ptr(exception)->mesg;
    return text_of(own != nullptr ? mrb_obj_value(own) : mrb_iv_get(mrb_, exception, mrb_intern_lit(mrb_, "mesg")));
  }

  /// The innermost position in the rule: `rule:12:in each`.
  int line_of(mrb_value exception) {
    const auto trace = mrb_exc_backtrace(mrb_, exception);
    if (!mrb_array_p(trace)) return 0;
    const auto prefix = fmt::format("{}:", kRuleFile);
    for (mrb_int i = 0; i < RARRAY_LEN(trace); ++i) {
      const auto place = text_of(RARRAY_PTR(trace)[i]);
      if (!place.starts_with(prefix)) continue;
      auto line = std::string_view{place}.substr(prefix.size());
      return text::take_whole_number<int>(line).value_or(0);
    }
    return 0;
  }

  Memory memory_;
  mrb_state* mrb_;
  mrbc_context* context_ = nullptr;
  mrb_parser_state* parser_ = nullptr;
};

}  // namespace

std::optional<Ending> syntax_error(const std::string& rule, const Limits& limits) {
  Interpreter interpreter{limits.memory};
  interpreter.define(rapidjson::Value{rapidjson::kObjectType}, {rapidjson::Value{}, rapidjson::Value{}, rapidjson::Value{}});
  auto wrong = interpreter.read(rule);
  if (!wrong) interpreter.forget();
  return wrong;
}

Ending run(const std::string& rule, rapidjson::Document& jdl, const Facts& facts, const Limits& limits) {
  Interpreter interpreter{limits.memory};
  interpreter.define(jdl, facts);
  if (auto wrong = interpreter.read(rule)) return std::move(*wrong);
  auto ending = interpreter.run_it(limits.time);
  if (ending.outcome != Outcome::ran) return ending;
  auto made = interpreter.jdl(jdl);
  if (made) jdl = std::move(*made);
  else ending = {Outcome::failed, std::move(made.error()), 0, std::move(ending.notes)};
  return ending;
}

}  // namespace gleaner::rules::ruby
