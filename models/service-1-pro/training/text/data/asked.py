"""How questions that people asked about a text are put: as a quote, a choice, a claim, or whether the text answers."""

ABSENT, AS_CHOICE, AS_CLAIM = 0.12, 0.2, 0.12
FEWEST_ANSWERS, MOST_OPTIONS = 3, 5
ASKS = ["{}", "{}", "{}", "{} Answer with words of the text.", "Copy the answer: {}"]
TOLD = ["Does the text say: {}", "The text tells: {}", "It can be told from the text: {}", "The text answers this: {}"]
CLAIMS = ['The answer to "{}" is "{}".', "{} {}.", "Asked «{}», the text answers «{}»."]


def question(ask, answer, others, rnd):
    """One question and its truth: a quote, a choice between what the sentence answers, or a claim. `answer` is None
    where the text does not say.
    """
    wrong = [one for one in dict.fromkeys(others) if answer and one not in answer and answer not in one]
    drawn = rnd.random()
    if answer and len(wrong) >= FEWEST_ANSWERS and drawn < AS_CHOICE:
        names = [answer, *rnd.sample(wrong, rnd.randint(2, min(len(wrong), MOST_OPTIONS)))]
        rnd.shuffle(names)
        return {"type": "choice", "instructions": ask, "criteria": dict.fromkeys(names)}, answer
    if answer and wrong and drawn < AS_CHOICE + AS_CLAIM:
        is_right = rnd.random() < 0.5
        claim = rnd.choice(CLAIMS).format(ask, answer if is_right else rnd.choice(wrong))
        return {"type": "noul", "instructions": claim}, is_right
    return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, answer
