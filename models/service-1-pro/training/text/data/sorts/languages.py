"""tldr-pages/tldr: what commands do, said in many languages; which language it is."""

import re

REPOSITORY = "tldr-pages/tldr"
FOLDERS = {
    "English": "pages",
    "German": "pages.de",
    "French": "pages.fr",
    "Spanish": "pages.es",
    "Italian": "pages.it",
    "Portuguese": "pages.pt_BR",
    "Dutch": "pages.nl",
    "Polish": "pages.pl",
    "Turkish": "pages.tr",
    "Swedish": "pages.sv",
    "Indonesian": "pages.id",
    "Danish": "pages.da",
    "Russian": "pages.ru",
    "Ukrainian": "pages.uk",
    "Chinese": "pages.zh",
    "Japanese": "pages.ja",
    "Korean": "pages.ko",
    "Arabic": "pages.ar",
}
MOST_PAGES = {"English": 300}
USUAL_PAGES = 90
ASKS = ["Which language is the text in?", "Language", "What language is this?", "The text is written in"]
CLAIMS = ["The text is in {}.", "The text is written in {}.", "This is {}.", "Is this {}?"]
FOREIGN = ["The text is not in English.", "A reader who knows only English needs a translation."]
SAID = re.compile(r"^(?:>|-) (?P<said>[^<`{]+?)[:.]?\s*$", re.M)


def row(count, text, language, rnd):
    others = [one for one in FOLDERS if one != language]
    holds = rnd.random() < 0.5
    named = language if holds else "English" if language != "English" and rnd.random() < 0.4 else rnd.choice(others)
    questions = {"claim": {"type": "noul", "instructions": rnd.choice(CLAIMS).format(named)}}
    truth = {"claim": holds}
    if rnd.random() < 0.3:
        questions["foreign"] = {"type": "noul", "instructions": rnd.choice(FOREIGN)}
        truth["foreign"] = language != "English"
    if rnd.random() < 0.5:
        options = [*rnd.sample(others, rnd.randint(1, 5)), language]
        rnd.shuffle(options)
        questions["language"] = {"type": "choice", "instructions": rnd.choice(ASKS), "criteria": options}
        truth["language"] = language
    return {
        "id": f"languages-{count:05d}",
        "source": "languages",
        "task": "language",
        "licence": "CC BY 4.0",
        "state": text,
        "questions": questions,
        "truth": truth,
    }


def read(show, rnd):
    count = 0
    for language, folder in FOLDERS.items():
        pages = [name for name in show(f"{folder}/common").splitlines() if name.endswith(".md")]
        for page in rnd.sample(pages, min(len(pages), MOST_PAGES.get(language, USUAL_PAGES))):
            found = [one["said"].strip() for one in SAID.finditer(show(f"{folder}/common/{page}"))]
            said = [one for one in found if len(one) > 15]
            for _ in range(min(2, len(said))):
                text = ". ".join(rnd.sample(said, rnd.randint(1, min(2, len(said)))))
                yield row(count, text, language, rnd)
                count += 1
