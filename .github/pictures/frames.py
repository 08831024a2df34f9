#!/usr/bin/env python3
"""frames.py TRACETOOL CAPTURE: the frame chart of README.md, as SVG: a bar for each whole frame, by what `tracetool stats` says of it.
Bars of frames over 1.5 times the budget are dark and say what most of the frame was.
"""
import csv
import io
import re
import subprocess
import sys

BUDGET_MS, WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 16.67, 880, 200, 44, 26, 22


def frames(program, capture):
    """[(number, ms, top marker)] of all whole frames, at most 1,000."""
    out = subprocess.run([program, "stats", capture, "--table", "hitches", "--hitches", "1000", "--format", "csv"],
                         check=True, capture_output=True, text=True).stdout
    return sorted((int(r["frame"]), int(r["dur_ns"]) / 1e6, re.match(r"(.*?) [\d.,]+ \S+(?:,|$)", r["top"]).group(1))
                  for r in csv.DictReader(io.StringIO(out)))


def text(x, y, s, more=""):
    return '<text x="%.1f" y="%.1f"%s>%s</text>' % (x, y, more, s.replace("&", "&amp;").replace("<", "&lt;"))


def main():
    rows = frames(*sys.argv[1:])
    most = 10 * (int(max(ms for _, ms, _ in rows) / 10) + 1)
    step = (WIDTH - LEFT - 10) / len(rows)
    up = (HEIGHT - TOP - BOTTOM) / most

    def y(ms):
        return HEIGHT - BOTTOM - ms * up

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="11">' %
           (WIDTH, HEIGHT, WIDTH, HEIGHT),
           '<title>Frame times: %d frames, %d of them hitches</title>' % (len(rows), sum(ms > 1.5 * BUDGET_MS for _, ms, _ in rows)),
           '<rect width="%d" height="%d" fill="#ffffff"/>' % (WIDTH, HEIGHT)]
    for ms in range(0, most + 1, 10):
        out.append('<path d="M%d %.1fH%d" stroke="#e4e4e4"/>' % (LEFT, y(ms), WIDTH - 10))
        out.append(text(LEFT - 6, y(ms) + 4, "%d ms" % ms, ' text-anchor="end" fill="#666666"'))
    for i, (number, ms, top) in enumerate(rows):
        late = ms > 1.5 * BUDGET_MS
        x = LEFT + i * step
        out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' %
                   (x, y(ms), step * 0.8, ms * up, "#b3261e" if late else "#7aa6d8"))
        if late:
            out.append(text(x + step / 2, y(ms) - 5, top, ' text-anchor="middle" fill="#7a1510"'))
        if number % 20 == 0:
            out.append(text(x + step / 2, HEIGHT - 7, str(number), ' text-anchor="middle" fill="#666666"'))
    out.append('<path d="M%d %.1fH%d" stroke="#2e7d32" stroke-dasharray="5 4"/>' % (LEFT, y(BUDGET_MS), WIDTH - 10))
    out.append(text(WIDTH - 10, y(BUDGET_MS) - 4, "60 FPS", ' text-anchor="end" fill="#2e7d32"'))
    print("\n".join(out + ["</svg>"]))


main()
