#!/usr/bin/env python3
"""Tests that applied_pushes.py detects doubled and lost pushes, and accepts refused ones."""
import unittest

from applied_pushes import MASK, defect, mixed


def mark_of(pushes):
    return sum(mixed(*push) for push in pushes) & MASK


class AppliedPushes(unittest.TestCase):
    # Worker 0 was killed after 40 pushes, and again before it logged anything; worker 1 was
    # considered lost after push 20,
    # and its push 21 was refused.
    journal = {0: [40, 3, 25], 1: [20, 50]}
    pushes = [(0, n) for last in (40, 3, 25) for n in range(1, last + 1)] + [(1, n) for n in range(1, 51) if n != 21]
    logged = {(0, 1): range(1, 38), (0, 3): range(1, 26), (1, 1): [n for n in range(1, 50) if n != 21]}

    def judge(self, pushes, count=None):
        return defect(len(pushes) if count is None else count, mark_of(pushes), self.journal, self.logged)

    def test_each_once_is_right(self):
        self.assertIsNone(self.judge(self.pushes))

    def test_any_doubled_push_is_detected(self):
        for doubled in self.pushes[::5]:
            self.assertRegex(self.judge(self.pushes + [doubled]) or "", "applied twice|only 118 numbers", doubled)

    def test_a_doubled_push_is_detected_next_to_a_missing_one(self):
        for doubled in self.pushes[:-1:5]:
            self.assertIsNotNone(self.judge(self.pushes[:-1] + [doubled]), doubled)

    def test_a_doubled_push_is_detected_although_the_count_hides_it(self):
        self.assertIsNotNone(self.judge(self.pushes + [(0, 7)], len(self.pushes)))

    def test_numbers_of_former_incarnations_do_not_count_again(self):
        # An earlier version of the check added 20 + 50 numbers for worker 1, which pushed 50 times.
        self.assertIsNotNone(self.judge(self.pushes + [(1, n) for n in range(1, 20)]))

    def test_a_lost_acknowledged_push_is_detected(self):
        lost = [push for push in self.pushes if push != (1, 30)]
        self.assertIsNotNone(self.judge(lost))


class PushesInAnOutage(unittest.TestCase):
    # Each worker numbers pushes while the holder is away, which nothing applies; three were applied, but no answer came.
    journal = {0: [300, 9000], 1: [400, 7000]}
    acknowledged = {0: [*range(1, 300), *range(8001, 9001)], 1: [*range(1, 400), *range(6002, 7001)]}
    logged = {(worker, 1): numbers for worker, numbers in acknowledged.items()}
    unanswered = [(0, 300), (1, 400), (1, 6001)]
    pushes = [(worker, number) for worker, numbers in acknowledged.items() for number in numbers] + unanswered

    def judge(self, pushes):
        return defect(len(pushes), mark_of(pushes), self.journal, self.logged, outages=20_000)

    def test_unanswered_pushes_are_found(self):
        self.assertIsNone(self.judge(self.pushes))

    def test_a_doubled_push_in_place_of_an_unanswered_one_is_detected(self):
        for doubled in self.pushes[::400]:
            self.assertIsNotNone(self.judge(self.pushes[:-1] + [doubled]), doubled)


if __name__ == "__main__":
    unittest.main()
