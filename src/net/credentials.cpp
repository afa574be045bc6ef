#include "net/credentials.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace mirab::net {

Check check_readable(const std::string& file) {
  if (file.empty() || ::access(file.c_str(), R_OK) == 0) return {};
  return Error{.message = std::strerror(errno), .file = file};
}

namespace {

constexpr std::size_t kMostTokenBytes = std::size_t{16} << 10U;

}  // namespace

bool is_bearer_token(std::string_view text) {
  return !text.empty() && text.size() <= kMostTokenBytes &&
         std::all_of(text.begin(), text.end(), [](char byte) { return byte > ' ' && byte < 127; });
}

Result<std::string> read_token(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return Error{.message = "cannot be read", .file = file};
  std::string token(kMostTokenBytes + 3, '\0');  // more than a token and its line end
  input.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<std::size_t>(input.gcount()));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (!is_bearer_token(token)) return Error{.message = "holds no token", .file = file};
  return token;
}

Result<TokenSource> TokenSource::open(const Credentials& credentials, Time now) {
  TokenSource source;
  source.file_ = credentials.token_file;
  source.token_ = credentials.token;
  source.read_at_ = now;
  if (source.file_.empty()) {
    if (!source.token_.empty() && !is_bearer_token(source.token_))
      return Error{.message = "a token is visible ASCII on one line, without blanks", .key = "token"};
    return source;
  }
  Result<std::string> token = read_token(source.file_);
  if (!token) return std::move(token).error();
  source.token_ = *std::move(token);
  return source;
}

const std::string& TokenSource::token(Time now) {
  if (!file_.empty() && now - read_at_ >= kMaxAge) renew(now);
  return token_;
}

bool TokenSource::renew(Time now) {
  if (file_.empty()) return false;
  Result<std::string> read = read_token(file_);
  read_at_ = now;
  if (!read || *read == token_) return false;
  token_ = *std::move(read);
  return true;
}

}  // namespace mirab::net
