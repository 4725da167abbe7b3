"""Pictures of nothing but text in the fonts of this machine, so that the reader sees every letter and digit.

    python -m reading.drawn_text TILES NAME COUNT LABELS.jsonl WORDS.txt

Writes TILES/tiles-NAME.raw and .json as pictures/dump-tiles.ts does, and page labels.
"""

import functools
import json
import pathlib
import random
import string
import subprocess
import sys

import numpy
from PIL import Image, ImageDraw, ImageFont

SIDE = 512
TILE = 256
SIGNS = ".,:;!?'\"-+/()@#$%&*=_<>[]{}|\\~^`£€•°×"
UNUSABLE = ("Emoji", "Symbol", "Math", "Music", "Braille", "Noto Sans Sign", "Noto Sans Symbols", "Noto Znamenny")


def fonts() -> list[str]:
    """Font files that have the Latin letters."""
    listed = subprocess.run(
        ["fc-list", ":lang=en", "file", "family"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    files = sorted({line.split(":")[0] for line in listed if not any(name in line for name in UNUSABLE)})
    families: dict[str, list[str]] = {}
    for file in files:
        if file.endswith((".ttf", ".otf")):
            families.setdefault(pathlib.Path(file).name.split("-")[0], []).append(file)
    return [
        file
        for own in families.values()
        for file in [f for f in own if "Italic" not in f and "Oblique" not in f][:5]
        + [f for f in own if "Italic" in f or "Oblique" in f][:1]
    ]


@functools.lru_cache(maxsize=2000)
def font_of(file: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(file, size)


def token(rng: random.Random, words: list[str]) -> str:
    """A word as it comes in text, or a number, a price, a date, a code, an address."""
    draw = rng.random()
    word = words[int(len(words) * rng.random() ** 1.4)]
    if draw < 0.42:
        return rng.choice((word, word, word.capitalize(), word.capitalize(), word.upper())) + rng.choice(
            ("", "", "", "", ",", ".", ":", "?", "!", ";")
        )

    def number(least, most):
        return "".join(rng.choices(string.digits, k=rng.randint(least, most)))

    def code(least, most):
        return "".join(rng.choices(string.ascii_uppercase + string.digits, k=rng.randint(least, most)))

    def mixed(least, most):
        return "".join(rng.choices(string.ascii_letters + string.digits, k=rng.randint(least, most)))

    makers = (
        lambda: number(1, 6),
        lambda: f"{rng.choice(('$', '€', '£', '', 'RM'))}{number(1, 4)}.{number(2, 2)}",
        lambda: (
            f"{rng.randint(1, 31):02}{rng.choice('/-.')}{rng.randint(1, 12):02}"
            f"{rng.choice('/-.')}{rng.randint(1990, 2030)}"
        ),
        lambda: f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}-{rng.randint(1, 31):02}",
        lambda: f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}{rng.choice(('', 'pm', 'AM', ':' + number(2, 2)))}",
        lambda: f"{rng.randint(0, 100)}%",
        lambda: f"{code(2, 4)}-{number(2, 6)}",
        lambda: f"#{number(2, 6)}",
        lambda: code(3, 8),
        lambda: mixed(4, 10),
        lambda: (
            f"{word}{rng.choice(('', '.', '_', number(1, 2)))}@{words[rng.randrange(2000)]}."
            f"{rng.choice(('com', 'org', 'net', 'io', 'de'))}"
        ),
        lambda: (
            f"{rng.choice(('https://', 'www.', ''))}{word}."
            f"{rng.choice(('com', 'org', 'io'))}/{words[rng.randrange(2000)]}"
        ),
        lambda: f"+{number(1, 2)} {number(3, 3)} {number(4, 4)}".replace(" ", rng.choice("-")),
        lambda: f"({rng.choice((word, number(1, 3)))})",
        lambda: "".join(rng.choices(SIGNS, k=rng.randint(1, 2))),
        lambda: f"{word}{rng.choice('-/_&+')}{words[rng.randrange(3000)]}",
        lambda: rng.choice(string.ascii_letters),
        lambda: f"{number(1, 3)},{number(3, 3)}{rng.choice(('', '.' + number(2, 2)))}",
    )
    return rng.choice(makers)()


def colours(rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the ground and of the letters, far enough apart to be read."""
    while True:
        ground = (
            tuple(rng.choice((255, 255, 250, 240, 30, 20, 15, rng.randrange(256))) for _ in range(3))
            if rng.random() < 0.4
            else (rng.choice((255, 248, 24)),) * 3
        )
        ink = tuple(rng.randrange(256) for _ in range(3)) if rng.random() < 0.4 else (rng.randrange(256),) * 3
        if abs(sum(a * b for a, b in zip((0.3, 0.6, 0.1), [g - i for g, i in zip(ground, ink)]))) > 70:
            return ground, ink


def picture(rng: random.Random, files: list[str], words: list[str]) -> tuple[Image.Image, list[dict]]:
    ground, ink = colours(rng)
    image = Image.new("RGB", (SIDE, SIDE), ground)
    canvas = ImageDraw.Draw(image)
    labels: list[dict] = []
    size, file = rng.choice((9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 30)), rng.choice(files)
    y = rng.uniform(2, 14)
    while y < SIDE - 50:
        if rng.random() < 0.25:
            size, file = rng.choice((9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 30, 40)), rng.choice(files)
        if rng.random() < 0.1:
            _, ink = colours(rng)
            if abs(sum(ink) - sum(ground)) < 210:
                ink = tuple(255 - value for value in ground)
        font = font_of(file, size)
        ascent, descent = font.getmetrics()
        x = rng.uniform(2, 60)
        space = font.getlength(" ")
        while True:
            text = token(rng, words)
            edges = [x + font.getlength(text[:i]) for i in range(len(text) + 1)]
            if edges[-1] > SIDE - 4:
                break
            canvas.text((x, y), text, ink, font)
            labels.append({"text": text, "box": [edges[0], y, edges[-1], y + ascent + descent], "edges": edges})
            x = edges[-1] + (space if rng.random() < 0.88 else rng.uniform(1.5, 5) * (ascent + descent))
        y += (ascent + descent) * rng.choice((1.0, 1.1, 1.3, 1.6, 2.2))
    return image, labels


def main() -> None:
    tiles, name, count, out, words = (
        pathlib.Path(sys.argv[1]),
        sys.argv[2],
        int(sys.argv[3]),
        pathlib.Path(sys.argv[4]),
        pathlib.Path(sys.argv[5]),
    )
    rng, files, dictionary = random.Random(name), fonts(), words.read_text().split()
    print(len(files), "fonts")
    tiles.mkdir(parents=True, exist_ok=True)
    index = {}
    with open(tiles / f"tiles-{name}.raw", "wb") as raw, open(out, "w", encoding="utf-8") as lines:
        for n in range(count):
            image, labels = picture(rng, files, dictionary)
            path = f"drawn/{name}-{n:05}"
            views = [image.crop((x, y, x + TILE, y + TILE)) for y in (0, TILE) for x in (0, TILE)] + [
                image.resize((TILE, TILE), Image.Resampling.BICUBIC)
            ]
            raw.write(b"".join(numpy.asarray(view, numpy.uint8).tobytes() for view in views))
            index[path] = {"first": 5 * n, "count": 5, "rows": 2, "cols": 2, "width": SIDE, "height": SIDE}
            lines.write(
                json.dumps(
                    {
                        "id": path,
                        "path": path,
                        "width": SIDE,
                        "height": SIDE,
                        "kind": "text",
                        "isDark": False,
                        "words": labels,
                        "elements": [],
                    }
                )
                + "\n"
            )
    (tiles / f"tiles-{name}.json").write_text(json.dumps(index))


if __name__ == "__main__":
    main()
