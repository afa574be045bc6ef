#include "net/http_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <curl/curl.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/model/random.hpp>

#include "model/names.hpp"

namespace mirab::net {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

struct EasyEnd {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListEnd {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct UrlEnd {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// One request on its way, and what has come of it.
struct Transfer {
  CURL* handle = nullptr;
  Response response = {.type = {}};
  std::size_t most_bytes = 0;
  const std::function<bool(std::string_view)>* take = nullptr;  ///< of a stream
  bool has_begun = false;                                       ///< its head was given
  bool is_enough = false;                                       ///< `take` wants no more
  bool is_too_long = false;
};

bool is_streamed(const Transfer& transfer) {
  long status = 0;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  return transfer.take != nullptr && status == 200;
}

std::size_t take_bytes(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const std::string_view piece(bytes, size * count);
  if (is_streamed(transfer)) {
    transfer.is_enough = !(*transfer.take)(piece);
    return transfer.is_enough ? CURL_WRITEFUNC_ERROR : piece.size();
  }
  transfer.is_too_long = transfer.response.body.size() + piece.size() > transfer.most_bytes;
  if (transfer.is_too_long) return CURL_WRITEFUNC_ERROR;
  transfer.response.body += piece;
  return piece.size();
}

std::string_view field_of(const Response& response, std::string_view name) {
  const auto found = std::find_if(response.fields.begin(), response.fields.end(),
                                  [&](const auto& field) { return field.first == name; });
  return found == response.fields.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t take_field(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const std::string_view line(bytes, size * count);
  if (line.starts_with("HTTP/")) transfer.response.fields.clear();  // an answer 100 came before
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    transfer.response.fields.emplace_back(
        lower_case(line.substr(0, colon)),
        trimmed(line.substr(colon + 1, line.find_last_not_of("\r\n") - colon)));
  }
  if (trimmed(line.substr(0, line.find('\n'))).empty() && is_streamed(transfer)) {
    transfer.has_begun = true;
    transfer.is_enough = !(*transfer.take)({});
    if (transfer.is_enough) return CURL_WRITEFUNC_ERROR;
  }
  return line.size();
}

int ask_whether_stopped(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0;
}

/// Was nothing sent?
bool is_unreached(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
         code == CURLE_COULDNT_RESOLVE_PROXY;
}

/// Did it break in a way that may pass?
bool is_broken(CURLcode code) {
  return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT;
}

/// How libcurl looks for another name in the certificate of the server: the URL has that name, and the
/// connection goes to the host that was meant.
struct Route {
  std::string url;
  std::vector<std::string> connect_to = {};  ///< at most one; none: where the URL says
  std::string host = {};                     ///< field `Host`; empty: that of the URL
};

/// Errors, with the key: a server name that is none.
Result<Route> route_of(const HttpClientOptions& options) {
  const Url& given = options.url;
  if (options.server_name.empty() || !given.has_tls) return Route{.url = given.text};
  const std::unique_ptr<CURLU, UrlEnd> url(curl_url());
  MIRAB_ASSERT(url != nullptr, "memory for a URL");
  curl_url_set(url.get(), CURLUPART_URL, given.text.c_str(), 0);
  const std::string port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const std::string written_port = part_of(url.get(), CURLUPART_PORT);
  const bool is_host = curl_url_set(url.get(), CURLUPART_HOST, options.server_name.c_str(), 0) == CURLUE_OK;
  if (!is_host)
    return Error{.message = fmt::format("'{}' is not the name of a server", options.server_name),
                 .key = "tls-server-name"};
  Route route{.url = part_of(url.get(), CURLUPART_URL),
              .connect_to = {fmt::format("{}:{}:{}:{}", options.server_name, port, given.host, port)},
              .host = written_port.empty() ? given.host : given.host + ":" + written_port};
  while (route.url.ends_with('/')) route.url.pop_back();
  return route;
}

/// When the file was written; nothing where none is named, or where it cannot be seen.
std::filesystem::file_time_type time_of(const Pem& pem) {
  std::error_code unseen;
  return pem.file.empty() ? std::filesystem::file_time_type::min()
                          : std::filesystem::last_write_time(pem.file, unseen);
}

constexpr std::chrono::seconds kLook{1};  // between two looks at files of certificates

class CurlClient final : public HttpClient {
 public:
  CurlClient(HttpClientOptions options, Route route, TokenSource token, CURL* handle)
      : options_(std::move(options)),
        route_(std::move(route)),
        token_(std::move(token)),
        handle_(handle),
        random_(options_.seed) {}

  Result<Response> send(const Request& request, Repeat repeat) override {
    const auto until = Steady::now() + options_.patience;
    milliseconds pause{100};
    for (bool has_waited = false;; has_waited = true) {
      Transfer transfer{.handle = handle_.get(), .most_bytes = options_.answer_bytes};
      const Result<CURLcode> performed = perform_as_client(request, transfer, {});
      if (!performed) return performed.error();
      const CURLcode code = *performed;
      const int status = transfer.response.status;
      const bool is_answered = code == CURLE_OK;
      const bool is_again = is_answered
                                ? status == 429 || (repeat == Repeat::yes && status >= 502 && status <= 504)
                                : is_unreached(code) || (repeat == Repeat::yes && is_broken(code));
      const milliseconds wait = pause_of(transfer.response, pause);
      if (!is_again || Steady::now() + wait > until) {
        if (!is_answered) return error_of(code, transfer);
        return std::move(transfer.response);
      }
      if (!has_waited && options_.waits)
        options_.waits(is_answered ? fmt::format("answered {}", status) : message_of(code, transfer));
      std::this_thread::sleep_for(wait);
      pause = std::min(2 * pause, milliseconds(5000));
    }
  }

  Result<Streamed> stream(const Request& request, std::chrono::seconds silence,
                          const std::function<bool(std::string_view)>& take) override {
    Transfer transfer{.handle = handle_.get(), .most_bytes = options_.answer_bytes, .take = &take};
    const Result<CURLcode> performed = perform_as_client(request, transfer, silence);
    if (!performed) return performed.error();
    const CURLcode code = *performed;
    const bool is_silent = code == CURLE_OPERATION_TIMEDOUT && transfer.has_begun;
    if (code != CURLE_OK && !transfer.is_enough && !is_silent) return error_of(code, transfer);
    return Streamed{.answer = std::move(transfer.response), .is_silent = is_silent};
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    [[maybe_unused]] const CURLcode code = curl_easy_setopt(handle_.get(), option, value);
    MIRAB_ASSERT(code == CURLE_OK, "an option that libcurl knows");
  }

  /// What the server asks for, else the pause or a little more.
  milliseconds pause_of(const Response& response, milliseconds pause) {
    const std::optional<std::chrono::seconds> asked = retry_after(response);
    const auto more = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(pause.count())));
    return (asked ? milliseconds(*asked) : pause) + milliseconds(more);
  }

  /// With credentials that are known, and once more after a 401 with others. Errors: those of the issuer.
  Result<CURLcode> perform_as_client(const Request& request, Transfer& transfer,
                                     std::chrono::seconds silence) {
    if (const Result<bool> known = ask_issuer(nullptr); !known) return known.error();
    const CURLcode code = perform(request, transfer, silence);
    const bool is_refused = code == CURLE_OK && transfer.response.status == 401;
    if (!is_refused) return code;
    const Result<bool> is_another = ask_issuer(issued_.get());
    if (!is_another) return is_another.error();
    if (!*is_another && !token_.renew(Steady::now())) return code;
    transfer.response = {.type = {}};
    return perform(request, transfer, silence);
  }

  /// Are there others than before? A certificate is that of a connection: others begin another one.
  Result<bool> ask_issuer(const Issued* refused) {
    if (!options_.credentials.issuer) return false;
    Result<std::shared_ptr<const Issued>> issued = options_.credentials.issuer(refused, options_.is_stopped);
    if (!issued) return std::move(issued).error();
    if (*issued == issued_) return false;
    issued_ = *std::move(issued);
    times_.reset();
    return true;
  }

  /// The certificate of the client with its key.
  std::pair<const Pem&, const Pem&> own_pem() const {
    const Credentials& given = options_.credentials;
    const bool is_given = !given.certificate.file.empty() || !given.certificate.text.empty();
    if (is_given || issued_ == nullptr) return {given.certificate, given.key};
    return {issued_->certificate, issued_->key};
  }

  const std::string& bearer_token() {
    const std::string& token = token_.token(Steady::now());
    return token.empty() && issued_ != nullptr ? issued_->token : token;
  }

  /// Have the files of certificates changed since the connection began, which keeps those that there were?
  /// They are looked at once a second.
  bool has_other_files() {
    const Steady::time_point now = Steady::now();
    if (times_ && now < look_at_) return false;
    look_at_ = now + kLook;
    const std::array times{time_of(options_.ca), time_of(options_.credentials.certificate),
                           time_of(options_.credentials.key)};
    return std::exchange(times_, times) != times;
  }

  CURLcode perform(const Request& request, Transfer& transfer, std::chrono::seconds silence) {
    curl_easy_reset(handle_.get());  // keeps the connection
    message_[0] = 0;
    const std::string url = route_.url + request.target;
    const std::unique_ptr<curl_slist, ListEnd> fields = fields_of(request);
    const std::unique_ptr<curl_slist, ListEnd> connect_to = list_of(route_.connect_to);
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_CONNECT_TO, connect_to.get());
    set_tls();
    if (!options_.proxy_url.empty()) {
      set(CURLOPT_PROXY, options_.proxy_url.c_str());
      set(CURLOPT_NOPROXY, "");
    } else if (!options_.url.has_tls && !is_readable_on_the_way(options_.url)) {
      set(CURLOPT_PROXY, "");
    }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (!request.body.empty()) {
      set(CURLOPT_POSTFIELDS, request.body.c_str());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    set(CURLOPT_HTTPHEADER, fields.get());
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_time.count()));
    if (transfer.take == nullptr) {
      set(CURLOPT_TIMEOUT_MS, static_cast<long>(options_.answer_time.count()));
    } else {  // less than a byte a second, for so long
      set(CURLOPT_LOW_SPEED_LIMIT, 1L);
      set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(silence.count()));
    }
    if (options_.is_stopped) {
      set(CURLOPT_NOPROGRESS, 0L);
      set(CURLOPT_XFERINFOFUNCTION, ask_whether_stopped);
      set(CURLOPT_XFERINFODATA, &options_.is_stopped);
    }
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_ERRORBUFFER, message_.data());
    set(CURLOPT_WRITEFUNCTION, take_bytes);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_HEADERFUNCTION, take_field);
    set(CURLOPT_HEADERDATA, &transfer);
    const CURLcode code = curl_easy_perform(handle_.get());
    if (code != CURLE_OK) times_.reset();  // and the next begins another connection
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    transfer.response.status = static_cast<int>(status);
    transfer.response.type = field_of(transfer.response, "content-type");
    return code;
  }

  void set_tls() {
    set(CURLOPT_MAXCONNECTS, 1L);  // the one before is closed, and not taken again
    set(CURLOPT_FRESH_CONNECT, has_other_files() ? 1L : 0L);
    set(CURLOPT_CA_CACHE_TIMEOUT, 0L);
    // A session that is resumed has the certificate with which it began.
    const auto& [own, key] = own_pem();
    if (!own.file.empty() || issued_ != nullptr) set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
    set_pem(options_.ca, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB);
    if (!options_.ca.file.empty() || !options_.ca.text.empty())
      set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    set_pem(own, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB);
    set_pem(key, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB);
    if (!options_.is_insecure) return;
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }

  void set_pem(const Pem& pem, CURLoption file, CURLoption text) {
    if (!pem.file.empty()) set(file, pem.file.c_str());
    if (pem.text.empty()) return;
    // Not copied: it lives until the request is answered.
    curl_blob blob{.data = const_cast<char*>(pem.text.data()), .len = pem.text.size(), .flags = 0};
    set(text, &blob);
  }

  static std::unique_ptr<curl_slist, ListEnd> list_of(const std::vector<std::string>& lines) {
    std::unique_ptr<curl_slist, ListEnd> list;
    for (const std::string& line : lines) {
      curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
      MIRAB_ASSERT(longer != nullptr, "memory for a field");
      static_cast<void>(list.release());
      list.reset(longer);
    }
    return list;
  }

  std::unique_ptr<curl_slist, ListEnd> fields_of(const Request& request) {
    std::vector<std::string> lines = {"Expect:"};
    if (!route_.host.empty()) lines.push_back("Host: " + route_.host);
    if (const std::string& token = bearer_token(); !token.empty())
      lines.push_back("Authorization: Bearer " + token);
    if (!request.body.empty() && request.field("content-type").empty())
      lines.emplace_back("Content-Type: application/json");
    for (const auto& [name, value] : options_.fields) lines.push_back(name + ": " + value);
    for (const auto& [name, value] : request.fields) lines.push_back(name + ": " + value);
    return list_of(lines);
  }

  std::string message_of(CURLcode code, const Transfer& transfer) const {
    if (transfer.is_too_long) return fmt::format("the answer has more than {} bytes", transfer.most_bytes);
    if (code == CURLE_ABORTED_BY_CALLBACK) return "stopped";
    return message_[0] == 0 ? curl_easy_strerror(code) : message_.data();
  }

  Error error_of(CURLcode code, const Transfer& transfer) const {
    return {.message = message_of(code, transfer), .file = options_.url.text};
  }

  HttpClientOptions options_;
  Route route_;
  TokenSource token_;
  std::shared_ptr<const Issued> issued_ = nullptr;
  std::unique_ptr<CURL, EasyEnd> handle_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::optional<std::array<std::filesystem::file_time_type, 3>> times_{};
  Steady::time_point look_at_{};
  Random random_;
};

}  // namespace

Result<Url> read_url(const std::string& text, const std::string& key) {
  const auto refuse = [&](const std::string& why) {
    return Error{.message = fmt::format("'{}' is not the URL of a server: {}", text, why), .key = key};
  };
  const std::unique_ptr<CURLU, UrlEnd> url(curl_url());
  MIRAB_ASSERT(url != nullptr, "memory for a URL");
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
  const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
  if (code == CURLUE_BAD_SCHEME || code == CURLUE_UNSUPPORTED_SCHEME ||
      (code == CURLUE_OK && scheme != "http" && scheme != "https"))
    return refuse("it begins with http:// or https://");
  if (code != CURLUE_OK) return refuse(curl_url_strerror(code));
  for (const auto& [part, name] : {std::pair{CURLUPART_USER, "user"},
                                   {CURLUPART_PASSWORD, "password"},
                                   {CURLUPART_QUERY, "query"},
                                   {CURLUPART_FRAGMENT, "fragment"}}) {
    if (!part_of(url.get(), part).empty()) return refuse(fmt::format("it has no {}", name));
  }
  Url read{.has_tls = scheme == "https",
           .host = part_of(url.get(), CURLUPART_HOST),
           .text = part_of(url.get(), CURLUPART_URL)};
  while (read.text.ends_with('/')) read.text.pop_back();
  return read;
}

bool is_readable_on_the_way(const Url& url) {
  if (url.has_tls) return false;
  const bool is_v6 = url.host.starts_with('[') && url.host.ends_with(']');
  return url.host != "localhost" && !is_loopback(is_v6 ? url.host.substr(1, url.host.size() - 2) : url.host);
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char byte : text) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("-._~").find(byte) != std::string_view::npos;
    encoded += is_plain ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return encoded;
}

std::optional<std::chrono::seconds> retry_after(const Response& response) {
  constexpr std::int64_t kDay = 86'400;
  const std::string_view asked = field_of(response, "retry-after");
  std::int64_t seconds = 0;
  const auto [end, bad] = std::from_chars(asked.data(), asked.data() + asked.size(), seconds);
  const bool is_number = !asked.empty() && bad == std::errc() && end == asked.data() + asked.size();
  if (!is_number || seconds < 0 || seconds >= kDay) return std::nullopt;
  return std::chrono::seconds(seconds);
}

Result<std::unique_ptr<HttpClient>> HttpClient::open(HttpClientOptions options) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  for (const Pem* pem : {&options.ca, &options.credentials.certificate, &options.credentials.key}) {
    if (Check wrong = check_readable(pem->file)) return *std::move(wrong);
  }
  Result<TokenSource> token = TokenSource::open(options.credentials, Steady::now());
  if (!token) return std::move(token).error();
  Result<Route> route = route_of(options);
  if (!route) return std::move(route).error();
  CURL* const handle = curl_easy_init();
  MIRAB_ASSERT(handle != nullptr, "memory for a connection");
  return std::unique_ptr<HttpClient>(
      std::make_unique<CurlClient>(std::move(options), *std::move(route), *std::move(token), handle));
}

}  // namespace mirab::net
