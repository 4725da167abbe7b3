"""What somebody sent, wanted or not: SMS (the UCI collection), sentences of mails that ask for something, headlines
that lure.
"""

import gzip

from data.shared import rows

REPOSITORY = "learn-co-students/dsc-document-classification-with-naive-bayes-lab-online-ds-pt-051319"
MORE = {"mails": "ParakweetLabs/EmailIntentDataSet", "headlines": "bhargaviparanjape/clickbait"}
MOST_WANTED, MOST_HEADLINES = 1800, 4000
SPAM = {
    "claims": [
        ("The message is spam.", True),
        ("This is an advertisement or a scam.", True),
        ("It was sent to many people at once.", True),
        ("A person wrote this to somebody they know.", False),
        ("The message should be blocked.", True),
        ("It is a private message.", False),
    ],
    "asks": ["Is this message spam?", "What kind of message is it?", "Where should the message go?", "Filter it."],
    "options": [
        ("spam", "not spam"),
        ("advertising or fraud", "a personal message"),
        ("junk", "inbox"),
        ("block", "deliver"),
    ],
}
MAILS = {
    "claims": [
        ("The reader is asked to do or answer something.", True),
        ("The sentence calls for a reaction.", True),
        ("It only tells something; nothing is wanted of the reader.", False),
        ("Something is requested.", True),
        ("No answer and no action is needed.", False),
    ],
    "asks": ["What is the sentence for?", "Does it ask for something?", "Kind of sentence", "What is to be done?"],
    "options": [
        ("it asks for something", "it only informs"),
        ("a request, question or proposal", "a plain statement"),
        ("action needed", "no action needed"),
    ],
}
HEADLINES = {
    "claims": [
        ("The headline is clickbait.", True),
        ("The headline tries to lure people into clicking.", True),
        ("It is a headline of a serious newspaper.", False),
        ("The headline reports an event.", False),
        ("It is meant to entertain rather than to inform.", True),
    ],
    "asks": ["What kind of headline is it?", "Clickbait or news?", "Where does this headline come from?"],
    "options": [
        ("clickbait", "news"),
        ("an entertainment site", "a news agency"),
        ("it lures the reader", "it tells what happened"),
    ],
}


def row(name, licence, state, holds, words, rnd):
    """A text with a claim or two, and now and then a choice of two."""
    made = [
        ({"type": "noul", "instructions": claim}, holds == when)
        for claim, when in rnd.sample(words["claims"], rnd.choice([1, 1, 2]))
    ]
    if rnd.random() < 0.5:
        options = list(rnd.choice(words["options"]))
        right = options[0] if holds else options[1]
        rnd.shuffle(options)
        made.append(({"type": "choice", "instructions": rnd.choice(words["asks"]), "criteria": options}, right))
    return rows.row(name, "kind of text", licence, state, made)


def read(show, rnd):
    sms = [line.split("\t", 1) for line in show("SMSSpamCollection").splitlines() if "\t" in line]
    wanted = rnd.sample([one for one in sms if one[0] == "ham"], MOST_WANTED)
    for count, (label, text) in enumerate([*wanted, *(one for one in sms if one[0] == "spam")]):
        yield row(f"spam-{count:05d}", "CC BY 4.0 (upstream)", text, label == "spam", SPAM, rnd)
    mails = show("src/resources/Ask0729-fixed.txt", other=MORE["mails"])
    for count, line in enumerate(mails.splitlines()):
        label, _, text = line.partition("\t")
        text = " ".join(text.replace("\ufffd", "").replace("ï¿½", "").split())
        if label in ("Yes", "No") and len(text.split()) > 2:
            yield row(f"mails-{count:05d}", "Apache-2.0", text, label == "Yes", MAILS, rnd)
    for holds, name in ((True, "clickbait_data"), (False, "non_clickbait_data")):
        packed = show(f"dataset/{name}.gz", other=MORE["headlines"], text=False)
        lines = gzip.decompress(packed).decode("utf-8", "replace").splitlines()
        for count, text in enumerate(rnd.sample([line.strip() for line in lines if line.strip()], MOST_HEADLINES)):
            yield row(f"headlines-{2 * count + holds:05d}", "MIT", text, holds, HEADLINES, rnd)
