"""What the tests share: the paths of the tree, and a folder of their own."""
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WORKFLOWS = os.path.join(ROOT, "clients", "workflows")
sys.path[:0] = [os.path.join(ROOT, "clients", "python"), WORKFLOWS]

MODULES = os.path.dirname(os.path.abspath(__file__))
CLUSTERS = {"alpha": {}, "beta": {}}


def purge(grid, campaign):
    """Cancels a campaign, and deletes it at once, as `griddel` and `griddel --purge` do."""
    grid.cancel(campaign)
    grid._client.change("DELETE", f"/v1/campaigns/{campaign}?purge=1")


class Case(unittest.TestCase):
    """A folder that is removed, and the environment put back."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gleaner-python-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        environment = dict(os.environ)
        self.addCleanup(os.environ.update, environment)
        self.addCleanup(os.environ.clear)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path
