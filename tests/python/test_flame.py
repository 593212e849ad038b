# SPDX-License-Identifier: MIT
"""Profile.flame: widths that add up, hostile names, many nodes."""

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import rewrite, run_before_start

h5py = pytest.importorskip("h5py")
import umbra  # noqa: E402
from umbra._flame import merged  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def boxes(flame):
    """name -> list of (x, y, width) of its boxes."""
    found = {}
    for group in ET.fromstring(flame.svg).iter(f"{SVG}g"):
        name = group.find(f"{SVG}title").text.split("\n")[0]
        rect = group.find(f"{SVG}rect")
        place = tuple(float(rect.get(key)) for key in ("x", "y", "width"))
        found.setdefault(name, []).append(place)
    return found


def test_width_is_time_and_callees_lie_on_their_caller(sample):
    found = boxes(umbra.open(sample()).flame(width=1016))
    # Self times of all paths: 2,800 ms over 1,000 pixels.
    (main,) = found["Shop.Program.Main(string[])"]
    (add,) = found["Acme.Cart<Item>.Add(Item, int)"]
    assert main[2] == pytest.approx(2400 / 2.8, abs=1)
    assert add[2] == pytest.approx(1800 / 2.8, abs=1)
    assert main[0] <= add[0] and add[0] + add[2] <= main[0] + main[2]
    assert add[1] < main[1], "callees lie above"
    assert len(found["Acme.Pricing.Fib(int)"]) == 2


def test_time_outside_timed_calls_is_not_drawn(sample):
    path = sample()
    run_before_start(path, "Shop.Program.Main(string[])")
    found = boxes(umbra.open(path).flame(width=1016))
    (before,) = found["(running before start)"]
    (add,) = found["Acme.Cart<Item>.Add(Item, int)"]
    above = [box for name, rest in found.items() for box in rest if box[1] == add[1]]
    assert add in above
    assert before[2] == pytest.approx(sum(box[2] + 0.5 for box in above) - 0.5, abs=0.1)


def test_shared_paths_have_no_flame_of_one_thread(sample):
    profile = umbra.open(sample("shared"))
    assert boxes(profile.flame()) == boxes(umbra.open(sample()).flame())
    with pytest.raises(ValueError, match="--tree=full"):
        profile.flame(thread=0)
    assert set(profile.calltree["thread"]) == {-1}


def test_a_page_shows_it_as_an_image_with_the_names_as_tool_tips(sample):
    flame = umbra.open(sample()).flame(width=1016)
    page = flame._repr_html_()
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', page)[1]
    assert base64.b64decode(data).decode() == flame.svg
    assert re.search(r'usemap="#([^"]*)"', page)[1] == re.search(r'<map name="([^"]*)"', page)[1]
    tips = re.findall(r'<area shape="rect" coords="([^"]*)" title="([^"]*)"', page)
    assert len(tips) == sum(map(len, boxes(flame).values())) == 5
    main = next(coords for coords, tip in tips if tip.startswith("Shop.Program.Main"))
    left, _, right, _ = map(int, main.split(","))
    assert right - left == pytest.approx(2400 / 2.8, abs=2)


def test_cpu_and_calls_are_other_pictures(sample):
    profile = umbra.open(sample())
    assert "on a processor" in profile.flame(by="cpu").svg
    # Calls that wait are not to be seen on the processors.
    waiting = "Acme.Orders.Receive()"
    assert boxes(profile.flame())[waiting][0][2] > 100
    assert waiting not in boxes(profile.flame(by="cpu"))
    assert "641,022 calls" in profile.flame(by="calls").svg
    with pytest.raises(ValueError, match="not 'colour'"):
        profile.flame(by="colour")


def test_one_thread_or_the_calls_of_one_method(sample):
    profile = umbra.open(sample())
    assert set(boxes(profile.flame(thread="TP Worker"))) == {"Acme.Pricing.Fib(int)"}
    assert boxes(profile.flame(thread=1)) == boxes(profile.flame(thread="TP Worker"))
    below = boxes(profile.flame(root="Cart<Item>.Add"))
    assert set(below) == {"Acme.Cart<Item>.Add(Item, int)", "Acme.Pricing.Fib(int)"}
    assert below["Acme.Cart<Item>.Add(Item, int)"][0][2] == pytest.approx(984, abs=1)
    with pytest.raises(ValueError, match="no thread 'nobody'"):
        profile.flame(thread="nobody")
    with pytest.raises(ValueError, match="has 'nothing' in its name"):
        profile.flame(root="nothing")


def test_names_are_text_whatever_they_hold(sample, tmp_path):
    path = sample()
    hostile = [
        b"</text></svg><script>alert(1)</script>",
        b"<img src=x onerror=alert(1)>&amp;\"'",
        b"]]><!-- \xef\xbf\xbe \xff",
        b"a\nb\x1b[31m",
        b"n4",
        b"n5",
    ]
    rewrite(path, "functions", name=hostile, namespace=[b""] * 6)
    rewrite(path, "modules", name=[b"<b>", b'"><script>', b"m"])
    rewrite(path, "threads", name=[b"<i>", b"&", b"x"])
    profile = umbra.open(path)
    for flame in (profile.flame(), profile.flame(thread="<i>"), profile.flame(root="<img")):
        root = ET.fromstring(flame.svg)
        assert {element.tag for element in root.iter()} <= {
            SVG + tag for tag in ("svg", "rect", "text", "g", "title")
        }
        assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)
    assert hostile[0].decode() in boxes(profile.flame())
    for page in (profile.hot().to_html(), profile.flame()._repr_html_()):
        assert "<script" not in page and "&lt;script&gt;" in page
        tags = re.findall(r"<[^>]*>", page)
        assert not any("onerror" in re.sub(r'"[^"]*"', "", tag) for tag in tags)
    profile.flame().save(tmp_path / "flame.svg")
    assert (tmp_path / "flame.svg").read_text(encoding="utf-8") == profile.flame()._repr_svg_()


def test_laying_paths_together_keeps_every_value():
    random = np.random.default_rng(5)
    count = 3_000
    parent = np.array([-1] + [int(random.integers(-1, i)) for i in range(1, count)])
    function = random.integers(0, 4, count)
    own = random.integers(0, 1_000, count).astype(float)
    tree = merged(parent, function, own)

    expected = {}
    paths = []
    for node in range(count):
        path = (paths[parent[node]] if parent[node] >= 0 else ()) + (int(function[node]),)
        paths.append(path)
        for end in range(1, len(path) + 1):
            expected[path[:end]] = expected.get(path[:end], 0) + own[node]
    actual, paths = {}, []
    for node in range(len(tree.parent)):
        path = (paths[tree.parent[node]] if tree.parent[node] >= 0 else ()) + (
            int(tree.function[node]),
        )
        paths.append(path)
        assert path not in actual
        actual[path] = tree.value[node]
    assert actual == expected


def test_a_deep_and_broad_tree_gives_a_picture_of_bounded_size(sample):
    path = sample()
    deep, broad = 20_000, 200_000
    with h5py.File(path, "r+") as f:
        rows = np.zeros(deep + broad, dtype=f["calltree"].dtype)
        rows["parent"] = np.concatenate([np.arange(-1, deep - 1), np.full(broad, deep // 2)])
        rows["function"] = np.arange(deep + broad) % 6
        rows["calls"] = 1
        rows["wall_self_ns"] = 1_000
        del f["calltree"]
        f.create_dataset("calltree", data=rows, chunks=(4096,), compression="gzip")
    flame = umbra.open(path).flame(depth=40)
    assert len(flame.svg) < 100_000
    assert "paths too narrow or too deep to show" in flame.svg
    assert max(len(places) for places in boxes(flame).values()) <= 40
    umbra.open(path).flame(root="Fib")
