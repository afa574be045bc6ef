#!/usr/bin/env python3
"""Writes the bill of materials of a release, SPDX 2.3 as JSON: what is linked or compiled into its files.

Debian's packages are found, not listed: every header that the compiler read and every library that the linker was
given, by the package that owns it. One whose licence is not known here is an error. The packages of the page are
those of package-lock.json that are not for development.

Usage: tools/release/sbom.py PORTABLE SHARED FILE... >mirab.spdx.json
       e.g. build/portable build/release build/release-files/*.whl

SHARED is the build of the .deb, which uses shared libraries and has `mirab serve` and its clients; PORTABLE that of all other files.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LICENCES = {
    "libboost1.74-dev": "BSL-1.0",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcli11-dev": "BSD-3-Clause",
    "libcurl4": "curl",
    "libcurl4-openssl-dev": "curl",
    "libdeflate-dev": "MIT",
    "libdeflate0": "MIT",
    "libeigen3-dev": "MPL-2.0",
    "libexpat1": "MIT",
    "libexpat1-dev": "MIT",
    "libfmt-dev": "MIT",
    "libfmt9": "MIT",
    "libgcc-12-dev": GCC,
    "libgmp-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgmp10": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgmpxx4ldbl": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libjemalloc-dev": "BSD-2-Clause",
    "libjemalloc2": "BSD-2-Clause",
    "libprometheus-cpp-core1.0": "MIT",
    "libpython3.11-dev": "PSF-2.0",
    "libsqlite3-0": "blessing",
    "libsqlite3-dev": "blessing",
    "libssl-dev": "Apache-2.0",
    "libssl3": "Apache-2.0",
    "libstdc++-12-dev": GCC,
    "libyaml-cpp-dev": "MIT",
    "libyaml-cpp0.7": "MIT",
    "linux-libc-dev": "GPL-2.0-only WITH Linux-syscall-note",
    "nlohmann-json3-dev": "MIT",
    "prometheus-cpp-dev": "MIT",
    "pybind11-dev": "BSD-3-Clause",
    "zlib1g": "Zlib",
    "zlib1g-dev": "Zlib",
}


def said_by(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def inputs(build: pathlib.Path) -> set[str]:
    """Headers by ninja's record of what was read, libraries by the commands that link."""
    read = {os.path.realpath(line.strip()) for line in said_by("ninja", "-C", str(build), "-t", "deps").splitlines()
            if line.startswith("    /usr/")}
    linked = set(re.findall(r"(/usr/lib/\S+\.(?:a|so))\b", (build / "build.ninja").read_text()))
    runtime = {said_by("g++", f"-print-file-name={name}").strip() for name in ("libstdc++.a", "libgcc.a", "libc.a")}
    return {os.path.realpath(path) for path in read | linked | runtime}


def debian_packages(files: set[str]) -> dict[str, str]:
    """The packages that own the files, each with its relation: a shared library is linked, all else compiled in."""
    # dpkg knows some by their name in /lib, which is /usr/lib today.
    asked = files | {path.removeprefix("/usr") for path in files}
    answer = subprocess.run(["dpkg", "-S", *sorted(asked)], capture_output=True, text=True).stdout
    owners = {line.split(": ")[1]: line.split(":")[0] for line in answer.splitlines()}
    orphans = [path for path in files if path not in owners and path.removeprefix("/usr") not in owners]
    if orphans:
        sys.exit(f"sbom: no package owns {', '.join(sorted(orphans))}")
    relations: dict[str, str] = {}
    for path, owner in owners.items():
        if re.search(r"\.so(\.|$)", path):
            relations.setdefault(owner, "DYNAMIC_LINK")
        else:
            relations[owner] = "STATIC_LINK"
    unknown = relations.keys() - LICENCES.keys()
    if unknown:
        sys.exit(f"sbom: the licence of {', '.join(sorted(unknown))} is not listed in tools/release/sbom.py")
    return dict(sorted(relations.items()))


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name: str, version: str, licence: str, reference: str, supplier: str) -> dict[str, object]:
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version, "supplier": supplier,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": reference}]}


def of_debian(name: str) -> dict[str, object]:
    version, architecture = said_by("dpkg-query", "-W", "-f", "${Version} ${Architecture}", name).split()
    reference = f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B')}?arch={architecture}"
    return package(name, version, LICENCES[name], reference, "Organization: Debian")


def of_npm() -> list[dict[str, object]]:
    found = {}
    for page in ("src/report/page", "src/api/page"):
        lock = json.loads((SOURCE / page / "package-lock.json").read_text())
        found.update({path.removeprefix("node_modules/"): each for path, each in lock["packages"].items()
                      if path and not each.get("dev")})
    return [package("npm-" + name, each["version"], each["license"], f"pkg:npm/{name}@{each['version']}", "NOASSERTION")
            for name, each in found.items()]


def file_of(path: pathlib.Path) -> dict[str, object]:
    content = path.read_bytes()
    sums = [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, content).hexdigest()}
            for name in ("sha1", "sha256")]
    return {"SPDXID": identifier("file-" + path.name), "fileName": "./" + path.name, "checksums": sums,
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}


def main(portable: pathlib.Path, shared: pathlib.Path, paths: list[pathlib.Path]) -> None:
    version = said_by(str(portable / "mirab"), "--version").split()[1]
    own = package("mirab", version, "Apache-2.0", f"pkg:generic/mirab@{version}", "NOASSERTION")
    of_portable = debian_packages(inputs(portable))
    of_shared = debian_packages(inputs(shared)) if shared != portable else of_portable
    page = of_npm()
    parts = [*map(of_debian, sorted(of_portable | of_shared)), *page]
    files = [file_of(path) for path in paths]
    whole = hashlib.sha256("".join(str(each["checksums"]) for each in files).encode()).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    relations += [(each["SPDXID"], "GENERATED_FROM", own) for each in files]
    by_name = {str(each["name"]): each for each in parts}
    for path, each in zip(paths, files):
        linked = of_shared if path.suffix == ".deb" else of_portable
        relations += [(each["SPDXID"], kind, by_name[name]) for name, kind in linked.items()]
        relations += [(each["SPDXID"], "STATIC_LINK", part) for part in page]
    ids = [each["SPDXID"] for each in [own, *parts, *files]]
    assert len(set(ids)) == len(ids), "identifiers are unique"
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
               "name": f"mirab-{version}", "documentNamespace": f"https://mirab.example/spdx/mirab-{version}-{whole}",
               "creationInfo": {"created": created, "creators": [f"Tool: mirab-sbom-{version}"]},
               "packages": [own, *parts], "files": files,
               "relationships": [{"spdxElementId": source, "relationshipType": kind,
                                  "relatedSpdxElement": target["SPDXID"]} for source, kind, target in relations]},
              sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]])
