"""What tables must have of a game whose every event a test knows: each row recounted by the definitions of tracetool-metrics(7), slowly.

A game is a Game: its threads with their events in order, and the times at which frames begin. Nothing here knows the program. Each function gives
the rows of a table as dictionaries; a column that is left out is not known here.
"""
import bisect
import collections
import math

WAITS = ("Semaphore.WaitForSignal", "System.Threading.Thread:Sleep (int)")
OUTSIDE_ZONES, OUTSIDE_CALLS = "(outside any zone)", "(outside recorded calls)"
NEVER = 1 << 62


class Near:
    """A figure that is shown rounded: what it is, and how far off it may be."""

    def __init__(self, value, by=0.5, share=0.0):
        self.value, self.by = value, by + abs(value) * share

    def fits(self, shown):
        return shown is not None and abs(shown - self.value) <= self.by + 1e-9

    def __repr__(self):
        return "%.9g +- %.3g" % (self.value, self.by)


def share(part, whole):
    """A percentage, shown with two decimals."""
    return Near(100 * part / whole, 0.005) if whole else None


def mean(total, n):
    return Near(total / n) if n else None


def rank(values, per_mille):
    """The smallest value that at least this share of all is less than or equal to."""
    return sorted(values)[max(math.ceil(len(values) * per_mille / 1000) - 1, 0)] if values else None


def from_histogram(values, per_mille):
    return Near(rank(values, per_mille), 1, 0.016) if values else None


class Zone:
    def __init__(self, thread, name, begin, around):
        self.thread, self.name, self.begin, self.end, self.cut = thread, name, begin, None, False
        self.around = around                    # the zones that it is in, outermost first
        self.inside = []

    def path(self):
        return tuple(z.name for z in self.around) + (self.name,)

    def pieces(self, low, high):
        """Time in [low, high) in it and in no zone inside it."""
        part = lambda z: max(0, min(z.end, high) - max(z.begin, low))       # noqa: E731
        return part(self) - sum(part(z) for z in self.inside)

    def time(self, low=-NEVER, high=NEVER):
        return max(0, min(self.end, high) - max(self.begin, low))

    def is_outermost(self, of=lambda z: z.name):
        return all(of(z) != of(self) for z in self.around)


class Thread:
    """Events in order: ("begin", ns, name), ("end", ns), ("alloc", ns, bytes), ("value", ns, counter, value), ("other", ns)."""

    def __init__(self, name, events, group=None):
        self.name, self.events, self.group = name, events, group
        self.zones, self.allocs, self.values = [], [], []
        stack = []
        for e in events:
            if e[0] == "begin":
                stack.append(Zone(self, e[2], e[1], tuple(stack)))
                if stack[-1].around:
                    stack[-2].inside.append(stack[-1])
                self.zones.append(stack[-1])
            elif e[0] == "end":
                stack.pop().end = e[1]
            elif e[0] == "alloc":
                self.allocs.append((e[1], e[2], stack[-1] if stack else None))
            elif e[0] == "value":
                self.values.append(e[1:])
        self.first, self.last, self.open = events[0][1], max(e[1] for e in events), len(stack)
        for z in stack:
            z.end, z.cut = self.last, True

    def waits(self, low=-NEVER, high=NEVER):
        return sum(z.time(low, high) for z in self.zones if z.name in WAITS and not any(o.name in WAITS for o in z.around))

    def in_zones(self, low=-NEVER, high=NEVER):
        return sum(z.time(low, high) for z in self.zones if not z.around)


class Game:
    """The first thread is the one with frames. ${category} tells that of a marker, or is None; ${marks}: when frames begin; a frame is whole up to the next;
    ${begin}: when the capture begins, if not with the first event; ${numbered}: the engine gives frames numbers, from 0."""

    def __init__(self, threads, marks, category, records_allocs=True, begin=None, numbered=False):
        self.threads, self.tells_categories, self.records_allocs = threads, category is not None, records_allocs
        self.category = category or (lambda name: None)
        self.frames = list(zip(marks, marks[1:]))
        self.main = threads[0]
        self.zones = [z for t in threads for z in t.zones]
        self.allocs = [a for t in threads for a in t.allocs]
        self.begin, self.end = min(t.first for t in threads) if begin is None else begin, max(t.last for t in threads)
        self.recorded_from, self.numbered, self.described = self.begin, numbered, {}
        self.in_zones = sum(t.in_zones() for t in threads)

    def by(self, key, zones=None):
        found = collections.defaultdict(list)
        for z in self.zones if zones is None else zones:
            found[key(z)].append(z)
        return found

    def self_time(self, zones, low=-NEVER, high=NEVER):
        return sum(z.pieces(low, high) for z in zones)

    # --- frames

    def cpu(self, low, high):
        return self.main.in_zones(low, high) - self.main.waits(low, high)

    def frame_rows(self):
        walls = [b - a for a, b in self.frames]
        rows = [self.frame_row("wall", walls)]
        if any(z.name in WAITS for z in self.main.zones):
            rows.append(self.frame_row("cpu", [self.cpu(a, b) for a, b in self.frames]))
        rows[0]["partial"] = 1 + (self.frames[0][0] > self.recorded_from)
        return rows

    @staticmethod
    def frame_row(what, times):
        n, total = len(times), sum(times)
        average = total / n
        longest = lambda per: sorted(times)[-math.ceil(n / per):]           # noqa: E731
        fps = lambda some: Near(1e9 * len(some) / sum(some), 0.0005)        # noqa: E731
        row = {"time": what, "count": n, "mean_ns": mean(total, n), "stddev_ns": Near(math.sqrt(sum((t - average) ** 2 for t in times) / n)),
               "max_ns": max(times), "fps": fps(times), "low_1_fps": fps(longest(100)), "low_01_fps": fps(longest(1000)),
               "over_16_67": sum(t > 16667667 for t in times), "over_33_33": sum(t > 33334334 for t in times),
               "over_50": sum(t > 50000000 for t in times), "late": None}
        row.update((name, rank(times, p)) for name, p in (("median_ns", 500), ("p90_ns", 900), ("p95_ns", 950), ("p99_ns", 990), ("p999_ns", 999)))
        return row

    def budget_rows(self, budgets):
        """${budgets}: (as shown, ns)."""
        times = {"wall": [b - a for a, b in self.frames]}
        if any(z.name in WAITS for z in self.main.zones):
            times["cpu"] = [self.cpu(a, b) for a, b in self.frames]
        return [{"time": what, "budget": text, "budget_ns": ns, "over": sum(t > ns for t in of),
                 "over_share": share(sum(t > ns for t in of), len(of))} for what, of in times.items() for text, ns in budgets]

    def histogram_rows(self, bounds):
        times, rows, so_far = [b - a for a, b in self.frames], [], 0
        for low, high in bounds:
            n = sum((t > low or low == 0) and (high is None or t <= high) for t in times)
            so_far += n
            rows.append({"from_ns": low, "to_ns": high, "count": n, "share": share(n, len(times)), "cumulative": share(so_far, len(times))})
        return rows

    def allocated(self, low, high, of=None):
        """(number, bytes) of what is allocated in that time."""
        found = [size for ts, size, _ in (self.allocs if of is None else of) if low <= ts < high]
        return (len(found), sum(found)) if self.records_allocs else (None, None)

    def worst(self, n):
        """Numbers of the longest frames, from 1; of equal ones the first."""
        return sorted(range(1, len(self.frames) + 1), key=lambda k: (-(self.frames[k - 1][1] - self.frames[k - 1][0]), k))[:n]

    def hitch_rows(self, n):
        rows = []
        for k in self.worst(n):
            a, b = self.frames[k - 1]
            allocs, size = self.allocated(a, b)
            rows.append({"frame": k, "start_ns": a, "dur_ns": b - a, "allocs": allocs, "alloc_bytes": size, "thread": self.main.name, "process": None,
                         "engine_frame": k - 1 if self.numbered else None, "main_ns": None, "gpu_ns": None, "present_wait_ns": None,
                         "cpu_ns": self.cpu(a, b) if any(z.name in WAITS for z in self.main.zones) else None})
        return rows

    def in_frame(self, thread, k):
        """Of a thread in frame ${k} by marker: [self, total, activations]."""
        a, b = self.frames[k - 1]
        found = collections.defaultdict(lambda: [0, 0, 0])
        for z in thread.zones:
            if z.begin < b and z.end > a or a <= z.begin < b:
                row = found[z.name]
                row[0] += z.pieces(a, b)
                row[1] += z.time(a, b) if z.is_outermost() else 0
                row[2] += a <= z.begin < b
        return found

    def hitch_marker_rows(self, n):
        rows = []
        for k in self.worst(n):
            a, b = self.frames[k - 1]
            of = {name: (r[0], r[2]) for name, r in self.in_frame(self.main, k).items()}
            outside = b - a - self.main.in_zones(a, b)
            if outside:
                of[OUTSIDE_CALLS] = (outside, 0)
            rows += [{"frame": k, "marker": name, "self_ns": own, "share": share(own, b - a), "count": count, "process": None}
                     for name, (own, count) in of.items() if own]
        return rows

    def frame_marker_rows(self):
        rows = []
        for k, (a, b) in enumerate(self.frames, 1):
            for number, t in enumerate(self.threads, 1):
                of = self.in_frame(t, k)
                sites = collections.defaultdict(list)
                for ts, size, z in t.allocs:
                    if a <= ts < b:
                        sites[z.name if z else OUTSIDE_ZONES].append(size)
                for name in set(of) | set(sites):
                    own, total, count = of.get(name, (0, 0, 0))
                    if own or total or count or name in sites:
                        rows.append({"frame": k, "thread": t.name, "number": number, "marker": name, "self_ns": own, "total_ns": total, "count": count,
                                     "allocs": len(sites[name]) if self.records_allocs else None,
                                     "alloc_bytes": sum(sites[name]) if self.records_allocs else None, "process": 1})
        return rows

    def frame_thread_rows(self):
        rows = []
        for k, (a, b) in enumerate(self.frames, 1):
            for number, t in enumerate(self.threads, 1):
                waiting = t.waits(a, b)
                busy, zones = t.in_zones(a, b) - waiting, sum(a <= z.begin < b for z in t.zones)
                allocs, size = self.allocated(a, b, t.allocs)
                if busy or waiting or zones or allocs:
                    rows.append({"frame": k, "thread": t.name, "number": number, "busy_ns": busy, "busy_share": share(busy, b - a),
                                 "waiting_ns": waiting, "zones": zones, "allocs": allocs, "alloc_bytes": size, "process": 1})
        return rows

    def frame_gc_rows(self):
        rows = []
        for k, (a, b) in enumerate(self.frames, 1):
            allocs, size = self.allocated(a, b)
            rows.append({"frame": k, "start_ns": a, "dur_ns": b - a, "allocs": allocs, "alloc_bytes": size, "process": 1})
        return rows

    # --- markers, categories, paths, threads

    def marker_rows(self):
        rows, whole = [], sum(z.pieces(-NEVER, NEVER) for z in self.zones)
        per_frame = [self.in_frame(self.main, k) for k in range(1, len(self.frames) + 1)]
        for name, zones in self.by(lambda z: z.name).items():
            own, lengths = self.self_time(zones), [z.end - z.begin for z in zones if not z.cut]
            cut, depths = sum(z.cut for z in zones), [len(z.around) + 1 for z in zones]
            totals = [of[name][1] if name in of else 0 for of in per_frame]
            row = {"marker": name, "category": self.category(name), "self_ns": own, "self_share": share(own, whole),
                   "total_ns": sum(z.time() for z in zones if z.is_outermost()), "count": len(zones), "cut": cut or None,
                   "mean_ns": mean(sum(lengths), len(lengths)), "min_ns": min(lengths, default=None), "max_ns": max(lengths, default=None),
                   "depth_min": min(depths), "depth_max": max(depths), "threads": len({z.thread for z in zones})}
            row.update((c, from_histogram(lengths, p)) for c, p in (("median_ns", 500), ("p95_ns", 950), ("p99_ns", 990)))
            if self.frames:
                row.update(frame_mean_ns=mean(sum(totals), len(totals)), frame_max_ns=max(totals), frames=sum(name in of for of in per_frame))
            rows.append(row)
        return rows

    def category_rows(self):
        rows, whole = [], sum(z.pieces(-NEVER, NEVER) for z in self.zones)
        of = lambda z: self.category(z.name)        # noqa: E731
        for name, zones in self.by(of).items():
            own = self.self_time(zones)
            row = {"category": name, "self_ns": own, "self_share": share(own, whole),
                   "total_ns": sum(z.time() for z in zones if z.is_outermost(of)), "count": len(zones)}
            if self.frames:
                mine = [self.self_time([z for z in zones if z.thread is self.main], a, b) for a, b in self.frames]
                row.update(frame_self_mean_ns=mean(sum(mine), len(mine)), frame_self_max_ns=max(mine), frames=sum(n > 0 for n in mine),
                           frame_self_median_ns=from_histogram(mine, 500), frame_self_p95_ns=from_histogram(mine, 950))
            rows.append(row)
        return rows

    def category_thread_rows(self):
        rows = []
        of = lambda z: self.category(z.name)        # noqa: E731
        for number, t in enumerate(self.threads, 1):
            for name, zones in self.by(of, t.zones).items():
                own = self.self_time(zones)
                rows.append({"category": name, "thread": t.name, "number": number, "self_ns": own, "self_share": share(own, t.in_zones()),
                             "total_ns": sum(z.time() for z in zones if z.is_outermost(of)), "count": len(zones)})
        return rows

    def tree_rows(self):
        """Of paths; "path" stands for the rows above."""
        rows = []
        for t in self.threads:
            paths = self.by(Zone.path, t.zones)
            outside = sum(size for _, size, z in t.allocs if z is None)
            inside = lambda path: sum(size for _, size, z in t.allocs if z is not None and z.path()[:len(path)] == path)     # noqa: E731
            if paths or outside:
                rows.append({"path": (t.name,), "depth": 0, "marker": t.name, "total_ns": t.in_zones(), "total_share": share(t.in_zones(), self.in_zones),
                             "self_ns": None, "self_share": None, "count": None,
                             "alloc_bytes": outside + inside(()) if self.records_allocs else None})
            for path, zones in paths.items():
                own, total = self.self_time(zones), sum(z.time() for z in zones)
                rows.append({"path": (t.name,) + path, "depth": len(path), "marker": path[-1], "total_ns": total,
                             "total_share": share(total, self.in_zones), "self_ns": own, "self_share": share(own, self.in_zones), "count": len(zones),
                             "alloc_bytes": inside(path) if self.records_allocs else None})
        return rows

    def bottom_up_rows(self):
        found = collections.defaultdict(lambda: [0, 0])
        for z in self.zones:
            up = z.path()[::-1]
            for n in range(1, len(up) + 1):
                found[up[:n]][0] += z.pieces(-NEVER, NEVER)
                found[up[:n]][1] += 1
        return [{"path": up, "depth": len(up) - 1, "marker": up[-1], "self_ns": own, "self_share": share(own, self.in_zones), "count": n}
                for up, (own, n) in found.items()]

    def thread_rows(self):
        rows = []
        for number, t in enumerate(self.threads, 1):
            waiting = t.waits()
            busy = t.in_zones() - waiting
            rows.append({"thread": t.name, "number": number, "busy_ns": busy, "busy_share": share(busy, t.last - t.first), "waiting_ns": waiting,
                         "calls": len(t.zones), "allocs": len(t.allocs) if self.records_allocs else None,
                         "alloc_bytes": sum(a[1] for a in t.allocs) if self.records_allocs else None, "first_ns": t.first, "last_ns": t.last,
                         "open_at_end": t.open, "generation": 0, "process": 1, "group": t.group})
        return rows

    # --- two frames side by side

    @staticmethod
    def sides(columns, a, b):
        """a_COLUMN, b_COLUMN and more_COLUMN of two lists of figures."""
        row = {}
        for c, x, y in zip(columns, a, b):
            row.update({"a_" + c: x, "b_" + c: y, "more_" + c: y - x if x is not None else None})
        return row

    def compared_frame_rows(self, a, b):
        rows = []
        for k in sorted({a} | {n for n in range(b - 2, b + 3) if 1 <= n <= len(self.frames)}):
            low, high = self.frames[k - 1]
            allocs, size = self.allocated(low, high)
            rows.append({"frame": k, "is": {a: "A", b: "B"}.get(k), "start_ns": low, "dur_ns": high - low, "allocs": allocs, "alloc_bytes": size,
                         "engine_frame": k - 1 if self.numbered else None, "process": 1,
                         "cpu_ns": self.cpu(low, high) if any(z.name in WAITS for z in self.main.zones) else None})
        return rows

    def compared_tree_rows(self, a, b):
        """a_total_ns, b_self_ns, more_count, a_alloc_bytes and so on of each path on which one of the frames does something."""
        def of(k):
            low, high = self.frames[k - 1]
            found = collections.defaultdict(lambda: [0, 0, 0, 0])
            for t in self.threads:
                for z in t.zones:
                    row = found[(t.name,) + z.path()]
                    row[0] += z.time(low, high)
                    row[1] += z.pieces(low, high)
                    row[2] += low <= z.begin < high
                for ts, size, z in t.allocs if self.records_allocs else ():
                    for n in range(len(z.path()) if z and low <= ts < high else 0):
                        found[(t.name,) + z.path()[:n + 1]][3] += size
            return found
        of_a, of_b = of(a), of(b)
        rows = []
        for path in set(of_a) | set(of_b):
            x, y = of_a.get(path, (0,) * 4), of_b.get(path, (0,) * 4)
            if any(x) or any(y):
                row = self.sides(("total_ns", "self_ns", "count"), x, y)
                row.update(path=path, depth=len(path) - 1, marker=path[-1])
                if self.records_allocs:
                    row.update(a_alloc_bytes=x[3], b_alloc_bytes=y[3])
                rows.append(row)
        return rows

    def compared_thread_rows(self, a, b):
        rows = []
        for number, t in enumerate(self.threads, 1):
            sides = []
            for low, high in (self.frames[a - 1], self.frames[b - 1]):
                waiting = t.waits(low, high)
                sides.append((t.in_zones(low, high) - waiting, waiting, sum(low <= z.begin < high for z in t.zones)))
            if any(map(any, sides)):
                row = self.sides(("busy_ns", "waiting_ns", "zones"), *sides)
                del row["more_zones"]
                rows.append(dict(row, thread=t.name, number=number))
        return rows

    def compared_alloc_rows(self, a, b):
        sides = [collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])]
        for to, k in zip(sides, (a, b)):
            for ts, size, z in self.allocs:
                if self.frames[k - 1][0] <= ts < self.frames[k - 1][1]:
                    of = to[z.name if z else OUTSIDE_ZONES]
                    of[0], of[1] = of[0] + size, of[1] + 1
        return [dict(self.sides(("bytes", "allocs"), sides[0].get(s, (0, 0)), sides[1].get(s, (0, 0))), site=s) for s in set(sides[0]) | set(sides[1])]

    def compared_counter_rows(self, a, b):
        rows = {(r["frame"], r["counter"]): r["last"] for r in self.frame_counter_rows()}
        names = {name for k, name in rows if k in (a, b)}
        return [{"counter": n, "a_last": rows.get((a, n)), "b_last": rows.get((b, n))} for n in names]

    # --- allocations

    def alloc_row(self, sizes):
        return {"bytes": sum(sizes), "share": share(sum(sizes), sum(a[1] for a in self.allocs)), "count": len(sizes),
                "mean_bytes": mean(sum(sizes), len(sizes)), "error_bytes": None}

    def gcalloc_row(self):
        sizes, each = [a[1] for a in self.allocs], [self.allocated(a, b) for a, b in self.frames]
        row = {k: v for k, v in self.alloc_row(sizes).items() if k != "share"}
        row.update(frame_median_bytes=rank([b for _, b in each], 500), frame_p95_bytes=rank([b for _, b in each], 950),
                   frame_max_bytes=max(b for _, b in each), frame_median_count=rank([n for n, _ in each], 500),
                   zero_frames_share=share(sum(n == 0 for n, _ in each), len(each)))
        return row

    def alloc_rows(self, **keys):
        """Allocations by columns: name of a column = what it has of (thread, number, zone)."""
        found = collections.defaultdict(list)
        for number, t in enumerate(self.threads, 1):
            for _, size, z in t.allocs:
                found[tuple(of(t, number, z) for of in keys.values())].append(size)
        return [dict(zip(keys, key), **self.alloc_row(sizes)) for key, sizes in found.items()]

    # --- counters and the time

    def values(self):
        """(counter, ns, value), in the order of time."""
        return sorted(((v[1], v[0], v[2]) for t in self.threads for v in t.values), key=lambda v: v[1])

    def counter_rows(self):
        rows, values = [], self.values()
        for name in {v[0] for v in values}:
            of = [v for v in values if v[0] == name]
            numbers = [v[2] for v in of]
            rows.append({"counter": name, "last": numbers[-1], "min": min(numbers), "max": max(numbers), "first": numbers[0],
                         "delta": numbers[-1] - numbers[0], "count": len(numbers), "mean": Near(sum(numbers) / len(numbers), 0.501),
                         "first_ns": of[0][1], "last_ns": of[-1][1], "text": None, "process": 1})
        return rows

    def counter_value_rows(self):
        last, rows = {}, []
        for name, ts, value in self.values():
            rows.append({"time_ns": ts, "counter": name, "value": value, "delta": value - last[name] if name in last else None, "process": 1})
            last[name] = value
        return rows

    def frame_counter_rows(self):
        rows, values = [], self.values()
        for k, (a, b) in enumerate(self.frames, 1):
            for name in {v[0] for v in values}:
                of = [v[2] for v in values if v[0] == name and a <= v[1] < b]
                if of:
                    rows.append({"frame": k, "counter": name, "last": of[-1], "min": min(of), "max": max(of), "count": len(of), "process": 1})
        return rows

    def counter_timeline_rows(self, buckets):
        rows, values = [], self.values()
        for name in {v[0] for v in values}:
            before = None
            for a, b in buckets:
                new = [v[2] for v in values if v[0] == name and a <= v[1] < b]
                seen = ([before] if before is not None else []) + new
                if seen:
                    rows.append({"counter": name, "from_ns": a, "to_ns": b, "last": seen[-1], "min": min(seen), "max": max(seen), "values": len(new),
                                 "delta": seen[-1] - before if before is not None else None, "process": 1})
                    before = seen[-1]
        return rows

    def buckets(self, n):
        """${n} parts of the time from the begin to past the last event."""
        borders = [self.begin - ((self.begin - self.end - 1) * i // n) for i in range(n + 1)]
        return list(zip(borders, borders[1:]))

    def timeline_rows(self, n):
        begins = sorted(z.begin for z in self.zones)
        rows = []
        for a, b in self.buckets(n):
            allocs, size = self.allocated(a, b)
            rows.append({"from_ns": a, "to_ns": b, "calls": bisect.bisect_left(begins, b) - bisect.bisect_left(begins, a), "allocs": allocs,
                         "alloc_bytes": size})
        return rows
