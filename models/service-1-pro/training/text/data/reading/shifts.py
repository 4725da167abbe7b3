"""modestyachts/squadshifts-website: questions that people asked about passages of Wikipedia, product reviews and posts,
answered by words of them (SQuADShifts; no passage is of SQuAD).

A row is a passage, or a few sentences of it around an answer: then some of its questions are about what was cut off,
and the text does not tell.
"""

import collections
import html
import json
import re

from data.shared.asked import ABSENT, TOLD, question

REPOSITORY = "modestyachts/squadshifts-website"
FILES = {
    "asked-wiki": "datasets/new_wiki_v1.0.json",
    "asked-reviews": "datasets/amazon_reviews_v1.0.json",
    "asked-posts": "datasets/reddit_v1.0.json",
}
LONGEST_ANSWER = 14  # words
WHOLE = 0.35  # of passages
AROUND = [0, 0, 1, 1, 2, 3]  # sentences beside the one that answers
MOST_QUESTIONS = 4
WHETHER_TOLD, THE_SENTENCE, WHICH_TOLD = 0.15, 0.06, 0.15  # of questions, of questions of whole passages, of rows
SENTENCES = ["Copy the sentence that answers: {}", "Which sentence says it? {}", "The sentence that tells: {}"]
WHICH = ["Questions that the text answers", "Which of these does the text answer?", "What can be told from the text?"]


def agreed(answers, passage):
    """(first, last) characters of what most gave, the shortest where all differ; None where long or not found."""
    counts = collections.Counter(answer.strip(" .,").lower() for answer, _ in answers)
    best = min(counts, key=lambda one: (-counts[one], len(one)))
    said, near = next((answer.strip(" .,"), at) for answer, at in answers if answer.strip(" .,").lower() == best)
    at = passage.find(said, max(0, near - 3))
    return (at, at + len(said)) if said and at >= 0 and len(said.split()) <= LONGEST_ANSWER else None


def sentences(passage):
    """(first, last) characters of each sentence."""
    ends = [one.end() for one in re.finditer(r"[.!?][\"')\]]*\s+(?=[\"'(\[A-Z0-9])|\n+", passage)]
    return list(zip([0, *ends], [*ends, len(passage)], strict=True))


def asked_of(paragraph):
    """The passage and [(question, place of its answer)]."""
    passage, found = html.unescape(paragraph["context"]), []
    for one in paragraph["qas"]:
        answers = [
            (html.unescape(answer["text"]), len(html.unescape(paragraph["context"][: answer["answer_start"]])))
            for answer in one["answers"]
        ]
        place = agreed(answers, passage) if answers else None
        if place is not None:
            found.append((" ".join(one["question"].split()).strip(" ,"), place))
    return passage, found


def passages_of(show, path):
    """[(passage, [(question, place of its answer)])] of one of FILES."""
    return [asked_of(one) for page in json.loads(show(path))["data"] for one in page["paragraphs"]]


def row(passage, cut, inside, outside, answers, rnd):
    """Questions about passage[cut], whose answers stand in it or not, and their truths; `answers` are all that stand
    in the passage.
    """
    begin, end = cut
    text = passage[begin:end]
    questions, truth = {}, {}
    for n, (ask, (a, b)) in enumerate(inside[:MOST_QUESTIONS]):
        answer, is_whether = passage[a:b], rnd.random() < WHETHER_TOLD
        if outside and rnd.random() < (0.5 if is_whether else ABSENT):
            ask, answer = rnd.choice(outside)[0], None
        name = f"q{n}"
        if is_whether:
            questions[name] = {"type": "noul", "instructions": rnd.choice(TOLD).format(ask)}
            truth[name] = answer is not None
        elif answer and len(text) > 300 and rnd.random() < THE_SENTENCE:
            whole = next((passage[c:d].strip() for c, d in sentences(passage) if c <= a and b <= d), None)
            questions[name] = {"type": "extract", "instructions": rnd.choice(SENTENCES).format(ask)}
            truth[name] = whole or answer
        else:
            questions[name], truth[name] = question(ask, answer, answers, rnd)
    if outside and rnd.random() < WHICH_TOLD:
        told = [ask for ask, _ in inside[:3]]
        shown = list(dict.fromkeys([*told, *(ask for ask, _ in rnd.sample(outside, min(3, len(outside))))]))
        rnd.shuffle(shown)
        questions["which"] = {"type": "select", "instructions": rnd.choice(WHICH), "options": shown}
        truth["which"] = [ask for ask in shown if ask in told]
    return questions, truth


def cuts(passage, found, rnd):
    """(first, last) characters of what is shown, a few for a passage."""
    spans = sentences(passage)
    if rnd.random() < WHOLE or len(spans) == 1:
        yield 0, len(passage)
    for n, (begin, end) in enumerate(spans):
        if len(spans) > 1 and any(begin <= a and b <= end for _, (a, b) in found):
            beside = rnd.choice(AROUND)
            before = rnd.randint(0, beside)
            yield spans[max(0, n - before)][0], spans[min(len(spans) - 1, n + beside - before)][1]


def parts(passages, rnd):
    """(text, questions, truth) of each part of [(passage, [(question, place of its answer)])] that is shown."""
    for passage, found in passages:
        if not found:
            continue
        rnd.shuffle(found)
        answers = [passage[a:b] for _, (a, b) in found]
        for begin, end in dict.fromkeys(cuts(passage, found, rnd)):
            inside = [(ask, (a, b)) for ask, (a, b) in found if begin <= a and b <= end]
            shown = {ask for ask, _ in inside}
            outside = [one for one in found if one[0] not in shown] or rnd.choice(passages)[1]
            rnd.shuffle(inside)
            questions, truth = row(passage, (begin, end), inside, outside, answers, rnd)
            text = passage[begin:end].strip()
            if questions and text:
                yield text, questions, truth


def read(show, rnd):
    for source, path in FILES.items():
        for count, (text, questions, truth) in enumerate(parts(passages_of(show, path), rnd)):
            yield {
                "id": f"{source}-{count:06d}",
                "source": source,
                "task": "questions about passages",
                "licence": "CC BY 4.0",
                "state": {"text": text} if rnd.random() < 0.15 else text,
                "questions": questions,
                "truth": truth,
            }
