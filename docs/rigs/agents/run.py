"""Runs coding agents without and with `tokscope tap`, and compares all that arrives at their provider.

usage: run.py [--tokscope PROGRAM] [--dir DIR] [--show] [--turns | --failing] [agent…]

The newest agents are installed into DIR, from the network, and stay there; keys are dummies, homes are scratch. The
provider is a script of ours (provider.py) behind HTTPS_PROXY, with an authority that is thrown away: so *without* is
the agent at its provider's own address. Equal must be method, path, headers, tools, transport and body of every
request, but for what names a session, a device or a time (Agent.own). --show prints the values that differ.
It ends
with 1 if any of them does differ; those are bold in the table. Only requests of a model are compared: others that an
agent does at its own address alone are told by --show. Needs Python 3.11, npm and openssl."""

import argparse
import base64
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse
import venv
from dataclasses import dataclass, field

import provider

KEY = "sk-dummy-rig-0123456789"
OPENAI = "https://api.openai.com/v1"


@dataclass
class Agent:
    command: str
    title: str
    package: str  # of npm; aider: of PyPI
    args: list
    env: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)  # of its home; {url} is the base URL, for those that keep one there
    before: list = field(default_factory=list)  # a command that writes the base URL
    own: str = ""  # a pattern: the fields that name session, device or time
    turns: list = field(default_factory=list)  # arguments of a run with a tool, in place of args

    def keeps(self):
        """Its base URL stands in its files alone."""
        return "{url}" in json.dumps([self.files, self.before])


def token(claims):
    part = lambda d: base64.urlsafe_b64encode(json.dumps(d).encode()).decode().rstrip("=")
    return ".".join([part({"alg": "none"}), part(claims), "rig"])


def chatgpt():
    """The file of a login by ChatGPT, of nobody."""
    now = datetime.datetime.now(datetime.timezone.utc)
    signed = token({"email": "rig@example.com", "exp": int(now.timestamp()) + 86400, "https://api.openai.com/auth": {
        "chatgpt_account_id": "rig", "chatgpt_plan_type": "pro", "chatgpt_user_id": "rig"}})
    return json.dumps({
        "auth_mode": "chatgpt", "OPENAI_API_KEY": None, "last_refresh": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tokens": {"id_token": signed, "access_token": signed, "refresh_token": "rig", "account_id": "rig"}})


def claude_login():
    """The files of a login of Claude Code, of nobody."""
    until = int(datetime.datetime.now().timestamp() * 1000) + 86400000
    return {".claude/.credentials.json": json.dumps({"claudeAiOauth": {
        "accessToken": "sk-ant-oat01-rig", "refreshToken": "sk-ant-ort01-rig", "expiresAt": until,
        "scopes": ["user:inference", "user:profile", "user:sessions:claude_code"], "subscriptionType": "max"}}),
        ".claude.json": json.dumps({"hasCompletedOnboarding": True, "oauthAccount": {
            "accountUuid": "rig", "emailAddress": "rig@example.com", "organizationUuid": "rig"}})}


# Fields that name session, device or time.
CLAUDE_OWN = (r"header x-(claude-code-session-id|claude-code-prompt-id|client-request-id)|"
              r"body\.metadata\.user_id\.(device_id|session_id)|body\.system\[0\]\.text")
CODEX_OWN = (r".*\.(installation_id|session_id|thread_id|window_id|context_window_id|turn_id|root_turn_id|create_time|"
             r"x-codex-(installation-id|window-id)|x-codex-ws-stream-request-start-ms|turn_started_at_unix_ms)|"
             r"header (x-client-request-id|session-id|thread-id|x-codex-window-id)|body\.prompt_cache_key|"
             r"body\.input\[\d+\]\.id")
CODEX = ["exec", "--skip-git-repo-check", "hi"]
CODEX_TOOL = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "List the files here."]
AGENTS = {
    "claude": Agent("claude", "Claude Code", "@anthropic-ai/claude-code", ["-p", "hi"], {"ANTHROPIC_API_KEY": KEY},
                    own=CLAUDE_OWN, turns=["-p", "List the files here.", "--allowedTools", "Bash", "--output-format", "stream-json",
                                           "--verbose", "--include-partial-messages"]),
    "claude-login": Agent("claude", "Claude Code, login", "@anthropic-ai/claude-code", ["-p", "hi"],
                          files=claude_login(), own=CLAUDE_OWN),
    "codex": Agent("codex", "Codex", "@openai/codex", CODEX,
                   files={".codex/auth.json": json.dumps({"OPENAI_API_KEY": KEY})}, own=CODEX_OWN, turns=CODEX_TOOL),
    "codex-chatgpt": Agent("codex", "Codex, login by ChatGPT", "@openai/codex", CODEX,
                           files={".codex/auth.json": chatgpt()}, own=CODEX_OWN),
    "opencode": Agent("opencode", "opencode", "opencode-ai", ["run", "-m", "anthropic/claude-sonnet-4-5", "hi"],
                      {"ANTHROPIC_API_KEY": KEY}, own="header x-session-(affinity|id)"),
    "gemini": Agent("gemini", "Gemini CLI", "@google/gemini-cli", ["--skip-trust", "-p", "hi"], {"GEMINI_API_KEY": KEY},
                    {".gemini/settings.json": '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'},
                    own="header x-gemini-api-privileged-user-id"),
    "qwen": Agent("qwen", "Qwen Code", "@qwen-code/qwen-code", ["--auth-type", "openai", "-p", "hi"],
                  {"OPENAI_API_KEY": KEY, "OPENAI_MODEL": "gpt-4.1"}, own=r"body\.metadata\.(sessionId|promptId)"),
    "copilot": Agent("copilot", "Copilot CLI", "@github/copilot", ["-p", "hi", "--allow-all-tools"],
                     {"COPILOT_PROVIDER_BASE_URL": OPENAI, "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": "gpt-4.1",
                      "COPILOT_OFFLINE": "true"}, own=r"body\.messages\[[01]\]\.content"),
    "aider": Agent("aider", "aider", "aider-chat", ["--model", "openai/gpt-4.1", "--no-git", "--yes-always",
                                                   "--no-check-update", "--no-analytics", "--message", "hi"],
                   {"OPENAI_API_KEY": KEY}),
    "aider-anthropic": Agent("aider", "aider, Anthropic", "aider-chat", [
        "--model", "anthropic/claude-sonnet-4-5", "--no-git", "--yes-always", "--no-check-update", "--no-analytics",
        "--message", "hi"], {"ANTHROPIC_API_KEY": KEY}),
    "cline": Agent("cline", "Cline CLI", "cline", ["say hi"],
                   before=["auth", "-p", "openai", "-k", KEY, "-m", "gpt-4.1", "-b", "{url}"]),
    "cn": Agent("cn", "Continue CLI", "@continuedev/cli", ["--config", "{home}/rig.yaml", "-p", "hi"], files={
        "rig.yaml": f"name: rig\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: rig\n    provider: openai\n"
                    f"    model: gpt-4.1\n    apiKey: {KEY}\n    apiBase: {{url}}\n    roles: [chat]\n"}),
}


class Rig:
    def __init__(self, tokscope, folder):
        self.tokscope, self.folder = tokscope, folder
        self.home, self.work, self.ca = folder + "/home", folder + "/work", folder + "/ca"
        for d in (self.home, self.work, self.ca):
            shutil.rmtree(d, ignore_errors=True)
            os.makedirs(d)
        self.authority = provider.authority(self.ca)

    def install(self, agents):
        node = sorted({a.package + "@latest" for a in agents if a.command != "aider"})
        subprocess.run(["npm", "install", "--silent", "--prefix", self.folder, "node@22", *node], check=True)
        if any(a.command == "aider" for a in agents):
            python = self.folder + "/venv/bin/python"
            if not os.path.exists(python):
                venv.create(self.folder + "/venv", with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", "aider-chat"], check=True)

    def version(self, a):
        if a.command == "aider":
            said = subprocess.run([self.folder + "/venv/bin/pip", "show", "aider-chat"], capture_output=True, text=True)
            return re.search(r"^Version: (.*)$", said.stdout, re.M)[1]
        with open(f"{self.folder}/node_modules/{a.package}/package.json", encoding="utf-8") as f:
            return json.load(f)["version"]

    def environment(self, a, p):
        path = [self.folder + "/node_modules/.bin", self.folder + "/venv/bin", "/usr/local/bin",
                "/usr/bin", "/bin"]
        certificates = {n: self.authority for n in ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE",
                                                    "CODEX_CA_CERTIFICATE")}
        return {"PATH": ":".join(path), "HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb", "HTTPS_PROXY": p.url,
                **certificates, **a.env}

    def command(self, words, env, seconds):
        """Runs it to its end, or ends it; returns what it wrote and its exit code."""
        c = subprocess.Popen(words, cwd=self.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            out, _ = c.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(c.pid, signal.SIGKILL)
            out, _ = c.communicate()
            out += f"\nended after {seconds} s"
        return out, c.returncode

    def run(self, a, tap, script, args=None, seconds=150):
        """Runs an agent in a new home, and returns the provider, what the agent wrote, and the tap's document."""
        shutil.rmtree(self.home)
        shutil.rmtree(self.work)
        os.makedirs(self.work)
        with open(self.work + "/notes.txt", "w", encoding="utf-8") as f:
            f.write("nothing\n")
        p = provider.Provider(self.ca, script)
        env, out = self.environment(a, p), self.folder + "/tap.json"
        url, words, waiting = OPENAI, [a.command], None
        if os.path.exists(out):
            os.remove(out)
        os.makedirs(self.home)
        if tap and a.keeps():
            with open(out, "w", encoding="utf-8") as f:
                waiting = subprocess.Popen([self.tokscope, "tap", "--no-history", "--json", "--to", OPENAI], env=env,
                                           text=True, stdout=f, stderr=subprocess.PIPE)
            while not (at := re.search(r"http://127\S+", waiting.stderr.readline())):
                pass
            url = at[0].rstrip("/") + "/v1"
            env["NO_PROXY"] = "127.0.0.1,localhost"
        elif tap:
            words = [self.tokscope, "tap", "--no-history", "--json", "--out", out, "--", a.command]
        fill = lambda text: text.replace("{url}", url).replace("{home}", self.home)
        for name, text in a.files.items():
            os.makedirs(os.path.dirname(f"{self.home}/{name}"), exist_ok=True)
            with open(f"{self.home}/{name}", "w", encoding="utf-8") as f:
                f.write(fill(text))
        if a.before:
            self.command([a.command, *map(fill, a.before)], env, 60)
        said, code = self.command([*words, *map(fill, args or a.args)], env, seconds)
        if waiting:
            waiting.send_signal(signal.SIGINT)
            waiting.communicate()
        p.close()
        document = None
        if tap and os.path.exists(out):
            with open(out, encoding="utf-8") as f:
                document = json.loads(f.read() or "null")
        return p, said + f"\nexit code {code}", document


def asks(a):
    """A request of a model, or what belongs to it: what the tap is there for."""
    return a.transport == "WebSocket" or a.method == "POST" and re.search(
        r"/(messages|responses|completions|count_tokens)$|[gG]enerateContent$|:countTokens$", urllib.parse.urlsplit(
            a.target).path)


def others(asked):
    return {f"{a.method} {urllib.parse.urlsplit(a.target).path}" for a in asked if not asks(a)}


HOP = {"host", "accept-encoding", "connection", "proxy-connection", "keep-alive", "content-length", "transfer-encoding",
       "sec-websocket-key"}


def leaves(v, at="body"):
    if isinstance(v, dict):
        for k, x in v.items():
            yield from leaves(x, f"{at}.{k}")
    elif isinstance(v, list):
        yield f"{at}[]", len(v)
        for i, x in enumerate(v):
            yield from leaves(x, f"{at}[{i}]")
    elif isinstance(v, str) and v[:1] in "{[":
        try:
            yield from leaves(json.loads(v), at)  # a document in a string
        except ValueError:
            yield at, v
    else:
        yield at, v


def fields(a):
    """All that is compared of a request, by name."""
    parts = urllib.parse.urlsplit(a.target)
    all_of = {"transport": a.transport, "method": a.method, "host": a.host, "path": parts.path, "query": parts.query,
              "tools": list(a.tools())}
    for k, v in a.headers:
        if k.lower() not in HOP:
            all_of.update((f"header {k.lower()}{at[4:]}", x) for at, x in leaves(v, "body"))
    d = a.json()
    all_of.update(leaves(d) if d is not None else {"body": a.body})
    return all_of


def compare(without, with_tap):
    """Returns pairs of requests, the fields that differ with their values, and requests without a pair."""
    def key(a):
        d = a.json()
        return a.method, a.host, urllib.parse.urlsplit(a.target).path, str(isinstance(d, dict) and d.get("model")), len(
            a.tools())
    rest, pairs, lone = list(with_tap), [], []
    for a in without:
        b = next((b for b in rest if key(b) == key(a)), None)
        if b is None:
            lone.append(("without", a))
            continue
        rest.remove(b)
        pairs.append((a, b))
    found = {}
    for a, b in pairs:
        x, y = fields(a), fields(b)
        for name in [*x, *(n for n in y if n not in x)]:
            if x.get(name) != y.get(name):
                found.setdefault(name, []).append((x.get(name), y.get(name)))
    return pairs, found, lone + [("with", b) for b in rest]


def excerpt(v, w):
    """The place where two values part."""
    v, w = str(v), str(w)
    i = next((i for i, (x, y) in enumerate(zip(v, w)) if x != y), 0)
    return f"{v[max(0, i - 40):i + 60]!r} | {w[max(0, i - 40):i + 60]!r}"


def short(name):
    """A field by its own name."""
    return re.split(r"[. ]", re.sub(r"\[\d*\]", "", name))[-1]


NAMES = r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+|cch=\w{5}"


def alike(pair):
    """Texts must be equal but for the ids, times and checksums in them; what has no blank is an id itself."""
    x, y = (re.sub(NAMES, "", str(v)) for v in pair)
    return x == y or not re.search(r"\s", x + y)


def row(rig, name, a, show):
    """Runs an agent both ways; prints its row, and returns whether all is as it should be."""
    script = provider.Script()
    p, said, _ = rig.run(a, False, script)
    q, said_with, document = rig.run(a, True, script)
    pairs, found, lone = compare([x for x in p.asked if asks(x)], [x for x in q.asked if asks(x)])
    wrong = [n for n, values in found.items() if not (a.own and re.fullmatch(a.own, n) and all(map(alike, values)))]
    if show or not pairs:
        print(f"--- {name}: refused without {sorted(set(p.refused))}, with {sorted(set(q.refused))}", file=sys.stderr)
        print(said[-300:], "\n--- with\n", said_with[-1000:], file=sys.stderr)
        for x, y in pairs:
            print(x.transport, x.method, x.target[:60], len(x.body), len(y.body), len(x.tools()), file=sys.stderr)
        for side, x in lone:
            print("alone:", side, x.transport, x.method, x.target, len(x.body), file=sys.stderr)
        for n, values in found.items():
            print("not" if n in wrong else "own", n, excerpt(*values[0]), file=sys.stderr)
    sizes = lambda side: " + ".join(f"{len(x[side].body):,}" for x in pairs if x[side].body)
    differs = sorted({short(n) for n in found if n not in wrong}) + sorted({f"**{short(n)}**" for n in wrong})
    differs += [f"**only {side} the tap: {x.method} {x.target}**" for side, x in lone]
    transports = "+".join(dict.fromkeys(x[0].transport for x in pairs))
    tools = max((len(x[0].tools()) for x in pairs), default=0)
    before, after = others(p.asked), others(q.asked)
    if show:
        print("others only without:", sorted(before - after), "only with:", sorted(after - before), file=sys.stderr)
    print(f"| {a.title} {rig.version(a)} | {transports} | {len(pairs)}, {tools} tools | {sizes(0)} | {sizes(1)} | "
          f"{', '.join(differs) or 'nothing'} |", flush=True)
    return pairs and not wrong and not lone


def session(rig, a):
    """Prints a row for each turn of a session with a tool, as the tap, the provider and the agent saw it."""
    p, said, d = rig.run(a, True, provider.Script(wait=0.3, prefill=0.2, calls=2), a.turns)
    asked, turns = [x for x in p.asked if x.first and x.end], [t for t in d["turns"] if t["request"]["state"] == "done"]
    own = re.findall(r'"ttft_ms":(\d+)', said)  # Claude Code says it of each message
    ms = lambda v: "–" if v is None else f"{v:.0f}"
    for i, (t, x) in enumerate(zip(turns, asked)):
        f, pause = t["request"]["figures"], (asked[i + 1].at - x.end) * 1000 if i + 1 < len(asked) else None
        print(f"| {a.title} {rig.version(a)} | {i + 1} of {len(turns)}, {x.transport} | {ms(f['ttfe_ms'])} | "
              f"{own[i] if i < len(own) else '–'} | {ms(f['ttft_ms'])} | {ms((x.first - x.at) * 1000)} | "
              f"{ms(t['times']['client_ms'])} | {ms(pause)} | {t['cached_share']:.0%} | "
              f"{'yes' if t['unchanged'] else 'no'} |", flush=True)
    print(said[said.rindex(" model ") - 80:], file=sys.stderr)


def failing(rig, a, status):
    """Prints what an agent does when its first two requests fail."""
    p, said, d = rig.run(a, True, provider.Script(failures=[status, status]))
    failed = [x for x in p.asked if x.status == status]
    again = [next((y.at - x.at for y in p.asked if y.at > x.at and y.target == x.target), None) for x in failed]
    waits = ", ".join("never" if w is None else f"{w:.1f} s" for w in again)
    print(f"| {a.title} {rig.version(a)} | {status} | {len(failed)} | {waits} | "
          f"{d['retries'] if d else '–'} | {'yes' if provider.Script.text in said else 'no'} |", flush=True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("agents", nargs="*", metavar="agent", help=", ".join(AGENTS))
    args.add_argument("--tokscope", default="tokscope")
    args.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "tokscope-agents"))
    args.add_argument("--show", action="store_true", help="print the values that differ")
    args.add_argument("--turns", action="store_true", help="a session of three turns with a tool")
    args.add_argument("--failing", action="store_true", help="two failures, with 529 and with 429")
    args.add_argument("--no-install", action="store_true", help="take the agents that are in DIR")
    o = args.parse_args()
    chosen = o.agents or list(AGENTS)
    rig = Rig(shutil.which(o.tokscope), os.path.abspath(o.dir))
    if not o.no_install:
        rig.install([AGENTS[n] for n in chosen])
    if o.turns:
        print("All in ms.\n\n| agent | turn | first event, tap | agent's ttft_ms | TTFT, tap | TTFT, provider | "
              "tools and client, tap | provider | cached | unchanged |\n|" + "---|" * 10, flush=True)
        for n in chosen:
            session(rig, AGENTS[n])
        return
    if o.failing:
        print("| agent | status | times | asked again after | retries, tap | then answered |\n|" + "---|" * 6)
        for n in chosen:
            for status in (529, 429):
                failing(rig, AGENTS[n], status)
        return
    print(f"{datetime.date.today()}\n\n| agent | transport | requests | bytes without | with the tap | differs |\n|"
          + "---|" * 6, flush=True)
    good = [row(rig, n, AGENTS[n], o.show) for n in chosen]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
