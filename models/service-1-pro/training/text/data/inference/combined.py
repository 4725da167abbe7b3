"""allenai/entailment_bank (task 2): simple facts of school science, two or three of which make a new statement, step by
step up to the answer to a question (Dalvi and others, 2021). A row is one step: its facts among others of the same
question. Statements that do not follow are those of other questions, the nearest in words.
"""

import collections
import json
import re

from data.shared import rows

REPOSITORY = "allenai/entailment_bank"
FILES = [f"data/processed_data/angles/task_2/{split}.jsonl" for split in ("train", "dev", "test")]
FACT = re.compile(r"(sent\d+): (.*?)(?= sent\d+: |$)")
STEP = re.compile(r"([a-z0-9 &]+?) -> (hypothesis|int\d+)(?:: ([^;]*))?;")
MOST, BESIDE = 6000, [0, 0, 1, 2, 3]  # rows; facts that are not needed
NEW = 2  # words, at least, that a statement has beyond the facts and what follows from them, where it does not
SHARED = (0.6, 0.85)  # of its words, which the facts have too, where a claim is asked: else that tells its truth
TRUE = 0.6  # of the statements that are thought of; more of the true ones then share too many words
FOLLOWS = [
    ("It follows that {}", True),
    ("From these facts one can conclude: {}", True),
    ("Put together, the facts mean: {}", True),
    ("{}", True),
    ("The facts together show that {}", True),
    ("This can't be concluded from the facts: {}", False),
    ("The facts do not show that {}", False),
    ("It does not follow that {}", False),
    ("Nothing here implies: {}", False),
]
WHICH = [
    "What follows from the facts?",
    "Which conclusion can be drawn?",
    "Which of these do the facts lead to?",
    "Put the facts together: what do they show?",
    "Conclusion",
    "What can be inferred?",
]
NEEDED = [
    "Which facts does it take to conclude that {}",
    "Which of these together show that {}",
    "The facts from which it follows that {}",
    "Select what is needed to show that {}",
    "Which of them lead to this: {}",
    "Evidence for: {}",
]


def joined(text):
    text = re.sub(r" (['’]s?\b|[,;:)])", r"\1", text).replace("( ", "(").replace(" - ", "-")
    return " ".join(re.sub(r"\b(\S+) / (\S+)", r"\1 or \2", text).split())


def words(text):
    return {word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 3}


def steps(show):
    """(number of the question, facts of the step, what follows, all facts of the question)."""
    lines = [line for path in FILES for line in show(path).splitlines()]
    for number, line in enumerate(lines):
        one = json.loads(line)
        given, _, context = one["input"].partition(" ; $context$ = ")
        said = {name: joined(fact) for name, fact in FACT.findall(context)}
        facts = list(said.values())
        said["hypothesis"] = joined(given.rpartition("$hypothesis$ = ")[2])
        for names, to, new in STEP.findall(one["output"].removeprefix("$proof$ = ")):
            said.setdefault(to, joined(new))
            parts = [name.strip() for name in names.split("&")]
            if len(parts) > 1 and all(name in said for name in parts):
                yield number, [said[name] for name in parts], said[to], facts


def near(number, shown, right, by_word, rnd):
    """Up to three statements of other questions that share most words with these facts."""
    known = words(" ".join(shown))
    counts = collections.Counter(other for word in sorted(known) for other in by_word[word])
    known |= words(right)
    found = [
        (n / (3 + len(words(said))), rnd.random(), said)
        for (other, said), n in counts.items()
        if other != number and len(words(said) - known) >= NEW
    ]
    return list(dict.fromkeys(said for _, _, said in sorted(found, reverse=True)))[:3]


def read(show, rnd):
    found = list(steps(show))
    by_word = collections.defaultdict(set)
    for number, _, right, _ in found:
        for word in words(right):
            by_word[word].add((number, right))
    by_word = collections.defaultdict(list, {word: sorted(said) for word, said in by_word.items() if len(said) < 400})
    for count, (number, given, right, facts) in enumerate(rnd.sample(found, min(MOST, len(found)))):
        given = list(dict.fromkeys(given))
        others = [one for one in dict.fromkeys(facts) if one not in given]
        shown = [*given, *rnd.sample(others, min(rnd.choice(BESIDE), len(others)))]
        rnd.shuffle(shown)
        wrong = near(number, shown, right, by_word, rnd)
        if not wrong:
            continue
        holds, made = rnd.random() < TRUE, []
        said = right if holds else wrong[0]
        if SHARED[0] <= len(words(said) & words(" ".join(shown))) / len(words(said) or shown) <= SHARED[1]:
            made.append(rows.claim([(one.format(said), so) for one, so in FOLLOWS], holds, rnd))
        if len(wrong) > 1 and (not made or rnd.random() < 0.5):
            options = [right, *wrong]
            rnd.shuffle(options)
            made.append(({"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}, right))
        if len(shown) > len(given) and rnd.random() < 0.6:
            asked = {"type": "select", "instructions": rnd.choice(NEEDED).format(right), "options": shown}
            made.append((asked, [one for one in shown if one in given]))
        if not made:
            continue
        state = {"facts": shown} if rnd.random() < 0.25 else rnd.choice([". ", "\n", "; "]).join(shown)
        yield rows.row(f"combined-{count:05d}", "what follows from facts", "Apache-2.0", state, made)
