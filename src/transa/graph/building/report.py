"""What reading a graph found."""

from __future__ import annotations

from dataclasses import dataclass

WITH_HEADER = "with a header"
"""Told of a file whose first line is not a triple."""
MAYBE_HEADER = "whose first line may be a header (--header or header=True says that it is)"
"""Told of a file whose first line was taken for a triple, and has nothing in common with others."""


@dataclass(frozen=True)
class SourceReport:
    """What one file or frame held.

    Attributes:
        split: What it was read as: train, valid or test.
        source: The file, or a word for the frame or array.
        format: What it turned out to be.
        triples: How many triples it holds.
        repeated: How many of them occur earlier in it.
        unseen: How many of them have an entity or a relation that train does not have.
        literals_dropped: How many more were left out because they end in an RDF literal.
        inverses: The pairs of relations that it declares to be inverse to each other.
        remarks: What else there is to tell of it.
    """

    split: str
    source: str
    format: str
    triples: int
    repeated: int = 0
    unseen: int = 0
    literals_dropped: int = 0
    inverses: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class SharedTriples:
    """How many different triples the sources of two splits have in common."""

    one: str
    other: str
    count: int


@dataclass(frozen=True)
class ReadReport:
    """What was found, and what was done about it.

    Attributes:
        sources: What each file or frame held.
        shared: What any two of them have in common.
        duplicates: What was done with repeated and shared triples: keep or drop.
        unseen: What was to be done with labels that train does not have: error, keep or drop.
        split_short_by: How many triples fewer than asked a split put into valid and test, because
            train could not spare more; 0 if nothing was split.
    """

    sources: tuple[SourceReport, ...]
    shared: tuple[SharedTriples, ...] = ()
    duplicates: str = "keep"
    unseen: str = "keep"
    split_short_by: int = 0

    @property
    def has_duplicates(self) -> bool:
        """Whether any triple occurs more than once."""
        repeated = any(source.repeated for source in self.sources)
        return repeated or any(shared.count for shared in self.shared)

    @property
    def has_findings(self) -> bool:
        """Whether there is anything to tell besides the number of triples."""
        odd = any(
            # A first line that looks like a header may be a triple, and should not vanish unseen.
            source.unseen
            or source.literals_dropped
            or source.remarks
            or any(words in source.format for words in (WITH_HEADER, MAYBE_HEADER))
            for source in self.sources
        )
        return self.has_duplicates or odd or self.split_short_by > 0

    def __str__(self) -> str:
        lines = [self._source_line(source) for source in self.sources]
        lines += [
            f"{shared.count:,} triples in both {shared.one} and {shared.other} "
            f"({_done(self.duplicates)})"
            for shared in self.shared
            if shared.count
        ]
        if self.split_short_by:
            lines.append(
                f"valid and test have {self.split_short_by:,} triples fewer than asked: "
                f"every entity and relation has to stay in train"
            )
        return "\n".join(lines)

    def _source_line(self, source: SourceReport) -> str:
        parts = [f"{source.source}: {source.format}, {source.triples:,} triples"]
        if source.repeated:
            parts.append(f"{source.repeated:,} of them repeated ({_done(self.duplicates)})")
        if source.unseen:
            parts.append(
                f"{source.unseen:,} with a label that train does not have ({_done(self.unseen)})"
            )
        if source.literals_dropped:
            parts.append(f"{source.literals_dropped:,} more with a literal (dropped)")
        parts += source.remarks
        return ", ".join(parts)


def _done(choice: str) -> str:
    return "dropped" if choice == "drop" else "kept"
