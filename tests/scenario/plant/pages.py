#!/usr/bin/env python3
"""Pages of datumd-plant-view as text: of each cell its handle, state of its chain, newest entry, and boards of all days.
Usage: pages.py URL"""
import sys
import urllib.request
import xml.etree.ElementTree as xml


def rows(page, table):
    with urllib.request.urlopen(sys.argv[1] + page, timeout=20) as answer:
        document = xml.fromstring(answer.read())
    found = [t for t in document.iter("table") if t.get("id") == table]
    if len(found) != 1:
        raise SystemExit(f"pages.py: {page} has {len(found)} tables {table}")
    head = ["".join(cell.itertext()) for cell in found[0].find("thead/tr")]
    for row in found[0].findall("tbody/tr"):
        yield dict(zip(head, ("".join(cell.itertext()).strip() for cell in row)))


boards = {}
for row in rows("/yield?from=2000-01-01", "yield"):
    boards[row["cell"]] = boards.get(row["cell"], 0) + int(row["boards"]) + int(row["repeats"])
for row in rows("/", "cells"):
    print(row["cell"], row["newest entry"], boards.get(row["cell"], 0), row["chain"])
