"""The counts of ``benchmarks.size``, on a package of a few lines."""

from benchmarks.size import modules, report, with_one_importer

FILES = {
    "src/it/__init__.py": "from it.member import Member\n",
    "src/it/member.py": '"""Text."""\n\nfrom it.deep import part\n\n\nclass Member:\n    """Two\n    lines."""\n',
    "src/it/deep/__init__.py": "",
    "src/it/deep/part.py": "# one\nfrom . import (\n    other,\n)\n\nNUMBERS = [\n    other.ONE,  # two\n\n    2,\n]\n",
    "src/it/deep/other.py": 'import it\n\n\nclass Member:\n    text = """\n    kept\n    """\n\n\nONE = 1\n',
    "tests/test_it.py": "a = 1\nb = 2\n",
    "docs/index.md": "Three words here.\n",
    "docs/reference/index.md": "Not counted.\n",
}


def test_lines_classes_importers_and_words_are_counted(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    known = modules(tmp_path / "src")
    assert {each.name: each.code for each in known} == {
        "it": 0,
        "it.deep": 0,
        "it.deep.other": 5,
        "it.deep.part": 4,
        "it.member": 1,
    }
    assert [(each.name, by) for each, by in with_one_importer(known)] == [
        ("it.deep.other", "it.deep.part"),
        ("it.deep.part", "it.member"),
    ]
    shown = " ".join(report(tmp_path, verbose=True).split())
    assert "in total 5 29 10" in shown
    assert "several modules use 1 Member" in shown
    assert "lines in tests 2" in shown
    assert "without the reference 3" in shown
