#pragma once

#include <initializer_list>
#include <pybind11/pybind11.h>
#include <utility>

namespace mirab::python {

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
    (set(pybind11::detail::object_or_cast(std::forward<Values>(values))), ...);
    return record;
  }

 private:
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
