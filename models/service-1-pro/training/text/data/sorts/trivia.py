"""uberspot/OpenTriviaQA: which category a question belongs to, under several names for each."""

import re

REPOSITORY = "uberspot/OpenTriviaQA"
NAMES = {
    "animals": ["animals", "pets and wildlife"],
    "brain-teasers": ["riddles", "brain teasers"],
    "celebrities": ["celebrities", "famous people of show business"],
    "geography": ["geography", "countries and places"],
    "history": ["history", "what happened in the past"],
    "hobbies": ["hobbies", "leisure and pastimes"],
    "literature": ["literature", "books and writers"],
    "movies": ["movies", "films", "cinema"],
    "music": ["music", "songs and bands"],
    "religion-faith": ["religion", "faith"],
    "science-technology": ["science and technology", "science", "technology and research"],
    "sports": ["sports", "athletics and games"],
    "television": ["television", "TV shows"],
    "video-games": ["video games", "computer games"],
}
ASKS = [
    "Which topic is this about?",
    "Category of the question",
    "Where does this belong?",
    "What is the subject?",
    "Pick the section for this.",
]
MOST = 900


def read(show, rnd):
    count = 0
    for category in NAMES:
        found = re.findall(r"#Q (.+)", show(f"categories/{category}"))
        rnd.shuffle(found)
        for text in found[:MOST]:
            others = rnd.sample([name for name in NAMES if name != category], rnd.randint(2, 8))
            names = {name: rnd.choice(NAMES[name]) for name in [category, *others]}
            options = list(names.values())
            rnd.shuffle(options)
            questions = {"topic": {"type": "choice", "instructions": rnd.choice(ASKS), "criteria": options}}
            other = rnd.choice([category, others[0]])
            questions["is"] = {
                "type": "noul",
                "instructions": rnd.choice(
                    ["This is about {}.", "The topic is {}.", 'A question for the section "{}"']
                ).format(rnd.choice(NAMES[other])),
            }
            truth = {"topic": names[category], "is": other == category}
            yield {
                "id": f"trivia-{count:06d}",
                "source": "trivia",
                "task": "topic",
                "licence": "CC BY-SA 4.0",
                "state": text.strip(),
                "questions": questions,
                "truth": truth,
            }
            count += 1
