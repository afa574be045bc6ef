#include "python/records.hpp"

#include <cstring>
#include <vector>

namespace mirab::python {

namespace py = pybind11;

Record::Record(py::module_& module, const char* name, const char* meaning,
               std::initializer_list<std::pair<const char*, const char*>> fields) {
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

}  // namespace mirab::python
