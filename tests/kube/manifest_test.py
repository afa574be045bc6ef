"""What `mirab kube manifest` prints is YAML, and the rights in it are those that the scheduler needs."""

import os
import re
import subprocess
import unittest

from kube_case import PROGRAM, KubeCase
from scripted_api import refusal
from scripted_cluster import REVIEWS, permission_of, pod


class Usage(unittest.TestCase):
    def test_a_wrong_value_is_named_also_where_there_are_subcommands(self):
        for words, said in ((["--connections", "0"], "--connections: '0' is not a whole number from 1 to 256"),
                            (["--share-scale", "cpu=-1"], "--share-scale: 'cpu=-1' is not of the form RESOURCE=FACTOR"),
                            (["manifestt"], "there is no command 'manifestt' of mirab kube; did you mean manifest?"),
                            (["manifest", "--flow-schema", "v2"], "--flow-schema"),
                            (["manifest", "--namespace", "A B"], "--namespace: must be a name of Kubernetes, "),
                            (["manifest", "--namespace", "a.b"], "--namespace: must be a name of Kubernetes, "),
                            (["manifest", "--scheduler-name", "x, y"], "--scheduler-name: must be a name of"),
                            (["manifest", "--scheduler-name", ""], "--scheduler-name: must be a name of"),
                            (["manifest", "--image", "a b: c"], "--image: must be the name of an image, without bl"),
                            (["manifest", "--image", ""], "--image: must be the name of an image, without blanks")):
            ran = subprocess.run([PROGRAM, "kube", *words], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)
            self.assertIn(said, ran.stderr)


class Manifest(KubeCase):
    def test_a_teams_file_that_is_not_utf8_is_refused(self):
        text = "groups: [{name: x, namespaces: [a]}]\n"
        for encoding in ("utf-16", "utf-16-be"):
            file = os.path.join(self.folder.name, "teams.yaml")
            with open(file, "w", encoding=encoding) as written:
                written.write("\ufeff" * encoding.endswith("be") + text)
            ran = subprocess.run([PROGRAM, "kube", "manifest", "--teams", file], capture_output=True, check=False,
                                 timeout=60)
            self.assertEqual((ran.returncode, ran.stdout), (2, b""), encoding)
            self.assertIn(file.encode() + b": is not UTF-8, as the text of a ConfigMap", ran.stderr)

    def test_a_byte_order_mark_is_no_part_of_the_teams(self):
        file = os.path.join(self.folder.name, "teams.yaml")
        with open(file, "w", encoding="utf-8-sig") as written:
            written.write("groups: [{name: x, namespaces: [a]}]\n")
        ran = subprocess.run([PROGRAM, "kube", "manifest", "--teams", file], capture_output=True, check=True,
                             timeout=60)
        self.assertIn(b"\n    groups: [{name: x, namespaces: [a]}]\n", ran.stdout)
        self.assertNotIn("\ufeff".encode(), ran.stdout)

    def test_what_looks_like_a_number_is_a_text(self):
        ran = subprocess.run([PROGRAM, "kube", "manifest", "--namespace", "123", "--scheduler-name", "true",
                              "--team", 'label=a"b'], capture_output=True, text=True, check=True, timeout=60)
        self.assertIn('namespace: "123"', ran.stdout)
        self.assertIn('--scheduler-name, "true"', ran.stdout)
        self.assertIn('"label=a\\"b"', ran.stdout)

    def test_it_is_a_row_of_documents(self):
        kinds = [(document["kind"], document["metadata"]["name"]) for document in manifest()]
        self.assertEqual(kinds, [
            ("Namespace", "mirab-system"), ("ServiceAccount", "mirab"), ("ClusterRole", "mirab-scheduler"),
            ("ClusterRoleBinding", "mirab-scheduler"), ("Role", "mirab-lease"), ("RoleBinding", "mirab-lease"),
            ("FlowSchema", "mirab"), ("Deployment", "mirab")])

    def test_its_options_are_where_they_belong(self):
        documents = manifest("--namespace", "fair", "--image", "registry.example/m:1", "--scheduler-name", "s")
        [container] = documents[-1]["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "registry.example/m:1")
        self.assertEqual(container["args"][:5], ["kube", "--scheduler-name", "s", "--lease-namespace", "fair"])
        spaces = {document["metadata"].get("namespace", "fair") for document in documents}
        subjects = {subject["namespace"] for document in documents for subject in document.get("subjects", [])}
        self.assertEqual((spaces, subjects, documents[0]["metadata"]["name"]), ({"fair"}, {"fair"}, "fair"))

    def test_it_runs_with_these_rights_and_needs_all_of_them(self):
        documents = manifest()
        cluster = self.cluster(minor="20", rights=lambda asked: is_allowed(documents, asked))
        cluster.add(pod("p"), pod("large", cpu="5"))
        lost = [(500, refusal(500, "etcd is away"), {})]
        cluster.fault = lambda call: lost.pop() if call.path.endswith("/binding") and lost else None
        [container] = documents[-1]["spec"]["template"]["spec"]["containers"]
        words = container["args"][1:container["args"].index("--listen")]
        scheduler = self.start(cluster, "--leader-elect", *words)
        cluster.bound("p")
        cluster.until(lambda: cluster.conditions and len(cluster.events) > 1)
        renewals = len(cluster.asked_for("PUT"))
        cluster.until(lambda: len(cluster.asked_for("PUT")) > renewals)
        self.assertEqual(scheduler.stop(), 0)
        asked = [permission_of(call) for call in cluster.calls if call.path not in ("/version", REVIEWS)]
        self.assertEqual([each for each in asked if not is_allowed(documents, each)], [])
        self.assertEqual({(each.verb, each.resource) for each in asked},
                         {(verb, resource) for document in documents for rule in rules_of(document)
                          for verb in rule["verbs"] for resource in rule["resources"]}, "and nothing else")


    def test_options_bring_the_rights_that_they_need_and_no_others(self):
        plain = {(verb, resource) for document in manifest() for rule in rules_of(document)
                 for verb in rule["verbs"] for resource in rule["resources"]}
        documents = manifest("--preempt", "--team", "label=team")
        all_of = {(verb, resource) for document in documents for rule in rules_of(document)
                  for verb in rule["verbs"] for resource in rule["resources"]}
        self.assertEqual(all_of - plain, {("list", "namespaces"), ("watch", "namespaces"), ("create", "pods/eviction"),
                                          ("list", "poddisruptionbudgets"), ("watch", "poddisruptionbudgets")})
        [container] = documents[-1]["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["args"][-3:], ["--team", "label=team", "--preempt"])


def manifest(*words):
    ran = subprocess.run([PROGRAM, "kube", "manifest", *words], capture_output=True, text=True, check=True, timeout=60)
    return [Yaml(text).value() for text in ran.stdout.split("\n---\n")]


def is_allowed(documents, asked):
    """By the rules of the roles. As in Kubernetes, a rule of named objects does not hold where no name is asked for."""
    for document in documents:
        is_there = document["kind"] == "ClusterRole" or document["metadata"].get("namespace") == asked.space
        for rule in rules_of(document) if is_there else []:
            if (asked.group in rule["apiGroups"] and asked.resource in rule["resources"] and asked.verb in rule["verbs"]
                    and ("resourceNames" not in rule or asked.name in rule["resourceNames"])):
                return True
    return False


def rules_of(document):
    return document["rules"] if document["kind"] in ("Role", "ClusterRole") else []


class Yaml:
    """The YAML that the manifest is written in: maps and lists by indentation, or within braces and brackets, and
    texts. Whatever else there is, is an error."""

    TEXT = r'"[^"\\]*"|(?:[^\s"\'\[\]{},:#&*!|>%@`-]|-(?=\S))(?:[^\s\[\]{},:#]|:(?=\S))*'

    def __init__(self, text):
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        self.lines = [(len(line) - len(line.lstrip()), line.strip()) for line in lines]

    def value(self):
        value = self.block(0)
        if self.lines:
            raise ValueError(self.lines[0])
        return value

    def block(self, indent):
        """The list or the map of the lines that begin with exactly this many blanks."""
        is_list = self.lines[0][1].startswith("- ")
        items, pairs = [], {}
        while self.lines and self.lines[0][0] == indent and self.lines[0][1].startswith("- ") == is_list:
            text = self.lines[0][1]
            if is_list:
                self.lines[0] = (indent + 2, text[2:])
                items.append(self.whole(self.lines.pop(0)[1]) if text[2] in "[{" else self.block(indent + 2))
                continue
            key, rest = re.fullmatch(rf"({self.TEXT}):(?: (.+))?", text).groups()
            if key in pairs:
                raise ValueError(f"{key} is there twice")
            self.lines.pop(0)
            if rest:
                pairs[key] = self.whole(rest)
            else:  # a list may stand below its key without more blanks
                deeper, first = self.lines[0]
                if deeper < indent or (deeper == indent and not first.startswith("- ")):
                    raise ValueError(f"{key} has no value")
                pairs[key] = self.block(deeper)
        return items if is_list else pairs

    def whole(self, text):
        value, left = self.flow(text)
        if left:
            raise ValueError(left)
        return value

    def flow(self, text):
        """The value that the text begins with, and the rest of it."""
        if text[0] not in "[{":
            found = re.match(self.TEXT, text)
            return found[0].strip('"'), text[found.end():].lstrip()
        is_list, end, text = text[0] == "[", "]" if text[0] == "[" else "}", text[1:].lstrip()
        items, pairs = [], {}
        while not text.startswith(end):
            if not is_list:
                key, text = re.match(rf"({self.TEXT}): (.*)", text).groups()
            value, text = self.flow(text)
            if is_list:
                items.append(value)
            else:
                pairs[key] = value
            if not text.startswith((",", end)):
                raise ValueError(text)
            text = text.removeprefix(",").lstrip()
        return (items if is_list else pairs), text[1:].lstrip()


if __name__ == "__main__":
    unittest.main()
