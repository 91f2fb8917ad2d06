"""Progress of one work as a part of all."""

from fedfact.progress import part_of


def test_a_work_is_a_part_of_all():
    seen = []
    part = part_of(lambda *said: seen.append(said), "all", before=10, size=30, whole=100)
    for done in (0, 1, 3):
        part("one", done, 3, "images")
    part("one", 0, 0, "images")  # nothing to do
    assert seen == [("all", at, 100, "images") for at in (10, 20, 40, 10)]


def test_pieces_of_one_size_follow_each_other():
    seen = []
    part = part_of(lambda *said: seen.append(said[1]), "all", 10, 30, 100, ("local", "federated"))
    for piece in ("local", "federated"):
        part(piece, 1, 2, "images")
        part(piece, 2, 2, "images")
    assert seen == [17, 25, 32, 40]
