#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// One API object of a text, alone in its document or an item of a List.
struct Object {
  std::string kind;
  const Node* root;
  std::string pointer;       ///< of the object in its document, a JSON pointer: empty, or `/items/3`
  std::size_t document = 0;  ///< from 0

  /// metadata.name and the like; empty when it is not there.
  std::string_view metadata(std::string_view key) const;
  std::string_view name() const { return metadata("name"); }

  /// A key within the object as errors show it: `items[3].spec.replicas`.
  std::string key(std::string_view within) const;
};

/// Is it made of what Kubernetes allows in names: a-z, 0-9, - and the point? So it needs no quotes anywhere.
bool is_name(std::string_view text);
inline constexpr const char* kNotAName = "is not a valid Kubernetes name: only a-z, 0-9, - and . are allowed";

/// Is it a label of DNS (RFC 1123), as the name of a namespace is? At most 63 of a-z, 0-9 and -, which is
/// neither first nor last.
bool is_dns_label(std::string_view text);

/// Who wrote which field: half of the text of an object, and of no use here.
inline constexpr LeftOut kManagedFields{.map = "metadata", .key = "managedFields"};

/// A text of API objects as kubectl prints it: JSON where it begins so, whatever its file is called, and of
/// several values, which follow one another. The logs between the objects of `kubectl cluster-info dump` are
/// blank lines.
struct ObjectsText {
  std::string text;
  Syntax syntax;
};
ObjectsText objects_text(std::string_view text, Syntax syntax);

/// The documents of such a text. Errors as of read_documents().
Result<std::vector<Node>> read_object_documents(std::string_view text, Syntax syntax,
                                                const std::string& file);

/// Are the items of each `List` a list? Errors name the key: what stands there would be no object.
Check check_lists(const std::vector<Node>& documents, const std::string& file);

/// All objects of the documents in their order, lists within lists too. An item of a PodList is a Pod, even
/// where it does not say so. Pointers into `documents`.
std::vector<Object> objects_of(const std::vector<Node>& documents);

/// The value at a JSON pointer, without `~` in it; nothing when there is none.
const Node* value_at(const Node& root, std::string_view pointer);
Node* value_at(Node& root, std::string_view pointer);

/// A JSON pointer as errors show it: `/items/3/spec` is `items[3].spec`.
std::string key_of(std::string_view pointer);

/// How many pods an object runs at once. `count` is where it says so, `/spec/replicas` or that of a job's
/// parallelism, and empty for one pod. Errors name file, line and key.
Result<std::int64_t> pods_run_by(const Object& object, std::string_view count, const std::string& file);

/// Has the pod or job come to its end?
bool is_done(const Object& object);

/// What runs a pod.
struct Owner {
  std::string kind;  ///< `Deployment`, `DaemonSet`; `Pod` of a pod that nothing else runs
  std::string name;  ///< without the hash of a ReplicaSet or the time of a CronJob's job
};

/// The controller of a pod: the Deployment of its ReplicaSet, by the hash behind its name; the CronJob of its
/// Job, by the minute behind its name; the pod itself when it has none.
Owner owner_of(const Object& pod);

/// The Deployment of a ReplicaSet, by what it puts behind its name; empty when it is not of one.
std::string_view deployment_of(std::string_view replica_set, const Object& pod);

/// Is it a pod that the kubelet runs from a file on its node, a mirror in the API?
bool is_static(const Object& pod);

/// A number as a manifest writes it. Errors: besides those of Quantity, a whole number that begins with 0,
/// such as `010`, which is 8 to YAML 1.1 and kubectl and 10 to others.
Result<Quantity> read_number(std::string_view text);

}  // namespace mirab::kubernetes
