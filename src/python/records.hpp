#pragma once

#include <initializer_list>
#include <pybind11/pybind11.h>
#include <string>
#include <type_traits>
#include <utility>

namespace mirab::python {

/// A text that need not be UTF-8: bytes that are not become lone surrogates, as with os.fsdecode.
inline pybind11::object text(const std::string& bytes) {
  return pybind11::reinterpret_steal<pybind11::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

/// A type of named tuples in the module, and how to make one. It can be unpacked, compared, printed and
/// pickled. The module keeps the type alive.
class Record {
 public:
  /// The name is `mirab.Name`; fields are (name, meaning). Requires string literals: Python keeps them.
  Record(pybind11::module_& module, const char* name, const char* meaning,
         std::initializer_list<std::pair<const char*, const char*>> fields);

  /// As many values as there are fields, each anything that becomes a Python object.
  template <class... Values>
  pybind11::object operator()(Values&&... values) const {
    auto record = pybind11::reinterpret_steal<pybind11::object>(PyStructSequence_New(type_));
    if (!record) throw pybind11::error_already_set();
    Py_ssize_t at = 0;
    const auto set = [&](pybind11::object value) {
      PyStructSequence_SetItem(record.ptr(), at++, value.release().ptr());
    };
    (set(as_python(std::forward<Values>(values))), ...);
    return record;
  }

 private:
  template <class Value>
  static pybind11::object as_python(Value&& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<Value>, std::string>) {
      return text(value);
    } else {
      return pybind11::detail::object_or_cast(std::forward<Value>(value));
    }
  }

  PyTypeObject* type_;
};

/// A list as a tuple.
template <class Values>
pybind11::tuple tuple_of(const Values& values) {
  pybind11::tuple tuple(values.size());
  std::size_t at = 0;
  for (const auto& value : values) tuple[at++] = value;
  return tuple;
}

}  // namespace mirab::python
