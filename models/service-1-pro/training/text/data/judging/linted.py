"""eslint/eslint (MIT) and rust-lang/rust-clippy (MIT or Apache 2.0): rules for JavaScript and Rust, each with code that
breaks it and code that does not, by the many people who write these checks.

A row is a piece of code and what a reviewer may hold against it. Rules that depend on how they are set are left out.
"""

import collections
import json
import re

from data.shared import evened, rows
from data.shared.described import words

REPOSITORY = "eslint/eslint"
MORE = {"clippy": "rust-lang/rust-clippy"}
LICENCES = {"linted": "MIT", "clippy": "MIT or Apache 2.0"}
PAGES, META, SOURCES = "docs/src/rules", "docs/src/_data/rules_meta.json", "clippy_lints/src"
BLOCK = re.compile(r"::: (incorrect|correct)[^\n]*\n(.*?)\n:::", re.S)
CODE = re.compile(r"```(?:jsx?|javascript|ts)\n(.*?)```", re.S)
UNSURE = re.compile(
    r"or disallow|consistent|specif|maximum|naming|\bsort|order|style|newline|shorthand|strict mode", re.I
)
OFTEN = {"no-undef", "no-unused-vars", "no-use-before-define", "no-undefined", "valid-typeof"}
# Rules whose page calls code right that the words of the rule forbid.
SURPRISING = {"no-useless-assignment", "no-shadow-restricted-names"}
LINT = re.compile(r"declare_clippy_lint! \{(.*?)#\[clippy::version", re.S)
EXAMPLE = re.compile(r"### Example\n+(.*?)```[^\n]*\n(.*?)```(.*?)Use instead:?\n+```[^\n]*\n(.*?)```", re.S)
REMARKS = re.compile(r"comment|empty|fallthrough|default-case|safety|\bdocs?\b|documentation|todo", re.I)  # matter here
FEWEST, MOST, TIMES = 4, 120, 3  # words, and how often a code is asked about
BREAKS = [
    ("The code breaks this rule: {rule}", True),
    ("A linter with this rule would complain: {rule}", True),
    ('Is "{rule}" violated?', True),
    ("The code does not pass this check: {rule}", True),
    ("In the review one has to point at this rule: {rule}", True),
    ("The code keeps this rule: {rule}", False),
    ("A linter with this rule would be silent: {rule}", False),
    ('Does the code comply with "{rule}"?', False),
    ("The code passes this check: {rule}", False),
    ("There is no breach of this rule: {rule}", False),
]
HAS = [
    ("The code holds {what}.", True),
    ("A check for {what} finds something.", True),
    ("Are there {what}?", True),
    ("There are {what} in the code.", True),
    ("The reviewer would point at {what}.", True),
    ("The code is free of {what}.", False),
    ("A check for {what} finds nothing.", False),
    ("There are no {what}.", False),
    ("Is the code without {what}?", False),
]
CHECKED = [one for one in HAS if one[0].startswith(("A check", "The reviewer", "The code is", "Is the code"))]
PLURAL = re.compile(
    r"(?:[\w`]+ ){0,2}?[\w`]+[a-rt-z]s (?:of|that|to|in|with|where|which|from|on|for|between|after|and|can)\b"
)
APPLIES = [
    ("This remark fits the code: {why}", True),
    ("A reviewer could write this here: {why}", True),
    ('Is "{why}" a fair remark about this?', True),
    ("The code deserves this criticism: {why}", True),
    ("This remark does not fit the code: {why}", False),
    ("It would be wrong to write this about the code: {why}", False),
    ("The criticism is not called for here: {why}", False),
    ('Is "{why}" out of place here?', False),
]
RULE = [
    "Which rule does the code break?",
    "What would the linter say?",
    "What is wrong with the code?",
    "Violated rule",
]
FINDING = ["What does the check find?", "What is to be improved?", "What would the reviewer point at?"]


def bare(code, keep=False):
    """Code without the comment that sets the rule, and without those that tell the answer, unless they matter."""
    code = re.sub(r"/\* ?(?:eslint|global|exported).*?\*/\n*", "", code, flags=re.S)
    code = code if keep else re.sub(r"/\*.*?\*/|(?<![:\w\"'])//[^\n]*", "", code, flags=re.S)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in code.splitlines())).strip("\n")


def fits(code):
    return FEWEST <= len(code.split()) <= MOST and len(code) < 1200


def of_page(page, name):
    """([code that breaks the rule], [code that keeps it]) of a page, without what options change."""
    page = re.split(r"\n#+ Options|\n### |\n#### ", page.split("## Rule Details", 1)[-1], maxsplit=1)[0]
    found = {"incorrect": [], "correct": []}
    for kind, block in BLOCK.findall(page):
        found[kind] += [bare(code, REMARKS.search(name)) for code in CODE.findall(block)]
    return [[code for code in found[kind] if fits(code)] for kind in ("incorrect", "correct")]


def javascript(show):
    """(rule, words, codes that break it, codes that keep it) of ESLint."""
    meta = json.loads(show(META))
    for name, rule in sorted(meta.items()):
        said = rows.plain(rule["docs"]["description"])
        if name in SURPRISING or rule["type"] == "layout" or rule.get("deprecated") or UNSURE.search(said):
            continue
        yield name, rule["type"], rows.ended(said), *of_page(show(f"{PAGES}/{name}.md"), name)


def rust(show):
    """(what is looked for, why it is bad, code that has it, code that has not) of Clippy."""
    names = [name for name in show(SOURCES, MORE["clippy"]).split()[2:] if name not in ("declared_lints.rs", "lib.rs")]
    paths = [f"{SOURCES}/{name}" for name in names if name.endswith(".rs")]
    folders = [name.rstrip("/") for name in names if name.endswith("/")]
    paths += [f"{SOURCES}/{name}/mod.rs" for name in folders if "mod.rs" in show(f"{SOURCES}/{name}", MORE["clippy"])]
    for path in paths:
        yield from filter(None, map(checked, LINT.findall(show(path, MORE["clippy"]))))


def checked(lint):
    """(what is looked for, why it is bad, code that has it, code that has not) of one check; None where a part is
    missing or cannot be told from the code alone.
    """
    text = "\n".join(line.strip().removeprefix("///").removeprefix(" ") for line in lint.splitlines())
    what = re.search(r"### What it does\s+Checks for ([^.]+?)\.?(?:\n\n|\.\s)", f"{text}\n\n", re.S)
    why = re.search(r"### Why (?:is this bad|restrict this)\?\s+(.+?)\n\n", text, re.S)
    example = EXAMPLE.search(text)
    if not (what and why and example) or re.search("```|### ", example[3]):
        return None
    if re.search("suggest|only used once", what[1]) or what[1].count("`") % 2:  # cut within a piece of code
        return None
    codes = [re.sub(r"(?m)^# .*\n?", "", bare(code, REMARKS.search(lint))) for code in (example[2], example[4])]
    if not all(map(fits, codes)) or codes[0] == codes[1]:
        return None
    return rows.plain(what[1]), rows.plain(why[1]), *codes


def of_javascript(known, surplus, rnd):
    far = [said for name, kind, said, _, _ in known if kind == "problem" and name not in OFTEN]
    for _, kind, said, wrong, right in known * TIMES:
        for holds, codes in ((True, wrong), (False, right)):
            for code in codes:
                made = [evened.claim(BREAKS, holds, surplus, rnd, rule=said)]
                others = rnd.sample([one for one in far if one != said], 4)
                if holds and kind == "problem":
                    names = rnd.sample([said, *others[: rnd.randint(2, 4)]], 3)
                    if said in names:
                        made.append(({"type": "choice", "instructions": rnd.choice(RULE), "criteria": names}, said))
                if rnd.random() < 0.5:
                    made.append(evened.claim(BREAKS, False, surplus, rnd, rule=others[0]))
                yield "linted", code, made


def of_rust(known, surplus, rnd):
    for what, why, *codes in known * TIMES:
        claims = HAS if PLURAL.match(what) else CHECKED
        short = rows.ended(re.split(r"(?<=[a-z`)])\. ", why)[0])
        bad, good = ({one for one in words(short) if one in code.lower()} for code in codes)
        is_remark = 4 < len(short.split()) < 26 and not good - bad  # else the remark is about the cure
        for holds, code in zip((True, False), codes, strict=True):
            made = []
            if len(what.split()) < 22 and not re.match(r"if |whether |that ", what):
                made.append(evened.claim(claims, holds, surplus, rnd, what=what))
            if is_remark and (bad if holds else good) and rnd.random() < 0.6:
                made.append(evened.claim(APPLIES, holds, surplus, rnd, why=short))
            if holds and len(what.split()) < 22 and rnd.random() < 0.5:
                names = [what, *rnd.sample([one[0] for one in known if one[0] != what and len(one[0].split()) < 22], 3)]
                names = rnd.sample(names, len(names))
                made.append(({"type": "choice", "instructions": rnd.choice(FINDING), "criteria": names}, what))
            yield "clippy", code, made


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    made = [*of_javascript(list(javascript(show)), surplus, rnd), *of_rust(list(rust(show)), surplus, rnd)]
    for source, code, asked in rnd.sample(made, len(made)):
        asked = [one for one in asked if one]
        if asked:
            yield rows.row(f"{source}-{count:05d}", "code and rules", LICENCES[source], code, asked)
            count += 1
