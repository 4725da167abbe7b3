"""eslint/eslint and vitejs/vite: the change logs of two programs, whose lines are the messages of commits, each
marked by who made it as a fix, a feature, documentation and so on (MIT). The mark is mostly taken off.
"""

import collections
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "eslint/eslint"
MORE = {"vite": "vitejs/vite"}
PAGES = {
    "vite": ["packages/vite/CHANGELOG.md", "packages/create-vite/CHANGELOG.md", "packages/plugin-legacy/CHANGELOG.md"]
}
MOST_EACH, MARKED, FEWEST_WORDS = 1500, 0.08, 3  # messages of a kind, those that keep the mark
MARKS = {
    "fix": "fix",
    "new": "feature",
    "feat": "feature",
    "docs": "docs",
    "build": "build",
    "ci": "build",
    "upgrade": "upgrade",
    "chore(deps)": "upgrade",
    "fix(deps)": "upgrade",
    "breaking": "breaking",
    "refactor": "refactor",
    "perf": "perf",
    "test": "test",
}
HEADS = {
    "bug fixes": "fix",
    "features": "feature",
    "documentation": "docs",
    "code refactoring": "refactor",
    "tests": "test",
    "performance improvements": "perf",
}
LINE = re.compile(r"(?:\[`\w+`\]\(\S+\) |[0-9a-f]{7,10} )?(?:(?P<mark>[A-Za-z]+(?:\([^)]*\))?)!?: )?(?P<said>.+)")
CLUTTER = [
    (re.compile(r"\s*\(?\[[^\]]*\]\(https?://[^)]*\)\)?,?"), ""),
    (re.compile(r",? ?\(?\b(?:closes|fixes|fixed|refs?|see|and|related to) (?:#\d+,? ?)+\)?", re.I), ""),
    (re.compile(r"\s*\(#\d+\)"), ""),
    (re.compile(r"\*\*([^*]+):\*\*"), r"\1:"),
]
NAMES = [
    {
        "fix": "bug fix",
        "feature": "new feature",
        "docs": "documentation",
        "refactor": "refactoring",
        "test": "tests",
        "build": "build or CI",
        "upgrade": "dependency update",
        "perf": "performance",
        "breaking": "breaking change",
    },
    {
        "fix": "fix",
        "feature": "feat",
        "docs": "docs",
        "refactor": "refactor",
        "test": "test",
        "build": "ci",
        "upgrade": "deps",
        "perf": "perf",
        "breaking": "breaking",
    },
    {
        "fix": "repairs something that was wrong",
        "feature": "adds something new",
        "docs": "changes what is written about it",
        "refactor": "tidies the code",
        "test": "changes tests",
        "build": "changes how it is built or released",
        "upgrade": "takes a newer version of a library",
        "perf": "makes it faster",
        "breaking": "breaks what worked before",
    },
]
DESCRIPTIONS = {
    "fix": "wrong behaviour, a crash or a false report is put right",
    "feature": "a new option, rule or ability",
    "docs": "only texts for readers: guides, comments, typos, examples",
    "refactor": "the code is reordered or simplified and does the same as before",
    "test": "only tests are added or changed",
    "build": "scripts, releases, continuous integration",
    "upgrade": "a package that it depends on is brought up to date",
    "perf": "less time or memory",
    "breaking": "users have to change something",
}
ASKS = [
    "What kind of change is it?",
    "Type of the commit",
    "Classify the commit message.",
    "Which prefix should the commit have?",
    "Under which heading of the change log does it belong?",
    "What does the commit do?",
]
SAID = one_of_kinds.written(
    {
        "fix": (
            [
                "The commit fixes a bug.",
                "This is a bug fix.",
                "Something that was wrong is put right.",
                "Does the commit repair something?",
                "Users had a problem that is solved now.",
                "It corrects behaviour.",
            ],
            ["The commit fixes no bug.", "This is not a bug fix.", "Nothing was broken before."],
        ),
        "feature": (
            [
                "The commit adds a feature.",
                "This is a new feature.",
                "Users can do something new.",
                "Does the commit add an ability?",
                'The change belongs under "Features".',
                "Something new is introduced.",
            ],
            ["The commit adds no feature.", "Users get nothing new from it.", "This is not a feature."],
        ),
        "docs": (
            [
                "The commit only changes documentation.",
                "This is about the documentation.",
                "No code is changed.",
                "Is it a change of texts for readers?",
                "Somebody improved the guide or the comments.",
            ],
            ["The commit changes more than documentation.", "This is not about documentation."],
        ),
        "refactor": (
            ["The commit is a refactoring.", "The code is tidied and does the same as before.", "Is it a clean-up?"],
            ["The commit is no refactoring.", "More than the inner order of the code changes."],
        ),
        "test": (
            ["The commit changes tests.", "Only tests are touched.", "Is it about testing?"],
            ["The commit is not about tests."],
        ),
        "build": (
            ["The commit is about building or releasing.", "It changes the build or the continuous integration."],
            ["The commit does not touch the build."],
        ),
        "upgrade": (
            ["A dependency is updated.", "The commit raises the version of a library.", "Is it an upgrade?"],
            ["No dependency is updated.", "The commit leaves the versions of libraries alone."],
        ),
        "perf": (
            ["The commit makes it faster.", "It is about performance.", "Is speed or memory improved?"],
            ["The commit is not about performance."],
        ),
        "breaking": (
            ["This is a breaking change.", "Users may have to change something when they update."],
            ["The change breaks nothing for users."],
        ),
    }
)
UNSURE = {
    "fix": {"breaking"},
    "feature": {"breaking"},
    "breaking": {"fix", "feature", "refactor"},
    "perf": {"refactor"},
}
UNSURE |= {"upgrade": {"build", "fix"}, "build": {"upgrade", "fix"}, "refactor": {"perf", "test"}}


def messages(text):
    """(mark, message, kind) of each line of a change log whose kind is known."""
    head = None
    for line in text.splitlines():
        if line.startswith("#"):
            head = HEADS.get(line.strip("# ").lower())
        elif line.startswith("* "):
            found = LINE.fullmatch(line[2:].strip())
            mark = (found["mark"] or "").lower() if found else ""
            kind = MARKS.get(mark) or MARKS.get(mark.split("(")[0])
            said = found["said"] if found else ""
            for clutter, plain in CLUTTER:
                said = clutter.sub(plain, said)
            said = re.sub(r"\s*\([^()]*\)$", "", said).strip(" ,")
            kind = kind if mark else head
            if kind and len(said.split()) >= FEWEST_WORDS:
                yield found["mark"], said, kind


def read(show, rnd):
    surplus, by_kind = collections.Counter(), collections.defaultdict(dict)
    pages = [show("CHANGELOG.md"), *(show(path, MORE["vite"]) for path in PAGES["vite"])]
    for mark, said, kind in (one for page in pages for one in messages(page)):
        by_kind[kind][said] = mark
    found = []
    for kind, some in by_kind.items():
        some = list(some.items())
        rnd.shuffle(some)
        found += [(kind, said, mark) for said, mark in some[:MOST_EACH]]
    rnd.shuffle(found)
    for count, (kind, said, mark) in enumerate(found):
        unsure = UNSURE.get(kind, set())
        truths = {one: int(one == kind) for one in NAMES[0] if one not in unsure}
        state = f"{mark}: {said}" if mark and rnd.random() < MARKED else said
        made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd))
        if rnd.random() < 0.7 or not made:
            names = [{one: name for one, name in scheme.items() if one not in unsure} for scheme in NAMES]
            made.append(one_of_kinds.choice(kind, names, ASKS, rnd, (), 7, DESCRIPTIONS))
        state = {"commit": state} if rnd.random() < 0.2 else state
        yield rows.row(f"commits-{count:05d}", "kind of commit", "MIT", state, made)
