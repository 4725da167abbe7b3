"""jianguoz/Few-Shot-Intent-Detection: the 64 intents of HWU64, some of them shown, near ones first; often the
right one is left out. Its other sets are kept for measuring.
"""

REPOSITORY = "jianguoz/Few-Shot-Intent-Detection"
ASKS = [
    "What does the user want?",
    "Which of these actions should the assistant take?",
    "Route this request.",
    "Pick the intent.",
    "What is being asked for?",
    "Which command is meant?",
]
NONE = ["none of these", "something else", "other", "none", "no match"]


def read(show, rnd):
    said = show("Datasets/HWU64/train/seq.in").splitlines()
    labels = [label.replace("_", " ") for label in show("Datasets/HWU64/train/label").splitlines()]
    every = sorted(set(labels))
    for count, (text, label) in enumerate(zip(said, labels, strict=True)):
        near = [name for name in every if name != label and name.split()[0] == label.split()[0]]
        far = [name for name in every if name != label and name not in near]
        rnd.shuffle(near)
        rnd.shuffle(far)
        missing = rnd.random() < 0.2
        options = (near[: rnd.randint(0, 4)] + far)[: rnd.randint(2, 11)] + ([] if missing else [label])
        none = rnd.choice(NONE) if missing or rnd.random() < 0.25 else None
        rnd.shuffle(options)
        questions = {
            "intent": {
                "type": "choice",
                "instructions": rnd.choice(ASKS),
                "criteria": options + ([none] if none else []),
            }
        }
        yield {
            "id": f"hwu64-{count:06d}",
            "source": "hwu64",
            "task": "intent",
            "licence": "CC BY 4.0 (upstream)",
            "state": text,
            "questions": questions,
            "truth": {"intent": none if missing else label},
        }
