#!/usr/bin/env python3
"""Sends a load by eight programs and by one, against `tokscope serve`, and compares.

    python3 docs/rigs/shards/run.py --tokscope PROGRAM [--users 16,32] [--seconds 20] [SCENARIO…]

Scenarios: plain, restarted (one is killed and started again with its index), slow (one
behind a proxy that makes answers three times slower), late (one starts 25 s late), clocks
(two whose clocks are 90 s ahead and 40 s behind). Without any all of them run.

Percentiles of requests are computed here again from the rows of all documents, and must be
equal to those of the merged document; those of gaps from their bins, within 0.6 %.

A program in Go reads its clock without libc, so libfaketime does not reach it. The clocks
of two programs are shifted by building them with a package time whose Now adds a second
count from the environment (go build -overlay); this needs Go and the sources. The kernel's
clock stays as it is, so these two take their stamps from the program's.
"""
import argparse, asyncio, datetime, json, os, pathlib, signal, subprocess, sys, tempfile, threading, time

ROOT = pathlib.Path(__file__).resolve().parents[3]
OF = 8


def quantile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def slow_proxy(port, factor, ready):
    """Passes everything on; what comes back comes factor times later after its request."""
    async def handle(reader, writer):
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        began = [time.monotonic()]

        async def there():
            while data := await reader.read(65536):
                began[0] = time.monotonic()
                up_writer.write(data)
            up_writer.close()

        async def back():
            while data := await up_reader.read(65536):
                due = began[0] + factor * (time.monotonic() - began[0])
                queue.put_nowait((due, data))
            queue.put_nowait((0, b""))

        async def late():
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(due - time.monotonic(), 0))
                if not data or writer.is_closing():
                    return writer.close()
                writer.write(data)

        queue = asyncio.Queue()
        await asyncio.gather(there(), back(), late(), return_exceptions=True)

    async def serve():
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        ready.append(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
    while not ready:
        time.sleep(0.01)
    return ready[0]


class Rig:
    def __init__(self, args, folder):
        self.args, self.folder = args, pathlib.Path(folder)
        self.env = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state", XDG_CONFIG_HOME=folder + "/config")
        self.env.pop("JOB_COMPLETION_INDEX", None)
        self.serve = subprocess.Popen([args.tokscope, "serve", "--addr", "127.0.0.1:0"], env=self.env, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.url = self.serve.stdout.readline().strip()
        threading.Thread(target=self.serve.stdout.read, daemon=True).start()
        self.load = ["--users", args.users, "--duration", f"{args.seconds}s", "--yes", "--json", "--input-tokens", "500",
                     "--output-tokens", "100", "--slo", "ttft=200ms,tpot=20ms"]

    def run(self, *words):
        done = subprocess.run([self.args.tokscope, *words], env=self.env, text=True, capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def shard(self, name, i, at, program=None, url=None, **env):
        """Starts a shard as an Indexed Job does: its index is in the environment."""
        out = open(self.folder / f"{name}-{i}.json", "w")
        err = open(self.folder / f"{name}-{i}.err", "w")
        words = [program or self.args.tokscope, "sweep", url or self.url, "--shard", str(OF), "--start-at", at, *self.load]
        return subprocess.Popen(words, env=dict(self.env, JOB_COMPLETION_INDEX=str(i), **env), stdout=out, stderr=err)

    def scenario(self, name):
        if name == "clocks":
            self.shifted()
        at = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=16)).strftime("%Y-%m-%dT%H:%M:%SZ")
        one = self.slowed() if name == "slow" else None
        running = {}
        for i in range(OF):
            if name == "late" and i == 3:
                continue
            shift = {2: "90", 5: "-40"}.get(i) if name == "clocks" else None
            running[i] = self.shard(name, i, at, program=self.shifted() if shift else None,
                                    url=one if i == 6 else None,
                                    **({"SHIFT": shift, "TOKSCOPE_STAMPS": "user"} if shift else {}))
        if name == "late":
            time.sleep(16 + 25)
            running[3] = self.shard(name, 3, at)
        if name == "restarted":
            time.sleep(16 + 10)
            running[4].send_signal(signal.SIGKILL)
            running[4].wait()
            time.sleep(2)
            running[4] = self.shard(name, 4, at)
        codes = [p.wait() for _, p in sorted(running.items())]
        files = [str(self.folder / f"{name}-{i}.json") for i in range(OF)]
        for i in range(OF):
            text = (self.folder / f"{name}-{i}.err").read_text().strip()
            if text:
                print(f"  shard {i} on stderr: {text}")
        code, text, err = self.run("merge", *files)
        print(text, err, sep="\n")
        _, doc, _ = self.run("merge", *files, "--json")
        if code or any(codes):
            print("  exit codes", codes, "merge", code)
        return json.loads(doc) if doc else None, [json.load(open(f)) for f in files]

    def slowed(self):
        port = int(self.url.split(":")[2].split("/")[0])
        return self.url.replace(str(port), str(slow_proxy(port, 3, [])))

    def shifted(self):
        """Builds the program with a clock that SHIFT moves."""
        program = self.folder / "shifted"
        if not program.exists():
            root = pathlib.Path(subprocess.check_output(["go", "env", "GOROOT"], text=True).strip())
            source = (root / "src/time/time.go").read_text()
            now = "sec, nsec, mono := runtimeNow()"
            new = source.replace(now, now + "\n\tsec += shift()", 1).replace("import (", 'import (\n\t"syscall"', 1) + """
func shift() (by int64) {
	s, _ := syscall.Getenv("SHIFT")
	for _, c := range s {
		if c >= '0' && c <= '9' {
			by = by*10 + int64(c-'0')
		}
	}
	if len(s) > 0 && s[0] == '-' {
		by = -by
	}
	return by
}
"""
            (self.folder / "time.go").write_text(new)
            overlay = self.folder / "overlay.json"
            overlay.write_text(json.dumps({"Replace": {str(root / "src/time/time.go"): str(self.folder / "time.go")}}))
            subprocess.check_call(["go", "build", "-overlay", str(overlay), "-o", str(program), "."], cwd=ROOT,
                                  env=dict(os.environ, CGO_ENABLED="0"))
        return str(program)


def check(merged, documents):
    """Computes the percentiles again; returns what differs."""
    wrong = []
    for step, point in enumerate(merged["points"]):
        users = point["users"]
        begin, end = point["from_ns"] / 1e6, point["to_ns"] / 1e6
        index = documents[0]["shards"][0]["users"].index(users)
        rows, bins, total = [], {}, 0
        for d in documents:
            for part in d["shards"][0]["parts"]:
                if part["step"] != index:
                    continue
                rows += [r for r in part["rows"] if r["start_ns"] / 1e6 >= begin and r["end_ns"] / 1e6 < end and r["ok"]]
                first = round((begin - part["from_ns"] / 1e6) / 1000)
                for second in part["gaps"][first:first + round((end - begin) / 1000)]:
                    total += second[4]
                    for i in range(11, len(second), 4):
                        bins[int(second[i])] = bins.get(int(second[i]), 0) + second[i + 1]
        for name, at in (("ttft", 1), ("tpot", 3)):  # in the figures of a row
            values = [r["figures"][at] for r in rows if r["figures"][at] is not None]
            for q in (50, 90, 95, 99):
                have = point[f"{name}_ms"][f"p{q}"]
                if have is not None and abs(have / quantile(values, q / 100) - 1) > 1e-12:
                    wrong.append(f"{users} users: {name} p{q} {have}, of all rows {quantile(values, q / 100)}")
            if point[f"{name}_ms"]["n"] != len(values):
                wrong.append(f"{users} users: {point[f'{name}_ms']['n']} of {len(values)} rows")
        if total != point["gap_ms"]["n"]:
            wrong.append(f"{users} users: {point['gap_ms']['n']} of {total} gaps")
        for q in (50, 99):
            seen, have = 0, point["gap_ms"][f"p{q}"]
            for b in sorted(bins):
                seen += bins[b]
                if seen >= sum(bins.values()) * q / 100:
                    middle = 2 ** (-10 + (b + 0.5) / 64)
                    if have is not None and abs(have / middle - 1) > 0.012:
                        wrong.append(f"{users} users: gap p{q} {have}, by the bins {middle}")
                    break
    return wrong


def main():
    all_scenarios = ["plain", "restarted", "slow", "late", "clocks"]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tokscope", required=True)
    p.add_argument("--users", default="16,32")
    p.add_argument("--seconds", type=int, default=20)
    p.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    args = p.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(args, folder)
        try:
            for name in args.scenarios or all_scenarios:
                print(f"== {name}", flush=True)
                merged, documents = rig.scenario(name)
                wrong = check(merged, documents) if merged else ["nothing was merged"]
                print("  " + ("; ".join(wrong) or "percentiles of requests are exactly those of all rows, of gaps within the bound"))
                failed += len(wrong)
                if name == "plain":
                    _, text, _ = rig.run("sweep", rig.url, *rig.load)
                    for a, b in zip(json.loads(text)["points"], merged["points"]):
                        print(f"  {a['users']} users, one program / {OF} shards:", ", ".join(
                            f"{what} {f(a):.4g} / {f(b):.4g} ({100 * (f(b) / f(a) - 1):+.1f} %)" for what, f in {
                                "tok/s": lambda x: x["throughput_tok_per_s"], "TPOT p50": lambda x: x["tpot_ms"]["p50"],
                                "TTFT p50": lambda x: x["ttft_ms"]["p50"], "gap p50": lambda x: x["gap_ms"]["p50"],
                                "gap p99": lambda x: x["gap_ms"]["p99"]}.items()))
        finally:
            rig.serve.terminate()
            rig.serve.wait()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
