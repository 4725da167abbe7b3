"""jeniyat/StackOverflowNER (MIT; posts of Stack Overflow, CC BY-SA): questions and answers of programmers, in which
languages, libraries, versions, systems, files and errors are marked by hand (Tabassum and others, 2020).

Rows are a post, with what it names and whether it asks or helps; and a question with replies to it and to others.
"""

import collections
import itertools
import re

from data.shared import evened, rows

REPOSITORY = "jeniyat/StackOverflowNER"
LICENCE = "MIT (posts CC BY-SA)"
FILES = [f"resources/annotated_ner_data/StackOverflow/{part}.txt" for part in ("train", "dev", "test")]
MOST_WORDS, FEWEST_WORDS = 130, 12
BLOCKS = re.compile(r"(CODE|OP)_?BLOCK : \S+ \( (?:code|output) omitted for annotation \)|OP_BLOCK : \( [^)]*\)")
OPENED = re.compile(r"([(\[{]) | ([)\]}])")
CLOSED = re.compile(r" ([.,;:!?%…](?=\s|$)|'(?:s|re|ve|ll|d|m|t)\b|n't\b)")
QUOTED = re.compile(r"""(["']) ([^"']{1,60}) \1""")
LANGUAGES = r"java|javascript|js|typescript|python ?[23]?[.\d]*|php|c\+\+|c#|ruby|(?:t-|pl/?)?sql|perl|bash|scala"
LANGUAGES += r"|golang|swift|objective-c|kotlin|matlab|vb(?:\.net)?|vba|haskell|groovy|lua|delphi|f#"
# What is spoken of as a language: where a post names two of these, none of them is asked about.
SPOKEN = re.compile(rf"(?<![\w.-])(?:{LANGUAGES}|html|css|xml)(?![\w+#])", re.I)
LOOKS = {  # how what is marked has to look to be sure
    "Language": re.compile(LANGUAGES, re.I),
    "Version": re.compile(r"v?\d+(?:\.[\dx]+)*\+?", re.I),
    "Operating_System": re.compile(
        r"(?:Microsoft )?Windows.*|(?:Mac )?OS ?X.*|macOS.*|iOS|Android|.*Linux|Ubuntu.*|CentOS|Debian", re.I
    ),
    "Error_Name": re.compile(r".*(?:Error|Exception)"),
    "File_Name": re.compile(r".*\w\.\w+"),
}
STUCK = re.compile(r"\?|\bhelp\b|\bhow (?:to|can|do)\b|\bwhy\b|\btrying to\b|\bcan ?not\b|\bcan't\b", re.I)
KINDS = {
    "Language": ["Which programming language is it about?", "The programming language", "Language"],
    "Operating_System": ["The operating system", "Which system does it run on?", "OS"],
    "Error_Name": ["The name of the error", "Which error is named?", "The exception"],
    "File_Name": ["The file that is named", "Which file is it about?", "Name of the file"],
    "Version": ["The version that is given", "Which version is named?", "Version"],
}
OF_VERSION = ["The version of {name}", "Which version of {name}?", "{name}: which version?", "{name} version"]
NUMBERED = ("Library", "Language", "Application", "Operating_System")
SURE = ("Language", "Operating_System", "Version", "Error_Name")  # of these it is also told that none is there
NAMES = [
    ("A programming language is named.", "Language", True),
    ("The post names the language.", "Language", True),
    ("The language has to be guessed.", "Language", False),
    ("No programming language is named.", "Language", False),
    ("The operating system is named.", "Operating_System", True),
    ("One learns which system it runs on.", "Operating_System", True),
    ("Nothing is said about the operating system.", "Operating_System", False),
    ("The operating system is left open.", "Operating_System", False),
    ("A version is given.", "Version", True),
    ("One learns which version of something is in use.", "Version", True),
    ("No version is given.", "Version", False),
    ("It remains open which version is meant.", "Version", False),
    ("An error is named.", "Error_Name", True),
    ("The post says which exception it is.", "Error_Name", True),
    ("No error is named.", "Error_Name", False),
    ("There is no name of an exception in it.", "Error_Name", False),
]
ASKS = [
    ("The writer asks for help.", True),
    ("Somebody is stuck and turns to others.", True),
    ("The writer wants to be told something.", True),
    ("Is this a question rather than an answer?", True),
    ("The writer has a problem of their own.", True),
    ("The writer helps somebody else.", False),
    ("This answers another person's question.", False),
    ("Somebody explains how it is done.", False),
    ("Is advice given here?", False),
    ("The writer knows more than the person it is meant for.", False),
]
KIND = [
    ("What sort of post is it?", ("question", "answer")),
    ("Who wrote this?", ("somebody who needs help", "somebody who helps")),
    ("The writer", ("asks", "replies")),
]
FITS = [
    ("The reply belongs to the question.", True),
    ("The reply is about what was asked.", True),
    ("Does the reply help with this question?", True),
    ("Both are about the same problem.", True),
    ("The reply was written for this question.", True),
    ("The reply belongs to another question.", False),
    ("The reply is about something else.", False),
    ("Is the reply in the wrong place?", False),
    ("The two are about different problems.", False),
]
WHICH = ["Which reply fits?", "Which of these answers the question?", "Choose the reply that belongs to it."]
SIDES = [("question", "reply"), ("post", "reply"), ("question", "answer"), ("ticket", "reply")]


def unspaced(text):
    """A text of tokens as it is written, with code left out."""
    text = BLOCKS.sub(lambda one: "[output]" if one[0].startswith("OP") else "[code]", text)
    text = QUOTED.sub(r"\1\2\1", OPENED.sub(r"\1\2", CLOSED.sub(r"\1", rows.plain(text))))
    return re.sub(r" ?\[(code|output)\](?: \[\1\])*", r" [\1]", text).strip()


def posts(page):
    """(number of the question, whether it is the question, text, [(kind, words)]) of each post."""
    number, asks, words, marked = None, False, [], []
    for line in [*page.splitlines(), "Question_ID\tO", ":\tO", "0\tO"]:
        parts = line.split()
        if not parts:
            continue
        if parts[0] in ("Question_ID", "Answer_to_Question_ID"):
            if number and words:
                yield number, asks, unspaced(" ".join(words)), spans(marked)
            number, asks, words, marked, head = None, parts[0] == "Question_ID", [], [], True
        elif number is None:
            number = parts[0] if parts[0].isdigit() else None
        elif head:
            head = not parts[0].startswith("http")
        else:
            words.append(parts[0])
            marked.append((parts[0], parts[1]))


def spans(marked):
    """[(kind, words)] in their order."""
    found = []
    for word, mark in [("", "O"), *marked]:
        if mark.startswith("B-"):
            found.append((mark[2:], [word]))
        elif mark.startswith("I-") and found:
            found[-1][1].append(word)
        elif word and found and found[-1][0]:
            found.append((None, []))
    return [(kind, unspaced(" ".join(words))) for kind, words in found if kind]


def is_named(text, said):
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text, re.I) is not None


def absent(kind, text, known):
    """Whether surely nothing of a kind is named: nothing that is marked as such anywhere stands in the text."""
    if kind in ("Version", "Error_Name"):
        return not re.search(r"\d|\bversion|\berror\b|\bexception\b|Exception|Error", text)
    return not any(is_named(text, one) for one in known[kind])


def named(text, marked, known, surplus, rnd):
    """Quotes of what is named, claims on whether something is."""
    by_kind = collections.defaultdict(set)
    for kind, said in marked:
        by_kind[kind].add(said)
    single = {kind: next(iter(said)) for kind, said in by_kind.items() if len({one.lower() for one in said}) == 1}
    single = {kind: said for kind, said in single.items() if kind not in LOOKS or LOOKS[kind].fullmatch(said)}
    single = {kind: said for kind, said in single.items() if len(said) > 1}
    if len({one.lower() for one in SPOKEN.findall(text)}) > 1:
        single.pop("Language", None)
    quotable = [kind for kind in single if kind in KINDS and single[kind] in text]
    for kind in rnd.sample(quotable, min(len(quotable), 2)):
        if kind != "Version":
            yield {"type": "extract", "instructions": rnd.choice(KINDS[kind])}, single[kind]
    versions = [said for kind, said in marked if kind == "Version"]
    for (kind, name), after in itertools.pairwise(marked):
        fits = kind in NUMBERED and [after] == [("Version", one) for one in versions]
        if fits and f"{name} {versions[0]}" in text and LOOKS["Version"].fullmatch(versions[0]):
            yield {"type": "extract", "instructions": rnd.choice(OF_VERSION).format(name=name)}, versions[0]
    missing = [kind for kind in SURE if kind not in by_kind and absent(kind, text, known)]
    if missing and rnd.random() < 0.2:
        yield {"type": "extract", "instructions": rnd.choice(KINDS[rnd.choice(missing)])}, None
    truths = {kind: True for kind in single if kind in SURE} | dict.fromkeys(missing, False)
    if truths:
        kind = rnd.choice(sorted(truths))
        claims = [(said, when) for said, of_kind, when in NAMES if of_kind == kind]
        if claims and rnd.random() < 0.6:
            yield evened.claim(claims, truths[kind], surplus, rnd)


def rare(text, counts):
    """Words of a text that few posts have."""
    return {one for one in set(re.findall(r"[A-Za-z]\w{3,}", text.lower())) if counts[one] < 40}


def matched(asked, replies, counts, surplus, rnd):
    """A question with its reply or another's, or with several to choose from."""
    number, text = asked
    right = [one for one in replies[number] if len(rare(one, counts) & rare(text, counts)) >= 2]
    wrong = [
        rnd.choice(replies[other]) for other in rnd.sample(sorted(replies), min(len(replies), 12)) if other != number
    ]
    wrong = [one for one in wrong if not rare(one, counts) & rare(text, counts)]
    if not right or len(wrong) < 3:
        return None
    reply, (question, answer), holds = rnd.choice(right), rnd.choice(SIDES), rnd.random() < 0.5
    if rnd.random() < 0.3:
        options = [" ".join(one.split()[:45]) for one in [reply, *wrong[: rnd.randint(1, 3)]]]
        asks = {"type": "choice", "instructions": rnd.choice(WHICH), "criteria": rnd.sample(options, len(options))}
        return text, [(asks, options[0])]
    state = rows.named({question: text, answer: reply if holds else wrong[0]}, rnd.random() < 0.4)
    return state, [evened.claim(FITS, holds, surplus, rnd)]


def read(show, rnd):
    found = [one for path in FILES for one in posts(show(path))]
    surplus, made = collections.Counter(), []
    known, replies = collections.defaultdict(set), collections.defaultdict(list)
    counts = collections.Counter(word for _, _, text, _ in found for word in set(re.findall(r"\w+", text.lower())))
    for _, _, _, marked in found:
        for kind, said in marked:
            known[kind].add(said)
    kept = [one for one in found if FEWEST_WORDS <= len(one[2].split()) <= MOST_WORDS]
    for number, asks, text, marked in kept:
        asked = list(named(text, marked, known, surplus, rnd))
        if bool(STUCK.search(text)) == asks and "need more" not in text:
            asked.append(
                evened.claim(ASKS, asks, surplus, rnd) if rnd.random() < 0.75 else rows.either(KIND, asks, rnd)
            )
        made.append((text, [one for one in asked if one]))
        if not asks:
            replies[number].append(text)
    for number, asks, text, _ in kept:
        if asks and number in replies:
            made += filter(None, [matched((number, text), replies, counts, surplus, rnd) for _ in range(2)])
    made = [(state, [one for one in asked if one]) for state, asked in made]
    made = [one for one in made if one[1]]
    for count, (state, asked) in enumerate(rnd.sample(made, len(made))):
        yield rows.row(f"posts-{count:05d}", "posts of programmers", LICENCE, state, asked[:4])
