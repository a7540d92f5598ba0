"""Runs the official clients of OpenAI, Anthropic, Google and Ollama against `tokscope serve`, and prints a table.

usage: run.py [--tokscope PROGRAM] [--dir DIR] [--recorded]

With --recorded, answers of each API are recorded first, with the bytes and without. `tokscope serve --replay` serves
them, and every client must read the text, the thinking and the arguments of the call that tokscope read.
The newest clients are installed into DIR, from the network, and stay there. Every call must succeed, and every
call that has a text must have the same one: the endpoint answers alike in every API. It is not part of the tests,
because it needs the network. Needs Python 3.11 and Node 20."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = ["openai[realtime]", "anthropic", "google-genai", "ollama"]
NODE = ["openai", "@anthropic-ai/sdk", "@google/genai", "ollama", "ws"]
KEY = "rig"


def install(folder):
    """Returns how Python and Node are run on a file of calls."""
    python = folder + "/venv/bin/python"
    if not os.path.exists(python):
        venv.create(folder + "/venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", *PYTHON], check=True)
    subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", folder, *(n + "@latest" for n in NODE)], check=True)
    for name in ("calls", "recorded"):
        shutil.copy(f"{HERE}/{name}.mjs", folder)  # Node looks for clients beside the file
    return lambda name: [[python, f"{HERE}/{name}.py"], ["node", f"{folder}/{name}.mjs"]]


def versions(folder):
    listed = json.loads(subprocess.run([folder + "/venv/bin/python", "-m", "pip", "list", "--format", "json"], capture_output=True, check=True).stdout)
    found = [f"{p['name']} {p['version']} (Python)" for p in listed if p["name"] in {n.split("[")[0] for n in PYTHON}]
    for name in NODE[:-1]:
        with open(f"{folder}/node_modules/{name}/package.json", encoding="utf-8") as f:
            found.append(f"{name} {json.load(f)['version']} (Node)")
    return found


def serve(program, *flags):
    """Starts an endpoint, and returns it and its address without a version."""
    served = subprocess.Popen([program, "serve", "--addr", "127.0.0.1:0", *flags], env={**os.environ, "RIG_KEY": KEY},
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return served, served.stdout.readline().strip().removesuffix("/v1")


def lines(programs, *args):
    return [json.loads(line) for p in programs for line in subprocess.run([*p, *args], capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()]


APIS = ["chat", "completions", "messages", "responses", "responses-ws", "gemini", "ollama", "ollama-generate"]
TOOL = {"type": "function", "function": {"name": "trip", "parameters": {"type": "object"}}}


def record(program, root, folder, api, form, call):
    """Records one answer, and returns its file and what tokscope read."""
    shutil.rmtree(folder, ignore_errors=True)
    flags = ["-p", "Tea?"]
    if call:
        with open(folder + ".json", "w", encoding="utf-8") as f:
            json.dump({"messages": [{"role": "user", "content": "Tea?"}], "tools": [TOOL]}, f)
        flags = ["--messages", folder + ".json", "-H", 'X-Sim-Scenario: tool trip {"city": "Oslo", "days": [3]}']
    if api == "gemini":
        flags += ["--extra", "generationConfig.thinkingConfig.includeThoughts=true"]
    out = subprocess.run([program, "probe", root, "--api", api, "-m", "qwen3-8b@h100", "-n", "1", "-q", "--json", "--with-text", "--max-tokens", "5000", "--no-history",
                          "--record" + form, "--state-dir", folder, *flags], capture_output=True, text=True, check=True).stdout
    r = json.loads(out)["requests"][0]
    said = {"text": r.get("text") or "", "thinking": r.get("reasoning") or "", "args": "".join(c["arguments"] for c in r.get("tool_calls") or [])}
    return next(os.path.join(d, f) for d, _, files in os.walk(folder) for f in files if f.startswith("session-")), said


def recorded(program, folder, programs):
    """Prints a row a call, and returns how many there were and how many failed."""
    ours, started = {}, []
    engine, root = serve(program, "--speed", "20")
    try:
        for api in APIS:
            for form in ("", "=raw"):
                for call in (False, True):
                    if call and api in ("completions", "ollama-generate"):
                        continue  # they have no tools
                    file, said = record(program, root, f"{folder}/{api}{form[1:]}{'-call' * call}", api, form, call)
                    served, at = serve(program, "--replay", file)
                    started.append(served)
                    ours[at] = (f"{api}, {'call' if call else 'text'}, --record{form}", api, said)
        rows = lines(programs, json.dumps([[at, o[1]] for at, o in ours.items()]))
    finally:
        for served in [engine, *started]:
            served.terminate()
            served.wait()
    same = lambda kind, a, b: json.loads(a) == json.loads(b) if kind == "args" and a and b else a == b
    failed = 0
    print("| client | recording | call | text | thinking | arguments |\n|---|---|---|---|---|---|")
    for x in rows:
        what, _, said = ours[x["root"]]
        cells = [x.get("error", "").replace("|", "/").replace("\n", " ")] * 3
        if "said" in x:
            cells = ["–" if not said[k] and not x["said"][k] else "the same" if same(k, x["said"][k], said[k]) else "another: " + x["said"][k][:60] for k in said]
        failed += "the same" not in cells or not set(cells) <= {"the same", "–"}
        print("|", " | ".join([x["client"], what, x["call"], *cells]), "|")
    return len(rows), failed


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tokscope", default="tokscope")
    args.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "tokscope-sdks"))
    args.add_argument("--recorded", action="store_true")
    a = args.parse_args()
    folder = os.path.abspath(a.dir)
    os.makedirs(folder, exist_ok=True)
    run = install(folder)
    print(", ".join(versions(folder)), end="\n\n", flush=True)
    calls, failed = recorded(a.tokscope, folder, run("recorded")) if a.recorded else live(a.tokscope, run("calls"))
    print(f"\n{calls} calls, {failed} failed")
    sys.exit(failed > 0)


def live(program, programs):
    """Prints a row a call of the embedded endpoint, and returns how many there were and how many failed."""
    served, root = serve(program, "--require-key-env", "RIG_KEY", "--speed", "20")
    try:
        rows = lines(programs, root, KEY)
    finally:
        served.terminate()
        served.wait()
    print("| client | call | result |\n|---|---|---|")
    text = next((x["text"] for x in rows if "text" in x), None)
    failed = 0
    for x in rows:
        result = "as it should be"
        if "text" in x:
            result = "the text of all" if x["text"] == text else "another text: " + x["text"][:80]
        result = x.get("error", result).replace("|", "/").replace("\n", " ")
        failed += "error" in x or x.get("text", text) != text
        print(f"| {x['client']} | {x['call']} | {result} |")
    return len(rows), failed


if __name__ == "__main__":
    main()
