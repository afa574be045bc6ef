// Values between Python and Mirab: errors, named tuples, arguments.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

namespace mirab::python {

/// An error on its way to Python, where it becomes a `mirab.Refused`.
class Refusal : public std::exception {
 public:
  explicit Refusal(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// The value of a result, or its error thrown.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw Refusal(std::move(result).error());
  return *std::move(result);
}

inline void check(const Check& bad) {
  if (bad) throw Refusal(*bad);
}

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
         const std::vector<std::pair<const char*, const char*>>& fields);

  /// As many values as there are fields.
  pybind11::object with(std::vector<pybind11::object> values) const;

  /// The same for anything that becomes a Python object.
  template <class... Values>
  pybind11::object operator()(Values&&... values) const {
    std::vector<pybind11::object> objects;
    (objects.push_back(as_python(std::forward<Values>(values))), ...);
    return with(std::move(objects));
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

// What Python's callers give, as what Mirab takes. What is of a wrong type is a TypeError, what has a wrong
// value a Refused with the key.

namespace mirab::python {

/// Whole nanoseconds: of an integer (numpy's too), or of a datetime.timedelta. Nothing for other types.
/// Throws OverflowError beyond 292 years.
std::optional<std::int64_t> nanoseconds_of(pybind11::handle value);

/// The exact number: an int, a text as in a cluster file ("0.5", "500m"), a decimal.Decimal; of a float the
/// shortest decimal that reads back as it.
Quantity quantity_of(pybind11::handle value, const std::string& key);

/// Exact numbers in rows; a list has one row.
struct Matrix {
  std::size_t rows;
  std::size_t columns;
  std::vector<Quantity> values;  ///< row by row
  std::vector<Quantity> row(std::size_t i) const;
};

/// Reads a numpy array of whole numbers or floats, or what numpy makes one of, with `dimensions` dimensions
/// (1 or 2).
Matrix matrix_of(pybind11::handle value, pybind11::ssize_t dimensions, const std::string& key);

/// `threads` threads, at least one.
Execution execution_of(int threads);

}  // namespace mirab::python

namespace pybind11::detail {

template <>
struct type_caster<mirab::Duration> {
  PYBIND11_TYPE_CASTER(mirab::Duration, const_name("int | datetime.timedelta"));
  bool load(handle source, bool /*convert*/) {
    const std::optional<std::int64_t> count = mirab::python::nanoseconds_of(source);
    if (count) value = mirab::Duration(*count);
    return count.has_value();
  }
  static handle cast(mirab::Duration duration, return_value_policy /*policy*/, handle /*parent*/) {
    return PyLong_FromLongLong(duration.count());
  }
};

template <>
struct type_caster<mirab::Time> {
  PYBIND11_TYPE_CASTER(mirab::Time, const_name("int | datetime.timedelta"));
  bool load(handle source, bool /*convert*/) {
    const std::optional<std::int64_t> count = mirab::python::nanoseconds_of(source);
    if (count) value = mirab::Time(mirab::Duration(*count));
    return count.has_value();
  }
  static handle cast(mirab::Time time, return_value_policy /*policy*/, handle /*parent*/) {
    return PyLong_FromLongLong(time.time_since_epoch().count());
  }
};

}  // namespace pybind11::detail
