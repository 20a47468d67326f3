#!/usr/bin/env python3
"""Pages of datumd-view in headless Chromium, by the keyboard, on a panel, in grey and in print.

usage: view_in_browser.py CHROMIUM FOLDER URL PATH...

Prints a line for each fault and ends with 1 where there is one; FOLDER gets the browser's profile and each page as PDF. Chromium is
steered through its DevTools pipe: messages of JSON, each ended by a zero byte, on the descriptors 3 and 4."""
import base64
import json
import os
import pathlib
import subprocess
import sys

# A panel of 10 inches, the same upright, a small one.
SIZES = [(1280, 800), (800, 1280), (800, 480)]

# Words that stand for a colour, contrast (WCAG 2.1, 1.4.3 and 1.4.11), and what can be reached by keyboard.
EXAMINE = r"""
(() => {
  const faults = [];
  const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' "' + (e.textContent || '').trim().slice(0, 30) + '"';
  for (const word of ['pass', 'fail', 'inconclusive', 'invalid'])
    for (const e of document.querySelectorAll('.' + word)) {
      const place = e instanceof SVGElement ? e.closest('tr, figure, svg') : e;
      if (!place.textContent.includes(word.toUpperCase()) && !(e instanceof SVGElement && e.classList.contains('mark')
          && e.getAttribute('d').includes('Z')))
        faults.push(name(e) + ' is ' + word + ' by its colour alone');
    }
  const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const luminance = text => {
    const [r, g, b, a] = text.match(/[\d.]+/g).map(Number);
    return a === 0 ? null : 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = e => {
    for (; e; e = e.parentElement) {
      const l = luminance(getComputedStyle(e).backgroundColor);
      if (l !== null) return l;
    }
    return 1;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e instanceof SVGElement || !e.getClientRects().length) continue;
    const ratio = contrast(luminance(getComputedStyle(e).color), ground(e));
    if (ratio < 4.5) faults.push(name(e) + ' has a contrast of ' + ratio.toFixed(2));
  }
  for (const e of document.querySelectorAll('svg .line, svg .limit, svg .nominal, svg .stroke, svg .axis')) {
    const ratio = contrast(luminance(getComputedStyle(e).stroke), 1);
    if (ratio < 3) faults.push('a line has a contrast of ' + ratio.toFixed(2));
  }
  for (const svg of document.querySelectorAll('svg')) {  // two kinds of lines differ by more than their colour
    const kinds = new Map();
    for (const e of svg.querySelectorAll('.line, .limit, .nominal, .stroke')) {
      const s = getComputedStyle(e), form = s.strokeDasharray + ' ' + s.strokeWidth, kind = e.getAttribute('class');
      if (kinds.has(form) && kinds.get(form) !== kind) faults.push(kinds.get(form) + ' and ' + kind + ' are drawn alike');
      kinds.set(form, kind);
    }
    if (!svg.querySelector('title')) faults.push('a chart has no title');
  }
  for (const t of document.querySelectorAll('table'))
    for (const c of t.querySelectorAll('th'))
      if (!c.hasAttribute('scope') && !c.closest('.printed')) faults.push(name(c) + ' is the head of neither row nor column');
  for (const r of document.querySelectorAll('[role=region]'))
    if (!r.getAttribute('aria-label') || r.getAttribute('aria-label') === 'Table') faults.push('a region has no name of its own');
  return faults;
})()
"""
FOCUSED = r"""
(() => {
  const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
  const all = [...document.querySelectorAll('a[href], input, select, button, summary, [tabindex="0"]')];
  return {at: all.indexOf(e), of: all.length, skip: e.classList.contains('skip'), text: (e.textContent || e.name || '').trim().slice(0, 30),
          outline: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2,
          shown: r.width > 0 && r.height > 0 && r.right > 0 && r.left < innerWidth && r.bottom > 0 && r.top < innerHeight,
          inMain: document.getElementById('main').contains(e),
          mainHasAny: all.some(o => document.getElementById('main').contains(o))};
})()
"""
WIDTH = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
TOUCH = r"""
[...document.querySelectorAll('nav a, button, input, select, th a')].filter(e => e.getClientRects().length)
  .filter(e => e.getBoundingClientRect().height < (e.closest('th') ? 36 : 40)).map(e => (e.textContent || e.name).trim())
"""
PRINTED = r"""
(() => {
  const faults = [], shown = e => getComputedStyle(e).display !== 'none';
  for (const e of document.querySelectorAll('nav, form, .skip')) if (shown(e)) faults.push(e.tagName + ' is printed');
  for (const e of document.querySelectorAll('thead'))
    if (getComputedStyle(e).display !== 'table-header-group') faults.push('the head of a table is not repeated');
  for (const e of document.querySelectorAll('tr, figure, svg, .card, img.board'))
    if (getComputedStyle(e).breakInside !== 'avoid') faults.push(e.tagName + ' can be torn by the end of a page');
  for (const e of document.querySelectorAll('h1, h2, h3, figcaption'))
    if (getComputedStyle(e).breakAfter !== 'avoid') faults.push(e.tagName + ' can end a page');
  return faults;
})()
"""


class Browser:
    def __init__(self, chromium, folder):
        out, self.to = os.pipe()
        self.source, back = os.pipe()
        command = [chromium, "--headless", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium refuses root otherwise
        self.program = subprocess.Popen(["/bin/sh", "-c", f'exec "$@" 3<&{out} 4>&{back}', "sh", *command, "about:blank"],
                                        pass_fds=(out, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(out)
        os.close(back)
        self.number, self.rest, self.loaded = 0, b"", False
        target = self.call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True}, None)["sessionId"]
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.rest:
            got = os.read(self.source, 1 << 16)
            if not got:
                sys.exit("the browser ended")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        self.loaded = self.loaded or message.get("method") == "Page.loadEventFired"
        return message

    def call(self, method, params=None, session=""):
        self.number += 1
        order = {"id": self.number, "method": method, "params": params or {}}
        if session is not None:
            order["sessionId"] = self.session
        os.write(self.to, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]

    def open(self, url):
        self.loaded = False
        self.call("Page.navigate", {"url": url})
        while not self.loaded:
            self.message()

    def value(self, script):
        answer = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True})
        if "exceptionDetails" in answer:
            sys.exit(str(answer["exceptionDetails"]))
        return answer["result"]["value"]

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def key(self, name, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code,
                                                 **({"text": text} if text and kind == "keyDown" else {})})

    def end(self):
        self.call("Browser.close", None, None)
        self.program.wait()


def by_keyboard(browser):
    """Tab goes through all in the order of the page, and shows where it is; the first link leads to the content."""
    faults = []
    browser.key("Tab", 9)
    first = browser.value(FOCUSED)
    if not (first["skip"] and first["shown"]):
        faults.append(f"the first Tab does not show the link to the content: {first['text']}")
    at = first
    for wanted in range(first["of"]):
        if at["at"] != wanted:
            faults.append(f"Tab {wanted + 1} leads to {at['text']} ({at['at']})")
            break
        if not (at["outline"] and at["shown"]):
            faults.append(f"the focus on {at['text']} is not seen")
        browser.key("Tab", 9)
        at = browser.value(FOCUSED)
    return faults


def skipped(browser):
    browser.key("Tab", 9)
    browser.key("Enter", 13, "\r")
    browser.key("Tab", 9)
    at = browser.value(FOCUSED)
    return [] if at["inMain"] or not at["mainHasAny"] else [f"behind the link to the content Tab leads to {at['text']}"]


def examine(browser, url, pdf):
    held = url + ("&" if "?" in url else "?") + "refresh=off"  # so that it does not load again between two keys
    faults = []
    for width, height in SIZES:
        browser.size(width, height)
        browser.open(held)
        if browser.value(WIDTH) > 0:
            faults.append(f"{width} x {height}: the page is wider than the screen")
        faults += browser.value(EXAMINE)
    browser.size(*SIZES[0])
    browser.open(held)
    faults += by_keyboard(browser)
    browser.open(held)
    faults += skipped(browser)
    browser.call("Emulation.setTouchEmulationEnabled", {"enabled": True})
    browser.open(held)
    faults += [f"{name} is low for a finger" for name in browser.value(TOUCH)]
    browser.call("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.call("Emulation.setEmulatedMedia", {"media": "print"})
    faults += browser.value(PRINTED)
    browser.call("Emulation.setEmulatedMedia", {"media": ""})
    pdf.write_bytes(base64.b64decode(browser.call("Page.printToPDF", {"preferCSSPageSize": True})["data"]))
    return list(dict.fromkeys(faults))


def main():
    chromium, folder, url, *paths = sys.argv[1:]
    folder = pathlib.Path(folder)
    browser = Browser(chromium, folder)
    found = 0
    for number, path in enumerate(paths):
        for fault in examine(browser, url + path, folder / f"page{number}.pdf"):
            print(f"{path}: {fault}")
            found += 1
    browser.end()
    print(f"{len(paths)} pages, {found} faults")
    sys.exit(found > 0)


main()
