"""Captures of the generators raw_gen.py and data_gen.py, made in this process: to start Python for one takes longer than to write it."""
import contextlib
import importlib
import io
import os
import types


def changed(form, *changes):
    """The generator of ${form} whose source has ${changes}, pairs of texts that it has once."""
    file = importlib.import_module(form + "_gen").__file__
    with open(file, encoding="utf-8") as f:
        source = f.read()
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    module = types.ModuleType(form + "_gen")
    module.__file__ = file
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def generate(form, path, *options, by=None):
    """Write the capture that the generator of ${form}, or ${by}, makes with these options of its command line; the path."""
    with contextlib.redirect_stdout(io.StringIO()):
        (by or importlib.import_module(form + "_gen")).main([path, *map(str, options)])
    return os.fspath(path)
