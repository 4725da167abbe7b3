"""jkkummerfeld/irc-disentanglement (train): hours of chat in a help channel, with which message answers which, by hand
(Kummerfeld and others, 2019; the data CC BY 4.0).

A row is a stretch of a channel in which several conversations run through each other. Only replies are asked about that
name whom they answer, or whose asker had named the one who replies.
"""

import collections
import re

from data.shared import evened, rows

REPOSITORY = "jkkummerfeld/irc-disentanglement"
LICENCE = "CC BY 4.0"
FOLDER = "data/train"
SAID = re.compile(r"\[\d\d:\d\d\] <([^>\s]+)> (.+)")
ANNOTATED = 1000  # messages before it are there to be answered only
FEWEST, LONGEST, MOST_WORDS = 5, 13, 170
MOST = 7000
HIDDEN = 0.75  # of replies: such as do not name whom they answer, where there are some
ANSWERS = [
    ('"{said}" is said to {who}.', True),
    ('With "{said}" {by} answers {who}.', True),
    ('{who} is meant by "{said}".', True),
    ('Is "{said}" a reply to {who}?', True),
    ('"{said}" reacts to what {who} wrote.', True),
    ('"{said}" is not meant for {who}.', False),
    ('With "{said}" {by} answers somebody else than {who}.', False),
    ('"{said}" has nothing to do with what {who} wrote.', False),
    ('"{said}" is said to another person than {who}.', False),
]
ANSWERED = [
    ("Somebody answers {who}.", True),
    ("{who} gets a reply.", True),
    ("Does anybody respond to {who}?", True),
    ("{who}'s question is taken up by another person.", True),
    ("There is a reaction to what {who} asks.", True),
    ("Nobody answers {who} here.", False),
    ("{who} gets no reply.", False),
    ("Is {who}'s question left open?", False),
    ("{who} is still waiting for a reply at the end.", False),
    ("No one takes up what {who} asks.", False),
]
TOGETHER = [
    ("{a} and {b} talk with each other.", True),
    ("{a} and {b} are in the same conversation.", True),
    ("Do {a} and {b} talk about the same thing?", True),
    ("{a} is part of the conversation with {b}.", True),
    ("{a} and {b} talk about different things.", False),
    ("{a} has nothing to do with {b}'s conversation.", False),
    ("{a} and {b} each talk with other people or with nobody.", False),
    ("Are {a} and {b} in different conversations?", False),
]
OPENS = [
    ("The last message opens a new conversation.", True),
    ("The last message has nothing to do with those before.", True),
    ("Somebody comes up with something new at the end.", True),
    ("Is the last message a new question to everybody?", True),
    ("The last message answers one before it.", False),
    ("The last message goes on with a conversation.", False),
    ("The last message is meant for one person of the chat.", False),
    ("Does the last message reply to somebody?", False),
]
WHO = ['Who is meant by "{said}"?', 'Whom does {by} answer with "{said}"?', '"{said}" is said to']
TO_WHAT = ['What does {by} answer with "{said}"?', 'Which message does "{said}" belong to?', '"{said}" is a reply to']
COPY = ['Copy the message that {by} answers with "{said}".', 'To what is "{said}" a reply? Copy it.']
FORMS = ["<{by}> {said}", "{by}: {said}", "[{by}] {said}", "{by} > {said}"]


def messages(page):
    """number -> (who, what) of what people say."""
    found = {n: SAID.fullmatch(line.strip()) for n, line in enumerate(page.splitlines())}
    return {n: (one[1], rows.plain(one[2])) for n, one in found.items() if one and "unconvertable" not in one[2]}


def links(page):
    """number -> numbers of the messages that it answers; itself where it answers none."""
    found = collections.defaultdict(set)
    for line in page.splitlines():
        a, b = sorted(map(int, line.split()[:2]))
        found[b].add(a)
    return found


def names(said, who):
    """Whether a message names somebody in its first word."""
    return re.match(re.escape(who) + r"(?:[,:;]|\s|$)", said, re.I) is not None


def stretches(said, rnd):
    """Lists of numbers of messages that follow each other."""
    numbers, at = [n for n in said if n >= ANNOTATED], 0
    while at < len(numbers):
        shown = numbers[at : at + rnd.randint(FEWEST, LONGEST)]
        while sum(len(said[n][1].split()) for n in shown) > MOST_WORDS:
            shown = shown[:-1]
        if not shown:
            shown = numbers[at : at + 1]
        at += len(shown)
        if len(shown) >= FEWEST:
            yield shown


class Stretch:
    """Messages that are shown, who says them and what they answer."""

    def __init__(self, said, answers, shown):
        self.said, self.answers, self.shown = said, answers, shown
        self.people = list(dict.fromkeys(said[n][0] for n in shown))
        self.group = {n: n for n in shown}
        for n in shown:
            for to in answers[n] & self.group.keys():
                old, new = self.group[n], self.group[to]
                self.group = {one: new if kept == old else kept for one, kept in self.group.items()}

    def quotable(self, n):
        text = self.said[n][1]
        return 3 <= len(text.split()) <= 14 and sum(self.said[one][1] == text for one in self.shown) == 1

    def sure(self, n):
        """The message that one surely answers, or None."""
        if len(self.answers[n]) != 1:
            return None
        (to,) = self.answers[n]
        if to == n or to not in self.group or self.said[to][0] == self.said[n][0]:
            return None
        (by, text), (who, asked) = self.said[n], self.said[to]
        if names(text, who):
            return to
        callers = {self.said[one][0] for one in self.shown if one < n and names(self.said[one][1], by)}
        return to if names(asked, by) and callers == {who} else None

    def groups(self, who):
        return {self.group[n] for n in self.shown if self.said[n][0] == who}

    def reply(self, surplus, rnd):
        """Whom or what a message answers."""
        sure = [(n, self.sure(n)) for n in self.shown if self.sure(n) is not None and self.quotable(n)]
        if not sure:
            return None
        hidden = [one for one in sure if not names(self.said[one[0]][1], self.said[one[1]][0])]
        n, to = rnd.choice(hidden if hidden and rnd.random() < HIDDEN else sure)
        (by, said), who = self.said[n], self.said[to][0]
        others = [one for one in self.people if one not in (by, who) and not names(said, one)]
        drawn, holds = rnd.random(), rnd.random() < 0.5
        if not others or drawn < 0.15:
            is_only = sum(self.said[one][0] == who for one in self.shown if one < n) == 1
            asks = {"type": "extract", "instructions": rnd.choice(COPY).format(by=by, said=said)}
            return (asks, self.said[to][1]) if is_only else None
        if drawn < 0.35 and len(others) > 1:
            options = rnd.sample([who, *rnd.sample(others, min(len(others), 4))], min(len(others), 4) + 1)
            return {
                "type": "choice",
                "instructions": rnd.choice(WHO).format(by=by, said=said),
                "criteria": options,
            }, who
        before = [one for one in self.shown if one < n and self.said[one][0] not in (by, who)]
        if drawn < 0.55 and len(before) > 1 and self.quotable(to):
            return self.among(n, to, before, rnd)
        return evened.claim(ANSWERS, holds, surplus, rnd, by=by, said=said, who=who if holds else rnd.choice(others))

    def among(self, n, to, before, rnd):
        """Which message one answers, among several that other people wrote before."""
        by, said = self.said[n]
        kept = rnd.sample(before, min(len(before), 4))
        options = list(dict.fromkeys(self.said[one][1] for one in rnd.sample([to, *kept], len(kept) + 1)))
        asks = rnd.choice(TO_WHAT).format(by=by, said=said)
        return {"type": "choice", "instructions": asks, "criteria": options}, self.said[to][1]

    def answered(self, surplus, rnd):
        """Whether a question that somebody puts to all gets a reply."""
        found = []
        for n in self.shown[:-2]:
            who, text = self.said[n]
            later = [one for one in self.shown if one > n and self.said[one][0] != who]
            if self.answers[n] == {n} and "?" in text and len(self.groups(who)) == 1 and len(text.split()) > 3:
                replies = [one for one in later if n in self.answers[one]]
                named = [one for one in later if who.lower() in self.said[one][1].lower()]
                if any(one in named for one in replies) or (not replies and not named):
                    same = [one for one in later if self.group[one] == self.group[n]]
                    found += [(who, bool(replies))] if replies or not same else []
        if not found:
            return None
        who, holds = rnd.choice(found)
        return evened.claim(ANSWERED, holds, surplus, rnd, who=who)

    def together(self, surplus, rnd):
        """Whether two people talk with each other."""
        alone = [one for one in self.people if len(self.groups(one)) == 1]
        talk = {(self.said[n][0], self.said[self.sure(n)][0]) for n in self.shown if self.sure(n) is not None}
        pairs = [(a, b) for a in alone for b in alone if a != b]
        holds = rnd.random() < 0.5
        side = [(a, b) for a, b in pairs if ((a, b) in talk if holds else self.groups(a) != self.groups(b))]
        if not side:
            return None
        a, b = rnd.choice(side)
        return evened.claim(TOGETHER, holds, surplus, rnd, a=a, b=b)

    def opens(self, surplus, rnd):
        """Whether the last message begins a conversation."""
        last = self.shown[-1]
        text = self.said[last][1]
        new = self.answers[last] == {last} and "?" in text and len(text.split()) > 5
        if (new and any(one.lower() in text.lower() for one in self.people)) or (not new and self.sure(last) is None):
            return None
        return evened.claim(OPENS, new, surplus, rnd)

    def state(self, rnd):
        form, drawn = rnd.choice(FORMS), rnd.random()
        if drawn < 0.25:
            return [{"from": by, "text": said} for by, said in map(self.said.get, self.shown)]
        lines = [form.format(by=by, said=said) for by, said in map(self.said.get, self.shown)]
        return lines if drawn < 0.35 else "\n".join(lines)


def read(show, rnd):
    surplus, made = collections.Counter(), []
    for name in show(FOLDER).split()[2:]:
        if name.endswith(".ascii.txt"):
            said = messages(show(f"{FOLDER}/{name}"))
            answers = links(show(f"{FOLDER}/{name.replace('.ascii', '.annotation')}"))
            for shown in stretches(said, rnd):
                one = Stretch(said, answers, shown)
                asked = [one.reply, one.reply, one.answered, one.together, one.opens]
                questions = [each for each in (ask(surplus, rnd) for ask in asked) if each]
                questions = list({each[0]["instructions"]: each for each in questions}.values())
                if questions:
                    made.append((one.state(rnd), rnd.sample(questions, min(len(questions), 4))))
    for count, (state, questions) in enumerate(rnd.sample(made, min(len(made), MOST))):
        yield rows.row(f"channel-{count:05d}", "who answers whom", LICENCE, state, questions)
