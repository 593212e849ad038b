# SPDX-License-Identifier: MIT
"""Reads protocol buffers, and pprof's profiles, which are some, by their wire format alone."""
import re
from collections import defaultdict


def fields(message):
    """(number, value) of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, "only numbers and bytes are written"
            size = varint()
            yield key >> 3, message[at:at + size]
            at += size
    assert at == len(message)


def packed(message):
    return [value for _, value in fields(b"".join(b"\x08" + bytes(part) for part in
                                                  re.findall(rb"[\x80-\xff]*[\x00-\x7f]", message)))]


def grouped(message):
    out = defaultdict(list)
    for number, value in fields(message):
        out[number].append(value)
    return out


def stacks_of(profile, kind):
    """(names of the methods from the inside out, value) of each sample of pprof's."""
    message = grouped(profile)
    strings = [text.decode() for text in message[6]]
    functions = {f[1][0]: strings[f[2][0]] for f in map(grouped, message[5])}
    places = {place[1][0]: [functions[line[1][0]] for line in map(grouped, place[4])]
              for place in map(grouped, message[4])}
    at = [strings[grouped(one)[1][0]] for one in message[1]].index(kind)
    return [([name for place in packed(sample[1][0]) for name in places[place]],
             packed(sample[2][0])[at]) for sample in map(grouped, message[2])]
