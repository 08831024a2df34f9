"""Games that a display or a timer holds, simulated and written as logs of Unity's profiler (tracetool-unity-raw(7)), with what a player saw of each frame.

A display refreshes at times of its own. A frame is shown at the first refresh at which all that makes it is ready (its main thread, its
render thread, its GPU) and that the limit allows; the main thread waits for that, and is woken a little later. Engines wait at the end of
a frame, or at the begin of the next one. A timer's limit has no refreshes: a frame that was ready lasts its period, and what the sleep
takes longer. Nothing here knows how the program finds out.
"""
import math
import random
import struct

from raw_log import MAIN, SESSION, Log, state, text, thread

MS, US = 10 ** 6, 10 ** 3
RENDERER = 200
NAMES = ["Main Thread", "PlayerLoop", "Update.ScriptRunBehaviourUpdate", "Game.dll!::World.Update()", "Gfx.WaitForPresentOnGfxThread", "WaitForTargetFPS",
         "TimeUpdate.WaitForLastPresentationAndUpdateTime", "Semaphore.WaitForSignal", "Camera.Render", "Gfx.WaitForGfxCommandsFromMainThread",
         "GPU Frame Time", "Render Thread", "Gfx.PresentFrame"]
ROOT, LOOP, SCRIPTS, WORLD, PRESENT, TARGET, LAST, SIGNAL, CAMERA, COMMANDS, GPU, RENDER_ROOT, PRESENT_FRAME = range(13)


class Game:
    """What one capture is to be. Rates in Hz; a limit is a list of (first frame, refreshes or periods)."""

    def __init__(self, seed, frames=240, hz=60, waits="end", kind="display", limits=((0, 1),), late=0.0, by="main",
                 gpu_known=False, drift=0.0, rates=(), jitter=300 * US, sleep=120 * US, late_by=None, waits_in="target", late_at=(), lost=(),
                 grain=0, scheduled=False, depth=0, presents=True, unsteady=.3, handing=0, woken_late=0.0):
        self.rng = random.Random(seed)
        self.n, self.hz, self.waits, self.kind, self.limits, self.late, self.by = frames, hz, waits, kind, limits, late, by
        self.gpu_known, self.drift, self.rates, self.jitter = gpu_known, drift, rates, jitter
        # A timer's sleep is too long by so much on average; late frames last so many periods (None: different ones); it sleeps in this marker.
        self.sleep, self.late_by, self.waits_in = sleep, late_by, waits_in
        # A timer's sleeps end at multiples of this only; frames are due by a schedule, not from each one's own begin.
        self.grain, self.scheduled = grain, scheduled
        # It takes so long to hand a picture of a timer's frame over, which waits for nothing; 0: the capture does not have that.
        self.handing = handing
        # So many of the main thread's waits for a refresh end two milliseconds late, and still in time for the next one.
        self.woken_late = woken_late
        # How many frames may wait to be shown; whether the capture has when they are; how much of a refresh the work differs by.
        self.depth, self.presents, self.unsteady, self.shown_at = depth, presents, unsteady, []
        # Frames whose main thread is surely late; frames that the capture lacks.
        self.late_at, self.lost = late_at, lost
        self.frames, self.render, self.gpu, self.taken, self.is_late, self.switch = [], [], [], [], [], None
        self.simulate()

    def limit(self, i):
        return [k for first, k in self.limits if first <= i][-1]

    def rate(self, i):
        return ([hz for first, hz in self.rates if first <= i] or [self.hz])[-1]

    def near_change(self, i):
        return any(abs(i - c) < 6 for c, _ in list(self.limits)[1:] + list(self.rates)) or i > self.n - 4 or i < 2

    def simulate(self):
        {"display": self.in_pipeline if self.depth else self.on_display, "timer": self.on_timer, "free": self.freely}[self.kind]()

    # ---- the display's clock ----
    def tick(self, n):
        """When refresh n is. The rate drifts by ${drift} of it over the capture."""
        if self.switch and n >= self.switch[0]:
            return self.switch[1] + (n - self.switch[0]) * 1e9 / self.rates[-1][1]
        p, all_ = 1e9 / self.hz, 4 * self.n
        return 50e6 + n * p + self.drift * p * n * n / (2 * all_)

    def next_tick(self, at, least):
        n = least
        while self.tick(n) < at:
            n += 1
        return n

    def needs(self, i, period, limit):
        """Times of main thread, render thread and GPU, and whether they are to be late."""
        rng = self.rng
        if self.rates and self.near_change(i):            # little enough for either display
            period = min(period, 1e9 / self.rates[-1][1])
        quiet = [rng.uniform(.2, .6) * period, rng.uniform(.1, .6) * period, rng.uniform(.2, .7) * period]
        if i in self.late_at:
            quiet[0] = (limit + rng.choice((0, 0, 1, 2)) + rng.uniform(.1, .9)) * period
        elif not self.near_change(i) and rng.random() < self.late:
            more = (limit + rng.choice((0, 0, 0, 1)) + rng.uniform(.2, .8)) * period
            who = rng.choice(("main", "render", "gpu")) if self.by == "any" else self.by
            quiet[("main", "render", "gpu").index(who)] = more
        return [int(x) for x in quiet]

    def on_display(self):
        rng, at, last, ends = self.rng, 0, 0, []
        at = self.tick(0) + 100 * US + (self.needs(0, 1e9 / self.hz, 1)[0] if self.waits == "begin" else 0)
        ready = at
        ticks, works = [], []
        for i in range(self.n + 1):
            if self.rates and i == self.rates[-1][0]:
                self.switch = (last, self.tick(last))
            period, limit = 1e9 / self.rate(i), self.limit(i)
            main, render, gpu = self.needs(i, period, limit)
            start = at
            if self.waits == "begin":
                n = self.next_tick(ready, last + limit)
                woken = self.tick(n) + rng.uniform(20 * US, self.jitter)
                at = woken + main
                ready = max(at, woken + render, woken + gpu)
                ticks.append(n)
                works.append(at > self.tick(n + limit))
                zones = [("wait", start, woken), ("work", woken, at)]
                made = woken
            else:
                done = start + main
                drawn = max(done, start + render)
                ready = max(drawn, start + gpu)
                n = self.next_tick(ready, last + limit)
                at = self.tick(n) + rng.uniform(20 * US, self.jitter)
                if self.woken_late and rng.random() < self.woken_late:
                    at += rng.uniform(1.5, 2.2) * MS
                # A GPU that is late is waited for with the render thread, and then for the display.
                presented = max(drawn, ready if gpu > main else drawn)
                zones = [("work", start, done), ("present", done, presented), ("target", presented, at)]
                self.taken.append(n - last)
                self.is_late.append(n - last > limit)
                made = start
            last = n
            self.frames.append((start, at, zones))
            self.render.append((made, made + render))
            self.gpu.append(gpu)
        if self.waits == "begin":
            edge = ticks[0] - self.limit(0)
            for i in range(self.n):
                now = ticks[i + 1] - self.limit(i + 1) if works[i] else ticks[i]
                self.taken.append(max(1, now - edge))
                self.is_late.append(self.taken[-1] > self.limit(i))
                edge = max(edge, now)
        self.frames, self.taken, self.is_late = self.frames[:self.n], self.taken[:self.n], self.is_late[:self.n]
        first, end = (0, last) if not self.switch else (0, self.switch[0])
        self.periods = [(self.tick(end) - self.tick(first)) / (end - first)] if not self.switch else [1e9 / self.hz, 1e9 / self.rates[-1][1]]

    def in_pipeline(self):
        """The main thread is ahead of the display by up to ${depth} frames, and waits only for room: its frames end anywhere, the pictures at refreshes."""
        rng, at, drawn, last = self.rng, self.tick(0) + 100 * US, 0, 0
        period = 1e9 / self.hz
        for i in range(self.n):
            limit, start = self.limit(i), at
            main = rng.uniform(.5, .5 + self.unsteady) * period * (1 if rng.random() < .8 else 1 + self.unsteady)
            # Nothing tells since when the picture before the first is shown.
            main = main if i else min(main, .9 * period)
            render = rng.uniform(.2, .5) * period
            if i in self.late_at or (i > 8 and rng.random() < self.late):
                render = (limit + 1 + rng.uniform(.2, .8)) * period
            done = start + main
            begun = max(done, drawn)
            ready = begun + render
            n = self.next_tick(ready, last + limit if i else 1)
            shown = self.tick(n) + rng.uniform(20 * US, self.jitter)
            self.taken.append(n - last if i else 1)
            self.is_late.append(self.taken[-1] > limit)
            self.shown_at.append((ready, shown))
            self.render.append((begun, ready))
            self.gpu.append(0)
            last, drawn = n, shown
            # The frame after this one begins when the one ${depth} before it has been shown.
            room = self.shown_at[i - self.depth][1] + 30 * US if i >= self.depth else 0
            at = max(done + 5 * US, room)
            self.frames.append((start, at, [("work", start, done), ("present", done, at)]))
        self.periods = [(self.tick(last) - self.tick(0)) / last]

    def wake(self, due):
        """When a sleep until then ends."""
        if self.grain:
            return math.ceil(due / self.grain) * self.grain + self.rng.uniform(2, 30) * US
        return due + (min(self.rng.expovariate(1 / self.sleep), 800 * US) if self.sleep else 0)

    def on_timer(self):
        rng = self.rng
        due = at = math.ceil(50 * MS / self.grain) * self.grain if self.grain else 50 * MS
        held = {}
        for i in range(self.n):
            period = self.limit(i) * 1e9 / self.hz
            main, render, _ = self.needs(i, period, 1)
            late = main > period
            if late:
                main = int((self.late_by or rng.choice((1.1, 1.2, 1.3, 1.7, 2.2)) + rng.uniform(0, .1)) * period)
            due = max(due, at - period) + period if self.scheduled else at + period
            end = at + main + 3 * US if late else max(self.wake(due), at + main + 3 * US)
            zones = [("work", at, at + main)] + ([] if late else [(self.waits_in, at + main, end)])
            self.frames.append((at, end, zones))
            drawn = at + (2 * MS if self.handing else min(render, period / 2, end - at - 1 * US))
            self.render.append((at, drawn))
            if self.handing:
                self.shown_at.append((drawn, drawn + self.handing))
            self.gpu.append(0)
            self.is_late.append(late)
            if not late:
                held.setdefault(self.limit(i), []).append(end - at)
            at = end
        self.periods = [sum(held[k]) / len(held[k]) for _, k in self.limits]
        if self.grain:
            period = 1e9 / self.hz
            # From a frame's own begin, which is a little after a step.
            self.periods = [max(period, self.grain) if self.scheduled else (period // self.grain + 1) * self.grain]
        for i, (a, b, _) in enumerate(self.frames):
            p = self.periods[[n for n, (first, _) in enumerate(self.limits) if first <= i][-1]]
            self.taken.append(max(1, math.floor((b - a) / p + .5)))

    def freely(self):
        """No limit: as long as the work takes, or the GPU, which the main thread waits for."""
        at = 50 * MS
        for i in range(self.n):
            main = int((14.2 + self.rng.gauss(0, .25)) * MS) if self.by == "main" else int(self.rng.uniform(3, 6) * MS)
            if self.rng.random() < self.late:
                main += int(self.rng.uniform(4, 20) * MS)
            end = at + main + (30 * US if self.by == "main" else int((12.8 + self.rng.gauss(0, .4)) * MS))
            self.frames.append((at, end, [("work", at, at + main)] + ([] if self.by == "main" else [("present", at + main, end)])))
            self.render.append((at, at + 2 * MS))
            self.gpu.append(0)
            at = end
        self.taken, self.is_late, self.periods = [None] * self.n, [None] * self.n, []

    # ---- what is true ----
    def is_tellable(self):
        """Frames that are equal and never late may be a display's as well as a timer's, or of one that is faster."""
        if self.kind == "display":
            most = max(k for _, k in self.limits)
            return len(self.limits) > 1 or most < (2 if self.depth else 5) or (any(self.is_late) and not self.depth)
        return (self.sleep > 0 and not self.grain) or any(self.is_late)

    def segments(self):
        """(first frame, last one, kind, refreshes a frame, period in ns), frames from 1."""
        if self.kind == "free":
            return [(1, self.n, "none", None, None)]
        changes = [first for first, _ in (self.rates or self.limits)]
        if self.rates:
            changes = [0] + changes
        ends = changes[1:] + [self.n]
        return [(a + 1, b, self.kind, self.limit(a) if self.kind == "display" else 1, self.periods[k if len(self.periods) > 1 else 0])
                for k, (a, b) in enumerate(zip(changes, ends))]

    def fps(self):
        return self.n * 1e9 / (self.frames[-1][1] - self.frames[0][0])

    # ---- the capture ----
    def zones(self, zones):
        """Zones of the main thread: (begin, end, marker) in order of begin."""
        out = []
        for what, a, b in zones:
            if what == "work":
                out += [(a, b, SCRIPTS), (a + 1 * US, b - 1 * US, WORLD)]
            elif self.waits == "bare":
                continue
            elif what == "wait":
                out += [(a, b, LAST), (a + 200, b - 300, PRESENT), (a + 400, b - 500, SIGNAL)]
            elif b - a > 4 * US:
                out += [(a + 1 * US, b - 1 * US, PRESENT if what == "present" else TARGET)]
        return out

    def write(self, path):
        start = self.frames[0][0] / MS - 1
        log = Log(start, NAMES[:GPU])
        counter = struct.pack("<HIHH", 1, GPU, 0x80, 0) + text(NAMES[GPU]) + b"\1" + struct.pack("<H", 4) + text("Value")
        roots = b"".join(struct.pack("<HIHH", 1, m, 0, 0) + text(NAMES[m]) + b"\0" for m in (RENDER_ROOT, PRESENT_FRAME))
        log.block(SESSION, counter + roots + thread(RENDERER, 0, "Render Thread"))
        whole = lambda ns: int(ns) // 100 * 100
        for i, (a, b, zones) in enumerate(self.frames):
            if i not in self.lost or i - 1 not in self.lost:
                log.block(MAIN, struct.pack("<HIQ", 34, i, whole(a)))
            if i in self.lost:
                continue
            body, open_ = b"", []
            if self.gpu_known and i >= 4:                 # of the frame four before
                body += struct.pack("<HBIQBBq", 44, 0, GPU, whole(a), 1, 4, self.gpu[i - 4])
            for x, y, m in [(a, b, ROOT), (a, b, LOOP)] + self.zones(zones):
                while open_ and open_[-1][1] <= x:
                    _, end, was = open_.pop()
                    body += struct.pack("<HBIQ", 37, 0, was, whole(end))
                body += struct.pack("<HBIQ", 36, 0, m, whole(x))
                open_.append((x, y, m))
            while open_:
                _, end, was = open_.pop()
                body += struct.pack("<HBIQ", 37, 0, was, whole(end))
            log.block(MAIN, body)
            zones = [(CAMERA, *self.render[i])] + ([(PRESENT_FRAME, *self.shown_at[i])] if self.presents and self.shown_at else [])
            log.block(RENDERER, b"".join(struct.pack("<HBIQ", kind, 0, m, whole(t)) for m, x, y in zones for kind, t in ((36, x), (37, y))))
        log.block(MAIN, struct.pack("<HIQ", 34, self.n, whole(self.frames[-1][1])))
        log.block(SESSION, state(0, self.frames[-1][1] / MS + 1))
        return log.write(path)


class Bound(Game):
    """A GPU takes about ${ms} for each frame, give or take ${spread}, and nothing else holds it: no display, no limit."""

    def __init__(self, seed, ms, spread, **more):
        self.ms, self.spread = ms, spread
        super().__init__(seed, kind="free", **more)

    def freely(self):
        at = 50 * MS
        for _ in range(self.n):
            gpu = int(max(self.ms / 2, self.ms + self.rng.gauss(0, self.spread)) * MS)
            done = at + int(self.rng.uniform(.15, .4) * self.ms * MS)
            self.frames.append((at, at + gpu, [("work", at, done), ("present", done, at + gpu)]))
            self.render.append((at, at + MS))
            self.gpu.append(gpu)
            at += gpu
        self.taken, self.is_late, self.periods = [None] * self.n, [None] * self.n, []


class Stalled(Game):
    """A timer holds its frames, and no display. The main thread waits for what is drawn, too, in each frame before it waits for the timer, or in its work
    (${inside}); a frame for which that takes longer than the period is late, and has no time left to wait for the timer."""

    def __init__(self, seed, inside=False, late_parts=(1.1, 1.45), **more):
        self.inside, self.late_parts = inside, late_parts
        super().__init__(seed, kind="timer", **more)

    def on_timer(self):
        rng, at, held, period = self.rng, 50 * MS, [], 1e9 / self.hz
        for i in range(self.n):
            late = i in self.late_at or rng.random() < self.late
            main, render, gpu = [rng.uniform(low, high) * period for low, high in ((.2, .3), (.05, .1), (.1, .2))]
            drawn = at + (rng.uniform(*self.late_parts) * period if late else main + render + gpu)
            begun = at + main / 2 if self.inside else at + main
            done = drawn + (main / 2 if self.inside and not late else 5 * US)
            end = done if late else max(self.wake(at + period), done)
            zones = [("work", at, begun), ("present", begun, drawn)] + ([("work", drawn, done)] if self.inside else [])
            self.frames.append((at, end, zones + ([] if late else [("target", done, end)])))
            self.render.append((begun, begun + render))
            self.gpu.append(int(drawn - begun - render))
            self.is_late.append(late)
            if not late:
                held.append(end - at)
            at = end
        self.periods = [sum(held) / len(held)]
        self.taken = [max(1, math.floor((b - a) / self.periods[0] + .5)) for a, b, _ in self.frames]


class Paced(Game):
    """A timer whose sleeps end late by a half-normal time of ${spread}, in ns. Its deadlines are a period from each frame's begin, or from the one before
    (${scheduled}): the frame after a late one is shorter then. It waits in WaitForTargetFPS for nothing else. Late frames work for ${late_by} periods."""

    def __init__(self, seed, spread, **more):
        self.spread = spread
        super().__init__(seed, kind="timer", **more)

    def on_timer(self):
        rng, period, at, held = self.rng, 1e9 / self.hz, 50 * MS, []
        due = at
        for i in range(self.n):
            late = rng.random() < self.late
            done = at + int(period * (self.late_by if late else .5 * rng.uniform(.8, 1.2)))
            due = max(due + period, at) if self.scheduled else at + period
            waits = done < due
            end = int(due + abs(rng.gauss(0, self.spread))) if waits else done + 100 * US
            self.frames.append((at, end, [("work", at, done)] + ([("target", done, end)] if waits else [])))
            self.render.append((at, at + 100 * US))
            self.gpu.append(0)
            held += [end - at] if waits else []
            at = end
        self.periods = [period if self.scheduled else sum(held) / len(held)]
        # Late by one and a half periods, or without a wait by a fiftieth; surely, and at most.
        waited = [len(zones) > 1 and zones[1][2] - zones[1][1] > (b - a) * .025 for a, b, zones in self.frames]
        hardly = [len(zones) == 1 or zones[1][2] - zones[1][1] < (b - a) * .015 for a, b, zones in self.frames]
        parts = [(b - a) / self.periods[0] for a, b, _ in self.frames]
        self.surely = [k > 1.56 or (h and k > 1.05) for k, h in zip(parts, hardly)]
        self.at_most = [k > 1.44 or (not w and k > 1) for k, w in zip(parts, waited)]
        self.is_late = self.surely
        self.taken = [max(1, math.floor(k + .5)) for k in parts]


class Chain(Game):
    """A display's pictures wait in a swap chain of ${images}: handing one over takes until the one ${images} - 1 before it is shown, or no time if that was
    shown already, as it is after a frame whose main or render thread (${by}) is late. The main thread is a frame ahead of the render thread."""

    def __init__(self, seed, images=2, **more):
        self.images = images
        super().__init__(seed, **more)

    def on_display(self):
        rng, period, at, free, last, ticks = self.rng, 1e9 / self.hz, self.tick(0) + 100 * US, 0, 0, []
        for i in range(self.n):
            limit, start = self.limit(i), at
            main, render = rng.uniform(.2, .6) * period, rng.uniform(.1, .4) * period
            if i in self.late_at or (8 < i < self.n - 8 and rng.random() < self.late):
                more = (limit + rng.choice((1, 1, 2)) + self.images - 2 + rng.uniform(.2, .8)) * period
                main, render = (more, render) if self.by == "main" else (main, more)
            done = start + main
            begun = max(done, free)
            # Without the GPU's time the capture does not tell between which refreshes it was ready: it is before the next one.
            if abs((begun + render - self.tick(0)) % period - period / 2) > .42 * period:
                render += .2 * period
            drawn = begun + render
            gpu = rng.uniform(.1, .9) * (self.tick(self.next_tick(drawn, last)) - drawn)
            last = self.next_tick(drawn + gpu, last + limit if i else 1)
            ticks.append(last)
            before = i - self.images + 1
            woken = self.tick(ticks[before]) + rng.uniform(20 * US, self.jitter) if before >= 0 else 0
            self.taken.append(last - ticks[-2] if i else 1)
            self.is_late.append(self.taken[-1] > limit)
            self.render.append((begun, drawn))
            self.shown_at.append((drawn, max(drawn + rng.uniform(20, 250) * US, woken)))
            self.gpu.append(gpu)
            # The frame ends when the picture before it was handed over.
            at = max(done + 5 * US, self.shown_at[i - 1][1] + 30 * US if i else 0)
            self.frames.append((start, at, [("work", start, done), ("present", done, at)]))
            free = self.shown_at[i][1]
        self.periods = [(self.tick(last) - self.tick(0)) / last]


class Both(Game):
    """One game and then the other, of one process."""

    def __init__(self, one, other):
        self.__dict__.update(one.__dict__)
        more = one.frames[-1][1] - other.frames[0][0]
        self.parts, self.n = (one, other), one.n + other.n
        self.frames = one.frames + [(a + more, b + more, [(z, x + more, y + more) for z, x, y in zones]) for a, b, zones in other.frames]
        self.render = one.render[:one.n] + [(a + more, b + more) for a, b in other.render]
        self.gpu = one.gpu[:one.n] + other.gpu
        self.taken, self.is_late = one.taken + other.taken, one.is_late + other.is_late


class Twice(Game):
    """Something needs 1.2 to 1.6 refreshes for each frame, so that each takes two."""

    def needs(self, i, period, limit):
        needs = super().needs(i, period, limit)
        needs[("main", "render", "gpu").index(self.by)] = int(self.rng.uniform(1.2, 1.6) * period)
        return needs


class Spiky(Game):
    """Frames that are late all take ${k} refreshes, and ${row} of them are in a row."""

    def __init__(self, seed, k=4, row=(), **more):
        self.k, self.row = k, row
        super().__init__(seed, **more)

    def needs(self, i, period, limit):
        needs = super().needs(i, period, limit)
        if i in self.row or (8 < i < self.n - 8 and self.rng.random() < .15):
            needs[("main", "render", "gpu").index(self.by)] = int((self.k - 1 + self.rng.uniform(.2, .8)) * period)
        return needs


class Alone(Game):
    """Its render thread and GPU are quick: it waits for the limit alone."""

    def needs(self, i, period, limit):
        return [super().needs(i, period, limit)[0], int(.05 * period), int(.05 * period)]


class Overslept(Game):
    """Its frames are due by a schedule, and one in twelve sleeps is too long by up to a third of a period: the next frames make up for it."""

    def wake(self, due):
        return due + self.rng.uniform(0, 20 * US) + (self.rng.uniform(.05, .33) * 1e9 / self.hz if self.rng.random() < 1 / 12 else 0)

    def on_timer(self):
        super().on_timer()
        self.periods = [1e9 / self.hz]


class Steady(Game):
    """It works as much, whatever its limit is."""

    def needs(self, i, period, limit):
        return super().needs(i, min(period, 1e9 / self.hz), limit)


def paced(first):
    """A hundred that are held by a timer from each frame's own begin, in the engine or in the driver; (name, game)."""
    rng = random.Random(first + 4141)
    for seed in range(first, first + 100):
        more = {"frames": rng.choice((150, 240, 849)), "hz": (60, 30, 50, 72, 90, 120, 144)[seed % 7], "sleep": (0, 0, 2, 30, 120)[seed % 5] * US,
                "late": (0, .01, .02, .05, .1, .3)[seed // 5 % 6], "waits_in": ("target", "present")[seed % 2],
                "late_by": rng.choice((None, None, 1.4, 2.1, 2.2, 2.8, 3.3))}
        more["sleep"] = min(more["sleep"], 10 ** 9 // more["hz"] // 140)
        yield "paced%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, kind="timer", **more)


def deadlines(first):
    """Eighty-four of a timer whose deadlines are fixed, up to 30 of a hundred frames late for it by 1.25 to 2.5 times; (name, game)."""
    for seed in range(first, first + 84):
        more = {"frames": (60, 120, 300, 600)[seed // 3 % 4], "hz": (60, 30, 120)[seed % 3], "late": (0, .03, .1, .2, .3)[seed // 12 % 5],
                "late_by": (1.25, 1.4, 1.8, 2.5)[(seed // 3 + seed // 12) % 4], "spread": (.1, .3)[seed % 2] * MS}
        yield "deadlines%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Paced(seed, scheduled=True, **more)


def unsteady(first):
    """Eighty-eight of a timer whose sleeps end late by up to some milliseconds, with fixed deadlines or without; (name, game). Where the errors are three
    tenths of the period, a limit is not surely told."""
    for seed in range(first, first + 96):
        more = {"frames": (60, 120, 300, 600)[seed // 4 % 4], "hz": (60, 30, 120, 144)[seed % 4], "spread": (.1, .5, 1, 1.5, 2, 2.5)[seed // 16 % 6] * MS,
                "scheduled": seed % 3 == 0}
        if more["spread"] * more["hz"] < .3e9:
            yield "unsteady%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Paced(seed, **more)


def mostly_late(first):
    """Seventy-two that are held by a timer, in the engine or in the driver, and late for it in 60 to 90 of a hundred frames; (name, game)."""
    rng = random.Random(first + 4747)
    for seed in range(first, first + 72):
        hz = (60, 30, 50, 72, 90, 120)[seed % 6]
        more = {"frames": rng.choice((150, 240, 400, 849)), "hz": hz, "sleep": min((0, 2, 30, 120)[seed // 6 % 4] * US, 10 ** 9 // hz // 140),
                "late": (.75, .9, .6)[seed // 24 % 3], "late_by": rng.choice((None, 1.4, 2.1, 2.8)), "waits_in": ("target", "present")[seed % 2]}
        yield "mostly%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, kind="timer", **more)


def spiky(first):
    """Forty-eight of a display, whose late frames take as many refreshes as those of a limit might, 7 to 18 of them in a row; (name, game)."""
    rng = random.Random(first + 4848)
    for seed in range(first, first + 48):
        n, at = rng.choice((240, 400)), rng.randrange(40, 180)
        more = {"frames": n, "hz": (60, 90, 120, 144)[seed % 4], "k": (4, 2, 3)[seed // 4 % 3], "by": ("gpu", "render", "main")[seed // 12 % 3],
                "waits": ("end", "begin")[seed // 24 % 2], "gpu_known": seed % 5 == 0}
        row = range(at, at + rng.randrange(7, 19))
        yield "spiky%03d-%s-%d in a row" % (seed, "-".join("%s=%s" % kv for kv in more.items()), len(row)), Spiky(seed, row=row, **more)


def slow_limits(first):
    """Forty whose limit gives a frame two to six refreshes of a display, as 24 fps on one of 120 Hz; (name, game)."""
    rng = random.Random(first + 414141)
    for seed in range(first, first + 40):
        hz, k = ((120, 5), (120, 3), (144, 6), (120, 4), (144, 4), (90, 3), (240, 4), (144, 2), (60, 3), (120, 6))[seed % 10]
        more = {"frames": rng.choice((150, 240, 400)), "hz": hz, "limits": ((0, k),), "late": (.08, .2, .4)[seed % 3],
                "waits": ("end", "begin")[seed // 10 % 2], "by": ("main", "render")[seed // 3 % 2], "gpu_known": seed % 7 == 0,
                "drift": rng.choice((0, 0, 2e-4, -3e-4))}
        yield "slow%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


def short_limits(first):
    """Eighty whose limit changes for 8 to 50 frames: (name, game). Where all waits may be for a GPU, a limit shows only if it lasts longer."""
    rng = random.Random(first + 4242)
    for seed in range(first, first + 80):
        hz, kind, at, k = rng.choice((60, 90, 120, 144)), ("display", "display", "timer")[seed % 3], rng.randrange(60, 180), rng.choice((2, 2, 3))
        waits = ("end", "begin")[seed // 3 % 2] if kind == "display" else "end"
        length = rng.randrange(8 if waits == "end" else 16, 50)
        more = {"frames": 240, "hz": hz, "kind": kind, "waits": waits, "limits": ((0, 1), (at, k), (at + length, 1)), "sleep": (0, 60)[seed // 6 % 2] * US,
                "late": rng.choice((0, 0, .03))}
        yield "short%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Steady(seed, **more)


def more_refreshes(first):
    """Eighty whose limit gives a frame five to eight refreshes of a fast display; (name, game)."""
    rng = random.Random(first + 4343)
    for seed in range(first, first + 80):
        hz, k = ((120, 5), (120, 6), (120, 7), (120, 8), (144, 5), (144, 6), (144, 7), (144, 8), (165, 5), (165, 6), (165, 7), (165, 8), (240, 5), (240, 6),
                 (240, 7), (240, 8))[seed % 16]
        more = {"frames": rng.choice((150, 240, 400)), "hz": hz, "limits": ((0, k),), "late": rng.choice((0, .05, .1, .2)),
                "waits": ("end", "begin")[seed // 16 % 2], "by": ("main", "render")[seed // 3 % 2], "gpu_known": seed % 7 == 0}
        yield "more%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


class Odd(Game):
    """Its late frames take no multiple of the refreshes that its limit gives."""

    def needs(self, i, period, limit):
        needs = super().needs(i, period, limit)
        if i in self.late_at:
            needs[0] = int((self.rng.choice([k for k in range(limit, limit + 4) if (k + 1) % limit]) + self.rng.uniform(.1, .9)) * period)
        return needs


class Loads(Game):
    """Its frames ${loads} load for ${ms}."""

    def __init__(self, seed, loads=(), ms=0, **more):
        self.loads, self.ms = loads, ms
        super().__init__(seed, **more)

    def needs(self, i, period, limit):
        needs = super().needs(i, min(period, 1e9 / self.hz), limit)
        if i in self.loads:
            needs[0] = int((self.ms + self.rng.uniform(0, 100)) * MS)
        return needs


def loading(first):
    """Thirty-six of a display with loading screens of up to 200 s between, also behind a menu of half the rate; (name, game)."""
    for seed in range(first, first + 36):
        loads = tuple(range(150, 150 + (1, 3)[seed % 2])) + (300,)
        more = {"frames": 450, "hz": (60, 144, 90)[seed % 3], "waits": ("end", "begin")[seed // 3 % 2], "ms": (10000, 65000, 200000)[seed // 6 % 3],
                "limits": ((0, 1),) if seed // 18 % 2 else ((0, 2), (150, 1))}
        yield "loading%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Loads(seed, loads=loads, **more)


def seldom_late(first):
    """Forty-eight whose limit gives a frame two or three refreshes of a display, and which one frame or two are late for; (name, game)."""
    rng = random.Random(first + 4141)
    for seed in range(first, first + 48):
        n, (hz, k) = (60, 120, 150, 400)[seed // 4 % 4], ((120, 2), (144, 2), (90, 2), (180, 3))[seed % 4]
        late_at = (rng.randrange(8, n // 2 - 4),) + ((rng.randrange(n // 2 + 4, n - 8),) if seed % 3 == 0 else ())
        more = {"frames": n, "hz": hz, "limits": ((0, k),), "late_at": late_at, "waits": ("end", "begin")[seed // 16 % 2],
                "jitter": rng.choice((30, 120, 250)) * US, "gpu_known": seed % 5 == 0}
        yield "seldom%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Odd(seed, **more)


def pipelined(first):
    """Sixty whose main thread is ahead of the display, with when pictures are shown: (name, game)."""
    rng = random.Random(first + 4545)
    for seed in range(first, first + 60):
        more = {"frames": rng.choice((150, 240, 400)), "hz": (60, 90, 120, 144)[seed % 4], "depth": 1 + seed // 4 % 2, "unsteady": rng.choice((.2, .4, .6)),
                "late": rng.choice((0, 0, .02, .1)), "limits": ((0, 1),) if seed % 5 else ((0, 2),)}
        yield "piped%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


def chained(first):
    """Sixty-four whose pictures wait in a swap chain of two or three images: (name, game)."""
    rng = random.Random(first + 4646)
    for seed in range(first, first + 64):
        more = {"frames": rng.choice((240, 400)), "hz": (60, 90, 120, 144)[seed % 4], "images": 2 + seed // 4 % 2, "by": ("main", "render")[seed // 8 % 2],
                "late": (0, .02, .1, .5)[seed // 16 % 4]}
        yield "chain%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Chain(seed, **more)


def both_kinds(first):
    """Forty that a display holds and then a timer, or the reverse; (name, game)."""
    for seed in range(first, first + 40):
        rng = random.Random(seed + 5050)
        n, hz = [rng.randrange(100, 260) for _ in range(2)], rng.choice((60, 90, 120, 144))
        rate, late = rng.choice([x for x in (30, 40, 50, 60, 72) if x != hz]), [rng.choice((0, .03, .1)) for _ in range(2)]
        display = Game(seed, frames=n[0], hz=hz, late=late[0], by=rng.choice(("main", "render")))
        timer = Game(seed + 1, frames=n[1], hz=rate, kind="timer", late=late[1], sleep=rng.choice((30, 100)) * US)
        name = "both%03d, %d at %d Hz, %d by a timer at %d fps, late %s" % (seed, n[0], hz, n[1], rate, late)
        yield (name, Both(display, timer)) if seed % 2 else (name + ", first", Both(timer, display))


def odd_rates(first):
    """Forty-eight of displays of rates that few have; (name, game)."""
    for seed in range(first, first + 48):
        more = {"frames": (240, 400)[seed % 2], "hz": (85, 57, 61, 66, 95, 110)[seed % 6], "waits": ("end", "begin")[seed // 6 % 2],
                "late": (0, 0, .05, .2)[seed // 12 % 4], "by": ("main", "render")[seed // 3 % 2]}
        yield "odd%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


def perfect(first):
    """Twenty-four of 60 frames of a display, none of them late; (name, game)."""
    for seed in range(first, first + 24):
        more = {"frames": 60, "hz": (75, 85, 60, 90, 100, 120)[seed % 6], "waits": ("begin", "end")[seed // 6 % 2]}
        yield "perfect%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


class Driven(Stalled):
    """A driver's timer holds its frames, in the marker that waits for the GPU, too."""

    def on_timer(self):
        super().on_timer()
        self.frames = [(a, b, [("present" if z == "target" else z, x, y) for z, x, y in zones]) for a, b, zones in self.frames]


def driven(first):
    """Sixty that a driver's timer holds, also at parts of a display's rate, some of whose frames wait for a GPU that is too slow for it; (name, game)."""
    for seed in range(first, first + 60):
        more = {"frames": (150, 240)[seed // 30 % 2], "hz": (45, 30, 72, 40, 50)[seed % 5], "late": (0, .05, .1, .2)[seed // 5 % 4],
                "inside": seed // 2 % 2 == 1, "gpu_known": seed // 3 % 2 == 1, "sleep": 40 * US}
        yield "driven%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Driven(seed, **more)


def by_chance(first):
    """A hundred and twenty of 20 to 99 frames that a GPU alone holds, about as long as those of a usual limit; (name, game)."""
    for seed in range(first, first + 120):
        rng = random.Random(seed + 4949)
        n, ms, spread = rng.randrange(20, 100), 1000 / rng.choice((60, 60, 30, 50, 72, 90)) * rng.uniform(.999, 1.003), rng.choice((.0005, .002, .01))
        yield "chance%03d, %d frames of %.2f ms by %g" % (seed, n, ms, ms * spread), Bound(seed, ms, ms * spread, frames=n)


def of_few(first):
    """A hundred and twenty of 10 to 19 frames: of each length those of a GPU that is as slow as a usual limit or a little slower, of two refreshes that a GPU
    needs, and of a limit of two that the engine waits for; (name, game, what may hold it: "gpu" or "limit")."""
    for seed in range(first, first + 120):
        n, rng = 10 + seed % 10, random.Random(seed + 4646)
        what = ("bound", "twice", "limit")[seed // 10 % 3]
        if what == "bound":
            ms, spread = rng.choice((1000 / 30, 1000 / 60, 20, 1000 / 72, 1000 / 82.5)), rng.choice((.002, .01, .03))
            yield "few%03d, %d frames of %.2f ms by %g" % (seed, n, ms, ms * spread), Bound(seed, ms, ms * spread, frames=n), "gpu"
        elif what == "twice":
            waits = rng.choice(("end", "begin"))
            yield "few%03d, %d frames of two refreshes, waits=%s" % (seed, n, waits), Twice(seed, frames=n, by="gpu", waits=waits), "gpu"
        else:
            yield "few%03d, %d frames of a limit of two" % (seed, n), Alone(seed, frames=n, limits=((0, 2),)), "limit"


def as_twice(first):
    """Sixty that show a picture at each second refresh of a display, because the GPU or the main thread is too slow, or at each one of a display of half the
    rate; (name, game, the fast display's rate, what is said of it: "gpu", "work" or None)."""
    for seed in range(first, first + 60):
        hz, what = (144, 165, 180, 240, 120)[seed % 5], seed // 5 % 6
        more = {"frames": (120, 240)[seed // 30 % 2], "waits": "begin"}
        name = "twice%03d, %d Hz, " % (seed, hz)
        if what < 2:
            yield name + "GPU", Twice(seed, by="gpu", hz=hz, **more), hz, "gpu"
        elif what == 2:
            yield name + "main", Twice(seed, by="main", hz=hz, **more), hz, "work"
        elif what == 3:
            yield name + "GPU that is known", Game(seed, hz=hz / 2, gpu_known=True, **more), hz, None
        elif what == 4:
            # A frame that is late would be shown between two refreshes of the slow display.
            yield name + "late for whole ones", Game(seed, hz=hz / 2, late_at=range(8, 96, 6), **more), hz, None
        else:
            more["waits"] = "end"
            yield name + "limit", Alone(seed, hz=hz / 2, **more), hz, None


def as_long(first):
    """Sixty whose frames are as long as each other, at a usual rate: by a GPU, by a driver, and by the engine's own limit; (name, game, its rate, whether the
    engine's limit holds it)."""
    for seed in range(first, first + 60):
        hz, n, what = (60, 50, 30, 72, 90)[seed % 5], (150, 240, 400)[seed // 5 % 3], seed // 15 % 3
        name = "long%03d, %d frames at %d fps, " % (seed, n, hz)
        if what == 0:
            yield name + "GPU", Bound(seed, 1000 / hz * random.Random(seed).uniform(1, 1.003), 1000 / hz / 400, frames=n), hz, False
        else:
            waits_in = ("present", "target")[what - 1]
            yield name + waits_in, Game(seed, frames=n, hz=hz, kind="timer", waits_in=waits_in, sleep=10 * US), hz, waits_in == "target"


def stalled(first):
    """Sixty that a timer holds, some of whose frames wait for a GPU that is too slow for it; (name, game)."""
    for seed in range(first, first + 60):
        more = {"frames": (150, 240)[seed // 30 % 2], "hz": (60, 30, 72, 120, 50)[seed % 5], "late": (0, .05, .2, .4)[seed // 5 % 4],
                "inside": seed // 2 % 2 == 1, "gpu_known": seed // 3 % 2 == 1, "sleep": 40 * US}
        yield "stalled%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Stalled(seed, **more)


def overslept(first):
    """Forty-eight of a display, some of whose waits end two milliseconds late; (name, game)."""
    rng = random.Random(first + 5151)
    for seed in range(first, first + 48):
        more = {"frames": rng.choice((60, 200, 600)), "hz": (60, 120, 59.94, 90)[seed % 4], "woken_late": (.01, .03, .06)[seed // 4 % 3],
                "late": (0, .1)[seed // 12 % 2], "by": ("main", "render")[seed // 24 % 2]}
        yield "overslept%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


def stepped(first):
    """Eighty that a timer holds whose sleeps end at steps of a clock; (name, game)."""
    rng = random.Random(first + 4444)
    for seed in range(first, first + 80):
        more = {"frames": rng.choice((150, 240, 400)), "kind": "timer", "hz": (60, 30, 50, 40, 72)[seed % 5], "grain": (MS, 15625 * US)[seed // 5 % 2],
                "scheduled": seed // 10 % 4 < 3, "late": rng.choice((0, 0, .02, .1)), "late_by": 3.4, "handing": (0, 120 * US)[seed % 3 == 0]}
        yield "steps%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)


def games(first=0):
    """Three hundred and forty of all kinds, each different; (name, game)."""
    yield from paced(first)
    yield from slow_limits(first)
    rng = random.Random(first + 41)
    for seed in range(first, first + 200):
        hz = (60, 90, 120, 144)[seed % 4]
        late = (0, 0, .02, .1, .3, .5)[rng.randrange(6)]
        n = rng.choice((150, 240, 400))
        more = {"frames": n, "hz": hz, "late": late, "waits": ("end", "begin")[seed // 4 % 2]}
        what = seed % 20
        if what < 9:
            more.update(by=("main", "render", "gpu", "any")[rng.randrange(4)], gpu_known=rng.random() < .5, drift=rng.choice((0, 0, 2e-4, -3e-4)))
        elif what < 12:
            change = rng.randrange(60, n - 60)
            several = (((0, 1), (change, 2)), ((0, 2), (change, 1)), ((0, 1), (change, 3)), ((0, 1), (change, 2), (change + 50, 1)))
            more.update(limits=rng.choice(several), late=min(late, .1), by=("main", "render")[seed % 2])
        elif what < 15:
            more.update(kind="timer", waits="end", hz=(60, 30, 40, 72, 120)[rng.randrange(5)])
        elif what < 16:
            change = rng.randrange(60, n - 60)
            more.update(kind="timer", waits="end", hz=60, late=min(late, .1),
                        limits=rng.choice((((0, 1), (change, 2)), ((0, 2), (change, 1)), ((0, 1), (change, 1.5)))))
        elif what < 17:
            more.update(hz=60, rates=((rng.randrange(60, n - 60), 144),), late=min(late, .1))
        elif what < 18:
            more.update(waits="bare", late=rng.choice((.1, .3)), jitter=120 * US)
        elif what < 19:
            # All of 120 Hz and two refreshes a frame is 60 Hz and one.
            more.update(hz=(60, 90)[seed // 20 % 2], limits=((0, 2),), late=min(late, .1), by="main")
        else:
            more.update(kind="free", by=("main", "gpu")[seed // 20 % 2], late=min(late, .1))
        yield "game%03d-%s" % (seed, "-".join("%s=%s" % kv for kv in more.items())), Game(seed, **more)
