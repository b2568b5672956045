"""What a Parquet file says of its own sizes, looked through before it is decoded.

A few damaged bytes make Polars ask for more memory than there is, and its process ends on the spot;
a few well-chosen ones stand for gigabytes of equal labels. Both show in the headers: of the file
(at its end) and of each page, written in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

_Struct: TypeAlias = dict[int, Any]
"""The fields of a structure, by the numbers that parquet.thrift gives them."""

_DEEPEST = 16


def decoded_size(data: bytes, columns: Collection[str]) -> int:
    """The bytes that the pages of these columns decompress to.

    Raises:
        ValueError: if the headers contradict each other or the size of the file.
    """
    length = int.from_bytes(data[-8:-4], "little")
    footer = len(data) - 8 - length
    _agree(footer >= 4, "the footer is longer than the file")
    try:
        file = _Thrift(data, footer).struct()
        return sum(
            _chunk_size(data, chunk[3], group[3], footer)
            for group in file.get(4, [])
            for chunk in group[1]
            if chunk[3][3][0].decode("utf-8", "replace") in columns
        )
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("the headers are incomplete") from error


def _chunk_size(data: bytes, chunk: _Struct, rows: int, footer: int) -> int:
    """The same of one column in one group of rows."""
    starts = [chunk[9], *(chunk[x] for x in (11,) if chunk.get(x, 0) > 0)]
    position, size, values = min(starts), 0, 0
    end = position + chunk[7]
    _agree(4 <= position <= end <= footer, "a column lies outside of it")
    while position < end:
        thrift = _Thrift(data, position)
        page = thrift.struct()
        uncompressed, compressed = page[2], page[3]
        position = thrift.position + compressed
        _agree(uncompressed >= 0 and compressed >= 0 and position <= end, "a page is too long")
        size += uncompressed
        header = page.get(5) or page.get(8)
        if header is None:
            continue
        _agree(header[1] >= 0, "a page has fewer values than none")
        if 8 in page:
            levels = (header.get(2, 0), header[1] - header.get(2, 0), header[5], header[6])
            _agree(min(levels) >= 0 and header[5] + header[6] <= compressed, "a page is too short")
        values += header[1]
    # One value a row: labels are not nested.
    _agree(len(chunk[3]) > 1 or values == chunk[5] == rows, "its pages do not add up")
    return size


def _agree(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(otherwise)


class _Thrift:
    """A reader of the compact protocol; past the end of the data it is an `IndexError`."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data, self.position = data, position

    def struct(self, depth: int = 0) -> _Struct:
        """A structure; it may hold others."""
        _agree(depth < _DEEPEST, "its headers are nested too deep")
        fields: _Struct = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._whole()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401 (whatever a field holds)
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            # In a list a truth value is a byte of its own.
            item = 3 if head & 15 in (1, 2) else head & 15
            return [self._value(item, depth + 1) for _ in range(count)]
        _agree(kind == 12, "its headers hold what no Parquet has")
        return self.struct(depth + 1)

    def _byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def _bytes(self, count: int) -> bytes:
        self.position += count
        _agree(self.position <= len(self.data), "a name is too long")
        return self.data[self.position - count : self.position]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            _agree(shift < 64, "a number is too large")

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
