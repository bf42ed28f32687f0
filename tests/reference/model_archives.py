"""Take archives of a header and arrays apart."""

from textsieve.archive import Arrays, Header, Kind, archive_in


def unpack(kind: Kind, data: bytes) -> tuple[Header, Arrays]:
    """Return the header and all arrays of an archive."""
    archive = archive_in(kind, data, "archive")
    return archive.header, archive.read()
