"""uclanlp/corefBias (WinoBias): two people called by their trades, and a pronoun that means one of them; every sentence
with the trades the other way round or with another end, so that neither order nor trade tells who is meant (Zhao and
others, 2018). Much alike, so that few are taken.
"""

import re

from data.shared import rows

REPOSITORY = "uclanlp/corefBias"
PLACE = "WinoBias/wino/data"
FILES = [
    f"{PLACE}/{side}_stereotyped_type{n}.txt.{split}"
    for side in ("pro", "anti")
    for n in (1, 2)
    for split in ("dev", "test")
]
TRADES = ("male_occupations.txt", "female_occupations.txt")
MOST = 3000
MEANS = [
    ('"{it}" means {who}.', True),
    ('"{it}" refers to {who}.', True),
    ('By "{it}", {who} is meant.', True),
    ('Does "{it}" stand for {who}?', True),
    ('"{it}" does not mean {who}.', False),
    ('"{it}" is someone other than {who}.', False),
    ('By "{it}", {who} is not meant.', False),
]
ASKS = [
    'Who is meant by "{}"?',
    'Whom does "{}" refer to?',
    '"{}" is',
    'Which of the two does "{}" stand for?',
    'Who is "{}" in this sentence?',
    'The person called "{}"',
]
QUOTE = 0.15  # of rows, where the person is to be quoted


def plain(text):
    return re.sub(r"[\[\]]", "", text)


def read(show, rnd):
    trades = {line.strip().lower() for name in TRADES for line in show(f"{PLACE}/{name}").splitlines() if line.strip()}
    trades = re.compile(rf"\b(?:the|an?) (?:{'|'.join(sorted(trades, key=len, reverse=True))})\b", re.I)
    found = {}
    for path in FILES:
        for line in show(path).splitlines():
            said = line.partition(" ")[2].strip()
            marked = re.findall(r"\[(.+?)\]", said)
            people = list(dict.fromkeys(one.lower() for one in trades.findall(plain(said))))
            if len(marked) == 2 and len(people) == 2 and marked[0].lower() in people:
                found[plain(said)] = marked, people
    for count, said in enumerate(rnd.sample(sorted(found), min(MOST, len(found)))):
        (who, it), people = found[said]
        who, holds = who.lower(), rnd.random() < 0.5
        shown = who if holds else next(one for one in people if one != who)
        made = [rows.claim(MEANS, holds, rnd, it=it, who=shown)]
        if rnd.random() < QUOTE:
            quote = re.search(re.escape(who), said, re.I)[0]
            made.append(({"type": "extract", "instructions": rnd.choice(ASKS[:2]).format(it)}, quote))
        elif rnd.random() < 0.6:
            rnd.shuffle(people)
            made.append(({"type": "choice", "instructions": rnd.choice(ASKS).format(it), "criteria": people}, who))
        yield rows.row(f"meant-{count:05d}", "who is meant", "MIT", said, made)
