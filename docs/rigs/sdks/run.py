"""Runs the official clients of OpenAI, Anthropic, Google and Ollama against `tokscope serve`, and prints a table.

usage: run.py [--tokscope PROGRAM] [--dir DIR]

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
NODE = ["openai", "@anthropic-ai/sdk", "@google/genai", "ws"]
KEY = "rig"


def install(folder):
    """Returns how the calls of each language are run."""
    python = folder + "/venv/bin/python"
    if not os.path.exists(python):
        venv.create(folder + "/venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", *PYTHON], check=True)
    subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", folder, *(n + "@latest" for n in NODE)], check=True)
    shutil.copy(HERE + "/calls.mjs", folder)  # Node looks for clients beside the file
    return [[python, HERE + "/calls.py"], ["node", folder + "/calls.mjs"]]


def versions(folder):
    listed = json.loads(subprocess.run([folder + "/venv/bin/python", "-m", "pip", "list", "--format", "json"], capture_output=True, check=True).stdout)
    found = [f"{p['name']} {p['version']} (Python)" for p in listed if p["name"] in {n.split("[")[0] for n in PYTHON}]
    for name in NODE[:-1]:
        with open(f"{folder}/node_modules/{name}/package.json", encoding="utf-8") as f:
            found.append(f"{name} {json.load(f)['version']} (Node)")
    return found


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tokscope", default="tokscope")
    args.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "tokscope-sdks"))
    a = args.parse_args()
    folder = os.path.abspath(a.dir)
    os.makedirs(folder, exist_ok=True)
    programs = install(folder)
    served = subprocess.Popen([a.tokscope, "serve", "--addr", "127.0.0.1:0", "--require-key-env", "RIG_KEY", "--speed", "20"],
                              env={**os.environ, "RIG_KEY": KEY}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        root = served.stdout.readline().strip().removesuffix("/v1")
        lines = []
        for program in programs:
            out = subprocess.run([*program, root, KEY], capture_output=True, text=True, check=True).stdout
            lines += [json.loads(line) for line in out.splitlines()]
    finally:
        served.terminate()
        served.wait()
    print(", ".join(versions(folder)), end="\n\n| client | call | result |\n|---|---|---|\n")
    text = next((x["text"] for x in lines if "text" in x), None)
    failed = 0
    for x in lines:
        result = "as it should be"
        if "text" in x:
            result = "the text of all" if x["text"] == text else "another text: " + x["text"][:80]
        result = x.get("error", result).replace("|", "/").replace("\n", " ")
        failed += "error" in x or x.get("text", text) != text
        print(f"| {x['client']} | {x['call']} | {result} |")
    print(f"\n{len(lines)} calls, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
