#pragma once

#include <cstdint>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/time.hpp>

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

/// Reads a numpy array of whole numbers or floats, or what numpy makes one of, with so many dimensions (1 or
/// 2).
Matrix matrix_of(pybind11::handle value, pybind11::ssize_t dimensions, const std::string& key);

/// So many threads, at least one.
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
