"""mirab.pyi declares what the module has: the same names, fields and arguments."""

import ast
import os
import pathlib
import re
import unittest

import mirab

STUB = ast.parse((pathlib.Path(os.environ["MIRAB_SOURCE_DIR"]) / "src/python/mirab.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
VARIABLES = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
CONSTANTS = {name for name in VARIABLES if not name.startswith("_")}


def public(names):
    return {name for name in names if not name.startswith("_")}


def is_record(node):
    return any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases)


def methods(node):
    return {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}


class Stubs(unittest.TestCase):
    def assert_arguments(self, function, declared):
        """pybind11 writes the arguments into the first line of the documentation, and "*" for those by name."""
        signature = function.__doc__.partition("\n")[0]
        several = [declared.args.vararg] if declared.args.vararg else []
        named = [each.arg for each in declared.args.args + several + declared.args.kwonlyargs if each.arg != "self"]
        self.assertEqual([name for name in re.findall(r"(\w+): ", signature) if name != "self"], named, declared.name)
        self.assertEqual("*," in signature or bool(several), bool(declared.args.kwonlyargs), declared.name)

    def test_the_names_are_those_of_the_module(self):
        self.assertEqual(CLASSES.keys() | FUNCTIONS.keys() | CONSTANTS, public(dir(mirab)))

    def test_named_tuples_have_the_fields(self):
        for name, node in CLASSES.items():
            if is_record(node):
                fields = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]
                text = repr(getattr(mirab, name)(range(len(fields))))
                shown = ", ".join(f"{field}={k}" for k, field in enumerate(fields))
                self.assertEqual(text, f"mirab.{name}({shown})")

    def test_classes_have_the_methods_with_their_arguments(self):
        checked = 0
        for name, node in CLASSES.items():
            if is_record(node) or name == "Refused":
                continue
            type_ = getattr(mirab, name)
            self.assertEqual(public(methods(node)), public(dir(type_)), name)
            for method, declared in methods(node).items():
                if not isinstance(getattr(type_, method), property):
                    self.assert_arguments(getattr(type_, method), declared)
                    checked += 1
        self.assertGreater(checked, 30)

    def test_signatures_are_those_of_python(self):
        for owner in [mirab, *(getattr(mirab, name) for name in CLASSES)]:
            for name in dir(owner):
                signature = (getattr(owner, name).__doc__ or "").partition("\n")[0]
                self.assertNotIn("::", signature, name)

    def test_functions_have_the_arguments(self):
        for name, declared in FUNCTIONS.items():
            self.assert_arguments(getattr(mirab, name), declared)


if __name__ == "__main__":
    unittest.main()
