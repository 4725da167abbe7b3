"""Yale-LILY/QMSum: meetings of a team that designs a remote control, of researchers, and of committees of a parliament,
written down word by word, with their topics, and questions that people asked about parts of them, with answers in a
few sentences (Zhong and others, 2021; MIT, the meetings of AMI and ICSI CC BY 4.0). Rows are stretches of a meeting:
what it is about, which question it answers, and which summary is of it. Only stretches are asked about whose words show
it. Sessions of the Canadian House are left out.
"""

import collections
import json
import re

from data.shared import rows, spaced
from data.shared.stems import stems

REPOSITORY = "Yale-LILY/QMSum"
LICENCE = "MIT (meetings: CC BY 4.0)"
PARTS = ("train", "val", "test")
FEWEST_WORDS, MOST_WORDS, LONGEST_SUMMARY = 45, 230, 70
WINDOWS = 3  # of a topic at most
FEWEST_SHARED, SHARE = 3, 0.4  # of the words of a topic, question or summary that are said
ABOUT = [
    ("This part is about the following: {said}", True),
    ("They talk about this: {said}", True),
    ("Topic of the discussion: {said}", True),
    ("The speakers have moved on to this: {said}", True),
    ("The discussion is about something else than this: {said}", False),
    ("This topic is not the one they are on: {said}", False),
    ("Nobody deals with this here: {said}", False),
]
WHICH = [
    "What is being discussed?",
    "Topic of this part",
    "Which item of the agenda is this?",
    "What do they talk about?",
]
ANSWERS = [
    ("This can be answered from the transcript: {said}", True),
    ("The part of the meeting answers this: {said}", True),
    ("Somebody who asks this finds the answer here: {said}", True),
    ("One has to read another part of the meeting for this: {said}", False),
    ("The transcript says nothing on this: {said}", False),
    ("This stays open here: {said}", False),
]
QUESTION = [
    "Which question does this part answer?",
    "What can be answered from this?",
    "The question that fits the excerpt",
]
SUMS_UP = [
    ("The summary is of this part.", True),
    ("The summary fits what was said.", True),
    ("Does the summary belong to the excerpt?", True),
    ("The summary is of another part of the meeting.", False),
    ("What the summary tells is not in the excerpt.", False),
    ("The summary and the excerpt do not belong together.", False),
]
SUMMARY = ["Which summary is of this part?", "What was said, in short?", "The minutes of this part"]
COMMON = frozenset(
    "the and for with about what which this that from their they was were are did does have has had not but how why who"
    " discussion discuss discussed discussing meeting think thought group team use using used introduction summarize"
    " opinion opinions issue issues remote control project manager marketing industrial designer user interface new"
    " would could should when there some will other suggest suggested said agreed want wanted professor phd grad"
    " postdoc".split()
)


def said(turn):
    """What a speaker says, without marks for noises and for words that break off."""
    text = spaced.closed(re.sub(r"\{[^}]*\}", "", turn["content"]))
    return re.sub(r"\bT_V_?\b", "TV", re.sub(r"(?<=[A-Z])_(?=[A-Z])|(?<=[A-Z])_\b", "", text)).strip()


def lines(turns):
    return [f"{rows.plain(turn['speaker'])}: {text}" for turn in turns if len((text := said(turn)).split()) > 1]


def content(text):
    """The words that tell something, by their beginnings."""
    return stems(text, COMMON, of="[a-z]")


def shows(text, others, part):
    """Those of other texts with which this one is surely not taken for a text on what is said; None where unclear."""
    spoken = content(" ".join(line.split(": ", 1)[-1] for line in part))
    own, all_of_it = len(content(text) & spoken), len(content(text))
    if own < min(all_of_it, FEWEST_SHARED) or own < 2 or own < SHARE * all_of_it:
        return []
    return [other for other in others if len(content(other) & spoken) <= own - 2]


def length(some):
    return sum(len(line.split()) for line in some)


def spans(one, count):
    """The turns of a topic or a question, as first and last."""
    pairs = [(int(a), min(int(b), count - 1)) for a, b in one["relevant_text_span"]]
    return [(a, b) for a, b in pairs if a <= b]


def apart(one, other):
    return all(b < c or d < a for a, b in one for c, d in other)


def windows(turns, places):
    """Stretches of a topic that are long enough to tell and short enough to show."""
    for first, last in places:
        at = first
        while at <= last:
            end = at
            while end < last and length(lines(turns[at : end + 2])) <= MOST_WORDS:
                end += 1
            part = lines(turns[at : end + 1])
            if FEWEST_WORDS <= length(part) <= MOST_WORDS:
                yield part
            at = end + 1


def of_topics(meeting, rnd):
    """Stretches of which the words show which topic of the meeting it is."""
    turns = meeting["meeting_transcripts"]
    topics = {rows.plain(one["topic"]).rstrip("."): spans(one, len(turns)) for one in meeting["topic_list"]}
    for topic, places in topics.items():
        others = [name for name, where in topics.items() if name != topic and apart(places, where)]
        found = [(part, near) for part in windows(turns, places) if (near := shows(topic, others, part))]
        for part, near in rnd.sample(found, min(WINDOWS, len(found))):
            if len(near) > 1 and rnd.random() < 0.5:
                options = [topic, *rnd.sample(near, min(len(near), rnd.randint(2, 4)))]
                rnd.shuffle(options)
                made = [({"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}, topic)]
            else:
                holds = rnd.random() < 0.5
                made = [rows.claim(ABOUT, holds, rnd, said=topic if holds else rnd.choice(near))]
            yield "\n".join(part), made


def of_questions(meeting, rnd):
    """Stretches that a question is about, whole, with other questions on other parts."""
    turns, every = meeting["meeting_transcripts"], meeting["specific_query_list"]
    for one in every:
        places = spans(one, len(turns))
        part = [line for a, b in places for line in lines(turns[a : b + 1])]
        if not FEWEST_WORDS / 2 <= length(part) <= MOST_WORDS:
            continue
        others = [other for other in every if apart(places, spans(other, len(turns)))]
        ask, summary = rows.plain(one["query"]), rows.plain(one["answer"])
        wrong = shows(ask, [rows.plain(other["query"]) for other in others], part)
        if len(wrong) > 1:
            wrong = rnd.sample(wrong, min(len(wrong), 3))
            if rnd.random() < 0.5:
                options = rnd.sample([ask, *wrong], len(wrong) + 1)
                made = [({"type": "choice", "instructions": rnd.choice(QUESTION), "criteria": options}, ask)]
            else:
                made = [rows.claim(ANSWERS, True, rnd, said=ask), rows.claim(ANSWERS, False, rnd, said=wrong[0])]
                made = rnd.sample(made, rnd.randint(1, 2))
            yield "\n".join(part), made
        wrong = shows(summary, [rows.plain(other["answer"]) for other in others], part)
        wrong = [text for text in wrong if len(text.split()) <= LONGEST_SUMMARY]
        if len(wrong) < 2 or len(summary.split()) > LONGEST_SUMMARY:
            continue
        if length(part) < MOST_WORDS - LONGEST_SUMMARY and rnd.random() < 0.6:
            holds = rnd.random() < 0.5
            state = {"excerpt": "\n".join(part), "summary": summary if holds else rnd.choice(wrong)}
            yield state, [rows.claim(SUMS_UP, holds, rnd)]
        else:
            options = rnd.sample([summary, *rnd.sample(wrong, 2)], 3)
            asked = {"type": "choice", "instructions": rnd.choice(SUMMARY), "criteria": options}
            yield "\n".join(part), [(asked, summary)]


def read(show, rnd):
    made = collections.defaultdict(list)
    for part in PARTS:
        for name in show(f"data/ALL/{part}").splitlines()[2:]:
            if name.endswith(".json") and not name.startswith("covid"):
                meeting = json.loads(show(f"data/ALL/{part}/{name}"))
                made["topics"] += of_topics(meeting, rnd)
                made["asked"] += of_questions(meeting, rnd)
    for source, some in made.items():
        for count, (state, asked) in enumerate(some):
            yield rows.row(f"meetings-{source}-{count:05d}", "meetings", LICENCE, state, asked)
