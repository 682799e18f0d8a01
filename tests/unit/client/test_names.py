"""The names of the client: there at once, and without what only learners need."""

import subprocess
import sys

import belated as bl


def test_every_name_can_be_had():
    for name in bl.client.__all__:
        assert getattr(bl.client, name).__name__ == name


def test_a_client_loads_neither_learners_nor_a_compiler():
    """It asks and tells with httpx, msgspec and NumPy. httpx is loaded when a client is made."""
    code = """
import sys
import belated.client
heavy = {"httpx", "numba", "scipy", "starlette", "belated.learners", "belated.models", "belated.service.desk"}
print(sorted(heavy & set(sys.modules)))
client = belated.client.Client("http://belated.test", "key")
knob = client.player("price")
belated.client.AsyncClient
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "['httpx']"]
