"""Checks that a parameter holder has applied each push exactly once.

A holder keeps the number of pushes that it has applied, the last sequence number of each incarnation of each worker, and a mark: the sum over
all pushes of a hash of worker and number (messages/parameters/applied_pushes.cpp). A process numbers its pushes from 1, across all of its
incarnations, so the numbers say which pushes can exist. A push that was not applied was refused: at most one for each incarnation after
the first of a process, and one for each outage of the holder; no log acknowledges it. The mark then distinguishes a set of pushes
from one that contains some of them twice.
"""
import itertools

MASK = (1 << 64) - 1
MOST_PASSED_OVER, MOST_SETS = 3, 300_000
MOST_UNANSWERED = 5 # of both workers, in a few outages


def mixed(worker, number):
    """The hash of a push, as the holder computes it."""
    x = ((worker << 48) + number + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def lives_of(numbers, logged):
    """The last number of each process of a worker: one list for each interpretation of its incarnations.

    logged: the incarnations at which a process started, as far as its log says so. Between them, an incarnation with a larger
    number belongs to the same process, or to one that was killed before it logged anything.
    """
    ways = [[]]
    for incarnation, number in enumerate(numbers, 1):
        if number == 0:
            continue
        begun = [way + [number] for way in ways]
        grown = [way[:-1] + [number] for way in ways if way and way[-1] < number]
        ways = begun if incarnation in logged else begun + grown
        if len(ways) > 256:
            return None
    return ways


def defect(pushes, mark, journal, logged, outages=0):
    """What is wrong, or None.

    journal: worker -> last number of each incarnation; logged: (worker, incarnation at which its process started) -> the numbers
    of its acknowledged pushes, from its log; outages: the number of pushes that may be missing for other reasons.
    """
    begun = {}
    for worker, incarnation in logged:
        begun.setdefault(worker, set()).add(incarnation)
    ways = [lives_of(numbers, begun.get(worker, set())) for worker, numbers in journal.items()]
    if None in ways:
        return "the workers have joined too often for this check"
    known = {}
    for (worker, _), numbers in logged.items():
        for number in numbers:
            known[worker, number] = known.get((worker, number), 0) + 1
    most, joined = 0, sum(number > 0 for numbers in journal.values() for number in numbers)
    for way in itertools.islice(itertools.product(*ways), 4096):
        possible = [(worker, number) for worker, lives in zip(journal, way) for last in lives for number in range(1, last + 1)]
        most = max(most, len(possible))
        refused = joined - sum(map(len, way)) + outages
        if 0 <= len(possible) - pushes <= refused and is_set_of(possible, dict(known), pushes, mark):
            return None
    if pushes > most:
        return f"{pushes} pushes were applied, but only {most} numbers were assigned: {journal}"
    return (f"no {pushes} different pushes among the {most} numbered ones have the holder's mark: some were applied "
            f"twice, or lost: {journal}")


def is_set_of(possible, known, pushes, mark):
    """Whether `pushes` of the possible ones, including all known ones, have this mark."""
    unsure, certain, acknowledged = [], 0, set(known)
    for push in possible:
        if known.get(push, 0) > 0:
            known[push] -= 1
            certain += mixed(*push)
        else:
            unsure.append(push)
    surplus = (sum(mixed(*push) for push in possible) - mark) & MASK
    passed_over = len(possible) - pushes
    hashes = [mixed(*push) for push in unsure]
    beside = pushes - (len(possible) - len(unsure))
    if beside in (0, 1, 2): # of many refused pushes, only few can have been applied unacknowledged
        wanted = (mark - certain) & MASK
        others = set(hashes)
        return (wanted == 0 if beside == 0 else wanted in others if beside == 1
                else any(other != one and other in others for one in hashes for other in [(wanted - one) & MASK]))
    if 2 < beside <= MOST_UNANSWERED and len(hashes) > 36:
        return is_sum_of_few(in_flight(unsure, acknowledged), beside, (mark - certain) & MASK)
    if passed_over > len(hashes):
        return False
    return is_sum_of(hashes, passed_over, surplus)


def in_flight(unsure, acknowledged):
    """The hashes of the pushes that an outage may have left unanswered: those next to an acknowledged one."""
    return [mixed(worker, number) for worker, number in unsure
            if number == 1 or (worker, number - 1) in acknowledged or (worker, number + 1) in acknowledged]


def is_sum_of_few(hashes, count, wanted):
    """Whether `count` of the hashes, of which there are not many, have that sum."""
    return len(hashes) <= 60 and any(sum(some) & MASK == wanted for some in itertools.combinations(hashes, count))


def is_sum_of(hashes, count, wanted):
    """Whether `count` of the hashes have that sum, each used once."""
    half = len(hashes) // 2
    if count <= MOST_PASSED_OVER or len(hashes) <= 36:
        left, right = hashes[:half], hashes[half:]
        for first in range(max(0, count - len(right)), min(count, len(left)) + 1):
            sums = {sum(some) & MASK for some in itertools.islice(itertools.combinations(left, first), MOST_SETS)}
            for some in itertools.combinations(right, count - first):
                if (wanted - sum(some)) & MASK in sums:
                    return True
        return False
    raise ValueError(f"{count} of {len(hashes)} pushes were refused, too many to find out which; shorten the scene")
