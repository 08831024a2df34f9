#!/usr/bin/env python3
"""
amalgamate.py -o OUT [-I DIR]... [--head FILE] [--tail FILE] FILE.c...: put the recorder's sources into one C file.

IL2CPP compiles C files that lie in a Unity project, but one at a time and without include paths. So headers are put in
once, where they are first needed, all of them before the first function; then the files follow, in the order given.
Static names that more than one file uses get the file's name in front, macros of a file end with it, and
platform_<system>.c and program_<system>.c are compiled on their system only. Functions and objects of the recorder that are not for others get
a prefix: the file may become part of a player, beside anybody's code.
"""

import argparse
import collections
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*\n', re.M)
CPLUSPLUS = re.compile(r'^#ifdef __cplusplus\n.*?^#endif\n+', re.M | re.S)
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                   r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|\w+|->|\s+|.', re.S | re.M)
WORD = re.compile(r'[A-Za-z_]\w*$')
EXPORTS = {'TRACETOOL_API', 'UNITY_EXPORT'}
TAGS = {'struct', 'union', 'enum'}
# Words before a parenthesis that it does not make a function's name.
KEYWORDS = {'static', '__attribute__', '__declspec', '_Alignas', '_Atomic', '_Thread_local', 'main'}
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
    text = CPLUSPLUS.sub('', open(file, encoding='utf-8').read())
    for name in INCLUDE.findall(text):
        header(find(name, os.path.dirname(file), path), path, done, out)
    out.append('\n/* ---- %s ---- */\n\n' % os.path.relpath(file) + INCLUDE.sub('', text))


def tokens(text):
    return TOKEN.findall(text)


def is_code(t):
    return not (t.isspace() or t.startswith(('/*', '//')) or t.lstrip().startswith('#'))


def statements(text):
    """Declarations and heads of functions at file scope, as tokens; what is in braces is one token, '{}'. And enumerators."""
    statement, depth, enumerators, before = [], 0, [], ''
    for t in filter(is_code, tokens(text)):
        if t == '{':
            if depth == 0 and statement[-1] == ')' and '=' not in statement:
                yield statement, []
                statement = None
            in_enum = depth == 0 and statement and 'enum' in statement[-2:]
            depth += 1
        elif t == '}':
            depth -= 1
            if depth == 0:
                statement = [] if statement is None else statement + ['{}']
        elif depth == 1 and in_enum and before in '{,' and WORD.match(t):
            enumerators.append(t)
        elif depth == 0 and t == ';':
            yield statement, enumerators
            statement, enumerators = [], []
        elif depth == 0:
            statement.append(t)
        before = t


def declared(statement):
    """The functions and objects a statement declares."""
    names, level = set(), 0
    for i, t in enumerate(statement):
        following = statement[i + 1] if i + 1 < len(statement) else ';'
        if t in ')]':
            level -= 1
        elif level == 0 and t == '(' and following == '*':      # a pointer to a function
            names.add(statement[i + 2])
            break
        elif level == 0 and WORD.match(t) and following in ('(', '[', '=', ';', ',') and t not in KEYWORDS \
                and statement[i + 1:i + 3] != ['(', '*'] and (i == 0 or statement[i - 1] not in TAGS):
            names.add(t)
            if following in ('(', '='):
                break
        if t in '([':
            level += 1
    return names


def private_names(text):
    """What a C file declares for itself alone: functions, objects and enumerators, and tags."""
    names, tags = set(), set()
    for statement, enumerators in statements(text):
        names.update(enumerators)
        for keyword, tag, body in zip(statement, statement[1:], statement[2:]):
            if keyword in TAGS and body == '{}':
                tags.add(tag)
        if 'static' in statement:
            names |= declared(statement)
    return names, tags


def outer_names(text):
    """What a text defines or declares for other files, and which of that it marks as exported."""
    names, exported = set(), set()
    for statement, _ in statements(text):
        if not {'static', 'typedef', '_Static_assert'} & set(statement):
            names |= declared(statement)
            if EXPORTS & set(statement):
                exported |= declared(statement)
    return names, exported


def rename(text, prefix, names, tags):
    """Members keep their names: what follows a dot or an arrow, and tags are apart from all else."""
    out, before = [], ''
    for t in tokens(text):
        if t in (tags if before in TAGS else names) and before not in ('.', '->'):
            out.append(prefix + t)
        elif t.lstrip().startswith('#'):
            out.append(re.sub(r'\b\w+\b', lambda m: prefix + m[0] if m[0] in names else m[0], t))
        else:
            out.append(t)
        if is_code(t):
            before = t
    return ''.join(out)


def condition(file):
    m = re.match(r'(?:platform|program)_(\w+)\.c$', os.path.basename(file))
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

    users = collections.Counter()
    for _, text in bodies:
        names, tags = private_names(text)
        users.update([(n, 'name') for n in names] + [(n, 'tag') for n in tags])
    for file, text in bodies:
        names, tags = private_names(text)
        stem = re.sub(r'\W', '_', os.path.splitext(os.path.basename(file))[0])
        text = rename(text, stem + '_', {n for n in names if users[n, 'name'] > 1},
                      {n for n in tags if users[n, 'tag'] > 1})
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
