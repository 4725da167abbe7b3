"""kvrao/sentiment_analysis: the UCI set of labelled sentences of product, restaurant and film reviews, good or bad
(Kotzias and others, 2015).
"""

from data.shared import ratings

REPOSITORY = "kvrao/sentiment_analysis"
FILES = {
    "amazon_cells_labelled": ["review", "product review", "comment"],
    "yelp_labelled": ["review", "restaurant review", "comment"],
    "imdb_labelled": ["review", "film review", "comment"],
}


def read(show, rnd):
    count = 0
    for name, words in FILES.items():
        for line in show(f"sentiment labelled sentences/{name}.txt").split("\n"):
            said, _, label = line.strip().rpartition("\t")
            if label not in ("0", "1") or len(said.split()) < 2:
                continue
            licence, said, text = "CC BY 4.0 (upstream)", " ".join(said.split()), rnd.choice(words)
            yield ratings.sided(f"liked-{count:05d}", licence, said, label == "1", text, rnd)
            count += 1
