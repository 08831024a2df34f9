#!/usr/bin/env python3
"""Check the test encoder (tests/kit/mlpd_encode.c) with mlpd.py and mprof-report.

    check_encoder.py MLPD_GEN [SEEDS]     default: 3 seeds

For every data version and pointer size: the file has 1 to 8 KiB, is read to its last byte, ends
cleanly, resolves every name, and says the same for both pointer sizes. Each row of mprof-report's
event table has our count. Prints `N passed, N failed`; exit status 1 if any failed.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mlpd  # noqa: E402

# The tags behind the rows of mprof-report's table; it has none for names and root registrations.
ROWS = {"ALLOC_NO_BT": 0x00, "ALLOC_BT": 0x10, "GC_EVENT": 0x11, "GC_RESIZE": 0x21,
        "GC_MOVE": 0x31, "GC_HANDLE_CREATED": 0x41, "GC_HANDLE_DESTROYED": 0x51,
        "GC_HANDLE_CREATED_BT": 0x61, "GC_HANDLE_DESTROYED_BT": 0x71, "GC_FINALIZE_START": 0x81,
        "GC_FINALIZE_END": 0x91, "GC_FINALIZE_OBJECT_START": 0xA1,
        "GC_FINALIZE_OBJECT_END": 0xB1, "END_LOAD": 0x22, "END_UNLOAD": 0x42, "LEAVE": 0x13,
        "ENTER": 0x23, "EXC_LEAVE": 0x33, "JIT": 0x43, "THROW_NO_BT": 0x04, "THROW_BT": 0x84,
        "CLAUSE": 0x14, "MONITOR_NO_BT": 0x05, "MONITOR_BT": 0x85, "HEAP_START": 0x06,
        "HEAP_END": 0x16, "HEAP_OBJECT": 0x26, "HEAP_ROOT": 0x36, "SAMPLE_HIT": 0x07,
        "SAMPLE_USYM": 0x17, "SAMPLE_UBIN": 0x27, "SAMPLE_COUNTERS_DESC": 0x37,
        "SAMPLE_COUNTERS": 0x47, "JITHELPER": 0x18, "COVERAGE_ASSEMBLY": 0x09,
        "COVERAGE_METHOD": 0x19, "COVERAGE_STATEMENT": 0x29, "COVERAGE_CLASS": 0x39,
        "SYNC_POINT": 0x0A, "AOT_ID": 0x1A}


def everything_but_addresses(report):
    out = {k: v for k, v in report.items()
           if k not in ("header", "buffers_by_thread", "damage", "truncation")}
    out["events_by_tag"] = {k: v["count"] for k, v in report["events_by_tag"].items()}
    out["threads"] = sorted(tuple(t.values())[1:] for t in report["threads"])
    out["alloc"] = {k: v for k, v in report["alloc"].items() if k != "by_thread"}
    out["samples"] = {k: v for k, v in report["samples"].items() if k != "by_thread"}
    return out


def compare_mprof(path, report, version):
    run = subprocess.run(["mprof-report", "--reports=stats", path], capture_output=True, timeout=60)
    text = run.stdout.decode("utf-8", "replace")
    out = ["mprof-report exits with %d" % run.returncode] if run.returncode else []
    rows = re.findall(r"TYPE_\w+\s+TYPE_(\w+)\s+count\s+(\d+)", text)
    for name, count in rows:
        if name.startswith("MONITOR") and version <= 13:
            continue  # the table reads the event bits as part of the subtype
        mine = report["events_by_tag"].get("%02x" % ROWS[name], {"count": 0})["count"]
        if mine != int(count):
            out.append("%s: %d, mprof-report has %s" % (name, mine, count))
    return out if rows else out + ["mprof-report prints no table"]


def check(path, version, twin):
    size = os.path.getsize(path)
    out = [] if 1024 <= size <= 8192 else ["%d bytes" % size]
    try:
        report = mlpd.analyse(path).report()
    except mlpd.Refused as e:
        return ["refused: %s" % e], None
    out += ["%(why)s at byte %(offset)d" % d for d in report["damage"]]
    if version >= 13 and not report["clean_end"]:
        out.append("does not end cleanly")
    if report["alloc"]["unresolved"] or any(m.startswith("0x") for m in report["calls"]["by_method"]):
        out.append("a class or method has no name")
    figures = everything_but_addresses(report)
    if twin is not None and figures != twin:
        out.append("figures differ between the pointer sizes")
    out += compare_mprof(path, report, version)
    return out, figures


def main():
    gen, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.mlpd")
        for version in mlpd.VERSIONS:
            for seed in range(seeds):
                twin = None
                for pointer_size in (8, 4):
                    subprocess.run([gen, str(version), str(pointer_size), str(seed), path], check=True)
                    differences, twin = check(path, version, twin)
                    passed, failed = passed + (not differences), failed + bool(differences)
                    for d in differences:
                        print("V %d, pointers %d, seed %d: %s" % (version, pointer_size, seed, d))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
