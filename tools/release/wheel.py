#!/usr/bin/env python3
"""Writes the Python wheel from the portable build: the package, the program, and what pip must know of them.

The tag says what is needed: the interpreter that the module is compiled for, and the newest version of the C
library whose functions it calls. GMP comes with it; other libraries are linked in, or this fails. The same build gives
the same bytes.

Usage: tools/release/wheel.py BUILD FOLDER      e.g. build/portable build/release-files; prints the wheel's name
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# What PEP 600 lets every Linux system of such a tag have, of the libraries that the module might need.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}

GMP = "libgmp.so.10"

METADATA = """\
Metadata-Version: 2.1
Name: mirab
Version: {version}
Summary: Fair sharing of a cluster's resources among its users
License: Apache-2.0
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy (>=1.20,<2)
Provides-Extra: pandas
Requires-Dist: pandas ; extra == 'pandas'

The module `mirab` divides a cluster's resources by DRF, DRFH and other mechanisms, explains, compares and audits
the result, and schedules tasks with an online engine. The wheel also has the program `mirab`. Both have types,
help and errors that name what is wrong: `help(mirab)`, `mirab --help`.
"""


def said_by(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def gmp() -> pathlib.Path:
    return pathlib.Path(said_by("g++", f"-print-file-name={GMP}").strip()).resolve()


def platform_tag(module: pathlib.Path) -> str:
    """manylinux_2_N_x86_64, after PEP 600."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said_by("readelf", "--dynamic", "--wide", module)))
    if needed - OF_THE_SYSTEM - {GMP}:
        sys.exit(f"wheel: {module} needs {', '.join(sorted(needed - OF_THE_SYSTEM - {GMP}))}, which not every Linux has")
    versions = re.findall(r"GLIBC_2\.(\d+)", said_by("objdump", "-T", module, gmp()))
    machine = re.search(r"Machine:\s+(.*)", said_by("readelf", "--file-header", module))
    assert machine is not None
    if "X86-64" not in machine[1]:
        sys.exit(f"wheel: {module} is for {machine[1]}; only x86-64 has a tag here")
    return f"manylinux_2_{max(int(version) for version in versions)}_x86_64"


def stripped(file: pathlib.Path, folder: pathlib.Path) -> bytes:
    made = folder / (file.name + ".stripped")
    said_by("strip", "--strip-unneeded", "-o", made, file)
    content = made.read_bytes()
    made.unlink()
    return content


def main(build: pathlib.Path, folder: pathlib.Path) -> None:
    package = build / "src/python/mirab"
    module = next(package.glob("_core.cpython-*.so"))
    found = re.fullmatch(r"_core\.cpython-(\d+)-.*\.so", module.name)
    assert found is not None
    python = f"cp{found[1]}"
    tag = f"{python}-{python}-{platform_tag(module)}"
    version = said_by(build / "mirab", "--version").split()[1]
    info = f"mirab-{version}.dist-info"

    files = {f"mirab/{name}": (package / name).read_bytes()
             for name in ("__init__.py", "__init__.pyi", "_program.py", "client.py", "py.typed")}
    files[f"mirab/{module.name}"] = stripped(module, folder)
    files[f"mirab-{version}.data/scripts/mirab"] = stripped(build / "mirab", folder)
    files[f"mirab.libs/{GMP}"] = gmp().read_bytes()
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/{name}"] = (SOURCE / name).read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: mirab {version}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},"
              f"{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()

    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6]
    wheel = folder / f"mirab-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_program = name.endswith((".so", GMP, "/scripts/mirab"))
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content)
    print(wheel.name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
