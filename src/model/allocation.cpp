#include <mirab/model/allocation.hpp>

namespace mirab {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::exact:
      return "exact";
    case Status::converged:
      return "converged";
    case Status::not_converged:
      return "not_converged";
  }
  return {};
}

}  // namespace mirab
