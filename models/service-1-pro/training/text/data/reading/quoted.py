"""dbamman/litbank: pages of a hundred novels in which people noted who says what, and which names and pronouns mean
the same person (Bamman, Popat, Shen, Lewke, Mansoor and Sims, 2019 and 2020; CC BY 4.0). Rows ask who says something,
where the words around it tell, by a name or by a pronoun that stands for one.
"""

import collections
import re

from data.shared import rows

REPOSITORY = "dbamman/litbank"
LICENCE = "CC BY 4.0"
BEFORE, BEHIND, MOST_QUOTE, MOST_SHOWN, AROUND, TIMES = 130, 35, 60, 16, 7, 2
SPEECH = re.compile(
    r"(?:said|says?|ask\w*|cri(?:ed|es)|repl(?:y|ied|ies)|answer\w*|exclaim\w*|return(?:ed|s)|continued|remark\w*|"
    r"observed|added|whisper\w*|thought|shout\w*|call(?:ed|s)|murmur\w*|began|inquired|enquired|demand\w*|mutter\w*|"
    r"repeated|declared|suggested|insisted|protested|screamed|sighed|laughed|growled|resumed|rejoined|explained|"
    r"interrupted|urged|announced|agreed|admitted|echoed|gasped|sobbed|pleaded|spoke|told|went)",
    re.I,
)
CLOSING = re.compile(r"[.,;:!?)\]”…]+|['’](?:s|re|ve|ll|d|m|t|em)?|n['’]t", re.I)
STRAIGHT = ('"', "``", "''")
NARRATOR = "the narrator"
ASKS = ["Who says this? {}", "{} Who is speaking?", "Whose words are these? {}", "The speaker of {}"]
COPY = ["Who says {}? Copy the name.", "The name of the one who says {}", "Copy the name of the speaker: {}"]
SAYS = [
    ("{name} says {quote}.", True),
    ("The words {quote} come from {name}.", True),
    ("Is it {name} who says {quote}?", True),
    ("{quote}: this is said by {name}.", True),
    ("It is not {name} who says {quote}.", False),
    ("Somebody else than {name} says {quote}.", False),
    ("The words {quote} are not said by {name}.", False),
]


def joined(tokens):
    """A text of words and marks."""
    text, opened, tight = "", False, False
    for token in tokens:
        straight = token in STRAIGHT
        opened = not opened if straight else opened
        glued = CLOSING.fullmatch(token) or (straight and not opened) or not text or text[-1] in "“‘([" or tight
        text += ("" if glued else " ") + ('"' if straight else token)
        tight = straight and opened
    return text


def annotated(show, file):
    """(sentences, mentions, who a mention means, quotes, who says a quote)."""
    name = file.removesuffix(".ann")
    sentences = [line.split(" ") for line in show(f"quotations/tsv/{name}.txt").splitlines()]
    mentions, means, quotes, speakers = {}, {}, {}, {}
    for line in show(f"coref/tsv/{file}").splitlines():
        kind, *parts = line.split("\t")
        if kind == "MENTION" and parts[6] == "PER":
            mentions[parts[0]] = (*map(int, parts[1:5]), parts[5], parts[7])
        elif kind == "COREF":
            means[parts[0]] = parts[1]
    for line in show(f"quotations/tsv/{file}").splitlines():
        kind, key, *parts = line.split("\t")
        if kind == "QUOTE":
            quotes[key] = tuple(map(int, parts[:4]))
        else:
            speakers[key] = parts[0]
    return sentences, mentions, means, quotes, speakers


def window(sentences, first, last):
    """The first and the last sentence to show."""
    start, end, words = first, last, 0
    while start > 0 and words + len(sentences[start - 1]) <= BEFORE:
        start -= 1
        words += len(sentences[start])
    words = 0
    while end + 1 < len(sentences) and words + len(sentences[end + 1]) <= BEHIND:
        end += 1
        words += len(sentences[end])
    return start, end


def named(sentences, mentions, means, inside, start, end):
    """person -> a Counter of names, of those who are named, or who tell the story as "I", in the window."""
    names = collections.defaultdict(collections.Counter)
    for key, (s1, t1, _, _, text, kind) in mentions.items():
        if start <= s1 <= end and key in means:
            if text == "I" and (s1, t1) not in inside:
                names[means[key]][NARRATOR] += len(mentions)
            elif kind == "PROP" and text != "God":
                names[means[key]][joined(text.split(" "))] += 1
    return names


def clue(flat, first, last, heads, inside):
    """Whether a mention of the speaker (first and last words: `heads`) and a verb of speech are right by a quote."""
    for side in (range(max(0, first - AROUND), first), range(last + 1, min(len(flat), last + 1 + AROUND))):
        near = [flat[n] for n in side if flat[n][1] not in inside]
        if any(spot in heads for _, spot in near) and any(SPEECH.fullmatch(word) for word, _ in near):
            return True
    return False


def asked(show, file):
    """(text, quote, names in the text, the speaker's, whether he has no other there) of quotes with a clue by them."""
    sentences, mentions, means, quotes, speakers = annotated(show, file)
    for s1, t1, s2, t2 in quotes.values():
        # Straight marks would not tell where a quote opens.
        for s, t, mark in ((s1, t1, "“"), (s2, t2, "”")):
            sentences[s][t] = mark if sentences[s][t] in STRAIGHT else sentences[s][t]
    flat = [(word, (s, t)) for s, sentence in enumerate(sentences) for t, word in enumerate(sentence)]
    place = {spot: n for n, (_, spot) in enumerate(flat)}
    spans = {key: (place[s1, t1], place[s2, t2]) for key, (s1, t1, s2, t2) in quotes.items()}
    inside = {flat[n][1] for first, last in spans.values() for n in range(first, last + 1)}
    heads = collections.defaultdict(set)
    for key, (s1, t1, s2, t2, _, _) in mentions.items():
        heads[means.get(key)] |= {(s1, t1), (s2, t2)} - inside
    for key, (first, last) in spans.items():
        speaker = speakers.get(key)
        if last - first > MOST_QUOTE or not clue(flat, first, last, heads[speaker], inside):
            continue
        start, end = window(sentences, flat[first][1][0], flat[last][1][0])
        text = joined(word for sentence in sentences[start : end + 1] for word in sentence)
        found = named(sentences, mentions, means, inside, start, end)
        names = {who: called.most_common(1)[0][0] for who, called in found.items()}
        quote = joined(word for word, _ in flat[first : last + 1]).strip("“”‘’\"' —-,")
        clear = speaker in names and 1 < len(names) == len(set(names.values()))
        if clear and quote in text and " " in quote and re.search("[a-z]", quote):
            yield text, quote, list(names.values()), names[speaker], len(found[speaker]) == 1


def shown(quote):
    words = quote.split()
    cut = f"{' '.join(words[: MOST_SHOWN - 4])} …" if len(words) > MOST_SHOWN else quote
    return f'"{cut.rstrip(".,;")}"'.replace('""', '"')


def questions(quote, names, right, alone, rnd):
    """A choice or a copied name, and a claim."""
    said, others = shown(quote), [name for name in names if name != right]
    holds = rnd.random() < 0.5
    claim, truth = rows.claim(SAYS, holds, rnd, name=right if holds else rnd.choice(others), quote=said)
    made = [(claim | {"instructions": rows.begun(claim["instructions"])}, truth)]
    if len(others) > 1 and rnd.random() < 0.6:
        options = [right, *rnd.sample(others, min(len(others), 5))]
        rnd.shuffle(options)
        made.append(({"type": "choice", "instructions": rnd.choice(ASKS).format(said), "criteria": options}, right))
    elif alone and right != NARRATOR:
        made.append(({"type": "extract", "instructions": rnd.choice(COPY).format(said)}, right))
    rnd.shuffle(made)
    return made


def read(show, rnd):
    files = [name for name in show("quotations/tsv").splitlines()[2:] if name.endswith(".ann")]
    every = [one for file in files for one in asked(show, file)]
    made = [(text, questions(*about, rnd)) for _ in range(TIMES) for text, *about in every]
    for count, (text, ask) in enumerate(made):
        state = {rnd.choice(["passage", "text", "page"]): text} if rnd.random() < 0.15 else text
        yield rows.row(f"quoted-{count:05d}", "who says what", LICENCE, state, ask)
