"""Takes what lies in a broker's queue, checks it as a receiver of another make would, and prints what it found as JSON.

usage: receive.py URL ADDRESS [COUNT]: until COUNT messages of durable ones are taken, or the queue gave none for two seconds.
"""
import hashlib
import json
import re
import sys

from proton import Timeout
from proton.utils import BlockingConnection

GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def taken(url, address, count):
    connection = BlockingConnection(url, allowed_mechs="PLAIN")
    receiver = connection.create_receiver(address, credit=200)
    while count is None or count > 0:
        try:
            message = receiver.receive(timeout=2)
        except Timeout:
            break
        receiver.accept()
        if count is not None and message.durable:
            count -= 1
        yield message
    connection.close()


def netstring(data):
    return str(len(data)).encode() + b":" + data + b","


def main():
    url, address = sys.argv[1:3]
    entries, gaps, units, names, faults, ids = {}, [], [], {}, [], set()
    repeated = 0
    for message in taken(url, address, int(sys.argv[3]) if len(sys.argv) > 3 else None):
        body = json.loads(bytes(message.body))
        if not GUID.fullmatch(str(message.id)):
            faults.append(f"message-id {message.id}")
        repeated += message.id in ids
        first = message.id not in ids
        ids.add(message.id)
        if "gap" in body:
            gaps.append(body["gap"])
        elif "link" in body:
            entries[body["link"]] = body
        else:
            names[body["MessageName"]] = names.get(body["MessageName"], 0) + 1
            if body["UniqueID"] != message.id or body["Source"] != message.properties["cfx-handle"]:
                faults.append(f"envelope of {message.id}")
            if first and body["MessageName"].endswith("UnitsInspected"):
                units += [[unit["UnitIdentifier"], unit["OverallResult"]] for unit in body["MessageBody"]["InspectedUnits"]]
    # Each entry's hash covers the hash before and its body (daemon/store/result_chain.h).
    for link, entry in sorted(entries.items()):
        raw = bytes.fromhex(entry["body_hex"]) if "body_hex" in entry else entry["body"].encode()
        before = entry["before"] or (entries[link - 1]["sha256"] if link - 1 in entries else "0" * 64 if link == 1 else "")
        if link - 1 in entries and entries[link - 1]["sha256"] != before:
            faults.append(f"entry {link} does not follow {link - 1}")
        if before and hashlib.sha256(netstring(before.encode()) + raw).hexdigest() != entry["sha256"]:
            faults.append(f"hash of entry {link}")
    links = sorted(entries)
    print(json.dumps({"messages": len(ids), "repeated": repeated, "names": names, "units": units, "gaps": gaps, "faults": faults,
                      "entries": len(links), "first": links[0] if links else 0, "last": links[-1] if links else 0,
                      "missing": [n for n in range(links[0], links[-1]) if n not in entries] if links else []}))


main()
