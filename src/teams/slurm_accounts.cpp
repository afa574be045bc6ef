// Associations of Slurm: man sacctmgr, "LIST/SHOW ASSOCIATION FORMAT OPTIONS"; fair tree:
// https://slurm.schedmd.com/fair_tree.html
#include "teams/slurm_accounts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>

#include "model/csv_table.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"
#include "slurm/records.hpp"

namespace mirab::teams {
namespace {

constexpr std::string_view kRoot = "root";
constexpr std::string_view kSlurmPrints =
    "`sacctmgr show assoc -P format=Cluster,Account,ParentName,User,Partition,Share,GrpTRES` prints what is "
    "read";

/// The columns that are read, by the names that sacctmgr gives them.
struct Columns {
  std::size_t account;
  std::optional<std::size_t> parent = {}, user = {}, share = {}, partition = {}, cluster = {}, limit = {};

  bool has(std::size_t column) const {
    return column == account || column == parent || column == user || column == share ||
           column == partition || column == cluster || column == limit;
  }
};

/// An account, or a user of one.
struct Association {
  const CsvRow* row;
  std::string account;
  std::string user = {};               ///< empty: the account itself
  std::string parent = {};             ///< of an account
  std::optional<mpq_class> share = 1;  ///< without a value: that of the parent
  Amounts limit = {};
};

class SlurmImport {
 public:
  SlurmImport(const SourceText& source, SlurmTeam team)
      : file_(source.file), text_(source.text), team_(team) {}

  Result<ImportedTeams> import() {
    if (text_.substr(0, text_.find('\n')).find('|') == std::string_view::npos)
      return Error{
          .message = fmt::format("is no table with | between its columns and a head; {}", kSlurmPrints),
          .file = file_,
          .line = 1};
    Result<CsvTable> table = read_csv_table({.file = file_, .text = text_});
    if (!table) return std::move(table).error();
    table_ = *std::move(table);
    if (Check wrong = find_columns()) return *std::move(wrong);
    for (const CsvRow& row : table_.rows) {
      if (Check wrong = read(row)) return *std::move(wrong);
    }
    if (Check wrong = check_parents()) return *std::move(wrong);
    if (accounts_.empty())
      return Error{.message = fmt::format("there is no account but root; {}", kSlurmPrints), .file = file_};
    std::vector<Group> groups;
    for (const auto& [name, account] : accounts_) add(account, groups);
    Result<ImportedTeams> teams = arrange("users", std::move(groups), std::move(not_kept_));
    if (!teams) return teams;
    teams->provenance = {
        fmt::format("From the accounts of Slurm. A weight is a fairshare, a limit GrpTRES; the users of the "
                    "cluster file are {}.",
                    team_ == SlurmTeam::account ? "accounts" : "users")};
    return teams;
  }

 private:
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = table_.column(name)) return found;
    }
    return {};
  }

  Check find_columns() {
    const auto account = column({"Account"});
    if (!account)
      return Error{.message = fmt::format("has no column Account in its head; {}", kSlurmPrints),
                   .file = file_,
                   .line = table_.rows.empty() ? 0 : 1};
    columns_ = {.account = *account,
                .parent = column({"ParentName", "Par Name", "Parent"}),
                .user = column({"User"}),
                .share = column({"Share", "Fairshare", "RawShares"}),
                .partition = column({"Partition"}),
                .cluster = column({"Cluster"}),
                .limit = column({"GrpTRES"})};
    if (!columns_.parent)
      return Error{
          .message = fmt::format("has no column ParentName, without which nobody knows which account is "
                                 "within which; {}",
                                 kSlurmPrints),
          .key = "ParentName",
          .file = file_,
          .line = 1};
    return {};
  }

  std::string cell(const CsvRow& row, std::optional<std::size_t> column) const {
    return column ? row.cells[*column] : std::string();
  }

  Check wrong(const CsvRow& row, std::optional<std::size_t> column, std::string message) const {
    return Error{.message = std::move(message),
                 .key = column ? table_.head[*column] : std::string(),
                 .file = file_,
                 .line = row.line};
  }

  Check read(const CsvRow& row) {
    Association each{.row = &row, .account = cell(row, columns_.account), .user = cell(row, columns_.user)};
    if (each.account.empty()) return wrong(row, columns_.account, "missing");
    if (const std::string cluster = cell(row, columns_.cluster); !cluster.empty()) {
      if (cluster_.empty()) cluster_ = cluster;
      if (cluster != cluster_)
        return wrong(
            row, columns_.cluster,
            fmt::format("a second cluster: print one, with sacctmgr show assoc cluster={}", cluster_));
    }
    each.parent = cell(row, columns_.parent);
    if (Check bad = read_share(row, each)) return bad;
    if (Check bad = read_limit(row, each)) return bad;
    name_other_columns(row, each);
    if (each.account == kRoot) return {};
    const std::string partition = cell(row, columns_.partition);
    if (each.user.empty()) {
      if (!accounts_.emplace(each.account, each).second)
        return wrong(row, columns_.account, fmt::format("a second account '{}'", each.account));
      return {};
    }
    if (!partition.empty()) {
      not_kept_.add("not kept, that shares and limits are of a partition", "association",
                    fmt::format("{}/{}/{}", each.account, each.user, partition));
    }
    const auto [known, is_new] = users_[each.account].emplace(each.user, each);
    // What holds on every partition goes before what holds on one.
    if (!is_new && partition.empty()) known->second = each;
    return {};
  }

  Check read_share(const CsvRow& row, Association& each) const {
    const std::string text = cell(row, columns_.share);
    if (text.empty()) return {};
    if (lower_case(text) == "parent") {
      each.share.reset();
      return {};
    }
    const Result<Quantity> share = Quantity::parse(text);
    if (!share) return wrong(row, columns_.share, share.error().message);
    each.share = rational(*share);
    return {};
  }

  Check read_limit(const CsvRow& row, Association& each) {
    const Result<slurm::Amounts> amounts = slurm::read_tres(cell(row, columns_.limit));
    if (!amounts) return wrong(row, columns_.limit, amounts.error().message);
    for (const auto& [name, amount] : *amounts) {
      constexpr std::string_view kGeneric = "gres/";
      if (name == "cpu") {
        each.limit["cpu"] = rational(amount);
      } else if (name == "mem") {
        each.limit["memory"] = rational(amount);
      } else if (name.starts_with(kGeneric)) {
        each.limit[name.substr(kGeneric.size())] = rational(amount);
      } else {
        not_kept_.add(fmt::format("not kept, {} of GrpTRES", printable(name)), "association", called(each));
      }
    }
    return {};
  }

  static std::string called(const Association& each) {
    return each.user.empty() ? each.account : fmt::format("{}/{}", each.account, each.user);
  }

  void name_other_columns(const CsvRow& row, const Association& each) {
    // What every association has, and what a priority of 0 or a default adds nothing to.
    static constexpr std::array<std::string_view, 9> kSaysNothing = {
        "id", "lft", "rgt", "lineage", "qos", "parid", "par id", "def qos", "defaultqos"};
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string name = lower_case(table_.head[c]);
      const bool says_nothing =
          std::find(kSaysNothing.begin(), kSaysNothing.end(), name) != kSaysNothing.end();
      if (columns_.has(c) || says_nothing || row.cells[c].empty()) continue;
      not_kept_.add(fmt::format("not kept, {}", printable(table_.head[c])), "association", called(each));
    }
    const std::string qos = cell(row, column({"QOS"}));
    if (!qos.empty() && qos != "normal") not_kept_.add("not kept, QOS", "association", called(each));
  }

  /// Every account of the table has its parent there, up to `root`; so have users their account.
  Check check_parents() {
    for (const auto& [name, account] : accounts_) {
      if (account.parent.empty())
        return wrong(*account.row, columns_.parent, fmt::format("the account '{}' has no parent", name));
      below_[account.parent].push_back(name);
    }
    for (const auto& [name, users] : users_) {
      if (!accounts_.contains(name))
        return wrong(*users.begin()->second.row, columns_.account,
                     fmt::format("there is no account '{}' of its own in the table; {}", name, kSlurmPrints));
    }
    return {};
  }

  /// The group of an account, and those of its users where they need some.
  void add(const Association& account, std::vector<Group>& groups) {
    Group group{.id = account.account,
                .name = account.account,
                .kind = "account",
                .position = position(account, columns_.parent),
                .weight = weight(account),
                .limit = {.amounts = account.limit}};
    if (account.parent != kRoot) group.parent = account.parent;
    const auto users = users_.find(account.account);
    const bool has_users = users != users_.end();
    if (team_ == SlurmTeam::account) {
      mpq_class shares = 0;
      if (has_users) {
        for (const auto& [name, user] : users->second) shares += user.share.value_or(1);
        name_users(users->second);
      }
      const bool is_leaf = !below_.contains(account.account);
      if (is_leaf || !has_users || shares == 1) {
        if (is_leaf || has_users) group.members = {account.account};
      } else {
        // Its users beside its accounts: together they have the shares of them all.
        groups.push_back({.id = account.account + "/",
                          .name = account.account + "-users",
                          .kind = "account",
                          .parent = account.account,
                          .position = group.position,
                          .weight = shares,
                          .members = {account.account}});
      }
    } else if (has_users) {
      for (const auto& [name, user] : users->second) add_user(user, group, groups);
    }
    groups.push_back(std::move(group));
  }

  /// A user with a share or a limit of its own is a group: a member of a group has neither.
  void add_user(const Association& user, Group& account, std::vector<Group>& groups) const {
    if (user.share.value_or(1) == 1 && user.limit.empty()) {
      account.members.push_back(user.user);
      return;
    }
    const std::string path = fmt::format("{}/{}", user.account, user.user);
    groups.push_back({.id = path,
                      .name = path,
                      .kind = "user",
                      .parent = user.account,
                      .position = position(user, columns_.user),
                      .weight = user.share.value_or(1),
                      .limit = {.amounts = user.limit},
                      .members = {user.user}});
  }

  void name_users(const std::map<std::string, Association>& users) {
    std::set<mpq_class> shares;
    for (const auto& [name, user] : users) {
      shares.insert(user.share.value_or(1));
      if (!user.limit.empty()) not_kept_.add("not kept, GrpTRES of a user", "user", called(user));
    }
    if (shares.size() > 1)
      not_kept_.add("not kept, which share of an account each of its users has", "account",
                    users.begin()->second.account);
  }

  /// An account with `parent` leaves its members to its own parent: it has the shares of all of them.
  mpq_class weight(const Association& account) {
    if (account.share) return *account.share;
    not_kept_.add("Fairshare=parent: the shares of those below, together, are the weight", "account",
                  account.account);
    return shares_below(account.account, kMostLevels);
  }

  mpq_class shares_below(const std::string& account, std::size_t levels) const {
    if (levels == 0) return 1;  // a cycle, which arrange() refuses
    mpq_class sum = 0;
    if (const auto below = below_.find(account); below != below_.end()) {
      for (const std::string& name : below->second) {
        const std::optional<mpq_class>& share = accounts_.at(name).share;
        sum += share ? *share : shares_below(name, levels - 1);
      }
    }
    if (const auto users = users_.find(account); users != users_.end()) {
      for (const auto& [name, user] : users->second) sum += user.share.value_or(1);
    }
    return sum == 0 ? mpq_class(1) : sum;
  }

  FilePosition position(const Association& each, std::optional<std::size_t> column) const {
    return {.key = column ? table_.head[*column] : "", .file = file_, .line = each.row->line};
  }

  std::string file_;
  std::string_view text_;
  SlurmTeam team_;
  CsvTable table_ = {};
  Columns columns_ = {};
  std::string cluster_ = {};
  std::map<std::string, Association> accounts_ = {};
  std::map<std::string, std::map<std::string, Association>> users_ = {};  // by account
  std::map<std::string, std::vector<std::string>> below_ = {};            // accounts by their parent
  NotKept not_kept_ = {};
};

}  // namespace

Result<ImportedTeams> import_slurm_accounts(const SourceText& source, SlurmTeam team) {
  return SlurmImport(source, team).import();
}

}  // namespace mirab::teams
