"""How often two answers to the same rows are the same decision: eight bits beside float32, a long text beside a short
one, one thread beside two.

    python alike.py ONE/results.jsonl OTHER/results.jsonl

Both are written by `assay eval` of the same files. Prints, by type of question: decisions (of `select` each option),
the share that is the same, the mean difference of a probability, and how many are right in each.
"""

import argparse
import collections
import json

from prepare import lines


def decisions(question):
    """What is decided: probabilities by name, of `select` of each option; or what is quoted or written, as JSON."""
    if question["type"] in ("extract", "fill"):
        return [json.dumps(question["said"])]
    found = question["distribution"]
    order = sorted(range(len(found["names"])), key=lambda n: found["names"][n])
    if question["type"] == "select":
        return [[found["probabilities"][n][0], 1 - found["probabilities"][n][0]] for n in order]
    return [[found["probabilities"][0][n] for n in order]]


def same(one, other):
    if not isinstance(one, list):
        return one == other
    return one.index(max(one)) == other.index(max(other))


def difference(one, other):
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one) if isinstance(one, list) else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs=2)
    options = parser.parse_args()
    rows = [list(lines(path))[1:] for path in options.results]
    sums = collections.defaultdict(lambda: [0, 0, 0.0, 0, 0.0, 0.0])
    for one, other in zip(*rows, strict=True):
        for a, b in zip(one["questions"], other["questions"], strict=True):
            assert (one["id"], a["id"]) == (other["id"], b["id"]), "the results are not of the same rows"
            for key in (a["type"], "all"):
                into = sums[key]
                for x, y in zip(decisions(a), decisions(b), strict=True):
                    into[0], into[1], into[2] = into[0] + 1, into[1] + same(x, y), into[2] + difference(x, y)
                into[3], into[4], into[5] = into[3] + 1, into[4] + a["right"], into[5] + b["right"]
    print(f"{'':8s} decisions   same  difference   questions  right of one, of the other")
    for key, (n, alike, apart, asked, right, right_other) in sums.items():
        shares = f"{alike / n:.3f}  {apart / n:10.4f}   {asked:9d}  {right / asked:.3f}  {right_other / asked:.3f}"
        print(f"{key:8s} {n:9d}  {shares}")


if __name__ == "__main__":
    main()
