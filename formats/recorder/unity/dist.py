#!/usr/bin/env python3
"""
dist.py -o DIR --version V --source FILE.c [--lib SYSTEM=FILE]...: make the package that Unity's Package Manager installs.

The archive is laid out as npm packs it: every path begins with package/. It holds package/ of this folder, the
amalgamated source in Source~ and the libraries given; what Unity needs to know about others is left out. A library that
is given and not there is an error. The same input makes the same bytes. Prints the archive's name.
"""

import argparse
import gzip
import io
import json
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, 'package')
# Folders that end with ~ are not imported by Unity: its import settings know no such target.
PLACES = {
    'linux-x86_64': 'Plugins/Linux/x86_64/libtracetool-unity.so',
    'windows-x86_64': 'Plugins/Windows/x86_64/tracetool-unity.dll',
    'linux-aarch64': 'Extras~/linux-aarch64/libtracetool-unity.so',
}
TIME = 499162500        # as npm does it; zero is taken for a fault by some programs


def collect(folder):
    files = {}
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            path = os.path.join(top, name)
            files[os.path.relpath(path, folder).replace(os.sep, '/')] = open(path, 'rb').read()
    return files


def drop_orphans(files):
    """Leave out .meta files of what is not there: Unity complains about them."""
    while True:
        folders = {p[:i] for p in files for i, c in enumerate(p) if c == '/' and not p.endswith('.meta')}
        orphans = [p for p in files if p.endswith('.meta') and p[:-5] not in files and p[:-5] not in folders]
        if not orphans:
            return
        for p in orphans:
            del files[p]


def pack(files, to):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode='w', format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo('package/' + path)
            entry.size, entry.mtime, entry.mode = len(files[path]), TIME, 0o644
            archive.addfile(entry, io.BytesIO(files[path]))
    with open(to + '.new', 'wb') as f:
        with gzip.GzipFile('', 'wb', 9, f, 0) as z:
            z.write(tar.getvalue())
    os.replace(to + '.new', to)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    arguments.add_argument('-o', required=True, metavar='DIR')
    arguments.add_argument('--version', required=True, help='of the program; package.json in the tree has 0.0.0')
    arguments.add_argument('--source', required=True, metavar='FILE.c')
    arguments.add_argument('--lib', action='append', default=[], metavar='SYSTEM=FILE')
    a = arguments.parse_args()

    files = collect(PACKAGE)
    files['Source~/tracetool_unity.c'] = open(a.source, 'rb').read()
    for lib in a.lib:
        system, _, path = lib.partition('=')
        if system not in PLACES:
            sys.exit('dist.py: %s is none of %s' % (system, ', '.join(PLACES)))
        if not os.path.exists(path):
            sys.exit('dist.py: the library for %s is missing: there is no %s' % (system, path))
        files[PLACES[system]] = open(path, 'rb').read()
    for system in sorted(set(PLACES) - {lib.partition('=')[0] for lib in a.lib}):
        print('dist.py: without the library for %s' % system, file=sys.stderr)
    drop_orphans(files)

    files['package.json'] = files['package.json'].replace(b'"version": "0.0.0"', b'"version": "%s"' % a.version.encode())
    manifest = json.loads(files['package.json'])
    if manifest['version'] != a.version:
        sys.exit('dist.py: package.json does not have the version 0.0.0, so it cannot be replaced')
    os.makedirs(a.o, exist_ok=True)
    to = os.path.join(a.o, '%s-%s.tgz' % (manifest['name'], manifest['version']))
    pack(files, to)
    print(to)


main()
