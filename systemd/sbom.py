#!/usr/bin/python3
"""SPDX 2.3 of one of datumd's packages: its programs with their hashes, and the Debian packages that are linked into them.

usage: sbom.py ROOT BUILD TABLE COMMIT [SYSROOT]
  ROOT    the unpacked package; BUILD  the folder it was built in; TABLE  systemd/DEPENDENCIES.md; COMMIT  what was built
  SYSROOT unpacked packages of another processor, with their database (tests/arm64/sysroot.sh), that it was built against

What is linked is looked up, not listed: shared libraries by the dynamic linker (ldd; in a SYSROOT by what they name), headers by
what the compilers read (ninja -t deps). dpkg says whose they are. SOURCE_DATE_EPOCH is the time; the same tree on the same machine gives the same bytes.
"""
import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys

LICENCES = {  # of packages without a row in the table, loaded by those with a row
    "libblkid1": "LGPL-2.1-or-later", "libmount1": "LGPL-2.1-or-later", "libbz2-1.0": "bzip2-1.0.6",
    "libcap2": "BSD-3-Clause OR GPL-2.0-only", "libdeflate0": "MIT", "libffi8": "MIT", "libgcrypt20": "LGPL-2.1-or-later",
    "libgpg-error0": "LGPL-2.1-or-later", "libicu72": "Unicode-DFS-2016", "libjbig0": "GPL-2.0-or-later",
    "libjpeg62-turbo": "IJG AND BSD-3-Clause AND Zlib", "liblerc4": "Apache-2.0", "liblz4-1": "BSD-2-Clause",
    "liblzma5": "LicenseRef-public-domain", "libselinux1": "LicenseRef-public-domain", "libusb-1.0-0": "LGPL-2.1-or-later",
    "libwebp7": "BSD-3-Clause", "libxml2": "MIT", "libzstd1": "BSD-3-Clause OR GPL-2.0-only",
    "libfontconfig1": "HPND-sell-variant", "libfontconfig-dev": "HPND-sell-variant", "libpixman-1-0": "MIT", "libexpat1": "MIT",
    "libx11-6": "MIT", "libxcb1": "MIT", "libxcb-render0": "MIT", "libxcb-shm0": "MIT", "libxext6": "MIT",
    "libxrender1": "HPND-sell-variant", "libxau6": "MIT-open-group", "libxdmcp6": "MIT-open-group", "libbrotli1": "MIT",
    "libgnutls30": "LGPL-2.1-or-later", "libhogweed6": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libnettle8": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgmp10": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libidn2-0": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libp11-kit0": "BSD-3-Clause",
    "libtasn1-6": "LGPL-2.1-or-later", "libunistring2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libunistring5": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libgnutls30t64": "LGPL-2.1-or-later",
    "libbsd0": "BSD-3-Clause", "libmd0": "BSD-3-Clause",
    "libboost1.74-dev": "BSL-1.0", "libboost1.83-dev": "BSL-1.0",  # what libboost-dev depends on
    "libc6": "LGPL-2.1-or-later", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1", "libglib2.0-0": "LGPL-2.1-or-later",
    "libc6-dev": "LGPL-2.1-or-later", "linux-libc-dev": "GPL-2.0-only WITH Linux-syscall-note",
    "libglib2.0-dev": "LGPL-2.1-or-later"}
NVIDIA = "LicenseRef-NVIDIA-CUDA-EULA"
EXTRACTED = {
    NVIDIA: ("NVIDIA CUDA Toolkit End User License Agreement", "The licence that comes with the CUDA Toolkit."),
    "LicenseRef-public-domain": ("public domain", "Its authors put it into the public domain: Debian's copyright file of the package "
                                                  "has their words.")}


SYSROOT = os.path.realpath(sys.argv[5]) if len(sys.argv) > 5 else ""


def said(*command, allowed=(0,), **environment):
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C", **environment}, check=False)
    if run.returncode not in allowed:
        sys.exit(f"sbom.py: {' '.join(command)[:200]}: {run.stderr.strip()}")
    return run.stdout


def table_of(path):
    """Build package: licence."""
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in open(path, encoding="utf-8")
            if line.startswith("| ")]
    return {row[0]: row[2] for row in rows if len(row) == 6 and row[0] != "package"}


def programs_of(root):
    folder = os.path.join(root, "usr/bin")
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF":
                found.append(path)
    return found


def databases():
    """Package databases of this system and of the other architecture, as environments of dpkg."""
    return [{}] + ([{"DPKG_ADMINDIR": SYSROOT + "/var/lib/dpkg"}] if SYSROOT else [])


def is_in_sysroot(path):
    return bool(SYSROOT) and path.startswith(SYSROOT + "/")


def owners(paths):
    """Package by path, without files that no package owns."""
    found = {}
    for database in databases():
        found.update(owners_in(database, {path for path in paths if is_in_sysroot(path) == bool(database)}))
    return found


def owners_in(database, paths):
    asked = sorted({form for path in paths for form in forms(path)})
    found = {}
    for at in range(0, len(asked), 5000):  # each call reads the lists of all packages; arguments may be 2 MiB
        for line in said("dpkg", "-S", *asked[at:at + 5000], allowed=(0, 1), **database).splitlines():
            packages, _, path = line.partition(": ")
            if not line.startswith("diversion"):
                found[path] = packages.split(", ")[0].split(":")[0]
    return {path: next(found[form] for form in forms(path) if form in found) for path in paths
            if any(form in found for form in forms(path))}


@functools.cache
def forms(path):
    """/lib and /usr/lib are one folder; dpkg knows one of the names."""
    path = os.path.normpath(path)
    root = SYSROOT if is_in_sysroot(path) else ""
    inner = path[len(root):]
    return [path, root + (inner[4:] if inner.startswith("/usr/lib") else "/usr" + inner), os.path.realpath(path)]


def needed_by(program):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", program)))


def loaded_from_sysroot(wanted):
    """Path by name of these libraries and of those that they load."""
    folders = [os.path.join(SYSROOT, folder) for base in ("usr/lib", "lib")
               for folder in [base] + [f"{base}/{name}" for name in sorted(os.listdir(os.path.join(SYSROOT, base))) if "linux-gnu" in name]]
    loaded, left = {}, set(wanted)
    while left:
        name = left.pop()
        path = next((os.path.join(folder, name) for folder in folders if os.path.exists(os.path.join(folder, name))), None)
        if path and name not in loaded:
            loaded[name] = path
            left |= needed_by(path) - set(loaded)
    return loaded


def shared_of(program):
    """Paths of libraries: the direct ones, and all."""
    wanted = needed_by(program)
    loaded = loaded_from_sysroot(wanted) if SYSROOT else dict(re.findall(r"^\s*(\S+) => (/\S+)", said("ldd", program), re.M))
    missing = {name for name in wanted if name not in loaded and not name.startswith("ld-linux")}
    if missing:
        sys.exit(f"sbom.py: {program}: not found: {', '.join(sorted(missing))}")
    return {loaded[name] for name in wanted if name in loaded}, set(loaded.values())


def objects_of(build, programs):
    """What the compilers make on the way to these programs."""
    targets = ["bin/" + os.path.basename(program) for program in programs]
    return set(re.findall(r" -o (\S+)", said("ninja", "-C", build, "-t", "commands", *targets)))


def headers_of(build, programs):
    """Files that the compilers read for these programs."""
    headers, counts, objects = set(), False, objects_of(build, programs)
    for line in said("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            # Newer versions of CMake record what linkers read, too: libraries, of which readelf tells more.
            made = re.match(r"(\S+\.(?:o|gch)): .*\(VALID\)", line)
            counts = bool(made) and made.group(1) in objects
        elif counts and line.strip().startswith("/"):
            headers.add(os.path.normpath(line.strip()))
    tree = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    own = (tree + "/", os.path.realpath(build) + "/")
    return {h for h in headers if is_in_sysroot(h) or not os.path.realpath(h).startswith(own)}


def cuda_version(build):
    """The version that CMake found."""
    found = said("sh", "-c", 'sed -n \'s/^set(CMAKE_CUDA_COMPILER_VERSION "\\(.*\\)")/\\1/p\' "$0"/CMakeFiles/*/CMakeCUDACompiler.cmake', build)
    return found.split()[0] if found.split() else "unknown"


def facts_of(packages):
    """Package: version, source package, its version, architecture."""
    form = "${Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n"
    facts = {}
    for database in databases():  # where both have a package, the other architecture's counts
        for line in said("dpkg-query", "-W", "-f", form, *sorted(packages), allowed=(0, 1), **database).splitlines():
            row = line.split("\t")
            facts[row[0]] = row[1:]
    missing = set(packages) - set(facts)
    if missing:
        sys.exit(f"sbom.py: dpkg knows no {', '.join(sorted(missing))}")
    return facts


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def main():
    root, build, table, commit = sys.argv[1:5]
    declared = table_of(table)
    control = dict(re.findall(r"^(\S+): (.*)$", open(os.path.join(root, "DEBIAN/control"), encoding="utf-8").read(), re.M))
    programs = programs_of(root)
    direct = {program: shared_of(program) for program in programs}
    owner = owners({path for pair in direct.values() for path in pair[1]})
    unowned = {path for pair in direct.values() for path in pair[1]} - set(owner)
    headers = headers_of(build, programs)
    header_owner = owners(headers)
    cuda = {h for h in headers - set(header_owner) if "/cuda" in h or "/nvidia/" in h}
    unowned |= headers - set(header_owner) - cuda
    if unowned:
        sys.exit(f"sbom.py: of no Debian package: {', '.join(sorted(unowned)[:5])}")
    runtime, development = set(owner.values()), set(header_owner.values())
    facts = facts_of(runtime | development)
    linked_sources = {facts[p][1] for p in runtime}
    by_source = {facts[p][1]: licence for p, licence in declared.items() if p in facts}

    def licence(package):
        source = facts[package][1]
        if package.startswith(("libstdc++", "libgcc")):
            return LICENCES["libstdc++6"]
        return declared.get(package) or by_source.get(source) or LICENCES.get(package, "NOASSERTION")

    def described(package):
        version, source, source_version, architecture = facts[package]
        return {"SPDXID": spdx_id("Package-" + package), "name": package, "versionInfo": version,
                "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "sourceInfo": f"built from Debian source package {source} {source_version}",
                "licenseConcluded": "NOASSERTION", "licenseDeclared": licence(package), "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}"
                                                      f"?arch={architecture}"}]}

    own = "SPDXRef-Package-" + control["Package"]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    files = []
    for program in programs:
        name = os.path.basename(program)
        files.append({"SPDXID": spdx_id("File-" + name), "fileName": "./usr/bin/" + name, "fileTypes": ["BINARY"],
                      "checksums": [{"algorithm": "SHA1", "checksumValue": digest(program, "sha1")},
                                    {"algorithm": "SHA256", "checksumValue": digest(program, "sha256")}],
                      "licenseConcluded": "Apache-2.0", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"})
        relations.append((own, "CONTAINS", spdx_id("File-" + name)))
        for package in sorted({owner[path] for path in direct[program][0]}):
            relations.append((spdx_id("File-" + name), "DYNAMIC_LINK", spdx_id("Package-" + package)))
    for package in sorted(runtime):
        relations.append((own, "DEPENDS_ON", spdx_id("Package-" + package)))
    for package in sorted(development - runtime):
        relations.append((spdx_id("Package-" + package), "BUILD_DEPENDENCY_OF", own))
        if facts[package][1] not in linked_sources or package.startswith("libstdc++"):  # its code is in the programs
            relations.append((own, "STATIC_LINK", spdx_id("Package-" + package)))
    packages = [{"SPDXID": own, "name": control["Package"], "versionInfo": control["Version"], "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "sourceInfo": f"commit {commit}", "licenseConcluded": "Apache-2.0",
                 "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}]
    packages += [described(package) for package in sorted(runtime | development)]
    if cuda:
        packages.append({"SPDXID": "SPDXRef-Package-cuda", "name": "cuda-toolkit", "versionInfo": cuda_version(build),
                         "supplier": "Organization: NVIDIA", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                         "licenseConcluded": "NOASSERTION", "licenseDeclared": NVIDIA, "copyrightText": "NOASSERTION"})
        relations.append((own, "STATIC_LINK", "SPDXRef-Package-cuda"))
    used = {package["licenseDeclared"] for package in packages}
    extracted = [{"licenseId": identifier, "name": name, "extractedText": text}
                 for identifier, (name, text) in EXTRACTED.items() if identifier in used]
    now = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{control['Package']}-{control['Version']}-{control['Architecture']}",
        "documentNamespace": f"https://datumd.invalid/spdx/{control['Package']}/{control['Version']}/{control['Architecture']}/{commit}",
        "creationInfo": {"created": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: datumd-sbom"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
    if extracted:
        document["hasExtractedLicensingInfos"] = extracted
    json.dump(document, sys.stdout, indent=1, sort_keys=True)
    print()


main()
