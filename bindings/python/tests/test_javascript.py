"""A checkpoint can be continued by the package for JavaScript, if that is built."""

import json
import shutil
import subprocess

import pytest
from followup import Parser
from help import ROOT

MAIN = ROOT / "bindings/js/dist/main.js"
SCRIPT = """
const { Parser } = await import(process.argv[1]);
const [before, after, stored] = process.argv.slice(2).map((text) => JSON.parse(text));
const whole = new Parser();
whole.feed(before);
const resumed = new Parser({}, Uint8Array.from(stored));
console.log(JSON.stringify([[...whole.checkpoint()], resumed.feed(after)]));
"""


@pytest.mark.skipif(
    not MAIN.exists() or shutil.which("node") is None, reason="needs Node and bindings/js/dist"
)
def test_a_checkpoint_is_the_same_bytes_in_the_package_for_javascript():
    before, after = "Hi <ask_followup_question><question>Te\ud83d", "\ude00?</question>"
    parser = Parser()
    parser.feed(before)
    stored = parser.checkpoint()
    data = [json.dumps(one) for one in (before, after, list(stored))]
    node = ["node", "--input-type=module", "--eval", SCRIPT, "--", MAIN.as_uri(), *data]
    result = subprocess.run(node, capture_output=True, text=True, timeout=60, check=True)
    own, events = json.loads(result.stdout)
    assert bytes(own) == stored
    assert [event["delta"] for event in events] == ["😀?"]
