#!/usr/bin/env python3
"""Captures that other programs wrote as text: each is recognised, and the command that tracetool advises makes the same bytes of it.
Those that were decoded as text on their way are called that, before anything else that is wrong with them.

The texts come from base64, basenc, xxd, hexdump, od, iconv and Python's own libraries, with what mail, consoles and PowerShell put around them; each of a
capture of every reader. Ends with "N passed, N failed".
"""
import base64
import binascii
import gzip
import json
import lzma
import os
import quopri
import re
import subprocess
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
import lot
import suite

DECODE = re.compile(r"(?:decode it first|take the mark off|take that off): (.* > NEW)")
LOST = "is compressed data that was decoded as UTF-8 text: bytes that are no text became U+FFFD"


def captures():
    """{suffix: bytes} of a small capture of each reader."""
    with lzma.open(os.path.join(suite.TESTDATA, "gate", "good-alloc1.ttc.xz")) as f:
        found = {"ttc": f.read()}
    for suffix, path in (("mlpd", "diff/after-1.mlpd"), ("data", "data/good-2021.data"), ("raw", "raw/good-2018-old.raw")):
        with open(os.path.join(suite.TESTDATA, path), "rb") as f:
            found[suffix] = f.read()
    return {suffix: data[:40000 - len(suffix)] for suffix, data in found.items()}


def lines(text, width, end="\n"):
    return "".join(text[i:i + width] + end for i in range(0, len(text), width))


def format_hex(data):
    """What Format-Hex of PowerShell 5 prints."""
    rows = ["", "", "           Path: C:\\captures\\a.raw", "", " " * 11 + " ".join("%02X" % i for i in range(16)), ""]
    for i in range(0, len(data), 16):
        row = data[i:i + 16]
        rows.append("%08X   %-47s  %s" % (i, " ".join("%02X" % b for b in row), "".join(chr(b) if 32 <= b < 127 else "." for b in row)))
    return "\r\n".join(rows + ["", ""])


def format_hex_7(data):
    """What Format-Hex of PowerShell 7 prints."""
    rows = ["", "   Label: C:\\captures\\a.raw", "", "          Offset Bytes                                           Ascii",
            " " * 17 + " ".join("%02X" % i for i in range(16)), "          ------ " + "-" * 47 + " -----"]
    for i in range(0, len(data), 16):
        row = data[i:i + 16]
        rows.append("%016X %-47s %s" % (i, " ".join("%02X" % b for b in row), "".join(chr(b) if 32 <= b < 127 else "." for b in row)))
    return "\r\n".join(rows + ["", ""])


def encode_hex(data):
    """What certutil -encodehex writes."""
    rows = []
    for i in range(0, len(data), 16):
        row = data[i:i + 16]
        halves = [" ".join("%02x" % b for b in half) for half in (row[:8], row[8:]) if half]
        rows.append("%04x\t%-48s   %s" % (i, "  ".join(halves), "".join(chr(b) if 32 <= b < 127 else "." for b in row)))
    return "\r\n".join(rows + [""])


def uuencode(data, end=b"\n"):
    return end.join([b"begin 644 a.raw"] + [binascii.b2a_uu(data[i:i + 45])[:-1] for i in range(0, len(data), 45)] + [b"`", b"end", b""])


def by_program(data):
    """(name, text) of each program that writes captures as text."""
    for args in (["base64"], ["base64", "-w0"], ["basenc", "--base64url"], ["basenc", "--base64url", "-w0"], ["base32"], ["basenc", "--base16"],
                 ["xxd"], ["xxd", "-u"], ["xxd", "-g1"], ["xxd", "-c32"], ["xxd", "-p"], ["xxd", "-i"], ["hexdump", "-v"], ["hexdump", "-Cv"],
                 ["od", "-v"], ["od", "-vx"], ["od", "-v", "-tx1"], ["od", "-v", "-tx1z"], ["od", "-v", "-Ax", "-tx1"], ["od", "-v", "-An", "-tx1"],
                 ["od", "-v", "-Ax", "-tx1z"], ["od", "-v", "-Ad", "-tx1"], ["od", "-v", "-w32", "-tx1"], ["od", "-v", "-b"], ["od", "-v", "-tu1"],
                 ["od", "-v", "-An", "-tu1"], ["hexdump", "-vx"], ["hexdump", "-vb"], ["hexdump", "-vo"], ["xxd", "-g4"], ["xxd", "-g2", "-c8"],
                 ["xxd", "-c7"], ["xxd", "-c1"], ["xxd", "-c20"], ["xxd", "-b"], ["xxd", "-b", "-c4"], ["xxd", "-e"], ["xxd", "-e", "-g2"],
                 ["xxd", "-e", "-g8"], ["od", "-v", "-c"], ["od", "-v", "-Ax", "-c"], ["od", "-v", "-w32", "-c"], ["hexdump", "-vc"], ["od", "-v", "-tx4"],
                 ["od", "-v", "-tx8"], ["od", "-v", "-Ad", "-tx4"], ["od", "-v", "-Ax", "-tx8"], ["od", "-v", "-d"],
                 ["od", "-v", "-td2"], ["od", "-v", "-i"], ["od", "-v", "-l"], ["od", "-v", "-tu8"], ["hexdump", "-vd"],
                 ["basenc", "--base2msbf", "-w0"], ["basenc", "--base2msbf"], ["basenc", "--base32hex"], ["basenc", "--base32hex", "-w0"]):
        yield " ".join(args), subprocess.run(args, input=data, stdout=subprocess.PIPE, check=True).stdout


def by_library(data):
    """(name, text) of what libraries, mail and consoles make of a capture."""
    b64, url, hexa = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode(), data.hex()
    crlf = lines(b64, 64, "\r\n")
    yield "base64 in CRLF lines", crlf
    yield "base64 in quotes", '"' + b64 + '"'
    yield "base64 behind blanks", "  \n" + b64
    yield "base64 behind a mark", b"\xef\xbb\xbf" + crlf.encode()
    yield "base64 in UTF-16 with a mark", crlf.encode("utf-16")
    yield "base64 in UTF-16 without a mark", crlf.encode("utf-16-le")
    yield "base64 of certutil", "-----BEGIN CERTIFICATE-----\r\n" + crlf + "-----END CERTIFICATE-----\r\n"
    yield "base64 of certutil in UTF-16", ("-----BEGIN CERTIFICATE-----\r\n" + crlf + "-----END CERTIFICATE-----\r\n").encode("utf-16")
    yield "base64 of mail", "MIME-Version: 1.0\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n" + crlf
    yield "base64 of uuencode -m", "begin-base64 644 a.raw\n" + lines(b64, 60) + "====\n"
    yield "base64 in JSON", json.dumps({"name": "x", "data": b64})
    yield "base64url in XML", "<capture name='x'>" + url + "</capture>\n"
    yield "data URL", "data:application/octet-stream;base64," + b64
    yield "data URL, percent-encoded", "data:application/octet-stream," + urllib.parse.quote_from_bytes(data)
    yield "percent-encoded", urllib.parse.quote_from_bytes(data)
    yield "base64url without padding", url.rstrip("=")
    yield "base64url without padding in JSON", json.dumps({"data": url.rstrip("=")})
    yield "percent-encoded, with a line end", urllib.parse.quote_from_bytes(data) + "\r\n"
    yield "percent-encoded in lines", lines(urllib.parse.quote_from_bytes(data), 76)
    yield "percent-encoded by a form", urllib.parse.quote_plus(data)
    yield "hex of BitConverter", "-".join("%02X" % b for b in data) + "\r\n"
    yield "hex of BitConverter in UTF-16", ("-".join("%02X" % b for b in data) + "\r\n").encode("utf-16")
    yield "hex in JSON", json.dumps({"data": hexa})
    yield "numbers behind 0x", "\r\n".join("0x%X" % b for b in data)
    yield "array of C#", "byte[] data = new byte[] { " + ", ".join("0x%02X" % b for b in data) + " };\n"
    yield "array of C, decimal", "const unsigned char a8[] = {\n" + "".join(
        "  " + ", ".join("%d" % b for b in data[i:i + 12]) + ",\n" for i in range(0, len(data), 12)) + "};\n"
    yield "array of Python", "bytes([" + ", ".join(map(str, data)) + "])\n"
    yield "array of JavaScript", "Uint8Array(%d) [" % len(data) + ", ".join(map(str, data)) + "]\n"
    yield "array of JSON in lines", json.dumps(list(data), indent=1)
    yield "array of JSON with a name", json.dumps({"name": "a7", "data": list(data), "size": 5})
    yield "array of Java", str([b - 256 if b > 127 else b for b in data])
    yield "object of JSON", json.dumps({str(i): b for i, b in enumerate(data)}, separators=(",", ":"))
    yield "texts of C", "const char a[] =\n" + "".join('  "' + "".join("\\x%02x" % b for b in data[i:i + 16]) + '"\n' for i in range(0, len(data), 16)) + ";\n"
    yield "octal escapes", "".join("\\%03o" % b for b in data)
    yield "certutil -encodehex", encode_hex(data)
    yield "certutil -encodehex in UTF-16", encode_hex(data).encode("utf-16")
    yield "Format-Hex of PowerShell 7", format_hex_7(data)
    yield "hex with colons", ":".join("%02x" % b for b in data)
    yield "hex behind 0x", "0x" + hexa
    yield "hex of PostgreSQL", "\\x" + hexa
    yield "hex in UTF-16", lines(hexa, 80, "\r\n").encode("utf-16")
    yield "array of C", "unsigned char x[] = {\n  " + ", ".join("0x%02x" % b for b in data) + "\n};\n"
    yield "escapes of a shell", "".join("\\x%02x" % b for b in data)
    yield "Format-Hex", format_hex(data)
    yield "Format-Hex in UTF-16", format_hex(data).encode("utf-16")
    yield "bytes of Get-Content", "".join("%d\r\n" % b for b in data)
    yield "array of JSON", json.dumps(list(data))
    yield "Buffer of Node", json.dumps({"type": "Buffer", "data": list(data)})
    yield "entities of HTML, all decimal", "".join("&#%d;" % b for b in data)
    yield "entities of HTML, hexadecimal and named", "".join(
        {"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;"}.get(chr(b), chr(b) if 32 <= b < 127 else "&#x%X;" % b) for b in data)
    yield "quoted-printable", binascii.b2a_qp(data, istext=False)
    yield "quoted-printable in CRLF lines", binascii.b2a_qp(data, istext=False).replace(b"\n", b"\r\n")
    if quopri.decodestring(quopri.encodestring(data)) == data:
        yield "quoted-printable with line ends", quopri.encodestring(data)
    yield "uuencode", uuencode(data)
    yield "uuencode in CRLF lines", uuencode(data, b"\r\n")
    yield "text of JSON", json.dumps(data.decode("latin-1"))
    yield "bytes of Python", repr(data)
    yield "ascii85", base64.a85encode(data)
    yield "ascii85 of Adobe in lines", base64.a85encode(data, adobe=True, wrapcol=76)
    yield "base85", base64.b85encode(data)


def whole_words(data):
    """(name, text, bytes) of what has words of four or eight bytes: a number that is none has lost its bytes."""
    data = data[:len(data) & ~7]
    yield "Z85", subprocess.run(["basenc", "--z85"], input=data, stdout=subprocess.PIPE, check=True).stdout, data
    yield "Z85 in one line", subprocess.run(["basenc", "--z85", "-w0"], input=data, stdout=subprocess.PIPE, check=True).stdout, data
    for size, upper, args in ((4, 0x7F80, ["-tf4"]), (4, 0x7F80, ["-f"]), (8, 0x7FF0, ["-tf8"]), (8, 0x7FF0, ["-Ad", "-tfD"])):
        numbers = bytearray(data)
        for i in range(size - 2, len(numbers), size):
            if (numbers[i] | numbers[i + 1] << 8) & upper == upper:
                numbers[i + 1] ^= 0x40
        for n in len(numbers), len(numbers) - 3:
            text = subprocess.run(["od", "-v", *args], input=numbers[:n], stdout=subprocess.PIPE, check=True).stdout
            yield "od -v %s, %d bytes" % (" ".join(args), n), text, numbers[:n]


def changed(data):
    """(name, bytes) of captures that were decoded as text and are lost, or behind a mark."""
    yield "Latin-1", data.decode("latin-1").encode()
    yield "code page 437", data.decode("cp437").encode()
    yield "Latin-1, twice", data.decode("latin-1").encode().decode("latin-1").encode()
    yield "UTF-8, replaced", data.decode("utf-8", "replace").encode()
    yield "UTF-8, replaced, in JSON", json.dumps(data.decode("utf-8", "replace")).encode()
    yield "Latin-1, in UTF-16 with a mark", data.decode("latin-1").encode("utf-16")
    yield "Latin-1, in UTF-16 without a mark", data.decode("latin-1").encode("utf-16-le")
    yield "Latin-1, in big-endian UTF-16 without a mark", data.decode("latin-1").encode("utf-16-be")
    yield "od -a", subprocess.run(["od", "-v", "-a"], input=data, stdout=subprocess.PIPE, check=True).stdout
    yield "cat -v", subprocess.run(["cat", "-v"], input=data, stdout=subprocess.PIPE, check=True).stdout
    yield "cat -vet", subprocess.run(["cat", "-vet"], input=data, stdout=subprocess.PIPE, check=True).stdout
    yield "ASCII with blanks in place of NUL", data.replace(b"\0", b" ")


def tell(path):
    r = subprocess.run([suite.TRACETOOL, "info", "-q", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stderr.decode()


def advised(s, path):
    """What the command advised for a file makes of it; the message where there is none."""
    status, message = tell(path)
    found = DECODE.search(message)
    if not found or status != 3:
        return "status %d, %s" % (status, message)
    new = s.path("new")
    command = found[1].replace("FILE", path).replace("NEW", new)
    done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        return "%s: status %d, %s" % (command, done.returncode, done.stderr.decode())
    with open(new, "rb") as f:
        return f.read()


def compare(s, what, text, data):
    path = s.path("text")
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    have = advised(s, path)
    s.check(what, None if have == data else have if isinstance(have, str) else "%d bytes, of %d" % (len(have), len(data)))


def main():
    s = suite.Suite()
    for suffix, data in lot.some(captures().items(), 2, "coded"):
        data = data[:(len(data) - 1) | 1]        # odd, so that dumps of words have half a word
        for make in (by_program, by_library):
            for name, text in make(data):
                compare(s, "%s as %s" % (suffix, name), text, data)
        for name, text, words in whole_words(data):
            compare(s, "%s as %s" % (suffix, name), text, words)
        for name, text in changed(data):
            with open(s.path("text"), "wb") as f:
                f.write(text)
            status, message = tell(s.path("text"))
            first = message.split("\n")[0][len("tracetool: " + s.path("text") + ": "):]
            told = r"is a \.%s capture (that was |as (a dump of characters, by od -a, |a text of cat -v, ))|probably changed by a transfer as text" % suffix
            well = status == 3 and re.match(told, first)
            s.check("%s as %s" % (suffix, name), None if well else message)
        compare(s, suffix + " behind a mark", b"\xef\xbb\xbf" + data, data)
        compare(s, suffix + " behind an HTTP header", b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nServer: x\r\n\r\n" % len(data) + data, data)
        for name, text in (("gzip", gzip.compress(data, mtime=0)), ("xz", lzma.compress(data)),
                           ("zstd", subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout)):
            with open(s.path("text"), "wb") as f:
                f.write(text.decode("utf-8", "replace").encode())
            status, message = tell(s.path("text"))
            s.check("%s in %s, decoded as UTF-8" % (suffix, name), None if status == 3 and LOST in message else message)
        part = b"--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.raw\"\r\n\r\n"
        with open(s.path("text"), "wb") as f:
            f.write(part + data + b"\r\n--x--\r\n")
        status, message = tell(s.path("text"))
        well = status == 3 and "is a .%s capture in a part of an HTTP form" % suffix in message and "begins at offset %d" % len(part) in message
        s.check(suffix + " in a form", None if well else message)
        # Few bytes show that data are compressed: the characters between the escapes are no separators.
        packed = gzip.compress(data, mtime=0)
        compare(s, suffix + " in gzip as bytes of Python", repr(packed), packed)
        compare(s, suffix + " in gzip as a text with octal escapes", '"%s"' % "".join(
            chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else "\\%03o" % b for b in packed), packed)
    s.end()


main()
