#!/usr/bin/python3
"""Signed distances of points from scanned meshes: datumd beside CloudCompare, Open3D and CGAL, in one run.

CGAL computes in double and is what the others are compared with. Usage: match_peers.py PROGRAM DATA.tar.gz
(the meshes of Debian's libcgal-demo)."""
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time

import numpy as np
import open3d as o3d

MESHES = ["data/meshes/bunny00.off", "data/meshes/refined_elephant.off", "data/meshes/fandisk_large.off"]
POINTS = 100_000
SIZE = 100.0  # mm, longest side that each mesh is brought to


def write_ply(path, points, facets=None):
    with open(path, "wb") as f:
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        header += "property float x\nproperty float y\nproperty float z\n"
        if facets is not None:
            header += f"element face {len(facets)}\nproperty list uchar int vertex_indices\n"
        f.write((header + "end_header\n").encode())
        f.write(points.astype("<f4").tobytes())
        if facets is not None:
            rows = np.zeros(len(facets), dtype=[("n", "u1"), ("v", "<i4", 3)])
            rows["n"] = 3
            rows["v"] = facets
            f.write(rows.tobytes())


def points_about(mesh, seed):
    """Two thirds within 2 mm of the surface, the others anywhere in a box a tenth larger."""
    random = np.random.default_rng(seed)
    v = np.asarray(mesh.vertices)
    near = np.asarray(mesh.sample_points_uniformly(2 * POINTS // 3).points)
    near = near + random.uniform(-2, 2, near.shape)
    low, high = v.min(0) - 0.05 * SIZE, v.max(0) + 0.05 * SIZE
    return np.vstack([near, random.uniform(low, high, (POINTS - len(near), 3))]).astype(np.float32)


def by_open3d(vertices, facets, points):
    begin = time.monotonic()
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(facets.astype(np.uint32)))
    signed = scene.compute_signed_distance(o3d.core.Tensor(points)).numpy()
    return signed, time.monotonic() - begin


def open3d_knows_inside():
    """Open3D counts what a ray crosses; Debian's build finds nothing, so that all is outside."""
    ball = o3d.geometry.TriangleMesh.create_sphere(10.0, 40)
    middle = np.zeros((1, 3), np.float32)
    signed, _ = by_open3d(np.asarray(ball.vertices).astype(np.float32), np.asarray(ball.triangles), middle)
    return signed[0] < 0


def by_cloudcompare(folder):
    begin = time.monotonic()
    subprocess.run(["CloudCompare", "-SILENT", "-AUTO_SAVE", "OFF", "-C_EXPORT_FMT", "ASC", "-PREC", "12",
                    "-O", "points.ply", "-O", "mesh.ply", "-C2M_DIST", "-SAVE_CLOUDS", "FILE", "distances.asc"],
                   cwd=folder, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200)
    rows = np.loadtxt(os.path.join(folder, "distances.asc"))
    return rows[:, :3], rows[:, -1], time.monotonic() - begin


def row(name, distance, truth, rounding, seconds, sign=None, of_sign=None, place=None):
    off = np.abs(np.abs(distance) - truth)
    text = f"  {name:<14}{seconds:8.2f} s   differs by {off.max():.1e} mm at most, {int((off > rounding).sum())} above"
    if sign is not None:
        other = (np.sign(distance) != sign) & (truth > rounding)
        at_edges = other & (of_sign != 0)
        text += f"; {int(other.sum())} signs other than datumd's, {int(at_edges.sum())} of them where the nearest place is an edge or corner"
    print(text)
    return off


def compare(program, mesh_path, folder):
    mesh = o3d.io.read_triangle_mesh(mesh_path)
    v = np.asarray(mesh.vertices)
    middle = 0.5 * (v.min(0) + v.max(0))
    scale = SIZE / (v.max(0) - v.min(0)).max()
    vertices = ((v - middle) * scale).astype(np.float32)
    facets = np.asarray(mesh.triangles).astype(np.uint32)
    mesh.vertices = o3d.utility.Vector3dVector(vertices.astype(np.float64))
    o3d.utility.random.seed(7)
    points = points_about(mesh, 7)
    vertices.tofile(os.path.join(folder, "vertices.f32"))
    facets.tofile(os.path.join(folder, "facets.u32"))
    points.tofile(os.path.join(folder, "points.f32"))
    write_ply(os.path.join(folder, "mesh.ply"), vertices, facets)
    write_ply(os.path.join(folder, "points.ply"), points)

    said = subprocess.run([program, folder], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    own = np.fromfile(os.path.join(folder, "datumd.f32"), np.float32).astype(np.float64)
    place = np.fromfile(os.path.join(folder, "place.u8"), np.uint8)
    truth = np.fromfile(os.path.join(folder, "cgal.f64"), np.float64)
    # a dozen roundings of 2^-24 on the longest length between a point and a facet
    rounding = 12 * 2.0**-24 * np.linalg.norm(points.max(0) - points.min(0))
    print(f"{os.path.basename(mesh_path)}: {len(facets)} facets ({said[2]} degenerate, {said[3]} open edges, "
          f"{said[4]} turned or branched), {len(points)} points; rounding {rounding:.1e} mm; "
          f"{np.bincount(place, minlength=7)[1:].sum()} nearest to an edge or corner")
    print(f"  {'CGAL, double':<14}{float(said[1]):8.2f} s")
    worst = row("datumd", own, truth, rounding, float(said[0]))
    signed, seconds = by_open3d(vertices, facets, points)
    inside = open3d_knows_inside()
    row("Open3D", signed.astype(np.float64), truth, rounding, seconds, np.sign(own) if inside else None, place)
    if not inside:
        print("    Open3D's signs are not compared: it calls the middle of a ball outside")
    places, distance, seconds = by_cloudcompare(folder)
    if not np.allclose(places, points, atol=1e-6 * SIZE):
        sys.exit("CloudCompare gave the points in another order")
    off = row("CloudCompare", distance, truth, rounding, seconds, np.sign(own), place)
    far = truth[off > rounding]
    if len(far):
        print(f"    CloudCompare's larger differences: at distances of {far.min():.3g} to {far.max():.3g} mm")
    return bool((worst <= rounding).all())


def main():
    program, data = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as folder, tarfile.open(data) as tar:
        for name in MESHES:
            tar.extract(name, folder)
            good = compare(program, os.path.join(folder, name), folder) and good
    print("datumd equals CGAL within rounding" if good else "datumd DIFFERS from CGAL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
