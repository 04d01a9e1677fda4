"""Workers keep to a core each while a batch has work for all cores, and only then."""

import os

import pytest

from rewardstack_sandbox import Run, Sandbox, cores

CORES = 2
WHERE = Run("import os\nprint(sorted(os.sched_getaffinity(0)))")
can_place = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores are given on Linux")


@pytest.fixture
def two_cores():
    """Two of this machine's cores, however many it has, for this process and what it starts."""
    before = os.sched_getaffinity(0)
    if len(before) < CORES:
        pytest.skip("there is one core")
    os.sched_setaffinity(0, sorted(before)[:CORES])
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {8, 9, 10, 11, 12, 13, 14, 15})
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    return monkeypatch


@can_place
def test_as_many_workers_as_cores_get_one_each(eight_cores):
    assert cores.cores_for(8) == [8, 9, 10, 11, 12, 13, 14, 15]


@can_place
def test_fewer_workers_than_cores_get_none(eight_cores):
    assert cores.cores_for(7) == [None] * 7


@can_place
def test_more_workers_than_cores_share_them_evenly(eight_cores):
    assert cores.cores_for(16) == [8, 9, 10, 11, 12, 13, 14, 15] * 2


@can_place
def test_ranks_of_one_machine_take_different_cores(eight_cores):
    eight_cores.setenv("LOCAL_WORLD_SIZE", "4")
    taken = []
    for rank in range(4):
        eight_cores.setenv("LOCAL_RANK", str(rank))
        taken += cores.cores_for(2)
    assert sorted(taken) == [8, 9, 10, 11, 12, 13, 14, 15]


def places(results):
    """Return where each program of a batch might run."""
    return [result.stdout.strip() for result in results]


@can_place
def test_in_a_batch_that_fills_all_cores_programs_keep_to_one(two_cores):
    with Sandbox(workers=CORES) as sandbox:
        sandbox.run_many([WHERE] * 2 * CORES)  # each worker has then forked a candidate ahead
        found = places(sandbox.run_many([WHERE] * 10 * CORES))
        alone = [where for where in found if where.count(",") == 0]
        assert len(alone) >= 8 * CORES  # all but those that were forked before
        assert len(set(alone)) == CORES


@can_place
def test_after_a_batch_workers_may_use_all_cores_again(two_cores):
    everywhere = str(sorted(os.sched_getaffinity(0)))
    with Sandbox(workers=CORES) as sandbox:
        sandbox.run_many([WHERE] * 4 * CORES)
        for _ in range(CORES):  # the candidates that were forked ahead
            sandbox.run_many([WHERE] * CORES)
        assert set(places([sandbox.run_many([WHERE])[0] for _ in range(2 * CORES)])) == {everywhere}


@can_place
def test_a_worker_that_is_started_anew_keeps_to_its_core_too(two_cores):
    with Sandbox(workers=CORES) as sandbox:
        worker = sandbox._all[0]
        worker.start()
        worker.ensure()
        core = min(os.sched_getaffinity(0))
        worker.keep_to(core)
        worker.kill()
        worker.ensure()
        assert os.sched_getaffinity(worker.process.pid) == {core}
        worker.keep_to(None)
        assert os.sched_getaffinity(worker.process.pid) == os.sched_getaffinity(0)


@can_place
def test_fewer_workers_than_cores_stay_free(two_cores):
    with Sandbox(workers=1) as sandbox:
        assert set(places(sandbox.run_many([WHERE] * 8))) == {str(sorted(os.sched_getaffinity(0)))}


@pytest.fixture
def container(monkeypatch, tmp_path, eight_cores):
    """A function that gives this process a quota, in the files of a control group."""

    def limit(*texts):
        files = [tmp_path / str(place) for place in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        monkeypatch.setattr(cores, "QUOTAS", [("/none",), tuple(map(str, files))])

    return limit


@pytest.mark.parametrize(
    ("texts", "usable"),
    [(["max 100000\n"], 8), (["200000 100000\n"], 2), (["250000 100000\n"], 3), (["1600000 100000\n"], 8),
     (["50000 100000\n"], 1), (["-1\n", "100000\n"], 8), (["400000\n", "100000\n"], 4), (["nonsense\n"], 8)],
)  # fmt: skip
@can_place
def test_a_containers_quota_counts(container, texts, usable):
    container(*texts)
    assert cores.usable_cores() == usable


@can_place
def test_under_a_quota_workers_spread(container):
    container("200000 100000\n")
    assert cores.cores_for(cores.usable_cores()) == [None, None]
