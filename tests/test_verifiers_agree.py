"""`grognard verify`, tools/verify_log.py and the page agree on logs, whatever was played or forged.

As many logs as GROGNARD_LOGS says, one of five as it was exported, the others forged at random with
all hashes made to fit.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from tests.bent_logs import assert_agreement, forged, judge_whole
from tests.random_play import exported

LOGS = int(os.environ.get("GROGNARD_LOGS", "150"))
GROUP = 5


@pytest.mark.slow_sample(4)
@pytest.mark.sample(1)
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_the_verifiers_agree(part: int, tmp_path: Path) -> None:
    texts = list[str]()
    for base in range(part, LOGS // GROUP, 10):
        honest = exported(("agree", base), 16, places=2 if base % 4 == 0 else 1)
        chance = Random(base)
        assert judge_whole(json.dumps(honest)) == "sound", base
        texts.append(json.dumps(honest))
        texts += [json.dumps(forged(chance, honest)) for _ in range(GROUP - 1)]
    verdicts = assert_agreement(texts, tmp_path)
    print(dict(verdicts))
    assert verdicts["sound"]
    assert verdicts["forged"]
