"""A slow reader of SQLite's files, by the description of their format (https://sqlite.org/fileformat.html) and by nothing of SQLite's.

    rows(path) -> {table: [(value, ...), ...]}

Tables with rowids, their overflow pages, and all serial types. Checks what it meets: the header, page types, that rowids grow, and that
every page is used once.
"""
import struct


def varint(b, at):
    v = 0
    for i in range(8):
        v = v << 7 | (b[at + i] & 0x7f)
        if b[at + i] < 0x80:
            return v, at + i + 1
    return v << 8 | b[at + 8], at + 9


def value(kind, b, at):
    sizes = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
    n = sizes[kind] if kind < 10 else (kind - 12) // 2 if kind % 2 == 0 else (kind - 13) // 2
    part = bytes(b[at:at + n])
    assert len(part) == n
    if kind == 0:
        v = None
    elif kind <= 6:
        v = int.from_bytes(part, "big", signed=True)
    elif kind == 7:
        v = struct.unpack(">d", part)[0]
    elif kind in (8, 9):
        v = kind - 8
    else:
        v = part if kind % 2 == 0 else part.decode("utf-8")
    return v, at + n


class File:
    def __init__(self, path):
        self.b = b = open(path, "rb").read()
        assert b[:16] == b"SQLite format 3\0"
        size = struct.unpack(">H", b[16:18])[0]
        self.page = 65536 if size == 1 else size
        self.usable = self.page - b[20]
        assert b[18] == b[19] == 1, "a rollback journal's file format"
        assert struct.unpack(">I", b[56:60])[0] == 1, "UTF-8"
        self.pages = struct.unpack(">I", b[28:32])[0]
        assert self.pages * self.page == len(b)
        self.user_version = struct.unpack(">I", b[60:64])[0]
        self.application = struct.unpack(">I", b[68:72])[0]
        self.used = set()

    def take(self, number):
        assert 1 <= number <= self.pages and number not in self.used, "page %d" % number
        self.used.add(number)
        return memoryview(self.b)[(number - 1) * self.page:number * self.page]

    def payload(self, p, at, n):
        most, least = self.usable - 35, (self.usable - 12) * 32 // 255 - 23
        here = n
        if n > most:
            here = least + (n - least) % (self.usable - 4)
            here = least if here > most else here
        data = bytes(p[at:at + here])
        follow = struct.unpack(">I", p[at + here:at + here + 4])[0] if n > here else 0
        while follow:
            q = self.take(follow)
            follow = struct.unpack(">I", q[:4])[0]
            data += bytes(q[4:4 + min(self.usable - 4, n - len(data))])
        assert len(data) == n
        return data

    def tree(self, root):
        """The rows below a page: (rowid, values)."""
        p = self.take(root)
        h = 100 if root == 1 else 0
        kind, cells = p[h], struct.unpack(">H", p[h + 3:h + 5])[0]
        assert kind in (5, 13), "page %d is of kind %d" % (root, kind)
        for i in range(cells):
            at = struct.unpack(">H", p[h + (12 if kind == 5 else 8) + 2 * i:][:2])[0]
            if kind == 5:
                yield from self.tree(struct.unpack(">I", p[at:at + 4])[0])
                continue
            n, at = varint(p, at)
            rowid, at = varint(p, at)
            data = self.payload(p, at, n)
            head, k = varint(data, 0)
            values, body = [], head
            while k < head:
                t, k = varint(data, k)
                v, body = value(t, data, body)
                values.append(v)
            assert body == len(data)
            yield rowid, values
        if kind == 5:
            yield from self.tree(struct.unpack(">I", p[h + 8:h + 12])[0])


def rows(path):
    f = File(path)
    schema = [v for _, v in f.tree(1)]
    tables = {}
    for kind, name, _, root, sql in schema:
        if kind != "table":
            continue
        key, last = "INTEGER PRIMARY KEY" in sql, 0
        tables[name] = []
        for rowid, v in f.tree(root):
            assert rowid > last, "%s: rowid %d after %d" % (name, rowid, last)
            last = rowid
            if key and v[0] is None:
                v[0] = rowid
            tables[name].append(tuple(v))
    return f, tables
