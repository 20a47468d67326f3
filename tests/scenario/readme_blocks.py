#!/usr/bin/env python3
"""Fenced blocks of a Markdown text: readme_blocks.py FILE sh BEGINNING | file NAME

sh: the first block of language sh with these first characters; file: the block whose first line is the comment "# NAME".
"""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
for language, body in re.findall(r"^```([a-z]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    wanted = language == "sh" if sys.argv[2] == "sh" else True
    beginning = sys.argv[3] if sys.argv[2] == "sh" else f"# {sys.argv[3]}\n"
    if wanted and body.startswith(beginning):
        sys.stdout.write(body)
        break
else:
    sys.exit(f"{sys.argv[1]} shows no block that begins with '{sys.argv[3]}'")
