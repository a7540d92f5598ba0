"""Runs the field's real tools on recorded streams, beside the definition lab's figures of the same recordings.

usage: run.py [--tokscope PROGRAM] [--dir DIR] [--tools A,B] [--runs N] FILE...

FILE is a session file; `tokscope serve --replay` serves it to one tool after the other. Each tool is installed
into a virtual environment of its own in DIR, from the network, and stays there. Needs Linux or macOS, Python 3.11
and 10 GB. TTFT and end may differ by 5 ms, TPOT, ITL and speed by 1 %: what differs by more is marked.
It is not part of the tests, because it needs the network and ten minutes."""

import argparse
import glob
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import venv
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = {"ttft_ms": "TTFT ms", "itl_ms": "ITL ms", "tpot_ms": "TPOT ms", "speed_tok_per_s": "tok/s", "latency_ms": "end ms"}
MAX_TOKENS = 60

# A tokenizer for tools that do not run without one: every byte is a token. No figure compared here is counted with it.
TOKENIZER = """
import json, os, sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
out = sys.argv[1]
os.makedirs(out, exist_ok=True)
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
t = Tokenizer(models.BPE({c: i for i, c in enumerate(letters)}, []))
t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
t.add_special_tokens(["<s>"])
t.save(out + "/tokenizer.json")
json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "<s>", "pad_token": "<s>",
           "model_max_length": 131072, "chat_template": "{% for m in messages %}{{ m['content'] }}{% endfor %}"},
          open(out + "/tokenizer_config.json", "w"))
json.dump({"model_type": "gpt2", "vocab_size": 257, "n_positions": 131072, "bos_token_id": 256, "eos_token_id": 256}, open(out + "/config.json", "w"))
"""


class Lab:
    """Where the tools are installed, and how many requests each sends."""

    def __init__(self, folder, runs):
        self.dir, self.runs = os.path.abspath(folder), runs
        self.hub = self.dir + "/hf/hub/models--lab--tokenizer"
        self.tokenizer = self.hub + "/snapshots/main"
        self.env = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
        self.env.update(HF_HOME=self.dir + "/hf", HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HOME=self.dir + "/home", PYTHONDONTWRITEBYTECODE="1")
        os.makedirs(self.dir + "/home", exist_ok=True)

    def install(self, name, *packages):
        """A virtual environment with the packages; returns its folder of programs."""
        where = f"{self.dir}/{name}"
        mark, want = where + "/installed", " ".join(packages)
        if not os.path.exists(mark) or open(mark).read() != want:
            print(f"installing {want} …", file=sys.stderr, flush=True)
            venv.create(where, with_pip=True)
            subprocess.run([where + "/bin/pip", "install", "-q", *packages], check=True)
            with open(mark, "w") as f:
                f.write(want)
        if not os.path.exists(self.tokenizer + "/config.json") and name != "vllm":
            subprocess.run([where + "/bin/python", "-c", TOKENIZER, self.tokenizer], check=True, env=self.env)
            os.makedirs(self.hub + "/refs", exist_ok=True)
            with open(self.hub + "/refs/main", "w") as f:
                f.write("main")
        return where + "/bin/"

    def run(self, *command):
        p = subprocess.run(command, env=self.env, cwd=self.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        if p.returncode != 0:
            raise RuntimeError("exit code %d: %s" % (p.returncode, (p.stdout + p.stderr)[-300:]))
        return p.stdout

    def output(self, name):
        """An empty folder for one run's output."""
        n = len(os.listdir(self.dir + "/home"))
        path = f"{self.dir}/home/{n}-{name}"
        os.makedirs(path)
        return path


def vllm(lab, base):
    """vLLM 0.33.0's request function; TPOT is vllm/benchmarks/serve.py's formula."""
    programs = lab.install("vllm", "aiohttp", "regex", "tqdm")
    source = lab.dir + "/vllm/source"
    if not os.path.exists(source):
        subprocess.run([programs + "pip", "download", "-q", "--no-deps", "-d", lab.dir + "/vllm", "vllm==0.33.0"], check=True)
        with zipfile.ZipFile(glob.glob(lab.dir + "/vllm/vllm-*.whl")[0]) as wheel:
            for n in wheel.namelist():
                if n.startswith("vllm/benchmarks/lib/") and n.endswith(".py"):
                    wheel.extract(n, source)
    for line in lab.run(programs + "python", HERE + "/vllm_request.py", source + "/vllm", base, str(lab.runs + 1)).splitlines():
        o = json.loads(line)
        yield {
            "ttft_ms": o["ttft"] * 1e3,
            "latency_ms": o["latency"] * 1e3,
            "itl_ms": statistics.mean(o["itl"]) * 1e3 if o["itl"] else None,
            "tpot_ms": (o["latency"] - o["ttft"]) * 1e3 / (o["tokens"] - 1) if (o["tokens"] or 0) > 1 else None,
        }


def guidellm(lab, base):
    programs, out = lab.install("guidellm", "guidellm==0.8.1"), lab.output("guidellm") + "/out.json"
    lab.run(programs + "guidellm", "run", "--backend", f"kind=openai_http,target={base[:-3]},model={lab.tokenizer},request_format=/v1/chat/completions,validate_backend=false",
            "--profile", "kind=synchronous", "--constraint", f"kind=max_requests,count={lab.runs + 1}",
            "--data", f"kind=synthetic_text,prompt_tokens=16,output_tokens={MAX_TOKENS}", "--output", f"kind=json,path={out}", "--disable-console")
    with open(out) as f:
        for r in json.load(f)["benchmarks"][0]["requests"]["successful"]:
            yield {"ttft_ms": r["time_to_first_token_ms"], "itl_ms": r["inter_token_latency_ms"], "tpot_ms": r["time_per_output_token_ms"],
                   "speed_tok_per_s": r["output_tokens_per_second"], "latency_ms": r["request_latency"] * 1e3}


def aiperf(lab, base):
    """With the server's count: --use-server-token-count."""
    programs, out = lab.install("aiperf", "aiperf==0.13.0"), lab.output("aiperf")
    lab.run(programs + "aiperf", "profile", "--model", "m", "--url", base[:-3], "--endpoint-type", "chat", "--endpoint", "/v1/chat/completions", "--streaming",
            "--tokenizer", "lab/tokenizer", "--use-server-token-count", "--request-count", str(lab.runs + 1), "--concurrency", "1", "--isl", "16",
            "--osl", str(MAX_TOKENS), "--num-dataset-entries", "2", "--ui", "none", "--output-artifact-dir", out, "--export-level", "records")
    with open(out + "/profile_export.jsonl") as f:
        for line in f:
            m = json.loads(line)["metrics"]
            value = lambda name: m[name]["value"] if name in m else None
            yield {"ttft_ms": value("time_to_first_token"), "itl_ms": value("inter_token_latency"),
                   "speed_tok_per_s": value("output_token_throughput_per_user"), "latency_ms": value("request_latency")}


def genai_bench(lab, base):
    programs, out = lab.install("genai-bench", "genai-bench==0.0.5"), lab.output("genai-bench")
    lab.run(programs + "genai-bench", "benchmark", "--api-backend", "openai", "--api-base", base[:-3], "--api-key", "none", "--task", "text-to-text",
            "--api-model-name", "m", "--model-tokenizer", lab.tokenizer, "--num-concurrency", "1", "--traffic-scenario", f"D(16,{MAX_TOKENS})",
            "--max-time-per-run", "1", "--max-requests-per-run", str(lab.runs + 1), "--num-workers", "0",
            "--experiment-base-dir", out, "--experiment-folder-name", "x", "--log-dir", out)
    with open(glob.glob(out + "/x/D*.json")[0]) as f:
        for r in json.load(f)["individual_request_metrics"]:
            yield {"ttft_ms": r["ttft"] * 1e3, "tpot_ms": r["tpot"] * 1e3, "speed_tok_per_s": r["output_inference_speed"], "latency_ms": r["e2e_latency"] * 1e3}


def llama_benchy(lab, base):
    """It prints no end."""
    programs, out = lab.install("llama-benchy", "llama-benchy==0.4.0"), lab.output("llama-benchy") + "/out.json"
    book = HTTPServer(("127.0.0.1", 0), Book)
    threading.Thread(target=book.serve_forever, daemon=True).start()
    lab.run(programs + "llama-benchy", "--base-url", base, "--model", "m", "--tokenizer", lab.tokenizer, "--pp", "16", "--tg", str(MAX_TOKENS),
            "--runs", str(lab.runs + 1), "--no-warmup", "--skip-coherence", "--no-adapt-prompt", "--latency-mode", "none",
            "--book-url", f"http://127.0.0.1:{book.server_port}/{os.getpid()}", "--save-result", out, "--format", "json")
    book.shutdown()
    with open(out) as f:
        b = json.load(f)["benchmarks"][0]
    values = lambda name: (b.get(name) or {}).get("values") or [None] * (lab.runs + 1)
    for first, speed in zip(values("e2e_ttft"), values("tg_req_throughput")):
        yield {"ttft_ms": first, "speed_tok_per_s": speed}


class Book(BaseHTTPRequestHandler):
    """The text that llama-benchy cuts its prompts from."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"some words of a book, " * 2000)

    def log_message(self, *_):
        pass


TOOLS = {"vLLM": vllm, "GuideLLM": guidellm, "AIPerf": aiperf, "genai-bench": genai_bench, "llama-benchy": llama_benchy}


def serve(program, file):
    """Serves file; returns the process and the base URL."""
    p = subprocess.Popen([program, "serve", "--addr", "127.0.0.1:0", "--replay", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in p.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            threading.Thread(target=p.stdout.read, daemon=True).start()
            return p, found[0] + "/v1"
    sys.exit("tokscope serve did not start")


def compare(tool, lab_row, runs):
    """Prints a line a figure; returns how many differ by too much."""
    bad = 0
    for name, label in FIGURES.items():
        ours = lab_row[name] if lab_row[name] is not None else lab_row["by_server"].get(name)
        values = [r[name] for r in runs if r.get(name) is not None]
        if name not in runs[0] or (ours is None and not values):
            continue
        if ours is None or not values:
            print(f"  {tool:14} {label:8} {'–' if not values else '%.2f' % statistics.median(values):>10} {'–' if ours is None else '%.2f' % ours:>10} {'–':>10}")
            continue
        theirs = statistics.median(values)
        if name in ("ttft_ms", "latency_ms"):
            diff, ok, unit = theirs - ours, abs(theirs - ours) <= 5, "ms"
        else:
            diff, ok, unit = (theirs / ours - 1) * 100, abs(theirs / ours - 1) <= 0.01, "%"
        bad += not ok
        print(f"  {tool:14} {label:8} {theirs:10.2f} {ours:10.2f} {diff:+10.2f} {unit}{'' if ok else '  differs'}", flush=True)
    return bad


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--tokscope", default="tokscope")
    flags.add_argument("--dir", default="definitions-tools")
    flags.add_argument("--tools", default=",".join(TOOLS))
    flags.add_argument("--runs", type=int, default=5)
    flags.add_argument("files", nargs="+")
    o = flags.parse_args()
    os.makedirs(o.dir, exist_ok=True)
    lab, bad = Lab(o.dir, o.runs), 0
    print(f"median of {o.runs} requests after one that warms up; the lab's figure is of the recording\n")
    print(f"  {'tool':14} {'figure':8} {'tool says':>10} {'lab says':>10} {'difference':>10}")
    for file in o.files:
        print(os.path.basename(file))
        table = json.loads(subprocess.run([o.tokscope, "definitions", file, "--json"], check=True, capture_output=True, text=True).stdout)
        rows = {r["tool"]: r for r in table["requests"][0]["rules"] if not r["before_these_versions"]}
        for tool in o.tools.split(","):
            p, base = serve(o.tokscope, file)
            try:
                runs = list(TOOLS[tool](lab, base))[1:]
                bad += compare(tool, rows[tool], runs) if runs else 0
                if not runs:
                    print(f"  {tool:14} measured nothing")
            except (RuntimeError, IndexError, KeyError, OSError, subprocess.SubprocessError) as e:
                print(f"  {tool:14} failed: {' '.join(str(e).split())[-200:]}", flush=True)
            finally:
                p.send_signal(signal.SIGINT)
                p.wait()
    print(f"\n{bad} figures differ by more than 5 ms or 1 %")


main()
