"""Opens pages of --html in Chromium, and plays a stream there.

A scripted provider answers with text that would be markup, model and error too. Each kind of
page is opened by the DevTools protocol over a pipe: a request that leaves it, an error of its
console, an element that a string made, or a player that does not play ends the rig with 1.
Screenshots go to --out. It needs Python 3.11 and Chromium, and no network.
"""
import argparse, base64, http.server, json, os, pathlib, shutil, subprocess, sys, tempfile, threading, time

EVIL = ("</script></style></svg><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>"
        "<img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\">\u2028\u202e<!--<script>alert(1)</script>")


class Provider(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        failing = "fail" in json.dumps(body["messages"])
        self.send_response(400 if failing else 200)
        self.send_header("Content-Type", "application/json" if failing else "text/event-stream")
        self.end_headers()
        try:
            self.answer(failing)
        except BrokenPipeError:  # who asked has left
            pass

    def answer(self, failing):
        if failing:
            self.wfile.write(json.dumps({"error": {"message": EVIL, "code": EVIL}}).encode())
            return
        for i in range(60):
            delta = {"content": EVIL[i % len(EVIL):][:7] if i else EVIL}
            event = {"id": EVIL, "model": EVIL, "choices": [{"index": 0, "delta": delta}]}
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            time.sleep(.25 if i == 30 else .01)
        self.wfile.write(b"data: [DONE]\n\n")


class Browser:
    """Chromium over the pipe of --remote-debugging-pipe: JSON that ends with a zero byte."""

    def __init__(self, program, profile):
        ours, theirs = os.pipe(), os.pipe()

        def wire():  # the browser reads descriptor 3 and writes 4
            a, b = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(a, 3)
            os.dup2(b, 4)

        args = [program, "--headless", "--remote-debugging-pipe", "--disable-gpu", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(args + ["--no-sandbox"] * (os.geteuid() == 0), preexec_fn=wire, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.out, self.into, self.n, self.events, self.session = os.fdopen(ours[1], "wb"), theirs[0], 0, [], None
        self.rest = b""

    def read(self):
        while b"\0" not in self.rest:
            data = os.read(self.into, 1 << 20)
            if not data:
                sys.exit("the browser ended")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.n += 1
        message = {"id": self.n, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            m = self.read()
            if m.get("id") == self.n:
                if "error" in m:
                    sys.exit(f"{method}: {m['error']}")
                return m["result"]
            self.events.append(m)

    def run(self, script):
        r = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            sys.exit(f"{script}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def open(self, path, width=900, dark=False, media=""):
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Network", "Log", "Runtime", "Page"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self.call("Page.navigate", url=path.as_uri())
        while self.run("document.readyState") != "complete":
            time.sleep(.05)
        time.sleep(.4)  # what would leave by itself

    def shot(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tokscope", required=True)
    p.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    p.add_argument("--out", type=pathlib.Path)
    o = p.parse_args()
    if not o.browser:
        sys.exit("no browser: give --browser CHROMIUM")
    with tempfile.TemporaryDirectory() as folder:
        return check(o, pathlib.Path(folder))


def check(o, folder):
    out, wrong = (o.out or folder).resolve(), []
    out.mkdir(exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    env = os.environ | {"XDG_" + k + "_HOME": str(folder) for k in ("STATE", "DATA", "CONFIG", "CACHE")}

    def tokscope(*args, stdout=subprocess.DEVNULL):
        subprocess.run([o.tokscope, *args], env=env, cwd=folder, stdout=stdout, stderr=subprocess.DEVNULL)

    hostile = [url, "--model", EVIL, "-q"]
    tokscope("probe", "-n1", "-q", "--with-text", "--html", "run-text.html")
    tokscope("probe", "-n1", "-q", "--html", "run.html")
    tokscope("probe", *hostile, "-n1", "--html", "hostile.html")
    tokscope("probe", *hostile, "-n3", "--with-text", "--html", "hostile-text.html")
    tokscope("probe", *hostile, "-n2", "--prompt", "fail", "--with-text", "--html", "hostile-error.html")
    tokscope("sweep", "-q", "--users", "1,4,16", "--duration", "3s", "--html", "load.html")
    tokscope("sweep", *hostile, "-y", "--users", "1,2", "-n", "4", "--with-text", "--html", "hostile-load.html")
    tokscope("race", url + "#" + EVIL.replace(" ", "_"), url + "#b", "--pairs", "8", "-q", "--with-text", "--html",
             "hostile-race.html")
    tokscope("race", "llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max", "--pairs", "12", "-q", "--html", "race.html")
    for name, n in (("a.json", "12"), ("b.json", "10")):
        with open(folder / name, "wb") as f:
            tokscope("probe", "-n", n, "-q", "--json", *(["llama-3.1-8b-q4@m3max"] if name == "b.json" else []), stdout=f)
    tokscope("compare", "a.json", "b.json", "--allow", "model", "--html", "compare.html")
    tokscope("history", "--with-text", "--html", "history.html")
    names = ["run-text", "run", "hostile", "hostile-text", "hostile-error", "load", "hostile-load", "hostile-race", "race",
             "compare", "history"]
    browser = Browser(o.browser, folder / "profile")
    for name in names:
        path = folder / (name + ".html")
        if not path.exists():
            wrong.append(f"{name}: no page was written")
            continue
        browser.open(path)
        title = browser.run("document.title")
        left = [e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
        said = [e["params"] for e in browser.events if e["method"] in
                ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening")]
        if left != [path.as_uri()]:
            wrong.append(f"{name}: requests {left}")
        if said:
            wrong.append(f"{name}: {said}")
        made = browser.run("document.querySelectorAll('img,iframe,object,link').length")
        if not title.startswith("tokscope: ") or made:
            wrong.append(f"{name}: a string became markup: {title!r}")
        if name == "hostile-text" and "onerror=" not in browser.run("document.body.textContent"):
            wrong.append(f"{name}: the text is not there")
        if browser.run("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{name}: wider than the window")
        browser.shot(out / f"html-{name}.png")
        if browser.run("!!document.querySelector('#tracks')") and name != "hostile-error":
            wrong += [f"{name}: {w}" for w in plays(browser)]
            browser.shot(out / f"html-{name}-played.png") if name == "run-text" else None
        browser.open(path, dark=True)
        browser.shot(out / f"html-{name}-dark.png") if name in ("run", "load") else None
        browser.open(path, width=390)
        if browser.run("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{name}: wider than a phone")
        browser.shot(out / f"html-{name}-phone.png") if name in ("run", "race") else None
    browser.open(folder / "run.html", media="print", width=760)
    browser.shot(out / "html-run-print.png")
    browser.call("Browser.close")
    browser.process.wait()
    for w in wrong:
        print(w)
    print(f"{len(names)} pages opened, {len(wrong)} wrong")
    return 1 if wrong else 0


def plays(b):
    """What is wrong with the first player of the page."""
    wrong = []
    b.run("""window.$ = (q) => document.querySelector('.chart ' + q);
      window.shown = () => $('.said').querySelectorAll(':scope > :not([hidden])').length;
      window.all = $('.said').children.length; window.end = +$('input').max; 0""")
    if b.run("shown() !== all"):
        wrong.append("it does not begin with the whole answer")
    b.run("$('select').value = '0.25'; $('select').dispatchEvent(new Event('change')); $('button').click()")
    time.sleep(.4)
    first = b.run("+$('input').value")
    time.sleep(.4)
    second = b.run("+$('input').value")
    if not 40e3 < second - first < 400e3:
        wrong.append(f"it played {second - first} µs in 0.4 s at 0.25")
    if not b.run("shown() < all"):
        wrong.append("all chunks are there before their time")
    b.run("$('button').click(); $('input').focus()")
    at = b.run("+$('input').value")
    b.key("ArrowRight", 39)
    if not b.run("+$('input').value") > at or b.run("$('button').textContent") != "Play":
        wrong.append("an arrow does not go to the next chunk")
    box = b.run("""(() => { $('svg').scrollIntoView({block: 'center'}); const r = $('svg').getBoundingClientRect();
      return [r.x, r.y, r.width, r.height]; })()""")
    for kind, x in (("mousePressed", .2), ("mouseMoved", .7), ("mouseReleased", .7)):
        b.call("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * x, y=box[1] + box[3] / 2, button="left",
               buttons=1, clickCount=1)
    if not b.run("Math.abs(+$('input').value / end - (.7 * 720 - 52) / 654) < .02"):
        wrong.append("a drag in the chart does not go there")
    same = b.run("""(() => { const tracks = JSON.parse(document.getElementById('tracks').textContent)[0];
      return tracks.at.every((t, i) => { $('input').value = t; $('input').dispatchEvent(new Event('input'));
        return shown() === i + 1 + tracks.at.slice(i + 1).filter((u) => u === t).length; }); })()""")
    if not same:
        wrong.append("a chunk is not shown at its time")
    b.run("$('input').value = end; $('input').dispatchEvent(new Event('input'))")
    return wrong


sys.exit(main())
