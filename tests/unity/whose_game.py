"""Games whose late pictures have one cause, which the simulation knows: the main thread, the render thread, the GPU or the display.

A picture goes through the main thread, the render thread and the GPU, and is shown at the first refresh after that. The render thread hands a picture
to the display and waits until it is shown (Gfx.PresentFrame); the main thread waits for a picture that was made some frames before, at the end of its
frame or at the begin of the next one. Nothing here knows how the program finds out.
"""
import random
import struct

from raw_log import MAIN, SESSION, Log, state, text, thread

MS, US = 10 ** 6, 10 ** 3
RENDERER, EVERY, FIRST = 200, 40, 25
NAMES = ["Main Thread", "PlayerLoop", "Update.ScriptRunBehaviourUpdate", "Game.dll!::World.Update()", "Gfx.WaitForPresentOnGfxThread",
         "TimeUpdate.WaitForLastPresentationAndUpdateTime", "Semaphore.WaitForSignal", "Camera.Render", "Shadows.RenderJobDir", "Gfx.PresentFrame",
         "Gfx.WaitForGfxCommandsFromMainThread", "Game.dll!::Map.Redraw()", "GPU Frame Time", "Render Thread"]
ROOT, LOOP, SCRIPTS, WORLD, PRESENT, LAST, SIGNAL, CAMERA, SHADOWS, SHOWS, COMMANDS, MAP, GPU, RENDER_ROOT = range(14)


class Game:
    """${by}: what makes pictures late, by ${more} of a refresh beyond one, the display by one; "half" makes half of the main thread's frames long.
    ${depth}: of how many frames before is the picture waited for; ${often}: pictures in a row that are late."""

    def __init__(self, seed, by=None, more=.4, waits="end", depth=0, known=False, hz=60, frames=320, often=1):
        self.rng, self.by, self.more, self.waits, self.depth, self.known, self.n, self.often = random.Random(seed), by, more, waits, depth, known, frames, often
        self.p = 1e9 / hz
        self.frames, self.drawn, self.gpu = [], [], []
        self.simulate()

    def is_planted(self, i):
        return self.by is not None and (i - FIRST) % EVERY < self.often and FIRST <= i < self.n - 8

    def needs(self, i):
        """Times of the main thread, the render thread and the GPU: together less than a refresh, as a rule."""
        if self.by == "half" and self.rng.random() < .53:          # frames of the main thread that are too long, no two alike
            return [int(self.rng.uniform(1.2, 1.8) * self.p)] + [int(.15 * self.p)] * 2
        out = [self.rng.uniform(*part) * self.p for part in ((.15, .2), (.1, .15), (.2, .3))]
        if self.is_planted(i) and self.by in ("main", "render", "gpu"):
            out[("main", "render", "gpu").index(self.by)] = (1 + self.more) * self.p
        return [int(x) for x in out]

    def tick_after(self, at):
        n = -(-(at - 50 * MS) // self.p)
        return int(50 * MS + n * self.p)

    def simulate(self):
        """A late picture does not make the next one late for long: the game has room to catch up."""
        at, shown, gpu_until, ends = 50 * MS + 100 * US, 0, 0, []
        for i in range(self.n):
            main, render, gpu = self.needs(i)
            start, zones = at, []
            if self.waits == "begin":
                awaited = ends[i - 1 - self.depth] if i > self.depth else 0
                woken = int(max(start, awaited) + self.rng.uniform(20 * US, 120 * US))
                zones += [("wait", start, woken)]
                done = woken + main
            else:
                done = start + main
            zones += [("work", done - main, done)]
            drawing = max(done, ends[-1] if ends else 0) + 20 * US
            drawn = drawing + render
            gpu_until = max(drawn, gpu_until) + gpu
            shown = self.tick_after(max(gpu_until, shown + self.p / 2))
            if self.is_planted(i) and self.by == "display":
                shown = self.tick_after(shown + self.p / 2)     # a compositor shows a picture that is done one refresh later
            ends.append(shown + self.rng.randrange(5 * US, 15 * US))
            self.drawn.append((drawing, drawn, ends[-1]))
            self.gpu.append(gpu)
            at = done + 5 * US
            if self.waits == "end":
                awaited = ends[i - self.depth] if i >= self.depth else 0
                at = int(max(done, awaited) + self.rng.uniform(20 * US, 120 * US))
                zones += [("wait", done, at)]
            self.frames.append((start, at, zones))

    def zones(self, i, zones):
        out = []
        for what, a, b in zones:
            if what == "work":
                slow = self.is_planted(i) and self.by == "main"
                out += [(a, b, SCRIPTS), (a + 1 * US, b - 1 * US, WORLD)] + ([(a + 2 * MS, b - 2 * US, MAP)] if slow else [])
            elif b - a > 4 * US:
                out += [(a, b, LAST)] * (self.waits == "begin") + [(a + 200, b - 300, PRESENT), (a + 400, b - 500, SIGNAL)]
        return out

    def write(self, path):
        log = Log(self.frames[0][0] / MS - 1, NAMES[:GPU])
        counter = struct.pack("<HIHH", 1, GPU, 0x80, 0) + text(NAMES[GPU]) + b"\1" + struct.pack("<H", 4) + text("Value")
        log.block(SESSION, counter + struct.pack("<HIHH", 1, RENDER_ROOT, 0, 0) + text(NAMES[RENDER_ROOT]) + b"\0" + thread(RENDERER, 0, "Render Thread"))

        def put(zones, body=b""):
            open_ = []
            for x, y, m in zones:
                while open_ and open_[-1][0] <= x:
                    end, was = open_.pop()
                    body += struct.pack("<HBIQ", 37, 0, was, int(end))
                body += struct.pack("<HBIQ", 36, 0, m, int(x))
                open_.append((y, m))
            while open_:
                end, was = open_.pop()
                body += struct.pack("<HBIQ", 37, 0, was, int(end))
            return body
        before = self.drawn[0][0] - 1 * MS
        for i, (a, b, zones) in enumerate(self.frames):
            log.block(MAIN, struct.pack("<HIQ", 34, i, int(a)))
            known = struct.pack("<HBIQBBq", 44, 0, GPU, int(a), 1, 4, self.gpu[i - 4]) if self.known and i >= 4 else b""     # of the frame four before
            log.block(MAIN, put([(a, b, ROOT), (a, b, LOOP)] + self.zones(i, zones), known))
            x, y, z = self.drawn[i]
            waits = [(before + 1 * US, x, COMMANDS), (before + 2 * US, x - 1 * US, SIGNAL)] if x - before > 8 * US else []
            log.block(RENDERER, put([*waits, (x, y, CAMERA), (x + 100 * US, y - 100 * US, SHADOWS), (y, z, SHOWS)]))
            before = z
        log.block(MAIN, struct.pack("<HIQ", 34, self.n, int(self.frames[-1][1])))
        log.block(SESSION, state(0, max(self.frames[-1][1], self.drawn[-1][2]) / MS + 1))
        return log.write(path)
