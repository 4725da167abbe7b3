"""sorts/: one short text, many options, sometimes none that fits."""
import collections
import re

from .asking import Row, few, shown

ABOUT = [
    "The message is about {}.", "This belongs under {}.", "The user wants: {}", "Right label: {}", "{}",
    "Should this go to {}?", "It is about {}",
]
TICK = ["Tick what fits.", "Which of these apply?", "Labels that fit the text", "Mark every one that is right."]
STYLES = [lambda s: s] * 7 + [
    str.lower,
    lambda s: re.sub(r"\W+", "_", s.lower()).strip("_"),
    lambda s: s[:1].upper() + s[1:],
]
COMMON = set(
    "with from that what this have they your into there where them not something somet".split()
)


def draw(f, rnd):
    """Text, questions and truth of one row; `key` is None for a text that no option fits."""
    options, style = f["options"], rnd.choice(STYLES)
    missing = rnd.random() < 0.25
    key = None if missing and rnd.random() < 0.5 else rnd.choice(list(options))
    row = Row()
    row.state = rnd.choice(f["outside"] if key is None else options[key]["says"])
    name = {
        k: style(rnd.choice(o["names"] + ([k] if rnd.random() < 0.1 else []))) for k, o in options.items()
    }
    others = [k for k in options if k != key]
    rnd.shuffle(others)
    if missing:
        keep = others[: rnd.randint(2, min(12, len(others)))]
    else:
        keep = [key] + others[: rnd.randint(1, min(11, len(others)))]
    # With "near", neighbours that could be taken for the right one are no wrong answers: left out where it is.
    close = {k for pair in f.get("near", []) if key in pair for k in pair}
    far = [k for k in others if k not in close]
    if missing:
        keep = [k for k in keep if k not in close] or far[:2]
    none = style(rnd.choice(f["none"])) if missing or rnd.random() < 0.3 else None
    names = [name[k] for k in keep] + ([none] if none else [])
    about = {name[k]: rnd.choice(options[k]["about"]) for k in keep}
    right = none if missing else name[key]
    ask = rnd.choice(f["ask"])
    row.add("sort", {"type": "choice", "instructions": ask, "criteria": shown(names, rnd, about)}, right)
    for n in range(rnd.randint(2, 3)):
        true = key is not None and rnd.random() < 0.57
        about_this = key if true else rnd.choice(far[:4] + far)
        say = rnd.choice(f.get("claims", ABOUT)).format(rnd.choice(options[about_this]["names"]))
        if all(q["instructions"] != say for q in row.questions.values()):
            row.claim(f"claim{n}", say, true)
    if rnd.random() < 0.3:
        some = rnd.sample(far, min(len(far), rnd.randint(3, 5))) + ([key] if key else [])
        ask = rnd.choice(TICK)
        told = {name[k]: options[k]["about"][0] for k in some}
        question = {"type": "select", "instructions": ask, "criteria": shown([name[k] for k in some], rnd, told)}
        row.add("tick", question, [name[key]] if key else [])
    return row


def stems(text):
    return {w[:5] for w in re.findall(r"[a-z]{4,}", text.lower())} - COMMON


def check(f):
    """Small banks, the same text twice, and texts that give themselves away by a word of the name."""
    wrong = few(f, {"ask": 8, "options": 12, "outside": 20, "none": 3})
    seen, used = collections.Counter(), collections.Counter()
    for key, o in f["options"].items():
        wrong += few(o, {"names": 3, "about": 2, "says": 14}, f"{key}: ")
        seen.update(s.lower() for s in o["says"])
        used.update({re.sub(r"\W+", "_", n.lower()) for n in o["names"] + [key]})
        told = [s for s in o["says"] if stems(s) & stems(" ".join(o["names"]))]
        if len(told) > len(o["says"]) * 0.45:
            wrong.append(f"{key}: {len(told)} of {len(o['says'])} texts hold a word of the names: {told[:3]}")
    seen.update(s.lower() for s in f["outside"])
    used.update(re.sub(r"\W+", "_", n.lower()) for n in f["none"])
    return wrong + [f"twice: {s}" for s, n in (seen + used).items() if n > 1]
