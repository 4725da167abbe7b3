"""twilio/twilio-oai (MIT): answers of the interfaces of Twilio, with what the documentation says of each field. The
companion of settings.py for records that programs send.
"""

import collections
import json

from data.reading import settings
from data.shared import rows

REPOSITORY = "twilio/twilio-oai"
LICENCE = "MIT"
FOLDER = "spec/json"
TIMES, MOST = 4, 6000


def answers(page):
    """(answer, its schema) of each example in a description of an interface."""
    for calls in page["paths"].values():
        for call in calls.values():
            for code in call.get("responses", {}).values() if isinstance(call, dict) else ():
                for content in code.get("content", {}).values():
                    for one in content.get("examples", {}).values():
                        if isinstance(one.get("value"), dict):
                            yield one["value"], content.get("schema", {})


def single(answer, schema, page):
    """An answer, or the first record of one that lists some."""
    for key, inner in answer.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict) and "meta" in answer:
            of_key = settings.about(list(settings.parts(schema, page)), key, page)
            return inner[0], next((one["items"] for one in of_key if "items" in one), {})
    return answer, schema


def read(show, rnd):
    talk, made = settings.Talk("field", "record", collections.Counter()), []
    for name in show(FOLDER).split()[2:]:
        page = json.loads(show(f"{FOLDER}/{name}"))
        found = [single(*one, page) for one in answers(page)]
        distinct = {json.dumps(one, sort_keys=True): (one, schema) for one, schema in found}
        for answer, schema in [*distinct.values()] * TIMES:
            made += settings.asked(answer, schema, talk, rnd, page)
    for count, (state, questions) in enumerate(rnd.sample(made, min(len(made), MOST))):
        yield rows.row(f"responses-{count:05d}", "answers of interfaces", LICENCE, state, questions[:4])
