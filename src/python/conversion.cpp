#include "python/conversion.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace mirab::python {

namespace py = pybind11;

Record::Record(py::module_& module, const char* name, const char* meaning,
               const std::vector<std::pair<const char*, const char*>>& fields) {
  std::vector<PyStructSequence_Field> members;
  for (const auto& [field, what] : fields) members.push_back({field, what});
  members.push_back({nullptr, nullptr});
  PyStructSequence_Desc form{.name = name,
                             .doc = meaning,
                             .fields = members.data(),
                             .n_in_sequence = static_cast<int>(fields.size())};
  type_ = PyStructSequence_NewType(&form);
  if (type_ == nullptr) throw py::error_already_set();
  const char* const short_name = std::strrchr(name, '.') + 1;
  module.add_object(short_name, py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(type_)));
}

py::object Record::with(std::vector<py::object> values) const {
  auto record = py::reinterpret_steal<py::object>(PyStructSequence_New(type_));
  if (!record) throw py::error_already_set();
  Py_ssize_t at = 0;
  for (py::object& value : values) PyStructSequence_SetItem(record.ptr(), at++, value.release().ptr());
  return record;
}

namespace {

namespace py = pybind11;

std::int64_t whole_number(py::handle value) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  const std::int64_t read = PyLong_AsLongLong(number.ptr());
  if (read == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return read;
}

bool is_whole(py::handle value) { return PyIndex_Check(value.ptr()) != 0; }

/// The number, or its error with the key.
Quantity with_key(Result<Quantity> number, const std::string& key) {
  if (number) return *number;
  Error error = number.error();
  error.key = key;
  throw Refusal(std::move(error));
}

Result<Quantity> exact(std::int64_t value) {
  if (value < 0) return Error{.message = fmt::format("{} is below zero", value)};
  return Quantity(value);
}
Result<Quantity> exact(double value) { return Quantity::from(value); }

template <class Number>
std::vector<Quantity> exact_values(const py::object& array, std::size_t columns, const std::string& key) {
  const auto numbers = py::array_t<Number, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  std::vector<Quantity> values;
  values.reserve(static_cast<std::size_t>(numbers.size()));
  for (py::ssize_t at = 0; at < numbers.size(); ++at) {
    const std::size_t i = values.size();
    Result<Quantity> value = exact(numbers.data()[at]);
    if (value) {
      values.push_back(*value);
      continue;
    }
    const bool is_list = numbers.ndim() == 1;
    with_key(std::move(value), is_list ? fmt::format("{}[{}]", key, i)
                                       : fmt::format("{}[{}, {}]", key, i / columns, i % columns));
  }
  return values;
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(py::handle value) {
  if (!value) return {};
  if (is_whole(value)) return whole_number(value);
  if (!py::isinstance(value, py::module_::import("datetime").attr("timedelta"))) return {};
  const std::int64_t seconds =
      whole_number(value.attr("days")) * 86'400 + whole_number(value.attr("seconds"));
  const std::int64_t rest = whole_number(value.attr("microseconds")) * 1'000;
  std::int64_t count = 0;
  if (__builtin_mul_overflow(seconds, std::int64_t{1'000'000'000}, &count) ||
      __builtin_add_overflow(count, rest, &count)) {
    PyErr_SetString(PyExc_OverflowError, "a time of more than 2^63 nanoseconds");
    throw py::error_already_set();
  }
  return count;
}

Quantity quantity_of(py::handle value, const std::string& key) {
  if (is_whole(value)) return with_key(exact(whole_number(value)), key);
  if (PyFloat_Check(value.ptr()) != 0) return with_key(exact(PyFloat_AsDouble(value.ptr())), key);
  const bool is_decimal = py::isinstance(value, py::module_::import("decimal").attr("Decimal"));
  if (is_decimal || py::isinstance<py::str>(value))
    return with_key(Quantity::parse(py::str(value).cast<std::string>()), key);
  throw py::type_error(key + ": a number is expected, an int, float, str or decimal.Decimal");
}

std::vector<Quantity> Matrix::row(std::size_t i) const {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * columns);
  return {first, first + static_cast<std::ptrdiff_t>(columns)};
}

Matrix matrix_of(py::handle value, py::ssize_t dimensions, const std::string& key) {
  const py::array array = py::module_::import("numpy").attr("asarray")(value);
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u' && kind != 'f')
    throw py::type_error(fmt::format("{}: whole numbers or floats are expected, not {}", key,
                                     py::str(array.dtype()).cast<std::string>()));
  if (array.ndim() != dimensions)
    throw Refusal({.message = fmt::format("an array of {} dimension{} is expected, not of {}", dimensions,
                                          dimensions == 1 ? "" : "s", array.ndim()),
                   .key = key});
  const auto rows = dimensions == 1 ? std::size_t{1} : static_cast<std::size_t>(array.shape(0));
  const auto columns = static_cast<std::size_t>(array.shape(dimensions - 1));
  return {.rows = rows,
          .columns = columns,
          .values = kind == 'f' ? exact_values<double>(array, columns, key)
                                : exact_values<std::int64_t>(array, columns, key)};
}

Execution execution_of(int threads) {
  if (threads < 1) throw Refusal({.message = "at least one thread is needed", .key = "threads"});
  return {.threads = threads};
}

}  // namespace mirab::python
