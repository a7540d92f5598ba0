"""Has the package that reads llm-d's Benchmark Report read what tokscope writes.

usage: run.py --tokscope PROGRAM [REPORT…]

Without a report it sweeps and probes the embedded endpoint. It installs llmd-benchmark-report of PyPI into a folder
of its own, which it removes at the end."""

import argparse
import glob
import os
import subprocess
import sys
import tempfile
import venv

READ = """
import sys
from llmd_benchmark_report import import_benchmark_report
for path in sys.argv[1:]:
    r = import_benchmark_report(path)
    a, load = r.results.request_performance.aggregate, r.scenario.load.standardized
    print(r.version, r.run.description)
    print("  load", load.rate_qps or load.concurrency, load.input_seq_len.value, "requests", a.requests.total,
          "failed", a.requests.failures)
    for name in ("time_to_first_token", "time_per_output_token", "inter_token_latency", "request_latency"):
        s = getattr(a.latency, name)
        print("  %-22s" % name, s and "mean %.6f p50 %.6f p90 %s %s" % (s.mean, s.p50, s.p90, s.units))
    print("  output_token_rate     ", a.throughput.output_token_rate.mean)
"""

options = argparse.ArgumentParser()
options.add_argument("--tokscope", required=True)
options.add_argument("reports", nargs="*")
given = options.parse_args()

with tempfile.TemporaryDirectory() as folder:
    venv.create(folder + "/python", with_pip=True)
    python = folder + "/python/bin/python"
    subprocess.run([python, "-m", "pip", "-q", "install", "llmd-benchmark-report==0.2.1"], check=True)
    reports = given.reports
    if not reports:
        env = {**os.environ, "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
        for command in (["sweep", "--users", "1,16", "--duration", "6s"], ["sweep", "--rate", "4", "--duration", "6s"],
                        ["probe", "-n", "12"]):
            to = "%s/%d" % (folder, len(reports))
            subprocess.run([given.tokscope, *command, "-q", "--benchmark-report", to], check=True, env=env,
                           stdout=subprocess.DEVNULL)
            reports += sorted(glob.glob(to + "/*.json"))
    sys.exit(subprocess.run([python, "-c", READ, *reports]).returncode)
