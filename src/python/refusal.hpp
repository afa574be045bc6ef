#pragma once

#include <exception>
#include <utility>

#include <mirab/model/result.hpp>

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

}  // namespace mirab::python
