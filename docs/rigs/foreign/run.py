"""Makes files of other programs, with these programs, against `tokscope serve`: those of probe/session/testdata/foreign.

usage: run.py --tokscope PROGRAM [--dir DIR] [--out DIR] [--chromium PROGRAM] [TOOL …]

TOOL is curl, mitmproxy, playwright, aiperf or guidellm; without one all of them. curl is that of this machine, the others
are installed into DIR from the network and stay there. playwright is left out without a Chromium. Each file is small: a few
requests of a few tokens. Then `tokscope replay FILE` must open each, and it prints what that says of the file."""

import argparse
import gzip
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = "llama-3.3-70b-fp8@h200"
KEY = "sk-rig0000000000000000000000000000000000"
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer " + KEY, "Cookie": "session=rig-cookie"}
CHAT = {"model": MODEL, "max_tokens": 5, "stream": True, "stream_options": {"include_usage": True}, "messages": [{"role": "user", "content": "Count to five."}]}
BODIES = {
    "chat": ("/v1/chat/completions", CHAT),
    "completions": ("/v1/completions", {"model": MODEL, "max_tokens": 5, "stream": True, "prompt": "Count"}),
    "messages": ("/v1/messages", {"model": MODEL, "max_tokens": 5, "stream": True, "messages": CHAT["messages"]}),
    "responses": ("/v1/responses", {"model": MODEL, "max_output_tokens": 5, "stream": True, "input": "Count"}),
    "gemini": (f"/v1beta/models/{MODEL}:streamGenerateContent", {"contents": [{"role": "user", "parts": [{"text": "Count"}]}], "generationConfig": {"maxOutputTokens": 5}}),
    "ollama": ("/api/chat", {"model": MODEL, "messages": CHAT["messages"], "options": {"num_predict": 5}}),
}


def python(folder, *packages):
    """Returns the Python of an environment with those packages."""
    program = f"{folder}/{packages[0]}/bin/python"
    if not os.path.exists(program):
        venv.create(f"{folder}/{packages[0]}", with_pip=True)
        subprocess.run([program, "-m", "pip", "install", "-q", *packages], check=True)
    listed = subprocess.run([program, "-m", "pip", "list", "--format", "json"], capture_output=True, check=True).stdout
    print(*(f"{p['name']} {p['version']}" for p in json.loads(listed) if p["name"].lower() in packages))
    return program


def curl(url, api, *flags, stdout=None):
    path, body = BODIES[api]
    heads = [part for name, value in HEADERS.items() for part in ("-H", f"{name}: {value}")]
    with open(stdout or os.devnull, "wb") as out:
        subprocess.run(["curl", "-N", *flags, *heads, url + path, "-d", json.dumps(body)], stdout=out, stderr=subprocess.STDOUT, check=True)


def make_curl(o, url):
    print(subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0])
    curl(url, "messages", "-s", stdout=f"{o.out}/curl-plain.txt")
    curl(url, "ollama", "-si", stdout=f"{o.out}/curl-i.txt")
    curl(url, "chat", "-v", "--trace-time", stdout=f"{o.out}/curl-v.txt")  # with its meter
    curl(url, "chat", "-s", "--trace-time", "--trace", f"{o.out}/curl-trace.txt")
    for api in ("completions", "messages", "responses", "gemini", "ollama"):
        curl(url, api, "-s", "--trace-time", "--trace-ascii", f"{o.out}/curl-{api}.txt")


def make_mitmproxy(o, url):
    program = os.path.dirname(python(o.dir, "mitmproxy")) + "/mitmdump"
    proxy = subprocess.Popen([program, "-q", "--mode", "reverse:" + url, "-p", "18432", "--set", f"hardump={o.out}/mitmproxy.har"])
    time.sleep(8)
    curl("http://127.0.0.1:18432", "chat", "-s")
    curl("http://127.0.0.1:18432", "ollama", "-s")
    proxy.send_signal(signal.SIGINT)
    proxy.wait()


def make_playwright(o, url):
    """Also as base64, which browsers write for bodies that they take for bytes."""
    if not o.chromium:
        return print("no Chromium: playwright is left out")
    script = """
import json, sys
from playwright.sync_api import sync_playwright
program, url, out, heads, calls = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), json.loads(sys.argv[5])
with sync_playwright() as p:
    browser = p.chromium.launch(executable_path=program, args=["--no-sandbox"])
    context = browser.new_context(record_har_path=out, record_har_content="embed")
    page = context.new_page()
    page.goto(url + "/health")
    for path, body in calls:
        page.evaluate("async ([path, heads, body]) => (await fetch(path, {method: 'POST', headers: heads, body})).text()",
                      [path, heads, json.dumps(body)])
    context.close()
"""
    subprocess.run([python(o.dir, "playwright"), "-c", script, o.chromium, url, f"{o.out}/playwright.har", json.dumps(HEADERS),
                    json.dumps([BODIES["chat"], BODIES["responses"]])], check=True)


def tokenizer(o):
    if not os.path.exists(o.dir + "/tokenizer"):
        subprocess.run(["go", "-C", os.path.dirname(HERE), "run", "./handover", "-tokenizer", o.dir + "/tokenizer"], check=True)
    return o.dir + "/tokenizer"


def make_aiperf(o, url):
    program = os.path.dirname(python(o.dir, "aiperf")) + "/aiperf"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "profile", "--model", MODEL, "--url", url, "--endpoint-type", "chat", "--streaming", "--tokenizer", tokenizer(o),
                        "--use-server-token-count", "--random-seed", "7", "--isl", "40", "--osl", "8", "--concurrency", "2", "--request-count", "5",
                        "--num-dataset-entries", "5", "--artifact-dir", folder], check=True, stdout=subprocess.DEVNULL)
        for name in ("profile_export.jsonl", "profile_export_aiperf.json"):
            shutil.copy(f"{folder}/{name}", o.out)


def make_guidellm(o, url):
    """A sweep of two numbers of users. The report is compressed: the figures of each status and modality make it large."""
    program = os.path.dirname(python(o.dir, "guidellm")) + "/guidellm"
    backend = {"kind": "openai_http", "target": url, "model": MODEL, "request_format": "/v1/chat/completions", "extras": {"body": {"ignore_eos": False}}}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", "--backend", json.dumps(backend), "--profile", "kind=concurrent", "--override", "profile.streams", "1,2",
                        "--tokenizer", "kind=huggingface_auto,model=" + tokenizer(o), "--seed", "kind=static,value=7",
                        "--data", "kind=synthetic_text,prompt_tokens=40,output_tokens=8", "--constraint", "kind=max_requests,count=3"],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL, env={**os.environ, "HF_HUB_OFFLINE": "1"})
        with open(f"{folder}/benchmarks.json", "rb") as f, open(f"{o.out}/guidellm.json.gz", "wb") as out:
            out.write(gzip.compress(f.read(), 9, mtime=0))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tools", nargs="*", metavar="TOOL", default=[])
    p.add_argument("--tokscope", required=True)
    p.add_argument("--dir", default=tempfile.gettempdir() + "/tokscope-foreign")
    p.add_argument("--out", default=os.path.abspath(HERE + "/../../../probe/session/testdata/foreign"))
    p.add_argument("--chromium", default=shutil.which("chromium"))
    o = p.parse_args()
    for folder in (o.dir, o.out):
        os.makedirs(folder, exist_ok=True)
    before = {name: os.path.getmtime(f"{o.out}/{name}") for name in os.listdir(o.out)}
    served = subprocess.Popen([o.tokscope, "serve", "--addr", "127.0.0.1:0", "--preset", MODEL], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = served.stdout.readline().strip().removesuffix("/v1")
        urllib.request.urlopen(url + "/v1/models").read()
        for tool in o.tools or ["curl", "mitmproxy", "playwright", "aiperf", "guidellm"]:
            globals()["make_" + tool](o, url)
    finally:
        served.terminate()
    for name in sorted(os.listdir(o.out)):
        if os.path.getmtime(f"{o.out}/{name}") != before.get(name) and not name.endswith("_aiperf.json"):
            said = subprocess.run([o.tokscope, "replay", f"{o.out}/{name}"], capture_output=True, text=True, check=True).stdout
            print(name, *(line for line in said.splitlines() if line.startswith(("file", "its figures", "they differ"))), sep="\n  ")


if __name__ == "__main__":
    main()
