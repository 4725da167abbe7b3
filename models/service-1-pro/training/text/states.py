"""From a state (text, JSON or parts) to passages of word pieces that know where they stand in its text.

JSON becomes lines: `path words: value`, one a leaf; a list of plain values is one line; a list of turns (who, what)
is one line a turn, `who: what`. The runner has to write the same.
Passages are cut at lines, then at ends of sentences, then anywhere.
"""

import dataclasses
import json
import re

WHO = ("role", "speaker", "from", "author", "sender", "name")
WHAT = ("text", "content", "message", "body")


def plain(value):
    if value is None:
        return "none"
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as JavaScript writes it
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_plain(value):
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def turn(value):
    """`who: what` if the object is one turn of a conversation, else None."""
    if not isinstance(value, dict) or len(value) != 2:
        return None
    who, what = next((key for key in WHO if key in value), None), next((key for key in WHAT if key in value), None)
    return (
        None
        if who is None or what is None or isinstance(value[who], (dict, list)) or not isinstance(value[what], str)
        else f"{plain(value[who])}: {value[what]}"
    )


def flat(value, path=""):
    lead = f"{path} " if path else ""
    if isinstance(value, dict):
        if (said := turn(value)) is not None:
            return said
        return "\n".join(flat(one, lead + key) for key, one in value.items()) or f"{lead}: none".strip()
    if isinstance(value, list):
        if all(not isinstance(one, (dict, list)) for one in value):
            listed = ", ".join(map(plain, value)) or "none"
            return f"{path}: {listed}" if path else listed
        if all(turn(one) is not None for one in value):
            return "\n".join(map(turn, value))
        return "\n".join(
            flat(one, f"{lead}{at}") if isinstance(one, (dict, list)) else f"{lead}{at}: {plain(one)}"
            for at, one in enumerate(value, 1)
        )
    return f"{path}: {plain(value)}" if path else plain(value)


def has_parts(state):
    """Whether a state is a list of texts, JSON values and pictures rather than JSON itself."""
    return isinstance(state, list) and bool(state) and all(isinstance(one, dict) and "type" in one for one in state)


def text_of(state):
    """The state as one text; None where a part is a picture."""
    if has_parts(state):
        if any(part["type"] not in ("text", "json") for part in state):
            return None
        return "\n".join(part["text"] if part["type"] == "text" else flat(part.get("value")) for part in state)
    return flat(state)


@dataclasses.dataclass
class Passage:
    pieces: list  # ids
    spans: list  # (from, to) of each piece in the text of the state


def passages(text, tokenizer, most):
    """Passages of at most `most` pieces each."""
    encoded = tokenizer.encode(text, add_special_tokens=False)
    ids, spans = encoded.ids, encoded.offsets
    if len(ids) <= most:
        return [Passage(ids, spans)]
    # Where a cut is best: a line's end 2, a sentence's end 1.
    ends = {}
    for found in re.finditer(r"\n+|(?<=[.!?])\s+", text):
        ends[found.end()] = 2 if "\n" in found.group() else 1
    cuts = [0] * (len(ids) + 1)
    places = sorted(ends)
    at = 0
    for n, (begin, _) in enumerate(spans):
        best = 0
        while at < len(places) and places[at] <= begin:
            best = max(best, ends[places[at]])
            at += 1
        cuts[n] = best
    out, begin = [], 0
    while begin < len(ids):
        end = min(len(ids), begin + most)
        if end < len(ids):
            within = range(begin + most // 3, end + 1)
            best = max(within, key=lambda n: (cuts[n], n))
            end = best if cuts[best] else end
        out.append(Passage(ids[begin:end], spans[begin:end]))
        begin = end
    return out
