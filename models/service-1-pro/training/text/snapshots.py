"""Prints the public repositories that rows are read from (prepare.py, unseen.py), one a line: take snapshots of them.

python snapshots.py
"""

import prepare
import unseen


def main():
    trained_on = {one for _, module in prepare.converters() for one in prepare.repositories(module)}
    measured_with = {repository for repository, _ in unseen.SETS.values()}
    print("\n".join(sorted(trained_on | measured_with)))


if __name__ == "__main__":
    main()
