from rewardstack.wording import counted


def test_things_are_counted():
    assert (counted(1, "row"), counted(1200, "row"), counted(0, "row")) == ("1 row", "1,200 rows", "0 rows")
    assert (counted(1, "try", "tries"), counted(2, "try", "tries")) == ("1 try", "2 tries")
