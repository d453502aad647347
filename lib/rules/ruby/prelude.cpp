#include "lib/rules/ruby/prelude.hpp"

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/compile.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lib/rules/ruby/regexp.hpp"

namespace gleaner::rules::ruby {
namespace {

// `refuse` cannot be rescued by `rescue => e`; `raise "…"` can, as in any ruby. Rules of CiGri raise Cigri::Error, and count jdl["params"],
// of which a rule knows the number alone.
constexpr const char* kPrelude = R"ruby(
class AdmissionRefusal < Exception
end
class AdmissionRaised < RuntimeError
end
$admission_notes = []
module Kernel
  alias admission_raise raise
  def refuse(message)
    admission_raise AdmissionRefusal, message.to_s
  end
  def raise(*arguments)
    admission_raise AdmissionRaised, arguments[0] if arguments.size == 1 && arguments[0].is_a?(String)
    admission_raise(*arguments)
  end
  alias fail raise
  def warn(message)
    $admission_notes << message.to_s
    nil
  end
end
module Cigri
  class Error < AdmissionRaised
  end
end
class AdmissionParams
  def self.known_to(jdl, tasks)
    counted = Hash.new { |_, key| key == "params" ? AdmissionParams.new(tasks) : key == "nb_jobs" ? tasks : nil }
    jdl.each { |key, value| counted[key] = value }
    counted
  end
  def initialize(number)
    @number = number
  end
  def length
    @number
  end
  alias size length
  alias count length
  def empty?
    @number == 0
  end
end
nil
)ruby";

constexpr std::array kConstants{"IO",        "File",       "FileTest",   "BasicSocket", "Socket", "TCPSocket", "UDPSocket", "IPSocket",
                                "TCPServer", "UNIXSocket", "UNIXServer", "Addrinfo",    "STDIN",  "STDOUT",    "STDERR",    "ObjectSpace"};
constexpr std::array kMethods{"open", "`", "gets", "print", "puts", "p", "printf", "__printstr__"};
constexpr std::array kGlobals{"$stdin", "$stdout", "$stderr"};

RClass* class_named(mrb_state* mrb, const char* name) { return mrb_class_get(mrb, name); }

std::string bytes(mrb_value text) { return {RSTRING_PTR(text), static_cast<std::size_t>(RSTRING_LEN(text))}; }

}  // namespace

void prepare(mrb_state* mrb) {
  const auto object = mrb_obj_value(mrb->object_class);
  for (const auto* name : kConstants) {
    const auto symbol = mrb_intern_cstr(mrb, name);
    if (mrb_const_defined(mrb, object, symbol)) mrb_const_remove(mrb, object, symbol);
  }
  for (const auto* name : kMethods) mrb_undef_method(mrb, mrb->kernel_module, name);
  for (const auto* name : kGlobals) mrb_gv_set(mrb, mrb_intern_cstr(mrb, name), mrb_nil_value());
  mrb_load_string(mrb, kPrelude);
  if (mrb->exc != nullptr) throw std::logic_error{"the prelude of the rules does not run"};
  define_regexp(mrb);
}

bool is_refusal(mrb_state* mrb, mrb_value exception) {
  return mrb_obj_is_kind_of(mrb, exception, class_named(mrb, "AdmissionRefusal")) ||
         mrb_obj_is_kind_of(mrb, exception, class_named(mrb, "AdmissionRaised"));
}

std::vector<std::string> notes(mrb_state* mrb) {
  std::vector<std::string> lines;
  const auto said = mrb_gv_get(mrb, mrb_intern_lit(mrb, "$admission_notes"));
  if (!mrb_array_p(said)) return lines;
  const auto count = std::min<mrb_int>(RARRAY_LEN(said), static_cast<mrb_int>(kMostNotes));
  for (mrb_int i = 0; i < count; ++i) {
    const auto line = RARRAY_PTR(said)[i];
    if (mrb_string_p(line)) lines.push_back(bytes(line));
  }
  return lines;
}

}  // namespace gleaner::rules::ruby
