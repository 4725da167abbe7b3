"""cjhutto/vaderSentiment: sentences of newspapers and product reviews, tweets, and single words, each rated by ten
people and more from -4 to 4. Its film reviews are left out: SST-5, which is kept for measuring, is made of the same.
"""

import io
import tarfile

from data.shared import ratings
from data.shared.spaced import closed

REPOSITORY = "cjhutto/vaderSentiment"
ARCHIVE, FOLDER = "additional_resources/hutto_ICWSM_2014.tar.gz", "hutto_ICWSM_2014"
WORDS = "vaderSentiment/vader_lexicon.txt"
FILES = {
    "rated-news": ("nytEditorialSnippets", ["sentence", "text", "statement"]),
    "rated-reviews": ("amazonReviewSnippets", ["review", "sentence", "comment", "text"]),
    "rated-tweets": ("tweets", ["tweet", "post", "message"]),
}
ENDS = 4.0
TOGETHER = ["{}", "{}", "{}, {}", "{} and {}", "{}, {} and {}", "{}, {}, {}"]


def phrases(lines, rnd):
    """Words that feel alike, one to three together, with their mean rating."""
    rated = [line.split("\t")[:2] for line in lines if line.count("\t") >= 2]
    rated = [(word, float(rating)) for word, rating in rated if word.isalpha() and abs(float(rating)) > 0.6]
    by_side = {side: [one for one in rated if (one[1] > 0) == side] for side in (True, False)}
    for word, rating in rated:
        form = rnd.choice(TOGETHER)
        others = rnd.sample(by_side[rating > 0], form.count("{}") - 1)
        ratings = [rating, *(one[1] for one in others)]
        yield form.format(word, *(one[0] for one in others)), sum(ratings) / len(ratings)


def read(show, rnd):
    with tarfile.open(fileobj=io.BytesIO(show(ARCHIVE, text=False)), mode="r:gz") as archive:
        for source, (name, words) in FILES.items():
            lines = archive.extractfile(f"{FOLDER}/{name}_GroundTruth.txt").read().decode("utf-8", "replace")
            for count, line in enumerate(lines.splitlines()):
                _, rating, text = line.split("\t", 2)
                text = closed(text.replace("''", '"').replace("url_removed", "").replace("@anonymous", ""))
                if len(text.split()) > 2:
                    value = float(rating) / ENDS
                    yield ratings.row(f"{source}-{count:05d}", "MIT", text, value, rnd.choice(words), rnd)
    for count, (text, rating) in enumerate(phrases(show(WORDS).splitlines(), rnd)):
        value = rating / ENDS
        yield ratings.row(f"rated-words-{count:05d}", "MIT", text, value, rnd.choice(["text", "comment"]), rnd)
