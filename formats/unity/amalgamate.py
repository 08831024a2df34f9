#!/usr/bin/env python3
"""
amalgamate.py -o OUT [-I DIR]... [--head FILE] [--tail FILE] FILE.c...: put the recorder's sources into one C file.

IL2CPP compiles C files that lie in a Unity project, but one at a time and without include paths. So headers are put in
once, where they are first needed, all of them before the first function; then the files follow, in the order given.
Static names that more than one file uses get the file's name in front, macros of a file end with it, and
platform_<system>.c is compiled on its system only. Functions and objects of the recorder that are not for others get
a prefix: the file may become part of a player, beside anybody's code.
"""

import argparse
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*\n', re.M)
SYSTEM_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*<')
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                   r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|\w+|->|\s+|.', re.S | re.M)
WORD = re.compile(r'[A-Za-z_]\w*$')
EXPORTS = {'TRACETOOL_API', 'UNITY_EXPORT'}
KEYWORDS = {'static', 'struct', 'union', 'enum', '__attribute__', '__declspec', '_Alignas', '_Atomic', '_Thread_local',
            'main'}
SYSTEMS = {'linux': 'defined __linux__', 'windows': 'defined _WIN32', 'win32': 'defined _WIN32',
           'apple': 'defined __APPLE__', 'posix': '!defined _WIN32'}


def find(name, folder, path):
    for d in [folder] + path:
        p = os.path.normpath(os.path.join(d, name))
        if os.path.isfile(p):
            return p
    sys.exit('amalgamate.py: "%s" is in none of %s' % (name, ' '.join([folder] + path)))


def header(file, path, done, out):
    """Append ${file} to out, after the headers it includes, unless it is there already."""
    if file in done:
        return
    done.add(file)
    text = open(file, encoding='utf-8').read()
    for name in INCLUDE.findall(text):
        header(find(name, os.path.dirname(file), path), path, done, out)
    out.append('\n/* ---- %s ---- */\n\n' % os.path.relpath(file) + INCLUDE.sub('', text))


def tokens(text):
    return [t for t in TOKEN.findall(text)]


def is_code(t):
    return not (t.isspace() or t.startswith(('/*', '//')) or t.lstrip().startswith('#'))


def private_names(text):
    """Names that a C file declares for itself alone: static functions and objects, types and enumerators."""
    names, statement, depth = set(), [], 0
    for t in filter(is_code, tokens(text)):
        if t == '{':
            if depth == 0:
                names |= declared(statement)
                in_enum = 'enum' in statement and '(' not in statement
            elif depth == 1:
                in_enum = False
            depth += 1
            previous = '{'
            continue
        if t == '}':
            depth -= 1
            if depth == 0:
                statement = ['}']
            continue
        if depth == 1 and in_enum and previous in '{,' and WORD.match(t):
            names.add(t)
        previous = t
        if depth:
            continue
        if t == ';':
            names |= declared(statement)
            statement = []
        else:
            if statement == ['}'] and t not in (',', '='):
                statement = []
            statement.append(t)
    return names


def declared(statement):
    names = set()
    for i, t in enumerate(statement[:-1]):
        if t in ('struct', 'union', 'enum') and i + 2 == len(statement):
            names.add(statement[i + 1])
    if 'static' not in statement:
        return names
    level = 0
    for i, t in enumerate(statement):
        if t in ')]':
            level -= 1
        following = statement[i + 1] if i + 1 < len(statement) else ';'
        if level == 0 and t == '(' and following == '*':        # a pointer to a function
            names.add(statement[i + 2])
            break
        if level == 0 and WORD.match(t) and following in ('(', '[', '=', ';', ',') and t not in KEYWORDS \
                and statement[i + 1:i + 3] != ['(', '*']:
            names.add(t)
            if following in ('(', '='):
                break
        if t in '([':
            level += 1
    return names


def outer_names(text):
    """What a text defines or declares for other files, and which of that it marks as exported."""
    names, exported, statement, depth = set(), set(), [], 0
    for t in filter(is_code, tokens(text)):
        if t == '{':
            if depth == 0:
                add_outer(statement, names, exported)
            depth += 1
        elif t == '}':
            depth -= 1
            if depth == 0:
                statement = []
        elif depth == 0 and t == ';':
            add_outer(statement, names, exported)
            statement = []
        elif depth == 0:
            statement.append(t)
    return names, exported


def add_outer(statement, names, exported):
    if not statement or {'static', 'typedef', '_Static_assert'} & set(statement):
        return
    found = declared(['static'] + statement)
    if statement[0] in ('struct', 'union', 'enum') and len(statement) <= 2:
        return
    names |= found
    if set(statement) & EXPORTS:
        exported |= found


def rename(text, prefix, names):
    out, before = [], ''
    for t in tokens(text):
        if t in names and before not in ('.', '->'):
            out.append(prefix + t)
        elif t.lstrip().startswith('#'):
            out.append(re.sub(r'\b\w+\b', lambda m: prefix + m[0] if m[0] in names else m[0], t))
        else:
            out.append(t)
        if is_code(t):
            before = t
    return ''.join(out)


def condition(file):
    m = re.match(r'platform_(\w+)\.c$', os.path.basename(file))
    if not m:
        return None
    if m[1] not in SYSTEMS:
        sys.exit('amalgamate.py: on which systems is %s compiled?' % file)
    return SYSTEMS[m[1]]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    arguments.add_argument('-o', required=True, metavar='OUT')
    arguments.add_argument('-I', action='append', default=[], metavar='DIR')
    arguments.add_argument('--head', metavar='FILE', help='what comes first')
    arguments.add_argument('--tail', metavar='FILE', help='what comes last')
    arguments.add_argument('files', nargs='+', metavar='FILE.c')
    a = arguments.parse_args()

    out, bodies, done = [], [], set()
    for file in a.files:
        text = open(file, encoding='utf-8').read()
        for name in INCLUDE.findall(text):
            header(find(name, os.path.dirname(file), a.I), a.I, done, out)
        bodies.append((file, INCLUDE.sub('', text)))

    defined, exported = set(), set()
    for text in out + [t for _, t in bodies]:
        exported |= outer_names(text)[1]
    for _, text in bodies:
        defined |= outer_names(text)[0]
    out.insert(0, '\n/* ---- names of the recorder\'s own ---- */\n\n' +
               ''.join('#define %s tracetool_own_%s\n' % (n, n) for n in sorted(defined - exported)))
    if a.head:
        out.insert(0, open(a.head, encoding='utf-8').read())

    # Bodies of platform files exclude each other, so they may share names with each other, but not with the rest.
    owners = {}
    for file, text in bodies:
        for name in private_names(text):
            owners.setdefault(name, []).append(file)
    for file, text in bodies:
        shared = {n for n, files in owners.items() if file in files and len(files) > 1}
        stem = re.sub(r'\W', '_', os.path.splitext(os.path.basename(file))[0])
        text = rename(text, stem + '_', shared)
        macros = sorted(set(DEFINE.findall(text)))
        text += ''.join('#undef %s\n' % m for m in macros if not m.startswith('_'))
        where = condition(file)
        if where:
            text = '#if %s\n%s#endif\n' % (where, text)
        out.append('\n/* ---- %s ---- */\n\n%s' % (os.path.relpath(file), text))

    if a.tail:
        out.append(open(a.tail, encoding='utf-8').read())

    result = ''.join(out)
    left = INCLUDE.search(result)
    assert not left, left[0]
    temporary = a.o + '.new'
    with open(temporary, 'w', encoding='utf-8', newline='\n') as f:
        f.write(result)
    os.replace(temporary, a.o)


main()
