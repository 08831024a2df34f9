#!/usr/bin/env python3
"""
Sentences that several tests assert stand once, in tests/words.txt. Suites in Python ask for one by its key; expected output of tests/cli
refers to it (words.awk puts it there).

    words.py refer FILE...      write references into these files for the sentences in them
"""
import os
import re
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "words.txt")


def _read():
    with open(FILE, encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(": ", 1) for line in f if line.strip() and not line.startswith("#"))


SENTENCES = _read()


def say(key, *what):
    """The sentence of ${key} with ${what} in its places."""
    parts = SENTENCES[key].split("{}")
    assert len(what) == len(parts) - 1, (key, what)
    return parts[0] + "".join(str(w) + part for w, part in zip(what, parts[1:]))


def refer(text):
    """${text} with a reference for each sentence in it, long ones first."""
    for key, sentence in sorted(SENTENCES.items(), key=lambda item: -len(item[1])):
        pattern = "([^|{}\n]+?)".join(re.escape(part) for part in sentence.split("{}"))
        text = re.sub(pattern, lambda m: "@{%s}" % "|".join((key, *m.groups())), text)
    return text


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            old = f.read()
        new = refer(old)
        if new != old:
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(new)


if __name__ == "__main__" and sys.argv[1:2] == ["refer"]:
    main(sys.argv[2:])
